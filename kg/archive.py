"""Write a whole home as an archive: every table as JSON lines, the person's files, and the key that tombstones need.

Read under one pin of both databases, in an order that depends on nothing but the rows: the same store gives the same
bytes. It must never write over anything, nor into a folder that holds something else.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from bellek.kg import clock, failpoints, packing, paths, snapshot
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.schemas.archive import COMPUTED, FORMAT, KEYS, LOCAL, Archive, line_of
from bellek.schemas.errors import Refused

INDEX, KEY_FILE = "archive.json", "keys.json"
PARTIAL = ".partial"


@dataclass(frozen=True, slots=True)
class Written:
    """An archive: file → number of lines, the person's files, and what else was written into it."""

    path: str
    lines: dict[str, int]
    files: int
    also: int


def write(home: Home, folder: str, also: Callable[[str], int] | None = None) -> Written:
    """Write an archive into a new folder (or an empty one). `also` writes more into it and says how many files.

    Raises Refused where something is in the folder, StoreFault where it cannot be written. Killed half way, there is no
    archive: the folder gets its name last.
    """
    folder = os.path.abspath(os.path.expanduser(folder))
    if os.path.exists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise Refused(
            f"{folder} was not written", why="something is there already", hint="name a folder that does not exist yet"
        )
    if os.path.realpath(folder).startswith(os.path.realpath(home.path) + os.sep):
        raise Refused(
            f"{folder} was not written", why="it lies in the data home itself", hint="name a folder elsewhere"
        )
    work = folder + PARTIAL
    try:
        shutil.rmtree(work, ignore_errors=True)
        packing.folders(work)
        lines, files, more = _write(home, work, also)
        failpoints.reach("export-written")
        if os.path.isdir(folder):
            os.rmdir(folder)
        os.rename(work, folder)
        packing.synced(os.path.dirname(folder))
    except OSError as exc:
        raise packing.full(folder, exc) from exc
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Written(folder, lines, files, more)


def _write(home: Home, work: str, also: Callable[[str], int] | None) -> tuple[dict[str, int], int, int]:
    counts: dict[str, int] = {}
    tables: dict[str, tuple[str, ...]] = {}
    with home.memory.pinned(), home.conversations.pinned():
        for name, db in (("memory", home.memory), ("conversations", home.conversations)):
            os.mkdir(f"{work}/{name}", 0o700)
            for table in tables_of(db):
                file = f"{name}/{table}.jsonl"
                tables[file] = columns_of(db, table)
                counts[file] = _lines(db, table, tables[file], f"{work}/{file}")
        more = also(work) if also else 0
        keys = {
            key: value for key in KEYS if (value := home.memory.value("SELECT value FROM meta WHERE key = ?", (key,)))
        }
    _json(f"{work}/{KEY_FILE}", keys)
    files = _person_files(home.path + "/" + paths.CONFIG, work + "/config")
    _json(f"{work}/{INDEX}", Archive(archive="bellek", format=FORMAT, tables=tables).model_dump())
    return counts, files, more


def tables_of(db: Database) -> list[str]:
    """The tables that travel, in order of name."""
    return [name for name in snapshot.tables(db) if name not in LOCAL]


def columns_of(db: Database, table: str) -> tuple[str, ...]:
    """The columns of a table that are more than what this version computes from others."""
    rows = db.rows("SELECT name FROM pragma_table_info (?)", (table,))
    return tuple(str(name) for (name,) in rows if name not in COMPUTED.get(table, ()))


def _lines(db: Database, table: str, columns: tuple[str, ...], path: str) -> int:
    count = 0
    with packing.created(path) as out:
        for row in _in_order(db, table, columns):
            out.write(line_of(columns, row))
            count += 1
    packing.synced(path)
    return count


def _in_order(
    db: Database, table: str, columns: tuple[str, ...]
) -> Iterator[tuple[str | int | float | bytes | None, ...]]:
    """All rows by the table's key, read a page at a time where it has row numbers."""
    names = ", ".join(columns)
    keys = [
        str(name) for (name,) in db.rows("SELECT name FROM pragma_table_info (?) WHERE pk > 0 ORDER BY pk", (table,))
    ]
    if keys not in (["n"], ["seq"]):
        yield from db.rows(f"SELECT {names} FROM {table} ORDER BY {', '.join(keys)}")
        return
    last = 0
    while page := db.rows(
        f"SELECT {keys[0]}, {names} FROM {table} WHERE {keys[0]} > ? ORDER BY {keys[0]} LIMIT 1000", (last,)
    ):
        yield from (row[1:] for row in page)
        last = int(str(page[-1][0]))


def _json(path: str, value: Mapping[str, object]) -> None:
    with packing.created(path) as out:
        out.write(json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n")


def _person_files(folder: str, target: str) -> int:
    """The person's own files as they are, links followed; how many."""
    os.mkdir(target, 0o700)
    files = snapshot.files_of(folder)
    for path in files:
        packing.copied(path, os.path.join(target, os.path.relpath(path, folder)))
    return len(files)


def note(db: Database, act: str, *, actor: str, batch: str, what: dict[str, object]) -> None:
    """Keep that something left or came in, in this home's own table. Inside or outside a transaction."""
    db.run(
        "INSERT INTO transfers (at, act, actor, batch, what) VALUES (?, ?, ?, ?, ?)",
        (clock.now(), act, actor, batch, json.dumps(what, ensure_ascii=False)),
    )
