"""A consistent copy of a data home as plain files in a folder, and the questions a copy must answer before it counts.

Both databases are pinned before either is copied, memory first: a message that a row points to is then in the copy of
the conversations too, however many processes write meanwhile. It must never open a copy as if it were the live store.
"""

import os
import tarfile
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO

from bellek.kg import audit, check, failpoints, migrate, packing, paths
from bellek.kg.db import Database, open_database
from bellek.kg.home import Home
from bellek.schemas.backup import Store
from bellek.schemas.errors import StoreDamaged

DATABASES: dict[Store, str] = {"memory": paths.MEMORY, "conversations": paths.CONVERSATIONS}
FILES: dict[Store, str] = {**DATABASES, "config": "config.tar"}


@dataclass(frozen=True, slots=True)
class Plain:
    """One plain file of a snapshot. `rows` a table; `faults` are invariants that do not hold, of a file that is sound."""

    store: Store
    path: str
    version: int
    rows: dict[str, int]
    entries: int = 0
    head: str = ""
    node: str = ""
    faults: tuple[str, ...] = field(default=())


def take(home: Home, folder: str, told: Callable[[str, int, int], None] | None = None) -> list[Plain]:
    """Copy memory, conversations and config into a folder and examine each. ``told(store, done, whole)`` hears of pages.

    Raises StoreDamaged where a copy is not sound: it must not count. StoreFault where the disk is full.
    """
    try:
        with home.memory.pinned(), home.conversations.pinned():
            for store, db in (("memory", home.memory), ("conversations", home.conversations)):
                db.backup_to(
                    f"{folder}/{FILES[store]}",  # type: ignore[index]
                    (lambda done, whole, store=store: told(store, done, whole)) if told else None,
                )
                failpoints.reach("backup-copied")
        files = _archive(home.path + "/" + paths.CONFIG, f"{folder}/{FILES['config']}")
    except OSError as exc:
        raise packing.full(folder, exc) from exc
    databases = [examine(f"{folder}/{name}", store) for store, name in DATABASES.items()]
    return [*databases, Plain("config", f"{folder}/{FILES['config']}", 0, {"files": files})]


def examine(path: str, store: Store) -> Plain:
    """What a plain copy holds. Raises StoreDamaged where it is not sound, StoreNewer where it is newer than this program."""
    migrate.probe(path, store)
    db = open_database(path, keep_mode=True)
    try:
        damage = check.damage(db)
        if damage:
            raise StoreDamaged(f"the copy {path} is not sound", why="; ".join(damage[:3]))
        known = migrate.version(db) == migrate.newest(
            store
        )  # an older store has other tables: opening it brings it up to date
        faults = (check.check_memory(db) if store == "memory" else check.check_conversations(db)) if known else []
        entries, head = audit.head(db) if store == "memory" else (0, "")
        node = str(db.value("SELECT value FROM meta WHERE key = 'node'"))
        return Plain(store, path, migrate.version(db), rows(db), entries, head, node, tuple(faults))
    finally:
        db.close()


def rows(db: Database) -> dict[str, int]:
    """Table → number of rows, of every table of ours."""
    return {name: int(str(db.value(f"SELECT count(*) FROM {name}"))) for name in tables(db)}


def tables(db: Database) -> list[str]:
    """Every table of ours in order of name: neither SQLite's own nor those of an index."""
    return [
        str(name)
        for (name,) in db.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
            " AND name NOT LIKE '%!_fts%' ESCAPE '!' ORDER BY name"
        )
    ]


def _archive(folder: str, target: str) -> int:
    """A tar of the person's files, links followed, in order of name; how many there are. What is no plain file is left out."""
    count = 0
    with packing.created(target) as out, tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in files_of(folder):
            try:
                with open(path, "rb") as file:
                    raw = file.read()
            except OSError:
                continue
            info = tarfile.TarInfo(os.path.relpath(path, folder))
            info.size, info.mode, info.mtime = len(raw), 0o600, int(os.stat(path).st_mtime)
            tar.addfile(info, BytesIO(raw))
            count += 1
    return count


def files_of(folder: str) -> list[str]:
    """The paths of the person's files below a folder, in order; what is no plain file (nor a link to one) is left out."""
    found = (os.path.join(here, name) for here, _, names in os.walk(folder) for name in names)
    return sorted(path for path in found if os.path.isfile(path))


def extract(archive: str, folder: str) -> int:
    """Write the files of a config archive below a new folder; how many. Names that lead out of it are refused."""
    packing.folders(folder)
    count = 0
    with tarfile.open(archive) as tar:
        for info in tar:
            parts = info.name.split("/")
            if not info.isreg() or info.name.startswith("/") or ".." in parts:
                raise StoreDamaged(f"{archive} holds {info.name!r}", why="no file of a config folder is called so")
            place = os.path.join(folder, *parts)
            packing.folders(os.path.dirname(place))
            inner = tar.extractfile(info)
            assert inner
            with packing.created(place) as out:
                out.write(inner.read())
            count += 1
    return count
