"""The one line that a client runs: how it is written, and how it is known again.

It must never be written unquoted (a blank in a path fails every hook unseen) nor without its ``|| true``: exit status 2,
which a missing file gives, makes real clients drop the user's prompt.
"""

import shlex
from dataclasses import dataclass
from pathlib import Path

from bellek.install.target import CLIENT, Target
from bellek.schemas.errors import Refused

# Seconds. The hook's own deadline is 300 ms; the rest is room for a cold disk. SessionEnd needs a value of its own, as
# the client cuts it after about 1.5 s otherwise.
HOOK_SECONDS = 5
EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
HIDING_EVENT = "MessageDisplay"
SELF_TEST = "SelfTest"

_FAIL_OPEN = ("||", "true")
_HOOK_TAIL = "/bellek/hook.py"


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """A hook command that bellek wrote, read back from a settings file."""

    python: Path
    hook: Path
    event: str
    home: Path
    fails_open: bool


def events(target: Target) -> tuple[str, ...]:
    """The events that ``target`` binds, in the order in which they are written."""
    return (*EVENTS, HIDING_EVENT) if target.hide_markers else EVENTS


def wanted_hooks(target: Target) -> dict[str, dict[str, str | int]]:
    """Event → the hook object as the client reads it: ``type``, ``command``, ``timeout`` in seconds."""
    return {
        event: {
            "type": "command",
            "command": hook_command(target.python, target.hook, event, target.home),
            "timeout": HOOK_SECONDS,
        }
        for event in events(target)
    }


def hook_command(python: Path, hook: Path, event: str, home: Path, client: str = CLIENT) -> str:
    """The command in the form that is written: it always exits with 0."""
    return f"{bare_command(python, hook, event, home, client)} {' '.join(_FAIL_OPEN)}"


def bare_command(python: Path, hook: Path, event: str, home: Path, client: str = CLIENT) -> str:
    """The same without ``|| true``, so that a failure shows. ``-I``: no folder or variable of the user is imported."""
    return f"{quoted(str(python))} -I {quoted(str(hook))} {event} --client {client} --home {quoted(str(home))}"


def program_command(target: Target) -> str:
    """What stands for ``bellek`` in an agent's or skill's text: runs in any folder, without PATH, on the very data home."""
    return f"{quoted(str(target.python))} -I {quoted(str(target.program))} --home {quoted(str(target.home))}"


def quoted(text: str) -> str:
    """``text`` as one POSIX shell word, in single quotes always, so that the written form never depends on the path.

    :raises Refused: the path's bytes are not UTF-8 and cannot stand in a JSON file.
    """
    try:
        text.encode()
    except UnicodeEncodeError as fault:
        raise Refused(
            f"the path {text!r} cannot be written into a settings file",
            why="its name is not UTF-8",
            hint="install bellek and its data home under a path whose name is UTF-8",
        ) from fault
    return "'" + text.replace("'", "'\"'\"'") + "'"


def recognised(command: str, client: str = CLIENT) -> OwnCommand | None:
    """The parts of a command that bellek wrote for a client, by whatever interpreter and version; else None.

    ``|| true`` may be missing: a person may have pasted the line.
    """
    try:
        words = shlex.split(command)
    except ValueError:  # an unclosed quote: not our writing
        return None
    match tuple(words):
        case (python, "-I", hook, event, "--client", named, "--home", home, *rest):
            ours = named == client and hook.endswith(_HOOK_TAIL) and tuple(rest) in {(), _FAIL_OPEN}
            return OwnCommand(Path(python), Path(hook), event, Path(home), bool(rest)) if ours else None
        case _:
            return None
