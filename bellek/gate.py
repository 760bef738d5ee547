"""The human gate: who is acting. Every act of a person's in the table (`schemas/gate.py`) goes through `require_person`.

A person has a terminal: standard input is one, and the process has it for its controlling terminal. And no client stands
among the ancestors, whether environment variables were cleared or not; the session's leader must be one of them, so that
a process which let itself be adopted by init does not count, nor does a terminal that `script` made where there is none. Either missing refuses, and what cannot be read refuses too.

It is a filter, not a sandbox (SECURITY.md): a hostile program under the same account can make itself a terminal and drop
its ancestors. It must never have a switch that turns it off, for tests or otherwise.
"""

import os
import sys
from contextlib import suppress

from bellek.ancestry import Process, Unknown, lineage
from bellek.clients.processes import client_by_marks, client_of, makes_terminals
from bellek.kg import audit
from bellek.kg.home import Home
from bellek.kg.ids import ALPHABET, LENGTH, mint
from bellek.schemas.errors import Busy, PersonNeeded, StoreFault

TERMINAL = "person:terminal"
PAGE = "person:page"  # in a browser, through a server that a person started at a terminal (bellek/web)
TYPED = "person:typed"  # a line that the transcript marks as typed (curator/typed.py)
TRIED = "refused-try"  # the trail's act; its kind is the verb


def require_person(store: Home, *, verb: str, target: str = "") -> str:
    """The actor to write in the trail. Raises PersonNeeded (exit 3) for anybody else, and leaves the try in the trail.

    `target` is a row's id where there is one. Call it before anything is read or written for the act, outside a transaction.
    """
    return let_through(store, look(), verb=verb, target=target)


def let_through(store: Home, found: tuple[str, str], *, verb: str, target: str = "", way: str = TERMINAL) -> str:
    """The same of what `look` found before: a server's page asks who started the server. `way` is the actor of a person."""
    actor, why = found
    if not why:
        return way
    with suppress(Busy, StoreFault):  # a store that cannot be written keeps no try; the refusal holds all the same
        _keep(store, actor, verb, target)
    raise PersonNeeded(f"`bellek {verb}` needs a person", why=why)


def look() -> tuple[str, str]:
    """(who it seems to be, why it is not taken for a person); the reason is "" for a person."""
    try:
        processes = lineage(os.getpid())
    except Unknown as exc:
        return "unknown", f"who started it cannot be told: {exc}"
    client = _client(processes)
    if client:
        return f"agent:{client}", f"{client} is among the processes that started it"
    return "unknown", _without_terminal() or _orphan(processes)


def _client(processes: list[Process]) -> str:
    """The client among the ancestors; this process itself is looked at for marks alone."""
    named = (client_of(process.names, process.words) for process in processes[1:])
    marked = (client_by_marks(process.variables) for process in processes)
    return next(filter(None, (*named, *marked, client_by_marks(frozenset(os.environ)))), "")


def _without_terminal() -> str:
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return "it has no terminal"
    try:
        if not os.isatty(terminal) or not sys.stdin or not os.isatty(0):
            return "its standard input is no terminal"
        os.tcgetpgrp(terminal)
    except OSError:
        return "it has no terminal"
    finally:
        os.close(terminal)
    return ""


def _orphan(processes: list[Process]) -> str:
    """A shell's command has the terminal's session leader above it; what was cut off from it was started by somebody gone."""
    leader = os.getsid(0)
    if all(process.pid != leader for process in processes):
        return "it was cut off from the shell of its terminal"
    if any(makes_terminals(process.names) and not process.terminal for process in processes):
        return "its terminal was made where nobody sits at one"
    return ""


def _keep(store: Home, actor: str, verb: str, target: str) -> None:
    """The trail holds no text: what is no id is left out."""
    plain = target if len(target) <= LENGTH + 2 and not set(target) - {*ALPHABET, "_", *"ilou"} else ""
    with store.memory.transaction():
        audit.append(store.memory, actor=actor, act=TRIED, kind=verb, id=plain, batch=mint("b"))
