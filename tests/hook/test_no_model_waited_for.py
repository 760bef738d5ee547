"""The prompt hook waits for no model and no network, whatever is configured."""

import socket

import pytest

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
