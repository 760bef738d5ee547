"""The law of permanent rows for what comes back from elsewhere: without proof of a person's promotion a row is provisional.

An archive's rows are held back until a person confirms them: the trail and its bodies stay as they came, only the row is
weaker, and the local table `unconfirmed` says so. It must never change a word, nor make anything permanent that no person
promoted there and no person confirmed here. Called by a restore and by imports alone.
"""

from bellek.kg import audit, memories, promotions
from bellek.kg.db import Database
from bellek.schemas.memory import Memory

NOTE = "came back from a copy that does not prove its promotion"


def demote(db: Database, *, trusted: bool, batch: str) -> list[str]:
    """Write every permanent row whose promotion nothing proves as provisional, marked so; their ids. Called by a restore alone.

    A row stays permanent where the trail of this file is `trusted`, tells of a person's promotion of that very revision, and
    the row says what that revision says.
    """
    found = []
    for id_, revision, text in db.rows("SELECT id, revision, text FROM memories WHERE tier = 'T2' ORDER BY n"):
        memory = memories.of_revision(db, str(id_), int(str(revision)))
        told = memory is not None and memory.tier == "T2" and memory.text == text
        if trusted and told and promotions.told_of(db, str(id_), int(str(revision))):
            continue
        _weaken(db, str(id_), memory, batch)
        found.append(str(id_))
    if found:
        promotions.drop_untold(db)
    return found


def _weaken(db: Database, id: str, memory: Memory | None, batch: str) -> None:
    if memory is None:  # no body: the trail cannot say what it was, so only the row is marked
        db.run("UPDATE memories SET tier = 'T1', note = ? WHERE id = ?", (NOTE, id))
        return
    weaker = memory.model_copy(update={"tier": "T1", "note": memory.note or NOTE, "batch": batch})
    revision = memories.next_revision(db, id)
    entry = audit.append(
        db, actor="restore", act="unproven", kind=weaker.body.kind, id=id, batch=batch, revision=revision, body=weaker.canonical()
    )  # fmt: skip
    memories.put(db, weaker, revision=revision, clock=entry.clock)


IMPORTED = "imported as provisional; a person confirms it with `bellek import DIR --confirm`"


def hold_back(db: Database, *, after: int, batch: str) -> int:
    """Make provisional what entries behind a place of the trail made permanent; how many rows. Inside the import's transaction."""
    rows = db.rows(
        "SELECT m.id, m.revision, m.note FROM memories m JOIN audit a ON a.id = m.id AND a.revision = m.revision WHERE m.tier = 'T2' AND a.seq > ?",
        (after,),
    )
    for id_, revision, note in rows:
        db.run("UPDATE memories SET tier = 'T1', note = ? WHERE id = ?", (note or IMPORTED, id_))
        db.run(
            "INSERT OR REPLACE INTO unconfirmed (memory, revision, batch, note) VALUES (?, ?, ?, ?)",
            (id_, revision, batch, note),
        )
    return len(rows)


def let_in(db: Database, told: set[tuple[str, int]]) -> list[str]:
    """Make permanent again what was held back and is told of, where it was not changed since; the ids. A person's act."""
    done = []
    for id_, revision, note in db.rows("SELECT memory, revision, note FROM unconfirmed ORDER BY memory"):
        now = db.value("SELECT revision FROM memories WHERE id = ? AND tier = 'T1'", (id_,))
        if now != revision or (str(id_), int(str(revision))) not in told:
            continue
        db.run("UPDATE memories SET tier = 'T2', note = ? WHERE id = ?", (note, id_))
        db.run("DELETE FROM unconfirmed WHERE memory = ?", (id_,))
        done.append(str(id_))
    return done
