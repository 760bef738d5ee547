"""``review`` at a person's terminal: one row after the other, one key an act. What a pipe or an agent gets is the plain list.

It must never act before the gate has said who acts, never print stored text that did not go through `visible`, and never
decide about a row on a key that was pressed before the row was shown.
"""

import os
import sys
import termios
import tty

from bellek import gate
from bellek.cli import shown
from bellek.cli.screen import one_line, say
from bellek.cli.secret import passphrase
from bellek.curator import deciding, waiting
from bellek.curator.deciding import Act, Decision, Done, Undo
from bellek.curator.waiting import Detail, Item
from bellek.kg.home import Home
from bellek.schemas.errors import BellekError

KEYS: dict[str, tuple[Act, str]] = {
    "p": ("promote", "promote"), "r": ("refuse", "refuse"), "q": ("apart", "quarantine"), "l": ("release", "let it stand"),
    "d": ("drop", "put it away"), "y": ("yes", "yes"), "n": ("no", "no"), "1": ("strong", "the stronger holds"),
    "2": ("weak", "the weaker holds"), "b": ("both", "both hold"), "c": ("consent", "consent"), "w": ("withdraw", "withdraw consent"),
}  # fmt: skip
NOTED = ("refuse", "yes", "no", "strong", "weak", "both")
ALWAYS = "u undo · j next · k previous · . stop"
CLEAR = "\x1b[2J\x1b[H"  # our own, never of what is stored
STOP = ("", ".", "\x03", "\x04", "\x1b")


def at_a_terminal() -> bool:
    """Whether somebody can press keys and see what they do."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def walk(store: Home, project: str) -> int:
    """Go through what waits until it is over or the person stops; how many acts were done."""
    done: list[Done] = []
    place, said = 0, ""
    while items := waiting.listed(store.memory, project):
        place = min(place, len(items) - 1)
        detail = waiting.detail(store, items[place].id)
        _show(items[place], detail, f"[{place + 1}/{len(items)}]", said)
        said = ""
        key = _key()
        if key in STOP:
            break
        if key in "jk":
            place = min(place + 1, len(items) - 1) if key == "j" else max(place - 1, 0)
        else:
            said = _act(store, key, detail, done)
    say(*([said] if said else []))
    say(f"{len(done)} done; {len(items)} still wait" if items else f"{len(done)} done; nothing asks for your word")
    return len(done)


def _show(item: Item, detail: Detail, place: str, said: str) -> None:
    """One row on a screen of its own, what the last key did above it."""
    if os.environ.get("TERM", "dumb") != "dumb":
        say(CLEAR)
    say(*([said] if said else []), f"{place} {item.asks}: {one_line(item.why)}", *shown.as_lines(detail.seen))
    say(
        *(
            f"  {'stronger' if n == 0 else 'weaker'}: {side.id}  {one_line(side.text)}"
            for n, side in enumerate(detail.sides)
        )
    )
    say(" · ".join([*(f"{key} {word}" for key, (act, word) in KEYS.items() if act in detail.acts), ALWAYS]))


def _key() -> str:
    """One key, unbuffered; what was typed before is thrown away."""
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle, termios.TCSAFLUSH)
        return os.read(handle, 1).decode("latin-1")
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def _act(store: Home, key: str, detail: Detail, done: list[Done]) -> str:
    """Carry one key's act out; a sentence on what was done, or on what stood in its way, and then nothing was."""
    decision = _decision(key, detail, done)
    if decision is None:
        return "that key does nothing here"
    try:
        actor = gate.require_person(store, verb=deciding.VERBS[type(decision)], target=detail.seen.memory.id)
        did = deciding.carry_out(store, _whole(store, key, decision, detail), actor=actor)
    except BellekError as exc:
        return f"not done: {one_line(str(exc), 400)}"
    if isinstance(decision, Undo):
        done.pop()
        return f"taken back: {did.id}"
    done.append(did)
    return f"done: {did.id}; u takes it back"


def _decision(key: str, detail: Detail, done: list[Done]) -> Decision | None:
    """What a key means for this row, still without a reason; None where it means nothing."""
    if key == "u" and done:
        return Undo(done[-1].batch)
    if key not in KEYS or KEYS[key][0] not in detail.acts:
        return None
    return deciding.of(KEYS[key][0], detail.seen.memory.id, detail.revision)


def _whole(store: Home, key: str, bare: Decision, detail: Detail) -> Decision:
    """The decision with the reason and the passphrase that it takes, asked for once the gate has said who acts."""
    if isinstance(bare, Undo):
        return bare
    act = KEYS[key][0]
    note = _note() if act in NOTED else ""
    secret = passphrase(store) if act in ("promote", "yes") else ""
    return deciding.of(act, detail.seen.memory.id, detail.revision, note=note, passphrase=secret)


def _note() -> str:
    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    sys.stdout.write("why: ")
    sys.stdout.flush()
    return sys.stdin.readline().strip()
