"""Bring a copy back: verified before anything is touched, put in place by renames, and what it replaces is kept.

At every moment each database file of the home is either the old one or the new one, so a killed restore is run again. It
must never put a copy in place that was not unpacked, checked and opened first, nor leave a stale log beside a restored
file: SQLite would play it into the new one and revive rows.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

from bellek.kg import backups, check, clock, failpoints, locks, migrate, packing, paths, prepared, shelf, snapshot
from bellek.kg.db import open_database
from bellek.kg.shelf import Copy
from bellek.kg.since import Again
from bellek.schemas.backup import Store
from bellek.schemas.errors import BellekError, Busy

LOCK = "restore"
# Whoever holds one of these is at work in the home: every lock that there is but our own.
WORKERS = ("hearing", "drain", "sleep", "replay", "evolve", "selection", "index", "nightly", "backup", "hub")
REPLACED = "replaced"
STAGING = ".restoring-"
MARK = "restore.json"  # in the home while files are being put in place: a kill leaves it, and doctor tells
BESIDE = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did: `unproven` permanent rows came back as provisional; `replaced` is where the old files are, "" for none."""

    copy: str
    home: str
    stores: tuple[Store, ...]
    unproven: tuple[str, ...]
    replaced: str
    notes: tuple[str, ...]


def obstacles(home: str, copy: Copy, stores: tuple[Store, ...]) -> list[str]:
    """Why a person has to say that they mean it, a sentence each; empty for a home without anything to lose. Changes no byte."""
    found: list[str] = []
    for store in stores:
        path = f"{home}/{snapshot.DATABASES[store]}" if store != "config" else f"{home}/{paths.CONFIG}"
        if store == "config":
            files = sum(len(names) for _, _, names in os.walk(path))
            found += [f"{path} holds {files} files"] if files else []
        elif os.path.exists(path) and os.path.getsize(path):
            found += _holds(path, store, copy)
    return found


def _holds(path: str, store: Store, copy: Copy) -> Iterator[str]:
    try:
        migrate.probe(path, store)
        db = open_database(path, writable=False)
    except BellekError as exc:
        yield f"{path} cannot be looked at ({exc.what}: {exc.why})"
        return
    try:
        tables = ("memories", "queue") if store == "memory" else ("messages",)
        counts = snapshot.rows(db)
        if held := [f"{counts[table]} rows in {table}" for table in tables if counts.get(table)]:
            yield f"{path} holds {' and '.join(held)}"
        if store == "memory" and counts.get("audit", 0) > copy.manifest.entries:
            yield f"{path} is newer: its trail has {counts['audit']} entries, the copy's {copy.manifest.entries}"
    finally:
        db.close()


def verified(copy: Copy, stores: tuple[Store, ...], identity: str) -> list[str]:
    """Unpack and check a copy in a folder of its own and throw that away; what is wrong with it, empty for a good one."""
    with tempfile.TemporaryDirectory(prefix="bellek-restore-") as work:
        try:
            backups.unpacked(copy, work, identity, stores)
        except BellekError as exc:
            return [str(exc)]
    return []


@contextmanager
def _quiet(home: str) -> Iterator[str]:
    """Hold every worker's lock; the name of one that is at work, "" for none."""
    with ExitStack() as stack:
        busy = ""
        for name in WORKERS:
            if not stack.enter_context(locks.held(home, name)):
                busy = name
        yield busy


def carry_out(
    home: str, copy: Copy, stores: tuple[Store, ...], *, identity: str = "", force: bool = False, again: Again | None = None
) -> Restored:  # fmt: skip
    """Restore a copy into a home. Ask `obstacles` first, and a person where there are any; `force` says that one answered.

    `again` forgets in the copy what this home forgot since; the caller finishes that (`forget.finish`). Without it, it is only told.

    Raises StoreDamaged, StoreNewer, Refused before anything is touched; Busy where the home is in use and not forced.
    """
    paths.make_home(home)
    with locks.held(home, LOCK) as mine:
        if not mine:
            raise Busy("another restore is at work", why="its lock is held by a living process")
        _sweep(home)
        work = f"{home}/{STAGING}{os.getpid()}"
        os.mkdir(work, 0o700)
        try:
            backups.unpacked(copy, work, identity, stores)
            failpoints.reach("restore-unpacked")
            unproven, notes = prepared.prepare(home, work, copy, stores, again)
            counts = prepared.counts(work, stores)
            failpoints.reach("restore-prepared")
            with _quiet(home) as busy:
                replaced, live = _put(home, work, copy, stores, busy=busy, force=force)
        except OSError as exc:
            raise packing.full(home, exc) from exc
        finally:
            shutil.rmtree(work, ignore_errors=True)
    if live:
        notes.append(
            "another process had the store open: it goes on with the replaced files, which SQLite lets nobody write any more"
        )
    return Restored(copy.path, home, stores, tuple(unproven), replaced, (*notes, *_read_back(home, counts)))


def _sweep(home: str) -> None:
    for name in os.listdir(home):
        if name.startswith(STAGING):
            shutil.rmtree(f"{home}/{name}")


def _put(home: str, work: str, copy: Copy, stores: tuple[Store, ...], *, busy: str, force: bool) -> tuple[str, bool]:
    """Rename the files into place; where the old ones are now, and whether somebody has them open."""
    open_elsewhere = [
        store for store in stores if store != "config" and not _settled(f"{home}/{snapshot.DATABASES[store]}")
    ]
    live = bool(busy or open_elsewhere)
    if live and not force:
        what = f"its {busy} is at work" if busy else f"another process has {snapshot.DATABASES[open_elsewhere[0]]} open"
        raise Busy(
            f"{home} is in use", why=what, hint="end the sessions that use it, or run the same command with --force in a terminal of your own"
        )  # fmt: skip
    kept = _kept(home)
    with packing.created(f"{home}/{MARK}.new") as out:
        out.write(json.dumps({"copy": copy.path, "stores": stores, "replaced": kept}).encode())
    os.replace(f"{home}/{MARK}.new", f"{home}/{MARK}")
    packing.synced(home)
    for store in stores:
        if store == "config":
            _put_config(home, work, kept)
        else:
            _put_database(f"{home}/{snapshot.DATABASES[store]}", f"{work}/{snapshot.DATABASES[store]}", kept)
        failpoints.reach("restore-placed")
    os.unlink(f"{home}/{MARK}")
    packing.synced(home)
    with suppress(OSError):
        os.rmdir(kept)  # nothing was there to keep
        os.rmdir(f"{home}/{REPLACED}")
    return kept if os.path.isdir(kept) else "", live


def _settled(path: str) -> bool:
    """Bring an old file's log into it, so that what is kept is one file; False where another process has it open.

    A file that is no sound database is moved with all that lies beside it.
    """
    if not os.path.exists(path) or not os.path.getsize(path):
        return True
    try:
        db = open_database(path, keep_mode=True, busy_ms=200)
    except BellekError:
        return True
    try:
        return db.alone()
    except BellekError:
        return True
    finally:
        db.close()


def _kept(home: str) -> str:
    """A new folder for what is replaced."""
    place = f"{home}/{REPLACED}"
    os.makedirs(place, mode=0o700, exist_ok=True)
    kept = f"{place}/{shelf.free(place, clock.now())}"
    os.mkdir(kept, 0o700)
    return kept


def _put_database(path: str, new: str, kept: str) -> None:
    """The old file gets a second name before its first one goes to the new file; what lies beside it goes before that."""
    name = os.path.basename(path)
    if os.path.exists(path):
        os.link(path, f"{kept}/{name}")
    for suffix in BESIDE:
        if os.path.exists(path + suffix):
            os.rename(path + suffix, f"{kept}/{name}{suffix}")
    failpoints.reach("restore-linked")
    os.rename(new, path)
    packing.synced(os.path.dirname(path))


def _put_config(home: str, work: str, kept: str) -> None:
    if os.path.exists(f"{home}/{paths.CONFIG}"):
        os.rename(f"{home}/{paths.CONFIG}", f"{kept}/{paths.CONFIG}")
    os.rename(f"{work}/{paths.CONFIG}", f"{home}/{paths.CONFIG}")
    packing.synced(home)
    with suppress(OSError):
        os.rmdir(f"{kept}/{paths.CONFIG}")  # the empty folder that every home has is nothing to keep


def _read_back(home: str, counts: dict[Store, dict[str, int]]) -> list[str]:
    """Faults of the files as they lie there now."""
    found: list[str] = []
    for store, before in counts.items():
        db = migrate.open_migrated(f"{home}/{snapshot.DATABASES[store]}", store)
        try:
            now = snapshot.rows(db)
            found += [
                f"{table} has {now.get(table)} rows, the checked copy had {count}"
                for table, count in before.items()
                if now.get(table) != count
            ]
            found += check.check_memory(db) if store == "memory" else check.check_conversations(db)
        finally:
            db.close()
    return found


def half_done(home: str) -> str:
    """The copy whose restore into this home was stopped half way, "" for none."""
    try:
        with open(f"{home}/{MARK}", encoding="utf-8") as file:
            return str(json.load(file)["copy"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
