"""The hook command is tried, in the very form in which it is written, before any file is changed.

``|| true`` hides every failure from the client, so each trial also runs without it. It must never use the real data
home nor the real config folder: each trial gets temporary ones, and ``BELLEK_SELFTEST=1`` tells the hook to start
no child. What the hook owes: SelfTest prints ``{"bellek": VERSION}``; a fault that it swallows stands in the home's
``hook.log``.
"""

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bellek.install import files
from bellek.install.command import SELF_TEST, bare_command, events, hook_command, program_command
from bellek.install.target import CLIENT, Target
from bellek.schemas.errors import Refused

GUARD = "BELLEK_SELFTEST"
FAULT_LOG = "hook.log"
TRIAL_SECONDS = 30.0  # a cold disk and a first byte-compile; what a warm hook may take is tested elsewhere

_ODD_HOME = 'it\'s a "$HOME" `id`'  # what quoting has to survive; ASCII, since the locale may know nothing else
_SHOWN = 300  # characters of an error stream: enough for the last line of a traceback
_PROMPT: Mapping[str, object] = {"prompt": "bellek self-test"}  # what another client's event is tried with
_EXTRA: Mapping[str, Mapping[str, object]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": _PROMPT,
    "MessageDisplay": {"turn_id": "t", "message_id": "m", "index": 0, "final": True, "delta": "bellek self-test"},
}


@dataclass(frozen=True, slots=True)
class Ran:
    """How one trial ended: exit status (negative: killed by that signal), what it printed, what it logged as a fault."""

    status: int
    out: bytes
    err: bytes
    log: str = ""

    @property
    def reason(self) -> str:
        """One line: the status and the last words on the error stream."""
        words = self.err.decode(errors="replace").strip()[-_SHOWN:]
        return f"exit status {self.status}" + (f", {words}" if words else "")


def empty_home(home: Path) -> None:
    """Leave a trial's home empty: the state before the first turn."""


def try_hooks(target: Target, prepare: Callable[[Path], None] = empty_home) -> None:
    """Run the version check and each event that answers the client, bare and as written.

    :param prepare: makes a trial's empty folder a data home, so that the hook has a store to read.

    :raises Refused: a trial failed; the reason is in ``why``.
    """
    _try_version(target)
    for event in events(target):
        if event not in _EXTRA:  # Stop and SessionEnd answer nothing and would start to hear
            continue
        for fail_open in (False, True):
            fault = _fault(_run(target.python, target.hook, event, prepare, fail_open=fail_open), event)
            if fault:
                raise _failed(event, fault)


def try_program(target: Target) -> None:
    """Run the command that agents and skills are told, through the command line's own parser, on a throwaway home.

    :raises Refused: it does not answer with this version.
    """
    with _trial_folder(SELF_TEST) as folder:
        command = f"{program_command(replace(target, home=Path(folder, _ODD_HOME)))} hook {SELF_TEST}"
        ran = in_shell(command, b"{}", _environment(folder), folder)
    answered = _version(ran, "the command line's packages")
    if answered != target.version:
        raise _failed(SELF_TEST, f"the command line answers as version {answered}, this is {target.version}")


def try_event(target: Target, event: str, client: str) -> None:
    """Run the version check and one event of another client, bare, on an empty home.

    :raises Refused: it answers as another version, failed, logged a fault, or printed what is no JSON.
    """
    _try_version(target)
    fault = _fault(_run(target.python, target.hook, event, empty_home, fail_open=False, client=client), event)
    if fault:
        raise _failed(event, fault)


def _try_version(target: Target) -> None:
    answered = hook_version(target.python, target.hook)
    if answered != target.version:
        raise _failed(SELF_TEST, f"the hook file answers as version {answered}, this is {target.version}")


def hook_version(python: Path, hook: Path) -> str:
    """The version that the hook file answers when it is started as a client would, but without ``|| true``.

    :raises Refused: it could not be started or answered something else.
    """
    return _version(_run(python, hook, SELF_TEST, empty_home, fail_open=False), "its package")


def _version(ran: Ran, what: str) -> str:
    """The version in a SelfTest's answer; ``what`` perhaps cannot be imported where there is none."""
    try:
        answer = json.loads(ran.out) if ran.status == 0 else None
    except ValueError:
        answer = None
    match answer:
        case {"bellek": str(version)}:
            return version
        case _:
            silent = f"it ended well but did not answer with its version; perhaps {what} cannot be imported under -I"
            raise _failed(SELF_TEST, ran.reason if ran.status else silent)


def _run(
    python: Path, hook: Path, event: str, prepare: Callable[[Path], None], *, fail_open: bool, client: str = CLIENT
) -> Ran:
    with _trial_folder(event) as folder:
        home = Path(folder, _ODD_HOME)
        home.mkdir(mode=0o700)
        prepare(home)
        form = hook_command if fail_open else bare_command
        line = _event_line(event, Path(folder))
        ran = in_shell(form(python, hook, event, home, client), line, _environment(folder), folder)
        return replace(ran, log=(files.read(home / FAULT_LOG) or b"").decode(errors="replace"))


@contextmanager
def _trial_folder(event: str) -> Iterator[str]:
    """A folder that is gone when the trial is over."""
    try:
        with tempfile.TemporaryDirectory(prefix="bellek-selftest-", ignore_cleanup_errors=True) as folder:
            yield folder
    except OSError as fault:  # no temporary folder, no shell
        raise _failed(event, fault.strerror or type(fault).__name__) from fault


def in_shell(command: str, event_line: bytes, env: Mapping[str, str], folder: str) -> Ran:
    """Run ``command`` as a client does: ``/bin/sh -c``, the event on stdin, both outputs through pipes.

    A child that keeps the pipes open would keep the client waiting, so it counts as not ended.

    :raises Refused: it did not end within ``TRIAL_SECONDS``.
    """
    with subprocess.Popen(
        ["/bin/sh", "-c", command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=dict(env),
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(event_line, timeout=TRIAL_SECONDS)
        except subprocess.TimeoutExpired as fault:
            os.killpg(process.pid, signal.SIGKILL)
            raise _failed("a trial", f"it did not end within {TRIAL_SECONDS:.0f} seconds") from fault
    return Ran(process.returncode, out, err)


def _environment(folder: str) -> dict[str, str]:
    """The user's environment, as a client hands it on, but with nothing that points at real data."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("BELLEK_", "CLAUDE_"))}
    return {**env, "CLAUDE_CONFIG_DIR": folder, GUARD: "1"}


def _event_line(event: str, folder: Path) -> bytes:
    common = {
        "session_id": "bellek-self-test",
        "transcript_path": str(folder / "none.jsonl"),
        "cwd": str(folder),
        "hook_event_name": event,
    }
    return json.dumps({**common, **_EXTRA.get(event, _PROMPT)}).encode()


def _fault(ran: Ran, event: str) -> str:
    """What went wrong in a trial; empty if nothing did."""
    if ran.status != 0:
        return ran.reason
    if ran.log.strip():
        return f"it swallowed a fault: {ran.log.strip().splitlines()[-1]}"
    return _misread(ran.out, event) if ran.out.strip() else ""


def _misread(out: bytes, event: str) -> str:
    """What a client would trip over in an answer: a line before the JSON, an answer to another event."""
    try:
        answer = json.loads(out)
    except ValueError:
        return "it printed something that is not JSON"
    specific = answer.get("hookSpecificOutput", {}) if isinstance(answer, dict) else None
    if not isinstance(specific, dict):
        return "it printed JSON of another shape"
    if specific and specific.get("hookEventName") != event:
        return "it answered to another event, which the client drops without a word"
    return ""


def _failed(event: str, reason: str) -> Refused:
    return Refused(
        f"the hook command failed its self-test ({event}); nothing was changed",
        why=reason,
        hint="reinstall bellek in its environment, then run the command again",
    )
