"""Claims: typed facts about a subject, with the law of contradictions. The slot's standing is a pure function of its set.

It must never let a weaker claim displace a stronger one: what stands is computed by `schemas.trust.settle`, and written
as revisions of the claims it changes, in the caller's transaction.
"""

from dataclasses import dataclass

from bellek.kg import entities, names
from bellek.kg.db import Database
from bellek.schemas.claim import Claim
from bellek.schemas.vocab import ANY

FIELDS = (
    "m.id, m.project, m.tier, m.origin, m.status, c.category, c.subject, c.predicate, c.object, c.confidence, c.quote, c.message,"
    " c.valid_from, c.valid_to, c.sightings, c.turns, c.ended, c.ended_by, c.note, m.said_at, m.offset_minutes, m.text"
)


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim for a list; times are UTC milliseconds, 0 for open."""

    id: str
    project: str
    tier: str
    origin: str
    status: str
    category: str
    subject: str
    predicate: str
    object: str
    confidence: float
    quote: str
    message: str
    valid_from: int
    valid_to: int
    sightings: int
    turns: int
    ended: str
    ended_by: str
    note: str
    said_at: int
    offset_minutes: int
    text: str


def put(db: Database, id: str, claim: Claim, *, status: str, clock: int) -> None:  # noqa: A002
    """Write the typed row; called by `memories.put` inside its transaction. Not current any more: retired at this clock."""
    retired = 0 if status in ("current", "contested") else clock
    db.run(
        "INSERT INTO claims (id, category, subject, subject_key, predicate, object, object_key, confidence, quote, message, valid_from,"
        " valid_to, retired, sightings, turns, ended, ended_by, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET category = excluded.category, subject = excluded.subject, subject_key = excluded.subject_key,"
        " predicate = excluded.predicate, object = excluded.object, object_key = excluded.object_key, confidence = excluded.confidence,"
        " quote = excluded.quote, message = excluded.message, valid_from = excluded.valid_from, valid_to = excluded.valid_to,"
        " retired = CASE WHEN excluded.retired AND claims.retired THEN claims.retired ELSE excluded.retired END,"
        " sightings = excluded.sightings, turns = excluded.turns, ended = excluded.ended, ended_by = excluded.ended_by, note = excluded.note",
        (
            id, claim.category, claim.subject, entities.subject_key(db, claim.subject), claim.predicate, claim.object,
            names.words(claim.object), claim.confidence, claim.quote, claim.message, claim.valid_from, claim.valid_to, retired,
            claim.sightings, claim.turns, claim.end, claim.ended_by, claim.note,
        ),
    )  # fmt: skip


def in_slot(db: Database, project: str, subject: str, predicate: str) -> list[ClaimRow]:
    """Every claim of one subject and predicate that a project sees (its own and every project's), hidden ones apart."""
    rows = db.rows(
        f"SELECT {FIELDS} FROM claims c JOIN memories m ON m.id = c.id"
        " WHERE c.subject_key = ? AND c.predicate = ? AND m.project IN (?, ?) AND m.status <> 'hidden' ORDER BY m.said_at, m.id",
        (entities.subject_key(db, subject), predicate, project, ANY),
    )
    return [ClaimRow(*row) for row in rows]  # type: ignore[arg-type]


def projects_in_slot(db: Database, subject: str, predicate: str) -> list[str]:
    """The single projects that have claims of their own in a slot."""
    rows = db.rows(
        "SELECT DISTINCT m.project FROM claims c JOIN memories m ON m.id = c.id WHERE c.subject_key = ? AND c.predicate = ? AND m.project <> ?"
        " ORDER BY m.project",
        (entities.subject_key(db, subject), predicate, ANY),
    )
    return [str(row[0]) for row in rows]


def listed(
    db: Database,
    project: str,
    *,
    category: str = "",
    subject: str = "",
    predicate: str = "",
    ended: bool = False,
    limit: int = 1000,
) -> list[ClaimRow]:
    """Claims of a project and of every project that stand (contested ones marked so); `ended` adds those that do not."""
    rows = db.rows(
        f"SELECT {FIELDS} FROM claims c JOIN memories m ON m.id = c.id WHERE m.project IN (?1, ?2) AND m.status <> 'hidden'"
        " AND (?3 = '' OR c.category = ?3) AND (?4 = '' OR c.subject_key = ?4) AND (?5 = '' OR c.predicate = ?5)"
        " AND (?6 OR m.status IN ('current', 'contested')) ORDER BY c.subject_key, c.predicate, m.said_at, m.id LIMIT ?7",
        (project, ANY, category, entities.subject_key(db, subject) if subject else "", predicate, int(ended), limit),
    )
    return [ClaimRow(*row) for row in rows]  # type: ignore[arg-type]


def as_of(
    db: Database,
    project: str,
    at: int,
    *,
    category: str = "",
    subject: str = "",
    predicate: str = "",
    limit: int = 1000,
) -> list[ClaimRow]:
    """Claims that held in the world at an instant (UTC ms), as we know it today; found wrong ones never held."""
    rows = db.rows(
        f"SELECT {FIELDS} FROM claims c JOIN memories m ON m.id = c.id WHERE m.project IN (?1, ?2) AND m.status NOT IN ('hidden', 'contested')"
        " AND c.ended <> 'wrong' AND c.valid_from <= ?3 AND (c.valid_to = 0 OR c.valid_to > ?3)"
        " AND (?4 = '' OR c.category = ?4) AND (?5 = '' OR c.subject_key = ?5) AND (?6 = '' OR c.predicate = ?6)"
        " ORDER BY c.subject_key, c.predicate, m.said_at, m.id LIMIT ?7",
        (project, ANY, at, category, entities.subject_key(db, subject) if subject else "", predicate, limit),
    )
    return [ClaimRow(*row) for row in rows]  # type: ignore[arg-type]
