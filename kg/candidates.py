"""Provisional rows that ask for a person's word, by the table of kinds (`schemas/kinds.py`, `asks`); the rest lives and fades.

Reads only. It must never list what stands permanent already, or what was refused or lies in quarantine.
"""

from dataclasses import dataclass

from bellek.kg import scope
from bellek.kg.db import Database
from bellek.schemas.kinds import KINDS

HIGH = 2  # IMPORTANCE[2]: from here on a lesson stands in the packet
TURNS = 2  # typed turns of the person that said the same


@dataclass(frozen=True, slots=True)
class Candidate:
    """A T1 row and why it asks; times are UTC milliseconds."""

    id: str
    project: str
    kind: str
    tier: str
    origin: str
    why: str
    said_at: int
    offset_minutes: int
    text: str


_CONTRADICTS = (
    "EXISTS (SELECT 1 FROM conflicts x JOIN memories s ON s.id = x.strong WHERE x.weak = m.id AND x.state = 'open'"
    " AND s.tier = 'T2')"
)
# Word of `Kind.asks` → the condition and what is told of it, in the order in which they are told.
_REASONS = {
    "constraint": "WHEN c.category = 'constraint' THEN 'a constraint'",
    "importance": f"WHEN l.importance = {HIGH} THEN 'of high importance' WHEN l.importance > {HIGH} THEN 'of critical importance'",
    "turns": f"WHEN c.turns >= {TURNS} THEN 'said in ' || c.turns || ' typed turns'",
    "contradicts": f"WHEN {_CONTRADICTS} THEN 'contradicts what is permanent'",
    "consent": "WHEN f.sensitivity <> '' AND NOT f.consent THEN 'about ' || f.sensitivity || ', needs consent'",
}


def _kinds(reason: str | None = None) -> str:
    """The kinds that ask for a reason (for any), as a list in SQL."""
    return ", ".join(f"'{kind.name}'" for kind in KINDS.values() if (reason in kind.asks if reason else kind.asks))


_WHY = ", ".join(
    f"CASE WHEN m.kind IN ({_kinds(reason)}) THEN CASE {when} END END" for reason, when in _REASONS.items()
)
# The same word → ids among which its rows are: a few of very many, so that no list looks at every row that there is.
_AMONG = {
    "constraint": "SELECT id FROM claims WHERE category = 'constraint'",
    "importance": f"SELECT id FROM lessons WHERE importance >= {HIGH}",
    "turns": f"SELECT id FROM claims WHERE turns >= {TURNS}",
    "contradicts": "SELECT weak FROM conflicts WHERE state = 'open'",
    "consent": "SELECT id FROM fields WHERE sensitivity <> '' AND NOT consent",
}
_ASKS = (
    f"SELECT m.id, m.project, m.kind, m.tier, m.origin, concat_ws(', ', {_WHY}) AS why, m.said_at, m.offset_minutes,"
    " CASE WHEN f.sensitivity <> '' AND NOT f.consent THEN f.name || ': withheld' ELSE m.text END"
    f" FROM ({' UNION '.join(_AMONG[reason] for reason in _REASONS)}) a CROSS JOIN memories m ON m.id = a.id"
    " LEFT JOIN claims c ON c.id = m.id LEFT JOIN lessons l ON l.id = m.id LEFT JOIN fields f ON f.id = m.id"
    f" WHERE m.tier = 'T1' AND m.status IN ('current', 'contested') AND {scope.sees('?1')} AND m.kind IN ({_kinds()})"
)


def listed(db: Database, project: str, *, limit: int = 200) -> list[Candidate]:
    """The candidates of a project and of every project, oldest first."""
    rows = db.rows(f"SELECT * FROM ({_ASKS}) WHERE why <> '' ORDER BY said_at, id LIMIT ?2", (project, limit))
    return [Candidate(*row) for row in rows]  # type: ignore[arg-type]


def count(db: Database, project: str) -> int:
    """How many there are."""
    return int(str(db.value(f"SELECT count(*) FROM ({_ASKS}) WHERE why <> ''", (project,))))
