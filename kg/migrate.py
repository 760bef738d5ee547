"""Bring a database file to this version's shape. Numbered SQL files, one immediate transaction, version re-read inside.

It must never touch a file that is newer than this program or not ours: it looks through a read-only handle first.
"""

import os
import secrets
from pathlib import Path

from bellek import schemas
from bellek.kg.db import BUSY_MS, Database, open_database
from bellek.kg.ids import mint
from bellek.schemas.errors import StoreDamaged, StoreNewer

APPLICATION_ID = 0x626C656B  # "blek": tells our files from any other SQLite database


def migrations(kind: str) -> list[tuple[int, str]]:
    """The numbered SQL of one kind of database ("memory", "conversations"), in order."""
    files = sorted(Path(schemas.__file__ or "").parent.joinpath("sql", kind).glob("*.sql"))
    return [(int(f.name[:4]), f.read_text(encoding="utf-8")) for f in files]


def open_migrated(path: str, kind: str, *, busy_ms: int = BUSY_MS) -> Database:
    """Open (and create) a database and bring it up to date. Raises StoreNewer or StoreDamaged with its bytes unchanged."""
    steps = migrations(kind)
    if os.path.exists(path) and os.path.getsize(path):
        probe(path, kind)
    db = open_database(path, create=True, busy_ms=busy_ms)
    try:
        if version(db) < steps[-1][0]:
            _apply(db, steps)
    except BaseException:
        db.close()
        raise
    return db


def version(db: Database) -> int:
    """The number of the last migration that this file has."""
    return int(str(db.value("PRAGMA user_version")))


def newest(kind: str) -> int:
    """The number of the last migration that this program knows."""
    return migrations(kind)[-1][0]


def probe(path: str, kind: str) -> None:
    """Look before any pragma or DDL could change a byte. Raises StoreNewer, StoreDamaged."""
    known = newest(kind)
    db = open_database(path, writable=False)
    try:
        db.run("BEGIN")  # one snapshot: another process may be making the store between two statements
        tables = db.value("SELECT count(*) FROM sqlite_master")
        found, owner = version(db), db.value("PRAGMA application_id")
        db.run("ROLLBACK")
    finally:
        db.close()
    if found > known:
        raise StoreNewer(
            f"{path} was written by a newer bellek", why=f"its version is {found}, this program knows {known}"
        )
    if owner != APPLICATION_ID and tables:
        raise StoreDamaged(f"{path} is not a bellek database", why="its application id is another program's")


def _apply(db: Database, steps: list[tuple[int, str]]) -> None:
    with db.transaction():
        done = version(db)  # re-read: another process may have been first
        for number, sql in steps:
            if number > done:
                db.script(sql)
                db.run(f"PRAGMA user_version = {number}")
        if done == 0:
            db.run(f"PRAGMA application_id = {APPLICATION_ID}")
            _name_the_store(db)


def _name_the_store(db: Database) -> None:
    """A node id, and the secret key of digests and tombstones; both stay with the file for life."""
    db.run_many(
        "INSERT INTO meta (key, value) VALUES (?, ?)",
        [("node", mint("n")), ("key", secrets.token_hex(32))],
    )
