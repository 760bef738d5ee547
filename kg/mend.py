"""What can be put right without losing anything: indexes are built anew from their tables, what a kill left is cleared, modes are narrowed.

It must never delete or change a row that anybody wrote: what could lose something is told with the command that a person runs.
"""

import os
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from bellek.kg import backups, check, locks, restore, vector_check
from bellek.kg.db import Database
from bellek.kg.home import Home


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to put right, in words, and how."""

    what: str
    do: Callable[[], object]


def plan(home: Home, copies: str) -> list[Step]:
    """What there is to mend. Writes nothing."""
    return [*_indexes(home), *_vectors(home), *_leftovers(home.path, copies), *_modes(home.path), *_modes(copies)]


def carry_out(steps: list[Step]) -> list[str]:
    """Do each; what was done."""
    done = []
    for step in steps:
        step.do()
        done.append(step.what)
    return done


def _indexes(home: Home) -> list[Step]:
    """An index that does not fit its table. Rows are never touched (an index broken by a bad page too: `rebuild` works on any state)."""
    found = []
    for db, table in ((home.memory, "memories_fts"), (home.conversations, "messages_fts")):
        if check.index_faults(db, table):
            found.append(Step(f"build the index {table} anew from its table", partial(rebuild, db, table)))
    return found


def _vectors(home: Home) -> list[Step]:
    """Vectors that cannot be right, once a space. What is taken out is made anew by `bellek index`."""
    db = home.conversations
    ways = dict.fromkeys((fault.space, fault.mend) for fault in vector_check.faults(db))
    return [step for space, way in ways if (step := _vector_step(db, space, way))]


def _vector_step(db: Database, space: int, way: vector_check.Mend) -> Step | None:
    match way:
        case "take out":
            return Step(
                f"take the vectors out of space {space} that cannot be right (`bellek index` makes them anew)",
                partial(vector_check.take_out, db, space),
            )
        case "drop":
            return Step(
                f"take space {space} and the others of its embedder away: it cannot be right (`bellek index` makes them anew)",
                partial(vector_check.drop, db, space),
            )
        case "scatter":
            return Step(
                f"put the vectors of space {space} whose cell is gone where every search looks",
                partial(vector_check.scatter, db, space),
            )
        case "":
            return None
        case _:
            assert_never(way)


def rebuild(db: Database, table: str) -> None:
    """Build a full-text index anew from what it is an index of, with nothing deleted left in it."""
    with db.transaction():
        db.run(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
        db.run(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")
        db.run(f"INSERT INTO {table} ({table}, rank) VALUES ('secure-delete', 1)")
        db.run(f"INSERT INTO {table} ({table}) VALUES ('optimize')")


def _leftovers(home: str, copies: str) -> list[Step]:
    """Folders that a killed backup or restore left."""
    found = []
    for folder, start, lock in ((home, restore.STAGING, restore.LOCK), (copies, backups.MAKING, backups.LOCK)):
        for name in os.listdir(folder) if os.path.isdir(folder) else []:
            if name.startswith(start):
                path = f"{folder}/{name}"
                found.append(Step(f"delete {path}, which a killed run left", partial(_clear, home, lock, path)))
    return found


def _clear(home: str, lock: str, path: str) -> None:
    """Delete a folder of work, unless the work goes on."""
    with locks.held(home, lock) as mine:
        if mine:
            shutil.rmtree(path, ignore_errors=True)


def _modes(folder: str) -> list[Step]:
    """Files and folders of ours that others may read."""
    wide = []
    for here, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = os.path.join(here, name)
            mode = os.lstat(path).st_mode
            if (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) and stat.S_IMODE(mode) & 0o077:
                wide.append(path)
    return (
        [Step(f"narrow the mode of {len(wide)} files and folders in {folder} to their owner", partial(_narrow, wide))]
        if wide
        else []
    )


def _narrow(paths: list[str]) -> None:
    for path in paths:
        with suppress(FileNotFoundError):  # cleared by an earlier step, or a file of a moment
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
                os.chmod(path, stat.S_IMODE(mode) & 0o700)
