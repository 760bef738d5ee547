"""The statements that MATCH, one for each index: the only call sites, so that scope and safety hold in one place.

One of the prompt hook's rooms. It takes expressions from `kg.fts_query` alone, and never decides what is good enough.
"""

from bellek.kg.db import Database, Row
from bellek.schemas.vocab import MAY_BE_TOLD

# bm25 weights by column (scope, own, author, day, prev, next): RETRIEVAL.md, "The recipe", 1. Scope is a filter, not a score.
MESSAGE_WEIGHTS = "0.0, 1.0, 1.0, 1.0, 0.5, 0.3"
MEMORY_WEIGHTS = "0.0, 1.0"
POOL = 100  # the recipe's pool; an answer outside it is not found by a better score either


def messages(db: Database, match: str, *, after: int = 0, skip: str = "", limit: int = POOL) -> list[Row]:
    """Best messages: (n, score, id, conversation, author, at, offset_minutes, text, shadow, origin, apart), best first.

    `after` bounds the window by row number (newest are largest); `skip` leaves one conversation out.
    """
    return db.rows(
        "SELECT m.n, -f.r, m.id, m.conversation, m.author, m.at, m.offset_minutes, m.text, m.shadow, m.origin, m.apart FROM"
        f" (SELECT rowid AS n, bm25(messages_fts, {MESSAGE_WEIGHTS}) AS r FROM messages_fts WHERE messages_fts MATCH ?1 AND rowid > ?2"
        " ORDER BY r LIMIT ?4) f JOIN messages m ON m.n = f.n WHERE m.conversation <> ?3 ORDER BY f.r",
        (match, after, skip, limit),
    )


def memories(db: Database, match: str, *, limit: int = POOL, hidden: bool = False) -> list[Row]:
    """Best typed memories: (id, score, kind, revision, tier, origin, status, said_at, offset_minutes, text, shadow, may_be_told),
    best first. `may_be_told` is 0 where the row's origin is kept out and no person promoted it or let it in.

    Hidden ones (undone, or waiting to be scrubbed) are found by nobody but who is about to forget (`hidden`).
    """
    return db.rows(
        "SELECT m.id, -f.r, m.kind, m.revision, m.tier, m.origin, m.status, m.said_at, m.offset_minutes, m.text, m.shadow,"
        f" {MAY_BE_TOLD} FROM (SELECT rowid AS n, bm25(memories_fts, {MEMORY_WEIGHTS}) AS r FROM memories_fts WHERE memories_fts MATCH ?1"
        " ORDER BY r LIMIT ?2) f JOIN memories m ON m.n = f.n WHERE m.status <> 'hidden' OR ?3 ORDER BY f.r",
        (match, limit, int(hidden)),
    )


def newest(db: Database, match: str, *, kind: str, limit: int) -> list[Row]:
    """The newest current memories of a kind that match: (id, text). Unranked: bm25 would first count every row of every word."""
    return db.rows(
        "SELECT m.id, m.text FROM memories_fts f JOIN memories m ON m.n = f.rowid WHERE memories_fts MATCH ? AND m.kind = ?"
        " AND m.status = 'current' ORDER BY f.rowid DESC LIMIT ?",
        (match, kind, limit),
    )


def frequency(db: Database, table: str, match: str, cap: int) -> int:
    """How many rows of an index match, counted up to `cap`: matching costs 0.07 µs a row, so a cap keeps it far below 1 ms."""
    if table not in ("messages_fts", "memories_fts"):
        raise ValueError(table)
    return int(
        str(db.value(f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ? LIMIT ?)", (match, cap)))
    )
