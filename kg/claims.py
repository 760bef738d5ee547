"""Claims: typed facts about a subject, kept by slot (subject and predicate) and read by what stands or what held when.

It must never decide what stands: `schemas.trust.settle` computes it and `curator.claiming` writes it. A subject's aliases
are resolved at every question, never stored, so that naming somebody anew rewrites no claim.
"""

from dataclasses import dataclass

from bellek.kg import clock, entities, names, scope
from bellek.kg.db import Database
from bellek.schemas import trust
from bellek.schemas.claim import Claim
from bellek.schemas.predicates import CARDINALITY
from bellek.schemas.vocab import ANY, STATUSES_OUT

FIELDS = (
    "m.id, m.project, m.tier, m.origin, m.status, c.category, c.subject, c.predicate, c.object, c.confidence, c.quote, c.message,"
    " c.valid_from, c.valid_to, c.sightings, c.turns, c.last_at, c.position, c.ended, c.ended_by, c.note, m.said_at, m.offset_minutes, m.text"
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
    last_at: int
    position: int
    ended: str
    ended_by: str
    note: str
    said_at: int
    offset_minutes: int
    text: str

    def by_age(self, now: int) -> float:
        """How sure it is at an instant (UTC ms), since when it was said last: a fact nobody repeats grows doubtful, not false."""
        return trust.faded(self.confidence, self.category, (now - max(self.said_at, self.last_at)) / clock.DAY_MS)


def put(db: Database, id: str, claim: Claim, *, status: str, clock: int) -> None:
    """Write the typed row; called by `memories.put` inside its transaction. Not current any more: retired at this clock."""
    retired = 0 if status in ("current", "contested") else clock
    db.run(
        "INSERT INTO claims (id, category, subject, subject_key, predicate, object, object_key, confidence, quote, message, valid_from,"
        " valid_to, retired, sightings, turns, last_at, position, ended, ended_by, note)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET category = excluded.category, subject = excluded.subject, subject_key = excluded.subject_key,"
        " predicate = excluded.predicate, object = excluded.object, object_key = excluded.object_key, confidence = excluded.confidence,"
        " quote = excluded.quote, message = excluded.message, valid_from = excluded.valid_from, valid_to = excluded.valid_to,"
        " retired = CASE WHEN excluded.retired AND claims.retired THEN claims.retired ELSE excluded.retired END,"
        " sightings = excluded.sightings, turns = excluded.turns, last_at = excluded.last_at, position = excluded.position, ended = excluded.ended, ended_by = excluded.ended_by, note = excluded.note",
        (
            id, claim.category, claim.subject, names.key(claim.subject), claim.predicate, claim.object,
            names.words(claim.object), claim.confidence, claim.quote, claim.message, claim.valid_from, claim.valid_to, retired,
            claim.sightings, claim.turns, claim.last_at, claim.position, claim.end, claim.ended_by, claim.note,
        ),
    )  # fmt: skip


def in_slot(db: Database, project: str, subject: str, predicate: str, *, says: str = "") -> list[ClaimRow]:
    """Every claim of one subject and predicate that a project sees (its own and every project's), apart from those that are out of sight.

    `says` narrows it to one object by its normal form.
    """
    keys = entities.subject_keys(db, subject)
    rows = db.rows(
        f"SELECT {FIELDS} FROM claims c JOIN memories m ON m.id = c.id"
        f" WHERE c.subject_key IN ({_marks(keys)}) AND c.predicate = ? AND c.object_key BETWEEN ? AND ? AND {scope.sees('?')}"
        f" AND m.status NOT IN {STATUSES_OUT} ORDER BY m.said_at, m.id",
        (*keys, predicate, says, says or _LAST, project),
    )
    return [ClaimRow(*row) for row in rows]  # type: ignore[arg-type]


_LAST = "\U0010ffff"  # no normal form sorts behind it


def projects_in_slot(db: Database, subject: str, predicate: str) -> list[str]:
    """The single projects that have claims of their own in a slot."""
    keys = entities.subject_keys(db, subject)
    rows = db.rows(
        f"SELECT DISTINCT m.project FROM claims c JOIN memories m ON m.id = c.id WHERE c.subject_key IN ({_marks(keys)})"
        " AND c.predicate = ? AND m.project <> ? ORDER BY m.project",
        (*keys, predicate, ANY),
    )
    return [str(row[0]) for row in rows]


def slots_of(db: Database, keys: tuple[str, ...]) -> list[tuple[str, str, str, str]]:
    """(project, subject, predicate, normal form of the object) of the claims that were named by these normal forms."""
    rows = db.rows(
        "SELECT m.project, min(c.subject), c.predicate, c.object_key FROM claims c JOIN memories m ON m.id = c.id"
        f" WHERE c.subject_key IN ({_marks(keys)}) AND m.status NOT IN {STATUSES_OUT}"
        " GROUP BY m.project, c.subject_key, c.predicate, c.object_key ORDER BY 1, 2, 3, 4",
        keys,
    )
    return [(str(row[0]), str(row[1]), str(row[2]), str(row[3])) for row in rows]


def _marks(values: tuple[str, ...]) -> str:
    return ", ".join("?" * len(values))


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
    where = f"m.status NOT IN {STATUSES_OUT}" if ended else "m.status IN ('current', 'contested')"
    return _seen(db, project, where, category, subject, predicate, limit)


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
    """Claims that held in the world at an instant (UTC ms), as we know it today; found wrong ones never held.

    Of a single-valued slot the one that began last is told: a claim that was said before and after another spans it.
    """
    where = (
        f"m.status NOT IN {(*STATUSES_OUT, 'contested')} AND c.ended <> 'wrong' AND c.valid_from <= :at"
        " AND (c.valid_to = 0 OR c.valid_to > :at)"
    )
    rows = _seen(db, project, where, category, subject, predicate, limit, at=at)
    last: dict[tuple[str, ...], ClaimRow] = {}
    for row in rows:
        slot = (row.project, names.key(row.subject), row.predicate)
        one = CARDINALITY.get(row.predicate) == "one" and row.ended != "scoped"
        key = slot if one else (*slot, row.id)
        if key not in last or (row.valid_from, row.said_at) >= (last[key].valid_from, last[key].said_at):
            last[key] = row
    return list(last.values())


def _seen(
    db: Database, project: str, where: str, category: str, subject: str, predicate: str, limit: int, *, at: int = 0
) -> list[ClaimRow]:
    """Claims under a condition of this file, by slot and order of saying."""
    keys = entities.subject_keys(db, subject) if subject else ()
    named = {f"key{i}": key for i, key in enumerate(keys)}
    about = f"c.subject_key IN ({', '.join(':' + name for name in named)})" if subject else "1"
    rows = db.rows(
        f"SELECT {FIELDS} FROM claims c JOIN memories m ON m.id = c.id WHERE {scope.sees(':project')} AND {where} AND {about}"
        " AND (:category = '' OR c.category = :category) AND (:predicate = '' OR c.predicate = :predicate)"
        " ORDER BY c.subject_key, c.predicate, m.said_at, m.id LIMIT :limit",
        {
            "project": project,
            "category": category,
            "predicate": predicate,
            "limit": limit,
            "at": at,
            **named,
        },
    )
    return [ClaimRow(*row) for row in rows]  # type: ignore[arg-type]
