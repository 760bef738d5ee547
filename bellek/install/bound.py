"""Are the hooks bound, and would they run? For ``doctor``: each problem with its cause and the command that ends it.

It must never change a file; the self-test it starts uses a temporary home.
"""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bellek.install import files, jsontext, laid, receipt, settings
from bellek.install.command import events, program_command
from bellek.install.receipt import NoReceipt, Receipt
from bellek.install.selftest import hook_version
from bellek.install.settings import OwnEntry
from bellek.install.target import CLIENT, Target
from bellek.schemas.errors import Refused

INSTALL = f"bellek install {CLIENT}"
UNINSTALL = f"bellek uninstall {CLIENT}"
LONGEST_SECONDS = 60  # more holds a prompt up for minutes, or was meant as milliseconds


@dataclass(frozen=True, slots=True)
class Problem:
    """One sentence each: what is wrong, why, the command to run next. ``fails``: memory does not work meanwhile."""

    what: str
    why: str
    next: str
    fails: bool = True


def bound(target: Target) -> tuple[Problem, ...]:
    """All that is wrong with the binding of ``target``; empty when the hooks are bound and answer.

    Hooks that were never bound are one problem that does not fail: memory can be used by hand.
    """
    try:
        data = _parsed(target.settings)
        old = receipt.load(target.home, target.config_dir)
    except jsontext.Broken as fault:
        why = f"line {fault.line}, column {fault.column}: {fault.reason}"
        return (Problem(f"{target.settings} is broken, so the client reads no hooks from it", why, _mend(target)),)
    except Refused as fault:
        return (Problem(fault.what, fault.why, fault.hint),)
    entries = settings.own_entries(data)
    if not entries and isinstance(old, NoReceipt) and not old.damaged:
        why = f"no hook of bellek's is in {target.settings}"
        return (Problem("the hooks are not bound", why, INSTALL, fails=False),)
    return (
        *_switched_off(data, target),
        *_missing_or_doubled(entries, target, old),
        *_badly_written(entries),
        *_dead_programs(entries),
        *_unanswered(entries, target),
        *_receipt_problems(entries, target, old),
    )


def _parsed(path: Path) -> Any:
    raw = files.read(path)
    return {} if raw is None else jsontext.parsed(settings.decoded(raw)[1])


def _mend(target: Target) -> str:
    return f"mend {target.settings}, then run `{INSTALL}`"


def _switched_off(data: Any, target: Target) -> Iterator[Problem]:
    if isinstance(data, dict) and data.get("disableAllHooks") is True:
        yield Problem(
            "all hooks of the client are switched off",
            f'"disableAllHooks" is true in {target.settings}',
            f"take that line out of {target.settings}",
        )


def _missing_or_doubled(entries: tuple[OwnEntry, ...], target: Target, old: Receipt | NoReceipt) -> Iterator[Problem]:
    expected = old.events if isinstance(old, Receipt) else events(target)
    counts = Counter(entry.event for entry in entries)
    current = {entry.event for entry in entries if entry.parts.home == target.home}
    for event in expected:
        if counts[event] == 0:
            yield Problem(f"no hook is bound to {event}", f"{target.settings} has none of bellek's there", INSTALL)
        elif counts[event] > 1:
            yield Problem(f"{counts[event]} hooks are bound to {event}", "each of them runs on every event", INSTALL)
        elif event not in current:
            yield Problem(f"the hook of {event} feeds another data home", f"it is not {target.home}", INSTALL)
    for event in counts:
        if event not in expected:
            yield Problem(f"a hook is bound to {event} that no install wrote", "it is left over", INSTALL, fails=False)


def _badly_written(entries: tuple[OwnEntry, ...]) -> Iterator[Problem]:
    for entry in entries:
        if entry.parts.event != entry.event:
            why = f"its command says {entry.parts.event}"
            yield Problem(f"the hook of {entry.event} answers to another event", why, f"{UNINSTALL}; {INSTALL}")
        if not entry.parts.fails_open:
            why = "without `|| true` a failing hook makes the client drop the user's prompt"
            yield Problem(f"the hook of {entry.event} can cost a prompt", why, f"{UNINSTALL}; {INSTALL}")
        seconds = entry.hook.get("timeout")
        if isinstance(seconds, int | float) and not 0 < seconds <= LONGEST_SECONDS:
            why = f"it is {seconds}, counted in seconds"
            yield Problem(f"the timeout of {entry.event} is not sensible", why, f"{UNINSTALL}; {INSTALL}")
        if entry.matcher not in {"", "*"}:
            why = f"its group has the matcher {entry.matcher!r}"
            yield Problem(f"the hook of {entry.event} runs only sometimes", why, f"{UNINSTALL}; {INSTALL}", fails=False)


def _dead_programs(entries: tuple[OwnEntry, ...]) -> Iterator[Problem]:
    for python in dict.fromkeys(entry.parts.python for entry in entries):
        if not os.access(python, os.X_OK) or python.is_dir():
            yield Problem("hooks start an interpreter that is not there", f"{python} cannot be run", INSTALL)
    for hook in dict.fromkeys(entry.parts.hook for entry in entries):
        if not hook.is_file():
            yield Problem("hooks start a file that is not there", f"{hook} is gone", INSTALL)


def _unanswered(entries: tuple[OwnEntry, ...], target: Target) -> Iterator[Problem]:
    for python, hook in dict.fromkeys((entry.parts.python, entry.parts.hook) for entry in entries):
        if not (os.access(python, os.X_OK) and hook.is_file()):
            continue  # told already
        try:
            version = hook_version(python, hook)
        except Refused as fault:
            yield Problem("the hook command does not answer", fault.why, INSTALL)
        else:
            if version != target.version:
                why = f"{hook} answers as {version}, this is {target.version}"
                yield Problem("the hooks run another version of bellek", why, INSTALL, fails=False)


def _receipt_problems(entries: tuple[OwnEntry, ...], target: Target, old: Receipt | NoReceipt) -> Iterator[Problem]:
    path = receipt.path(target.home)
    if isinstance(old, NoReceipt):
        why = f"{path} is damaged ({old.damaged})" if old.damaged else f"{path} does not name {target.config_dir}"
        yield Problem("the hooks are bound without a receipt", why, INSTALL, fails=False)
        return
    if {entry.command for entry in entries} != set(old.commands):
        why = "a command was edited, or another install wrote it"
        yield Problem("the hooks are not those of the receipt", why, INSTALL, fails=False)
    if (old.python, old.hook) != (str(target.python), str(target.hook)):
        why = f"they start {old.python}"
        yield Problem("the hooks were bound by another interpreter", why, INSTALL, fails=False)
    for one in laid.laid_files(target.config_dir):
        there = files.read(one.path)
        if there is None:
            yield Problem("a file of the install is gone", f"{one.path} is not there", INSTALL, fails=False)
        elif there != one.rendered(program_command(target)) and one.is_unedited(
            there, old.files.get(str(one.path), "")
        ):
            why = f"{one.path} is not what this version writes"
            yield Problem("a file of the install is of another version", why, INSTALL, fails=False)
