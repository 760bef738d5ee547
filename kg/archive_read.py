"""Read an archive, all of it, before a byte is written anywhere: each line is one row, and the trail verifies.

It must never raise anything but our errors for what a file holds, and never quote a line: it has not passed redaction.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import ValidationError

from bellek.kg import audit
from bellek.kg.archive import INDEX, KEY_FILE
from bellek.kg.audit import Entry
from bellek.schemas.archive import FORMAT, KEYS, LOCAL, REPLAYED, Archive, BodyLine, EntryLine, Value, row_of
from bellek.schemas.errors import NotFound, Refused, StoreNewer

LINE_CAP = 64_000_000  # bytes
_FIRST = ("projects", "replays")  # tables that another table of the archive points to
_Line = TypeVar("_Line", EntryLine, BodyLine)


@dataclass(slots=True)
class Read:
    """An archive that was read whole. `plain` are the rows of tables that are neither replayed nor messages."""

    path: str
    index: Archive
    entries: list[Entry] = field(default_factory=list)
    bodies: dict[tuple[str, int], tuple[str, bytes]] = field(default_factory=dict)
    plain: dict[str, list[dict[str, Value]]] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)


def read(path: str) -> Read:
    """Read and verify. Raises NotFound, StoreNewer, Refused naming file and line."""
    path = os.path.abspath(os.path.expanduser(path))
    found = Read(path, _index(path), keys=_keys(path))
    found.entries = [_entry(row, where) for row, where in rows(found, "memory/audit.jsonl")]
    for row, where in rows(found, "memory/revisions.jsonl"):
        body = _parsed(BodyLine, row, where)
        found.bodies[body.id, body.revision] = body.body, body.salt
    for table in _plain(found.index):
        found.plain[table] = [row for row, _ in rows(found, f"memory/{table}.jsonl")]
    for _ in rows(found, "conversations/messages.jsonl"):
        pass  # stored later, from the file: there may be many
    _verify(found)
    return found


def _plain(index: Archive) -> list[str]:
    """The tables of memory that are inserted as they stand, in an order in which they can be."""
    names = [file.removeprefix("memory/").removesuffix(".jsonl") for file in index.tables if file.startswith("memory/")]
    plain = [name for name in names if name not in REPLAYED and name not in LOCAL]
    return sorted(plain, key=lambda name: (name not in _FIRST, name))


def _index(path: str) -> Archive:
    try:
        with open(f"{path}/{INDEX}", encoding="utf-8") as file:
            told = json.load(file)
    except FileNotFoundError as exc:
        raise NotFound(
            f"{path} is no archive", why=f"it has no {INDEX}", hint="name the folder that `bellek export` wrote"
        ) from exc
    except (OSError, ValueError, RecursionError) as exc:
        raise Refused(f"{path}/{INDEX} cannot be read", why=type(exc).__name__) from exc
    if isinstance(told, dict) and isinstance(told.get("format"), int) and told["format"] > FORMAT:
        raise StoreNewer(
            f"{path} was written by a newer bellek", why=f"its format is {told['format']}, this program knows {FORMAT}"
        )
    try:
        return Archive.model_validate(told)
    except ValidationError as exc:
        raise Refused(
            f"{path}/{INDEX} is no index of an archive", why=".".join(map(str, exc.errors()[0]["loc"]))
        ) from exc


def _keys(path: str) -> dict[str, str]:
    try:
        with open(f"{path}/{KEY_FILE}", encoding="utf-8") as file:
            told = json.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as exc:
        raise Refused(f"{path}/{KEY_FILE} cannot be read", why=type(exc).__name__) from exc
    good = isinstance(told, dict) and all(key in KEYS and isinstance(value, str) for key, value in told.items())
    if not good:
        raise Refused(f"{path}/{KEY_FILE} holds no keys of ours", why="its names or values are others")
    try:
        bytes.fromhex(told.get("key", ""))
    except ValueError as exc:
        raise Refused(f"{path}/{KEY_FILE} holds no key of ours", why="it is not hexadecimal") from exc
    return dict(told)


def rows(found: Read, file: str) -> Iterator[tuple[dict[str, Value], str]]:
    """(row, "file line n") of each line of a file; nothing where the archive has none of it. Raises Refused."""
    path = found.path
    if file not in found.index.tables:
        return
    known = set(found.index.tables[file])
    try:
        with open(f"{path}/{file}", "rb") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(LINE_CAP), b""), start=1):
                where = f"{file} line {number}"
                try:
                    row = row_of(line)
                except ValueError as exc:
                    raise Refused(f"{path} was not imported", why=f"{where}: {exc}") from exc
                if set(row) - known:
                    raise Refused(f"{path} was not imported", why=f"{where}: a column that its index does not name")
                yield row, where
    except OSError as exc:
        raise Refused(f"{path}/{file} cannot be read", why=exc.strerror or type(exc).__name__) from exc


def _entry(row: dict[str, Value], where: str) -> Entry:
    one = _parsed(EntryLine, row, where)
    return Entry(**one.model_dump())


def _parsed(kind: type[_Line], row: dict[str, Value], where: str) -> _Line:
    try:
        return kind.model_validate(row)
    except ValidationError as exc:
        raise Refused(
            "the archive was not imported", why=f"{where}: {'.'.join(map(str, exc.errors()[0]['loc']))} is off"
        ) from exc


def _verify(found: Read) -> None:
    """The trail is one chain, and each body is what its entry committed to."""
    prev = audit.GENESIS
    for number, entry in enumerate(found.entries, start=1):
        if entry.seq != number or entry.prev != prev or entry.hash != audit.link(entry):
            raise Refused(
                f"{found.path} was not imported",
                why=f"entry {number} of its trail does not follow from the one before it",
            )
        body = found.bodies.get((entry.id, entry.revision)) if entry.revision else None
        if body and audit.commit(*body) != entry.commitment:
            raise Refused(
                f"{found.path} was not imported", why=f"a body is not what entry {number} of its trail committed to"
            )
        prev = entry.hash
