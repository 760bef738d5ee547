"""Which channels there are: the manifests that come with bellek, and a person's own under ``config/channels/``.

A person's file takes the place of a shipped one of the same file name; any other second file of a channel's name is a
duplicate and refused. A manifest that cannot be used is a `Fault` with file and line, and the rest stands: a slip in a
person's ``learning.toml`` leaves the shipped one in force. It must never raise for what a file holds, never wait for a
pipe, and never be read by the prompt hook: that reads the rows which `compile_into` lays down.
"""

import errno
import os
from pathlib import Path

from bellek.curator import person_files
from bellek.kg import paths
from bellek.kg.db import Database
from bellek.kg.redact import redact
from bellek.schemas.channel import Channel, Channels, Fault, fault_in

ENDING = ".toml"
SIZE_CAP = 20_000  # bytes; a manifest has four short lines
ROW = "channel:"  # the prefix of a compiled row in `settings`: name → rule
HIDDEN = "hidden_channels"  # the key of the names, parted by blanks, whose markers the screen does not show
ACK = "ack"  # of the shared log (curator/turns.py): declared by no manifest, hidden like the others
AFTER_ROWS = "channel;"  # the first text behind all of them: ";" follows ":"


def load(home: str) -> Channels:
    """The channels of a data home, by name; files are read in the order of their names."""
    shipped = {file: parse(file, text) for file, text in _shipped().items()}
    own = {path: _of_person(path, shipped) for path in _files(f"{home}/{paths.CONFIG}/channels")}
    replaced = {Path(path).name for path, channel in own.items() if isinstance(channel, Channel)}
    found: dict[str, Channel] = {}
    places: dict[str, str] = {}
    faults: list[Fault] = []
    for place, channel in [*((f"shipped {f}", c) for f, c in shipped.items() if f not in replaced), *own.items()]:
        if isinstance(channel, Fault):
            faults.append(channel)
        elif channel.name in found:
            what = f"a second manifest of the channel {channel.name}; the first is {places[channel.name]}"
            faults.append(Fault(place, _line_of(_read(place), "name"), what))
        else:
            found[channel.name], places[channel.name] = channel, place
    return Channels(tuple(found[name] for name in sorted(found)), places, tuple(faults))


def _of_person(path: str, shipped: dict[str, Channel | Fault]) -> Channel | Fault:
    text = _read(path)
    channel = text if isinstance(text, Fault) else parse(path, text)
    if isinstance(channel, Fault):
        return channel
    instead = shipped.get(Path(path).name)
    if isinstance(instead, Channel) and instead.name != channel.name:
        what = f"a file of this name takes the place of the shipped channel {instead.name}, so its name must be {instead.name}"
        return Fault(path, _line_of(text, "name"), what)
    return channel


def _files(folder: str) -> list[str]:
    try:
        names = sorted(path.name for path in Path(folder).iterdir() if path.name.endswith(ENDING))
    except OSError:
        return []
    return [f"{folder}/{name}" for name in names if not name.startswith(".")]


def _shipped() -> dict[str, str]:
    files = sorted(Path(__file__).with_name("manifests").glob("*" + ENDING))
    return {f.name: f.read_text(encoding="utf-8") for f in files}


def _read(path: str) -> str | Fault:
    """The text of a person's file, or why it cannot be had; its words reach rows, signals and faults."""
    text = person_files.read(path, cap=SIZE_CAP)
    if text is None:
        return Fault(path, 1, f"cannot be read: {os.strerror(errno.ENOENT)}")
    return redact(text) if isinstance(text, str) else text


def parse(file: str, text: str) -> Channel | Fault:
    """One manifest. Total: every text gives a channel or a fault."""
    values = person_files.toml(file, text)
    if isinstance(values, Fault):
        return values
    wrong = fault_in(values)
    if wrong:
        return Fault(file, _line_of(text, wrong[0]), wrong[1])
    return Channel(**values)


def _line_of(text: str | Fault, key: str) -> int:
    """The line that sets a key, else 1."""
    return 1 if isinstance(text, Fault) else person_files.line_of(text, key)


def compile_into(db: Database, channels: Channels) -> bool:
    """Lay down (name, rule) of each channel, and the names for the screen, where the hooks read them; False if unchanged.

    Opens its own transaction.
    """
    wanted = {ROW + channel.name: channel.rule for channel in channels.declared}
    wanted[HIDDEN] = " ".join(sorted({*channels.names, ACK}))
    if compiled(db) == wanted:
        return False
    with db.transaction():
        db.run("DELETE FROM settings WHERE (key >= ? AND key < ?) OR key = ?", (ROW, AFTER_ROWS, HIDDEN))
        db.run_many("INSERT INTO settings (key, value) VALUES (?, ?)", list(wanted.items()))
    return True


def compiled(db: Database) -> dict[str, str]:
    """The compiled rows as they stand: key → value."""
    rows = db.rows("SELECT key, value FROM settings WHERE (key >= ? AND key < ?) OR key = ?", (ROW, AFTER_ROWS, HIDDEN))
    return {str(key): str(value) for key, value in rows}
