"""The prompt hook waits for no model and no network, whatever is configured."""

import socket

import pytest
from world import Session, eventually

from bellek import hook

CONFIG = """
[sleep]
model = "far"
[replay]
model = "far"
[models.far]
runner = "openai"
model = "tiny"
url = "http://127.0.0.1:{port}/v1"
input_usd = 1.0
output_usd = 4.0
"""


@pytest.fixture
def silent():
    """An address that takes calls and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def test_a_configured_model_is_never_asked_by_a_prompt(taught, silent):
    """B113: with a model configured that never answers, the prompt gets its text results and nobody was called."""
    config = taught.home / "config" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(CONFIG.format(port=silent.getsockname()[1]), encoding="utf-8")
    assert "config" in taught.bellek("doctor", ok=False)
    lesson = taught.json("lessons", "list")[0]["text"]
    told = taught.prompt(lesson)
    assert lesson[:40] in told
    with pytest.raises(BlockingIOError):
        silent.accept()


def test_a_start_waits_for_what_was_heard_and_not_for_a_model(taught, silent):
    """The child closes the stream that a session's start waits for once all is heard, before it asks a model that never answers."""
    config = taught.home / "config" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    asking = CONFIG.format(port=silent.getsockname()[1])
    config.write_text(f'profile = "companion"\n[curator]\nmodel = "far"\n{asking}', encoding="utf-8")
    Session(taught).turn("öğren", "<!-- learning: bir, çünkü iki -->")
    environment = taught.environment(CLAUDE_CONFIG_DIR=str(taught.config))
    with taught.start(hook.HEAR, env=environment) as child:
        assert child.stdout.read() == b""
        assert taught.json("queue", "status") == {"learning": 1}
        with eventually(lambda: taken(silent), "the model's call"):
            assert child.poll() is None
        child.kill()


def taken(server):
    """The call of whoever is at the door; None where nobody is."""
    try:
        return server.accept()[0]
    except BlockingIOError:
        return None
