"""Copies of a data home: made, verified before they count, kept as seven days and four weeks, and drilled.

A copy is a folder with a manifest, made under another name and renamed when every byte of it was read back. It must never
delete a good copy because another one failed, is empty, or because time went by: only newer good ones take a place.
"""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass

from bellek.kg import clock, failpoints, locks, noted, packing, shelf, snapshot
from bellek.kg.home import Home, open_home
from bellek.kg.shelf import MANIFEST, Copy
from bellek.kg.snapshot import Plain
from bellek.schemas.backup import FORMAT, Manifest, Part, Store
from bellek.schemas.errors import BellekError, Busy, NotFound, StoreDamaged, StoreReadOnly

LOCK = "backup"
MAKING = ".making-"
DRILL_DAYS = 7
DRILLED = "drill"  # a row of meta: JSON of how the last drill ended


@dataclass(frozen=True, slots=True)
class Made:
    """What a backup did: the new copy, and the ids of the copies that its rotation deleted."""

    copy: Copy
    rotated: tuple[str, ...]


def make(
    home: Home, place: str, *, program: str, recipients: tuple[str, ...] = (), told: Callable[[str, int, int], None] | None = None
) -> Made:  # fmt: skip
    """Make one copy and delete those whose place it took. Raises Busy where another backup runs, StoreDamaged, StoreFault.

    Where anything fails, no copy appears and none goes.
    """
    with locks.held(home.path, LOCK) as mine:
        if not mine:
            raise Busy("another backup is at work", why="its lock is held by a living process")
        _made(place)
        _sweep(place)
        copy = _make(home, place, program, recipients, told)
        gone = rotate(place)
    return Made(copy, gone)


def _made(place: str) -> None:
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
    except OSError as exc:
        raise StoreReadOnly(f"{place} cannot be made", why=exc.strerror or "") from exc


def _sweep(place: str) -> None:
    """What a killed run left under its other name; nobody else makes any, since the lock is ours."""
    for name in os.listdir(place):
        if name.startswith(MAKING):
            shutil.rmtree(f"{place}/{name}")


def _make(
    home: Home, place: str, program: str, recipients: tuple[str, ...], told: Callable[[str, int, int], None] | None
) -> Copy:
    at = clock.now()
    id_ = shelf.free(place, at)
    work = f"{place}/{MAKING}{id_}"
    try:
        os.mkdir(work, 0o700)
        plain = snapshot.take(home, work, told)
        parts = tuple(_stored(one, work, recipients) for one in plain)
        memory = next(one for one in plain if one.store == "memory")
        manifest = Manifest(
            format=FORMAT, id=id_, made_at=at, offset_minutes=clock.offset_minutes(at), program=program, node=memory.node,
            entries=memory.entries, head=memory.head, encrypted=bool(recipients), parts=parts,
            faults=tuple(fault for one in plain for fault in one.faults),
        )  # fmt: skip
        with packing.created(f"{work}/{MANIFEST}") as out:
            out.write(manifest.model_dump_json(indent=2).encode() + b"\n")
        packing.synced(f"{work}/{MANIFEST}")
        packing.synced(work)
        failpoints.reach("backup-listed")
        os.rename(work, f"{place}/{id_}")
        packing.synced(place)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    failpoints.reach("backup-made")
    return shelf.read(f"{place}/{id_}")


def _stored(plain: Plain, work: str, recipients: tuple[str, ...]) -> Part:
    """Pack one plain file, read the packed one back, compare, and take the plain one away."""
    size, digest = packing.digest_of(plain.path)
    name = os.path.basename(plain.path) + ".zst"
    packing.pack(plain.path, f"{work}/{name}")
    again = f"{work}/{name}.again"
    if packing.unpack(f"{work}/{name}", again, "") != (size, digest):
        raise StoreDamaged(
            f"{work}/{name} does not read back as it was written", why="the disk or its memory is failing"
        )
    os.unlink(again)
    os.unlink(plain.path)
    if recipients:
        packing.encrypt(f"{work}/{name}", f"{work}/{name}.age", recipients)
        os.unlink(f"{work}/{name}")
        name += ".age"
    stored, sha256 = packing.digest_of(f"{work}/{name}")
    failpoints.reach("backup-packed")
    return Part(
        store=plain.store, file=name, size=stored, sha256=sha256, plain_size=size, plain_sha256=digest, version=plain.version,
        rows=plain.rows,
    )  # fmt: skip


def rotate(place: str) -> tuple[str, ...]:
    """Delete the copies that have no place any more; their ids. Renamed first, so that half a copy is never taken for one."""
    copies, _ = shelf.listed(place)
    keep = shelf.kept(copies)
    gone = []
    for copy in copies:
        if copy.manifest.id not in keep:
            aside = f"{place}/{MAKING}gone-{copy.manifest.id}"
            os.rename(copy.path, aside)
            failpoints.reach("backup-rotated")
            shutil.rmtree(aside)
            gone.append(copy.manifest.id)
    return tuple(gone)


def unpacked(copy: Copy, into: str, identity: str, only: tuple[Store, ...]) -> list[Plain]:
    """Every wanted file of a copy as a plain file, each checked: stored bytes, plain bytes, soundness, row counts.

    Raises StoreDamaged, StoreNewer, Refused (encrypted), NotFound where the copy lacks a wanted store.
    """
    found: list[Plain] = []
    for store in only:
        part = copy.manifest.part(store)
        if part is None:
            raise NotFound(f"{copy.path} holds no {store}", why="its manifest names none")
        stored, plain = f"{copy.path}/{part.file}", f"{into}/{snapshot.FILES[store]}"
        if not os.path.exists(stored) or packing.digest_of(stored) != (part.size, part.sha256):
            raise StoreDamaged(
                f"{stored} is damaged",
                why="its bytes are not those that were written",
                hint="take another copy: `bellek backup --list`",
            )
        if packing.unpack(stored, plain, identity) != (part.plain_size, part.plain_sha256):
            raise StoreDamaged(f"{stored} is damaged", why="what it unpacks to is not what was packed")
        if store == "config":
            found.append(Plain(store, plain, 0, part.rows))
            continue
        seen = snapshot.examine(plain, store)
        if seen.rows != part.rows:
            raise StoreDamaged(f"{stored} is not what its manifest says", why="the row counts differ")
        found.append(seen)
    return found


def drill(home: Home, place: str, identity: str) -> str:
    """Unpack the newest copy into a folder of its own, open it as a store and check everything; what was found wrong, "" for nothing.

    The result and its time stay in the store. Raises NotFound where there is no copy.
    """
    copy = shelf.find(place, "")
    work = f"{place}/{MAKING}drill-{os.getpid()}"
    os.mkdir(work, 0o700)
    try:
        why = _opens(copy, work, identity)
    except BellekError as exc:
        why = f"{exc.what}: {exc.why}"
    finally:
        shutil.rmtree(work, ignore_errors=True)
    noted.put(home.memory, DRILLED, {"at": clock.now(), "copy": copy.path, "why": why})
    return why


def _opens(copy: Copy, work: str, identity: str) -> str:
    unpacked(copy, work, identity, ("memory", "conversations"))
    with open_home(work) as again:
        whole = {**snapshot.rows(again.memory), **snapshot.rows(again.conversations)}
    held = {
        table: count for part in copy.manifest.parts if part.store != "config" for table, count in part.rows.items()
    }
    missing = [table for table, count in held.items() if whole.get(table) != count]
    return f"it opens with other counts in {', '.join(missing)}" if missing else ""


def drilled(home: Home) -> dict[str, object]:
    """How the last drill ended: `at`, `copy` and `why` ("" where it was good); {} before the first."""
    return noted.of(home.memory, DRILLED)


def drill_due(home: Home) -> bool:
    """Whether the newest copy is to be drilled: a week after the last good drill."""
    last = drilled(home)
    at = last.get("at")
    return not isinstance(at, int) or bool(last.get("why")) or not 0 <= clock.now() - at < DRILL_DAYS * clock.DAY_MS
