"""The law of permanent rows for what comes back from elsewhere: without proof of a person's promotion a row is provisional.

It must never make anything permanent, nor change a word; it is called by a restore alone, on files that are not live yet.
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
        body = db.value("SELECT body FROM revisions WHERE id = ? AND revision = ?", (id_, revision))
        memory = Memory.model_validate_json(str(body)) if body else None
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
