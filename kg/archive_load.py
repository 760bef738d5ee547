"""Bring an archive into a home: entries of its trail are replayed where they follow from ours, rows are merged where not.

What is newer here stays, what was forgotten or refused here stays so, and nothing becomes permanent by an import: such rows
come in as provisional until a person confirms them (`confirm`), with the promotions that they had. It must never write
half of an archive into memory.db: that is one transaction.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, assert_never

from bellek.kg import (
    archive,
    archive_parts,
    audit,
    failpoints,
    memories,
    stones,
    tombstones,
    unproven,
)
from bellek.kg.archive_read import Read
from bellek.kg.audit import Entry
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.schemas.archive import Value
from bellek.schemas.errors import NeverAgain, PersonNeeded, Refused
from bellek.schemas.memory import Memory

# How the archive's trail lies to ours: it goes on where ours ends, we have all of it already, or both went their own way.
How = Literal["forward", "known", "apart"]
# What a merge takes from tables that the trail does not make: what was seen and settled, where talk was forgotten, folders.
_MERGED = ("projects", "project_paths", "seen", "settled", "forgotten")


@dataclass(slots=True)
class Loaded:
    """What an import did (or would do): rows written, left alone because they are known or newer here, blocked because they were
    refused or forgotten here; messages stored; permanent rows that came in as provisional; what is to be told.
    """

    how: How
    batch: str = ""
    entries: int = 0
    written: int = 0
    known: int = 0
    blocked: int = 0
    messages: int = 0
    unconfirmed: int = 0
    notes: tuple[str, ...] = ()


def plan(home: Home, found: Read) -> Loaded:
    """How the archive lies to this home. Writes nothing."""
    common = _common(home.memory, found)
    how = _how(home.memory, found, common)
    return Loaded(how, entries=len(found.entries) - common if how == "forward" else 0)


def _how(db: Database, found: Read, common: int) -> How:
    ours = audit.head(db)[0]
    if common == len(found.entries):
        return "known"
    return "forward" if common == ours else "apart"


def _common(db: Database, found: Read) -> int:
    """How many entries both trails have in common from the first on."""
    count = 0
    for mine, theirs in zip(audit.entries(db), found.entries, strict=False):
        if mine.hash != theirs.hash:
            break
        count += 1
    return count


def load(home: Home, found: Read) -> Loaded:
    """Import: messages first, each by its id, then memory in one transaction. A second import changes nothing."""
    db = home.memory
    loaded = plan(home, found)
    loaded.batch = mint("b")
    loaded.messages = archive_parts.messages(home, found)
    failpoints.reach("import-messages")
    with db.transaction():
        db.run("PRAGMA defer_foreign_keys = ON")
        loaded.notes = tuple(_take_keys(db, found))
        match loaded.how:
            case "forward":
                _forward(db, found, loaded)
            case "known":
                loaded.known = len({id_ for id_, _ in found.bodies})
            case "apart":
                _merge(db, found, loaded)
            case _:
                assert_never(loaded.how)
        archive.note(
            db, "import", actor="import", batch=loaded.batch,
            what={"how": loaded.how, "entries": loaded.entries, "written": loaded.written, "messages": loaded.messages, "unconfirmed": loaded.unconfirmed},
        )  # fmt: skip
        failpoints.reach("import-written")
    return loaded


def _take_keys(db: Database, found: Read) -> Iterator[str]:
    """The key under which the archive's tombstones were marked: ours where nothing here was marked yet, else one more."""
    stones_there = any(entry.kind == tombstones.KIND for entry in found.entries)
    key = found.keys.get("key", "")
    if not key:
        if stones_there:
            yield f"the archive has no {archive.KEY_FILE}: what was refused or forgotten there is not blocked here"
        return
    if key == stones.key_of(db).hex():
        return
    marked = any(
        db.value(f"SELECT 1 FROM {table} LIMIT 1")
        for table in ("tombstones", "seen", "settled", "queue", "forgettings")
    )
    if not marked:
        db.run("UPDATE meta SET value = ? WHERE key = 'key'", (key,))
    elif stones_there:
        stones.also_ask(db, key)
    for name in ("passphrase-salt", "passphrase-check"):
        if name in found.keys:
            db.run("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", (name, found.keys[name]))


def _forward(db: Database, found: Read, loaded: Loaded) -> None:
    """Entry by entry what the other store did, from where ours ends; then the tables that the trail does not make."""
    first = audit.head(db)[0]
    for entry in found.entries[first:]:
        memories.play(db, entry, found.bodies.get((entry.id, entry.revision)) if entry.revision else None)
    loaded.written = len({entry.id for entry in found.entries[first:] if entry.revision})
    loaded.unconfirmed = unproven.hold_back(db, after=first, batch=loaded.batch)
    settled = len(found.plain.get("settled", []))
    for table, rows in found.plain.items():
        _insert(db, table, rows)
    if first and settled:
        _drop_settled(db, found.plain["settled"])


def _insert(db: Database, table: str, rows: list[dict[str, Value]]) -> None:
    """Rows of a table that has its shape from this version's SQL: columns that it does not have are left out."""
    columns = [str(name) for (name,) in db.rows("SELECT name FROM pragma_table_info (?)", (table,))]
    for row in rows if columns else []:
        here = [name for name in columns if name in row]
        db.run(
            f"INSERT OR IGNORE INTO {table} ({', '.join(here)}) VALUES ({', '.join('?' * len(here))})", tuple(row[name] for name in here)
        )  # fmt: skip


def _drop_settled(db: Database, rows: list[dict[str, Value]]) -> None:
    """What waits here and was written there is not written twice."""
    for row in rows:
        db.run(
            "DELETE FROM queue WHERE project = ? AND channel = ? AND digest = ?", (row["project"], row["channel"], row["digest"])
        )  # fmt: skip


def _merge(db: Database, found: Read, loaded: Loaded) -> None:
    """Rows as they stand there, each by the one write path: what is known and not older here stays as it is."""
    for table in _MERGED:
        rows = found.plain.get(table, [])
        if table == "settled":
            rows = [
                row
                for row in rows
                if not row["memory"] or db.value("SELECT 1 FROM memories WHERE id = ?", (row["memory"],))
            ]
        _insert(db, table, rows)
    last = _last(found)
    for id_, entry in last.items():
        if entry.kind == tombstones.KIND and not db.value("SELECT 1 FROM tombstones WHERE id = ?", (id_,)):
            tombstones.adopt(db, id_, found.bodies[id_, entry.revision][0], actor="import", batch=loaded.batch)
    rows_ = [(id_, entry) for id_, entry in last.items() if entry.kind != tombstones.KIND]
    # A field points to its entity, a conflict to two claims.
    for id_, entry in sorted(
        rows_, key=lambda item: (item[1].kind != "entity", item[1].kind == "conflict", item[1].seq)
    ):
        _merge_one(db, Memory.model_validate_json(found.bodies[id_, entry.revision][0]), entry, loaded)


def _last(found: Read) -> dict[str, Entry]:
    """Id → the entry of its last revision, of what was not forgotten there."""
    last: dict[str, Entry] = {}
    for entry in found.entries:
        if entry.act == "scrub":
            last.pop(entry.id, None)
        elif entry.revision and (entry.id, entry.revision) in found.bodies:
            last[entry.id] = entry
    return last


def _merge_one(db: Database, theirs: Memory, entry: Entry, loaded: Loaded) -> None:
    row = db.one("SELECT updated, tier FROM memories WHERE id = ?", (theirs.id,))
    gone = db.value("SELECT 1 FROM audit WHERE id = ? AND act = 'scrub'", (theirs.id,))
    if gone:
        loaded.blocked += 1
        return
    if row and (int(str(row[0])) >= entry.clock or row[1] == "T2"):
        loaded.known += 1
        return
    if db.value("SELECT 1 FROM audit WHERE hash = ?", (entry.hash,)):
        loaded.known += 1
        return
    weaker = theirs.tier == "T2"
    memory = theirs.model_copy(
        update={"batch": loaded.batch, **({"tier": "T1", "note": theirs.note or unproven.IMPORTED} if weaker else {})}
    )
    try:
        with db.savepoint():
            memories.write(db, memory, actor="import", act="import")
    except NeverAgain:
        loaded.blocked += 1
    except (Refused, PersonNeeded) as exc:
        loaded.known += 1
        loaded.notes += (f"{theirs.id} stays as it is: {exc.why or exc.what}",)
    else:
        loaded.written += 1
        loaded.unconfirmed += weaker


def confirm(home: Home, found: Read, *, actor: str) -> list[str]:
    """Make the rows permanent again that came in as provisional and whose promotions this archive tells; their ids.

    Raises PersonNeeded for anybody but a person.
    """
    if not memories.by_person(actor):
        raise PersonNeeded("nothing was confirmed", why="only a person makes a memory permanent")
    told = {(entry.id, entry.revision) for entry in found.entries if entry.revision and memories.by_person(entry.actor)}
    with home.memory.transaction():
        done = unproven.let_in(home.memory, told)
        archive.note(home.memory, "confirm", actor=actor, batch=mint("b"), what={"rows": done})
    return done
