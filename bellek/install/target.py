"""Where the hooks go and what they start: every path explicit and absolute, decided once.

It must never write anything, and never follow a virtual environment's link to its base interpreter: the packages hang
on the path by which the interpreter is called.
"""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bellek.schemas.errors import Refused

CLIENT = "claude-code"
SETTINGS_NAME = "settings.json"
SKILL_PARTS = ("skills", "bellek-memory", "SKILL.md")
AGENT_FOLDER = "agents"

_ASK = "import sys; print(sys.executable)"
_ASK_SECONDS = 30.0
_OWN_PYTHON = "start bellek with the interpreter of its own environment"


@dataclass(frozen=True, slots=True)
class Target:
    """One binding: a client's config folder, a data home, and the program that its hooks start.

    All four paths are absolute and are written into the hook commands as they stand here. ``version`` is what the
    hook file must answer to the self-test. ``hide_markers`` also binds MessageDisplay.
    """

    config_dir: Path
    home: Path
    python: Path
    hook: Path
    version: str
    hide_markers: bool = False

    def __post_init__(self) -> None:
        for path in (self.config_dir, self.home, self.python, self.hook):
            if not path.is_absolute():
                raise Refused(
                    f"{path} is not an absolute path",
                    why="a hook runs in whatever folder the client was started in",
                    hint="pass the whole path",
                )

    @property
    def settings(self) -> Path:
        """The client's settings file."""
        return settings_path(self.config_dir)

    @property
    def skill(self) -> Path:
        """The skill file that teaches the marker habit."""
        return skill_path(self.config_dir)

    @property
    def program(self) -> Path:
        """The start file of the command line, beside the hook's."""
        return self.hook.with_name("__main__.py")


def settings_path(config_dir: Path) -> Path:
    """The settings file of a config folder."""
    return config_dir / SETTINGS_NAME


def skill_path(config_dir: Path) -> Path:
    """Our skill file in a config folder."""
    return config_dir.joinpath(*SKILL_PARTS)


def agent_path(config_dir: Path, name: str) -> Path:
    """The file of one of our agents in a config folder."""
    return config_dir / AGENT_FOLDER / f"{name}.md"


def claude_config_dir(env: Mapping[str, str]) -> Path:
    """``CLAUDE_CONFIG_DIR``, else ``.claude`` in the home folder of ``env``; absolute, links not followed."""
    named = env.get("CLAUDE_CONFIG_DIR")
    if named:
        return Path(os.path.abspath(named))  # noqa: PTH100  Path.resolve would follow links
    return Path(env.get("HOME") or os.path.expanduser("~")) / ".claude"  # noqa: PTH111  HOME may be unset


def real_interpreter(executable: str) -> Path:
    """The interpreter binary behind ``executable`` (usually ``sys.executable``).

    A pyenv-like shim is a script: it costs nine times a bare start, on every prompt, so it is asked once for what it
    starts. A virtual environment's link is kept.

    :raises Refused: there is no such interpreter, or the script does not lead to one.
    """
    if not executable:
        raise Refused(
            "this Python does not know its own path",
            why="sys.executable is empty",
            hint="start bellek with a full path to its interpreter",
        )
    path = Path(os.path.abspath(executable))  # noqa: PTH100  a venv's link must stay
    if not _is_script(path):
        return path
    answer = Path(_asked(path))
    if not answer.is_absolute() or _is_script(answer):
        raise Refused(f"{path} is a script that does not lead to an interpreter", why="it names none", hint=_OWN_PYTHON)
    return answer


def hook_file() -> Path:
    """The hook file of the running package."""
    return Path(os.path.abspath(__file__)).parent.parent / "hook.py"  # noqa: PTH100  as it was imported


def _asked(shim: Path) -> str:
    """What a script says that it starts."""
    try:
        asked = subprocess.run([shim, "-c", _ASK], capture_output=True, text=True, timeout=_ASK_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as fault:
        raise Refused(
            f"{shim} is a script that does not lead to an interpreter", why=type(fault).__name__, hint=_OWN_PYTHON
        ) from fault
    return asked.stdout.strip()


def _is_script(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(2) == b"#!"
    except OSError as fault:
        raise Refused(
            f"{path} is not an interpreter that can be read",
            why=fault.strerror or type(fault).__name__,
            hint=_OWN_PYTHON,
        ) from fault
