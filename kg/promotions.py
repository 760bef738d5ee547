"""The rows that let a memory be permanent: one for each T2 revision, with whose act it was and, signed, the proof of it.

Derived from the trail like every typed row: `memories.write` stamps a row with its entry's actor, act and clock, the replay
writes it from there, and a signature is an entry of its own. It must never be imported but by the write path and `kg.tiers`:
a row here is what makes T2 possible.
"""

from dataclasses import dataclass

from bellek.kg.audit import Entry
from bellek.kg.db import Database

SIGN = "sign"  # the act of an entry whose commitment is a promotion's signature
SIGNED_KIND = "promotion"


@dataclass(frozen=True, slots=True)
class Promotion:
    """By whose act a revision is permanent. `at` is a hybrid clock; `signature` is empty where none was given."""

    id: str
    revision: int
    person: str
    how: str
    at: int
    signature: bytes


def grant(db: Database, id: str, revision: int, person: str) -> None:
    """Let one revision that is about to be written be permanent. Inside the transaction that writes it."""
    db.run(
        "INSERT INTO promotions (id, revision, person, how, at, signature) VALUES (?, ?, ?, '', 0, x'')",
        (id, revision, person),
    )


def granted(db: Database, id: str, revision: int) -> bool:
    """Whether this very revision may be permanent."""
    return db.one("SELECT 1 FROM promotions WHERE id = ? AND revision = ?", (id, revision)) is not None


def has_words(db: Database, id: str, text: str) -> bool:
    """Whether a person promoted a row in these words, in whatever revision."""
    return bool(
        db.value(
            "SELECT 1 FROM promotions p JOIN revisions r ON r.id = p.id AND r.revision = p.revision"
            " WHERE p.id = ? AND json_extract(r.body, '$.text') = ? LIMIT 1",
            (id, text),
        )
    )


def stamp(db: Database, entry: Entry) -> None:
    """Write into a grant what the trail says of it."""
    db.run(
        "UPDATE promotions SET person = ?, how = ?, at = ? WHERE id = ? AND revision = ?",
        (entry.actor, entry.act, entry.clock, entry.id, entry.revision),
    )


def sign(db: Database, id: str, signature: bytes) -> None:
    """Keep the signature of a row's newest promotion; the trail holds it as an entry of its own."""
    db.run(
        "UPDATE promotions SET signature = ?1 WHERE id = ?2 AND revision = (SELECT max(revision) FROM promotions WHERE id = ?2)",
        (signature, id),
    )


def replayed(db: Database, entry: Entry) -> None:
    """What an entry of another store's trail says of promotions, written into this one."""
    if entry.act == SIGN and entry.kind == SIGNED_KIND:
        sign(db, entry.id, entry.commitment)


def of(db: Database, id: str) -> list[Promotion]:
    """All promotions of a row, oldest first."""
    rows = db.rows(
        "SELECT id, revision, person, how, at, signature FROM promotions WHERE id = ? ORDER BY revision", (id,)
    )
    return [Promotion(*row) for row in rows]  # type: ignore[arg-type]


def told_of(db: Database, id: str, revision: int) -> bool:
    """Whether the trail tells of the promotion of this very revision, and by a person's act."""
    return (
        db.value(
            "SELECT 1 FROM promotions p JOIN audit a ON a.id = p.id AND a.revision = p.revision AND a.actor = p.person AND a.act = p.how"
            " AND a.clock = p.at WHERE p.id = ? AND p.revision = ?",
            (id, revision),
        )
        is not None
    )


def drop_untold(db: Database) -> None:
    """Delete promotions that the trail does not tell of, of rows that are not permanent (any more)."""
    db.run(
        "DELETE FROM promotions WHERE NOT EXISTS (SELECT 1 FROM audit a WHERE a.id = promotions.id AND a.revision = promotions.revision"
        " AND a.actor = promotions.person AND a.act = promotions.how AND a.clock = promotions.at)"
        " AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = promotions.id AND m.tier = 'T2')"
    )
