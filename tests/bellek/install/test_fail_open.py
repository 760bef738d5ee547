"""The written commands in a real shell: tried before they are written, harmless when what they start is gone."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest

from bellek.install import receipt
from bellek.install.claude_code import install, uninstall
from bellek.install.command import EVENTS, HIDING_EVENT
from bellek.install.receipt import Receipt
from bellek.schemas.errors import Refused

ANSWERS = "import sys\nif 'SelfTest' in sys.argv:\n    print('{\"bellek\": \"9.9.9\"}')\n    sys.exit()\n"
OTHER_EVENT = ANSWERS + 'print(\'{"hookSpecificOutput": {"hookEventName": "X"}}\')'
SWALLOWS = ANSWERS + "open(sys.argv[-1] + '/hook.log', 'w').write('OperationalError turn.py:7\\n')"


def test_b155_awkward_paths_run_in_a_shell(stage, run_as_client):
    """B155: with blanks, quotes, ş, $ and ` in every path each written command runs and reaches the right home."""
    install(stage.target)
    for event in EVENTS:
        ran = run_as_client(stage.own_command(event), json.dumps({"hook_event_name": event}))
        assert (ran.returncode, ran.stderr) == (0, b"")
    assert (stage.target.home / "seen").read_text().split() == list(EVENTS)


def test_the_self_test_leaves_the_home_alone(stage):
    """R63: the trial runs use a temporary home; ours holds nothing but receipt and backup afterwards."""
    install(stage.target)
    assert [path.name for path in stage.target.home.iterdir()] == ["install"]


@pytest.mark.parametrize(
    ("hook", "reason"),
    [
        ("import sys; sys.exit(2)", "exit status 2"),
        ("raise ValueError('boom')", "ValueError: boom"),
        ("def broken(:", "SyntaxError"),
        ('print(\'{"bellek": "0.0.1"}\')', "version 0.0.1"),
        ("print('hello')", "did not answer with its version"),
        ("import sys; print('{\"bellek\": \"9.9.9\"}' if 'SelfTest' in sys.argv else 'log line')", "not JSON"),
        (
            "import sys; print('{\"bellek\": \"9.9.9\"}'); sys.exit(0 if 'SelfTest' in sys.argv else 1)",
            "exit status 1",
        ),
        (OTHER_EVENT, "another event"),
        (SWALLOWS, "swallowed a fault: OperationalError turn.py:7"),
    ],
)
def test_a_failing_self_test_aborts_before_any_change(stage, hook, reason, foreign):
    """R63: a hook that fails (which `|| true` would hide) stops the install with its reason; nothing is changed."""
    stage.put(foreign)
    stage.target.hook.write_text(hook)
    before = stage.tree()
    with pytest.raises(Refused) as caught:
        install(stage.target)
    assert reason in caught.value.why
    assert stage.tree() == before


def test_the_self_test_points_at_nothing_real(stage, monkeypatch):
    """R63: a trial sees neither the real config folder nor a home or guard of the caller, and is told to start no child."""
    for name in ("BELLEK_HOME", "BELLEK_NESTED", "CLAUDE_PROJECT_DIR"):
        monkeypatch.setenv(name, "real")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(stage.target.config_dir))
    stage.target.hook.write_text(
        "import os, sys\n"
        "assert 'real' not in os.environ.values()\n"
        "assert os.environ['BELLEK_SELFTEST'] == '1'\n"
        "assert os.environ['CLAUDE_CONFIG_DIR'] == os.path.dirname(sys.argv[-1]) == os.getcwd()\n" + ANSWERS
    )
    assert install(stage.target).changed


def test_the_self_test_reads_a_prepared_home(stage):
    """R63: the caller's `prepare` makes each trial's home a real one before the hook runs in it."""
    stage.target.hook.write_text(ANSWERS + "open(sys.argv[-1] + '/store').read()")
    with pytest.raises(Refused) as caught:
        install(stage.target)
    assert "FileNotFoundError" in caught.value.why
    assert install(stage.target, prepare=lambda home: (home / "store").touch()).changed


def test_b156_a_deleted_environment_fails_open(stage, run_as_client, foreign):
    """B156: with the venv deleted each command exits 0 with no output, and uninstall and a new install still work."""
    venv = stage.root / "My Tools" / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    target = replace(stage.target, python=venv / "bin" / "python")
    raw = stage.put(foreign)
    install(target)
    shutil.rmtree(venv)
    for event in EVENTS:
        ran = run_as_client(stage.own_command(event))
        assert (ran.returncode, ran.stdout) == (0, b"")
    uninstall(target.config_dir, target.home)
    assert stage.settings.read_bytes() == raw


@pytest.mark.parametrize("half", ["gone", "empty folder", "cut"])
def test_b156_a_half_done_upgrade_fails_open(stage, run_as_client, half):
    """B156: with the hook file gone or cut in the middle each command exits 0 with no output."""
    install(stage.target)
    if half == "cut":
        stage.target.hook.write_text(stage.target.hook.read_text()[:-40])
    elif half == "gone":
        stage.target.hook.unlink()
    else:
        shutil.rmtree(stage.target.hook.parent)
    for event in EVENTS:
        ran = run_as_client(stage.own_command(event))
        assert (ran.returncode, ran.stdout) == (0, b"")


def test_b156_orphans_of_older_environments_are_replaced(stage, foreign):
    """B156: an install from a new environment takes the old one's hooks away, and uninstall still gives the bytes."""
    raw = stage.put(foreign)
    old = stage.root / "old python"
    old.symlink_to(stage.target.python)
    install(replace(stage.target, python=old))
    report = install(stage.target)
    assert set(report.added) == set(report.removed) == set(EVENTS)
    assert len(stage.commands()) == len(EVENTS) + 1
    assert not any("old python" in command for command in stage.commands())
    uninstall(stage.target.config_dir, stage.target.home)
    assert stage.settings.read_bytes() == raw


def test_b156_uninstall_without_a_receipt_goes_by_the_pattern(stage):
    """B156: with the whole data home gone uninstall still removes our hooks and skill, and no others."""
    raw = stage.put('{\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"command": "say"}]}\n    ]\n  }\n}\n')
    install(stage.target)
    shutil.rmtree(stage.target.home)
    uninstall(stage.target.config_dir, stage.target.home)
    assert stage.settings.read_bytes() == raw
    assert not stage.target.skill.parent.exists()


def test_b156_a_damaged_receipt_is_kept_aside(stage, foreign):
    """A receipt that cannot be read hinders neither uninstall nor install, and is not thrown away."""
    raw = stage.put(foreign.replace('        "PreToolUse": []\n', "").replace("} ],", "} ]"))
    install(stage.target)
    receipt.path(stage.target.home).write_text("{", encoding="utf-8")
    install(stage.target)
    assert isinstance(receipt.load(stage.target.home, stage.target.config_dir), Receipt)
    aside = [path for path in receipt.folder(stage.target.home).iterdir() if ".damaged." in path.name]
    assert [path.read_text() for path in aside] == ["{"]
    uninstall(stage.target.config_dir, stage.target.home)
    assert stage.settings.read_bytes() == raw


def test_b157_shape_and_timeouts(stage):
    """B157: the settings have the client's shape; timeouts are seconds, small, and whole numbers."""
    install(replace(stage.target, hide_markers=True))
    data = json.loads(stage.settings.read_bytes())
    assert list(data) == ["hooks", "permissions"]
    assert list(data["hooks"]) == [*EVENTS, HIDING_EVENT]
    for groups in data["hooks"].values():
        assert [list(group) for group in groups] == [["hooks"]]
        (hook,) = groups[0]["hooks"]
        assert {name: type(value) for name, value in hook.items()} == {"type": str, "command": str, "timeout": int}
        assert hook["type"] == "command"
        assert 1 <= hook["timeout"] <= 60
        assert hook["command"].endswith(" || true")
