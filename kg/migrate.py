"""Bring a database file to this version's shape. Numbered SQL files, one immediate transaction, version re-read
inside, and a verified copy of the old file first.

It must never touch a file that is newer than this program or not ours: it looks through a read-only handle first.
"""

import os
import secrets
from pathlib import Path

from bellek import schemas
from bellek.kg import failpoints
from bellek.kg.db import BUSY_MS, Database, open_database
from bellek.kg.ids import mint
from bellek.schemas.errors import StoreDamaged, StoreNewer

Steps = list[tuple[int, str]]  # number, SQL
APPLICATION_ID = 0x626C656B  # "blek": tells our files from any other SQLite database


def migrations(kind: str) -> list[tuple[int, str]]:
    """The numbered SQL of one kind of database ("memory", "conversations"), in order."""
    files = sorted(Path(schemas.__file__ or "").parent.joinpath("sql", kind).glob("*.sql"))
    return [(int(f.name[:4]), f.read_text(encoding="utf-8")) for f in files]


def open_migrated(path: str, kind: str, *, busy_ms: int = BUSY_MS, steps: Steps | None = None) -> Database:
    """Open (and create) a database and bring it up to date, after a verified copy of it was laid beside it.

    Raises StoreNewer or StoreDamaged with its bytes unchanged. Where a step fails, the file is as it was. `steps` are other
    migrations than this version's own, for a trial.
    """
    steps = migrations(kind) if steps is None else steps
    if os.path.exists(path) and os.path.getsize(path):
        probe(path, kind, known=steps[-1][0])
    db = open_database(path, create=True, busy_ms=busy_ms)
    try:
        if 0 < version(db) < steps[-1][0]:
            _keep_as_it_was(db)
        if version(db) < steps[-1][0]:
            _apply(db, steps)
            failpoints.reach("migrate-committed")
    except BaseException:
        db.close()
        raise
    return db


def _keep_as_it_was(db: Database) -> None:
    """A copy named after its version, checked before it gets that name; another process may be making the same one."""
    keep = kept_as(db.path, version(db))
    work = f"{keep}.{os.getpid()}"
    try:
        db.backup_to(work)
        copy = open_database(work, keep_mode=True)
        try:
            faults = [
                str(row[0])
                for row in copy.rows("PRAGMA integrity_check(3)")
                if row[0] != "ok" and "FTS5" not in str(row[0])
            ]
        finally:
            copy.close()
        if faults:
            raise StoreDamaged(f"{db.path} was not brought up to date", why="; ".join(faults))
        os.replace(work, keep)
    finally:
        if os.path.exists(work):
            os.unlink(work)
    failpoints.reach("migrate-kept")


def kept_as(path: str, number: int) -> str:
    """Where the copy of a file lies that was made before it left a version."""
    return f"{path}.v{number}"


def tried(path: str, kind: str, work: str) -> "tuple[int, int]":
    """(its version, this program's) of a file, after the way from one to the other was gone on a copy below `work`.

    Raises what the migration would raise; the file itself is only read.
    """
    probe(path, kind)
    db = open_database(path, writable=False)
    try:
        before = version(db)
        db.backup_to(f"{work}/{kind}.db")
    finally:
        db.close()
    done = open_migrated(f"{work}/{kind}.db", kind)
    try:
        return before, version(done)
    finally:
        done.close()


def version(db: Database) -> int:
    """The number of the last migration that this file has."""
    return int(str(db.value("PRAGMA user_version")))


def newest(kind: str) -> int:
    """The number of the last migration that this program knows."""
    return migrations(kind)[-1][0]


def probe(path: str, kind: str, *, known: int = 0) -> None:
    """Look before any pragma or DDL could change a byte. Raises StoreNewer, StoreDamaged."""
    known = known or newest(kind)
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
            f"{path} was written by a newer bellek",
            why=f"its version is {found}, this program knows {known}",
            hint="upgrade bellek, point --home at another folder, or `bellek export DIR --read-only` to read it as far as this version can",
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
        failpoints.reach("migrate-written")


def _name_the_store(db: Database) -> None:
    """A node id, and the secret key of digests and tombstones; both stay with the file for life."""
    db.run_many(
        "INSERT INTO meta (key, value) VALUES (?, ?)",
        [("node", mint("n")), ("key", secrets.token_hex(32))],
    )
