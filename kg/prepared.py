"""Make an unpacked copy ready to be put in place: this version's shape, the law of permanent rows, what was forgotten since.

Works on the unpacked files alone, beside the home; of the home it only reads. It must never let a row be permanent that the
copy does not prove, nor leave a log beside a file: a rename moves one file.
"""

import json
import os

from bellek.kg import audit, check, conversations, migrate, paths, snapshot
from bellek.kg import unproven as law
from bellek.kg.db import Database, open_database
from bellek.kg.ids import mint
from bellek.kg.shelf import Copy
from bellek.schemas.backup import Store
from bellek.schemas.errors import BellekError, StoreFault


def prepare(home: str, work: str, copy: Copy, stores: tuple[Store, ...]) -> tuple[list[str], list[str]]:
    """Bring the unpacked files up to date, apply the law of permanent rows, and look at what one database says of the other."""
    unproven: list[str] = []
    notes = [f"the store had this fault when the copy was made: {fault}" for fault in copy.manifest.faults]
    if "memory" in stores:
        db = migrate.open_migrated(f"{work}/{paths.MEMORY}", "memory")
        try:
            faults = audit.verify(db)
            trusted = not faults and audit.head(db) == (copy.manifest.entries, copy.manifest.head)
            notes += [] if trusted else ["the copy's trail does not verify against its manifest"]
            with db.transaction():
                unproven = law.demote(db, trusted=trusted, batch=mint("b"))
        finally:
            _one_file(db)
    if "conversations" in stores:
        _one_file(migrate.open_migrated(f"{work}/{paths.CONVERSATIONS}", "conversations"))
    if "config" in stores:
        snapshot.extract(f"{work}/{snapshot.FILES['config']}", f"{work}/{paths.CONFIG}")
    return unproven, [*notes, *_forgotten_since(home, work, stores), *_across(home, work, stores)]


def _forgotten_since(home: str, work: str, stores: tuple[Store, ...]) -> list[str]:
    """What the home forgot after the copy was made. Messages lose their words again where memory stays; where it is replaced too,
    what knew of the forgetting goes with it, and it is told.
    """
    orders = _orders(f"{home}/{paths.MEMORY}")
    if not orders:
        return []
    if "memory" not in stores:
        messages = [message for said in orders.values() for message in said]
        return _blanked(messages, work) if "conversations" in stores else []
    lost = orders.keys() - _orders(f"{work}/{paths.MEMORY}").keys()
    return (
        [f"{len(lost)} orders to forget came after this copy: what they took is back, forget it again"] if lost else []
    )


def _orders(path: str) -> dict[str, list[str]]:
    """Order to forget → the ids of its messages; none of a file that is not there, cannot be read or is of another shape."""
    try:
        db = open_database(path, writable=False)
    except BellekError:
        return {}
    try:
        return {str(id_): json.loads(str(said)) for id_, said in db.rows("SELECT id, messages FROM forgettings")}
    except (BellekError, ValueError):
        return {}
    finally:
        db.close()


def _blanked(messages: list[str], work: str) -> list[str]:
    """Take the words of forgotten messages out of the unpacked conversations. What goes wrong here ends the restore."""
    talks = migrate.open_migrated(f"{work}/{paths.CONVERSATIONS}", "conversations")
    try:
        count = conversations.blank(talks, messages)
        if count:
            talks.rewrite()
    finally:
        _one_file(talks)
    return (
        [f"{count} messages that were forgotten after the copy was made came back without their words"] if count else []
    )


def _one_file(db: Database) -> None:
    """A rename moves one file: what is in the log must be in it."""
    try:
        if not db.alone():
            raise StoreFault(f"{db.path} is in use", why="another process opened a restore's own file")
    finally:
        db.close()


def _across(home: str, work: str, stores: tuple[Store, ...]) -> list[str]:
    """Faults between the two databases as they will stand side by side."""
    places = [f"{work if store in stores else home}/{name}" for store, name in snapshot.DATABASES.items()]
    if not all(map(os.path.exists, places)):
        return []
    memory, talks = (open_database(path, writable=False) for path in places)
    try:
        return check.between(memory, talks)
    finally:
        memory.close()
        talks.close()
