"""A stage for the installer: folders with awkward names, a stand-in hook file that is a real process, a client's shell."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from bellek.install.target import Target

VERSION = "9.9.9"

# What the hook file owes the installer: SelfTest answers with the version; an event's answer names the event.
STAND_IN = f"""
import json, os, sys
event, dash_client, client, dash_home, home = sys.argv[1:]
assert (dash_client, client, dash_home) == ("--client", "claude-code", "--home"), sys.argv
assert os.path.isdir(home), home
line = json.load(sys.stdin)
open(os.path.join(home, "seen"), "a").write(event + "\\n")
if event == "SelfTest":
    print(json.dumps({{"bellek": "{VERSION}"}}))
elif event in ("SessionStart", "UserPromptSubmit"):
    assert line["hook_event_name"] == event
    print(json.dumps({{"hookSpecificOutput": {{"hookEventName": event, "additionalContext": "anımsa"}}}}))
"""

# The command line beside it: what agents and skills are told to run.
PROGRAM = f"""
import json, os, sys
dash_home, home, *words = sys.argv[1:]
assert (dash_home, os.path.isabs(home)) == ("--home", True), sys.argv
print(json.dumps({{"bellek": "{VERSION}"}}) if words == ["hook", "SelfTest"] else words)
"""


FOREIGN = """{
    "env": {"KEY": "değer"},
    "hooks": {
        "Stop": [ {"hooks": [{"type": "command", "command": "say done"}]} ],
        "PreToolUse": []
    },
    "model": "opus"
}
"""


@dataclass(frozen=True)
class Stage:
    """One made-up machine under a temporary folder."""

    root: Path
    target: Target

    @property
    def settings(self) -> Path:
        """The client's settings file."""
        return self.target.settings

    def put(self, raw: bytes | str) -> bytes:
        """Write the settings file as somebody else would have."""
        data = raw if isinstance(raw, bytes) else raw.encode()
        self.settings.parent.mkdir(parents=True, exist_ok=True)
        self.settings.write_bytes(data)
        return data

    def commands(self) -> list[str]:
        """Every hook command in the settings file."""
        groups = [group for event in json.loads(self.settings.read_bytes())["hooks"].values() for group in event]
        return [hook["command"] for group in groups for hook in group["hooks"]]

    def own_command(self, event: str) -> str:
        """Our command of ``event`` as it stands in the file."""
        return json.loads(self.settings.read_bytes())["hooks"][event][-1]["hooks"][0]["command"]

    def tree(self) -> dict[str, tuple[int, bytes | None]]:
        """Every path of config folder and data home with mode and bytes (None for folders)."""
        return {
            str(path): (path.lstat().st_mode, path.read_bytes() if path.is_file() else None)
            for top in (self.target.config_dir, self.target.home)
            for path in (top, *top.rglob("*"))
            if path.exists() or path.is_symlink()
        }


def as_client(command: str, line: str = "{}") -> subprocess.CompletedProcess[bytes]:
    """Run a hook command the way a client does."""
    return subprocess.run(["/bin/sh", "-c", command], input=line.encode(), capture_output=True, timeout=60, check=False)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A machine on which every path holds blanks, quotes, Turkish letters or a dollar sign."""
    hook = tmp_path / "My Tools" / "şebnem's kg" / "bellek" / "hook.py"
    hook.parent.mkdir(parents=True)
    hook.write_text(STAND_IN, encoding="utf-8")
    hook.with_name("__main__.py").write_text(PROGRAM, encoding="utf-8")
    target = Target(
        config_dir=tmp_path / "Ev Klasörü" / ".claude",
        home=tmp_path / "Ev Klasörü" / 'veri "$HOME" `x`',
        python=Path(sys.executable),
        hook=hook,
        version=VERSION,
    )
    return Stage(tmp_path, target)


@pytest.fixture
def run_as_client():
    """The client's way to run a command."""
    return as_client


@pytest.fixture
def foreign() -> str:
    """A settings file with other people's hooks and keys."""
    return FOREIGN
