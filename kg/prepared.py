"""Make an unpacked copy ready to be put in place: this version's shape, the law of permanent rows, what was forgotten since.

Works on the unpacked files alone, beside the home; of the home it only reads. It must never let a row be permanent that the
copy does not prove, nor leave a log beside a file: a rename moves one file.
"""

import json
import os
from contextlib import ExitStack

from bellek.kg import audit, check, conversations, migrate, paths, snapshot
from bellek.kg import unproven as law
from bellek.kg.db import Database, open_database
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.kg.shelf import Copy
from bellek.kg.since import Again, Since, look
from bellek.schemas.backup import Store
from bellek.schemas.errors import BellekError, StoreFault


def prepare(
    home: str, work: str, copy: Copy, stores: tuple[Store, ...], again: Again | None = None
) -> tuple[list[str], list[str]]:
    """Bring the unpacked files up to date, apply the law of permanent rows, forget again, and look at what one database says of the other."""
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
    return unproven, [*notes, *_forgotten_since(home, work, stores, again), *_across(home, work, stores)]


def _forgotten_since(home: str, work: str, stores: tuple[Store, ...], again: Again | None) -> list[str]:
    """What the home forgot after the copy was made is forgotten in the copy too. Messages lose their words where memory stays; where
    it is replaced, its orders are given again in the file that takes its place.
    """
    if "memory" not in stores:
        orders = _orders(f"{home}/{paths.MEMORY}")
        messages = [message for said in orders.values() for message in said]
        return _blanked(messages, work) if orders and "conversations" in stores else []
    since = look(f"{home}/{paths.MEMORY}", f"{work}/{paths.MEMORY}")
    if not since:
        return []
    if again is None:
        lost = len(since.orders)
        return (
            [f"{lost} orders to forget came after this copy: what they took is back, forget it again"] if lost else []
        )
    done = _given_again(home, work, since, again, with_talk="conversations" in stores)
    return (
        [f"{done} orders to forget came after this copy and were given again: what they took is hidden"] if done else []
    )


def _given_again(home: str, work: str, since: Since, again: Again, *, with_talk: bool) -> int:
    """Give the orders in the unpacked memory.db; the conversations beside it are the copy's, or the home's, and are only read."""
    with ExitStack() as stack:
        memory = migrate.open_migrated(f"{work}/{paths.MEMORY}", "memory")
        stack.callback(_one_file, memory)
        talks = (
            migrate.open_migrated(f"{work}/{paths.CONVERSATIONS}", "conversations")
            if with_talk
            else migrate.open_migrated(f"{home}/{paths.CONVERSATIONS}", "conversations")
        )
        stack.callback(_one_file if with_talk else Database.close, talks)
        return again(Home(work, memory, talks), since)


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


def counts(work: str, stores: tuple[Store, ...]) -> dict[Store, dict[str, int]]:
    """Store → table → rows of the files as they are about to be put in place."""
    found: dict[Store, dict[str, int]] = {}
    for store in stores:
        if store != "config":
            db = open_database(f"{work}/{snapshot.DATABASES[store]}", writable=False)
            found[store] = snapshot.rows(db)
            db.close()
    return found


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
