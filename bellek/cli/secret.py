"""How a passphrase is asked for: on the terminal itself, never as an argument, which every process can read."""

import sys
from getpass import getpass
from pathlib import Path

from bellek.kg import signing
from bellek.kg.home import Home
from bellek.schemas.errors import UsageFault


def passphrase(store: Home) -> str:
    """The passphrase of a store that has one, asked for; "" for one that has none. Call it behind the gate."""
    return getpass("passphrase: ") if signing.is_set(store.memory) else ""


def new_passphrase() -> str:
    """A new passphrase, typed twice. Raises UsageFault where the two differ."""
    first = getpass("new passphrase: ")
    if first != getpass("once more: "):
        raise UsageFault("no passphrase was set", why="the two were not the same", hint="run the command again")
    return first


def confirmed(question: str) -> bool:
    """Ask on the terminal itself, whatever standard output and error lead to; anything but a plain yes is a no."""
    with Path("/dev/tty").open("w", encoding="utf-8") as terminal:
        terminal.write(f"{question} [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes", "e", "evet")
