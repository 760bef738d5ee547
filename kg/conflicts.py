"""Conflicts: contradictions as rows of their own. The stronger side stays current while one is open."""

from dataclasses import dataclass

from bellek.kg import scope
from bellek.kg.db import Database
from bellek.schemas.conflict import Conflict


@dataclass(frozen=True, slots=True)
class ConflictRow:
    """A conflict for a list, with the texts of both sides."""

    id: str
    project: str
    tier: str
    origin: str
    state: str
    strong: str
    strong_text: str
    weak: str
    weak_text: str
    winner: str
    reason: str
    said_at: int
    offset_minutes: int


def put(db: Database, id: str, conflict: Conflict) -> None:
    """Write the typed row; called by `memories.put` inside its transaction."""
    db.run(
        "INSERT INTO conflicts (id, strong, weak, state, winner, reason) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET strong = excluded.strong, weak = excluded.weak, state = excluded.state, winner = excluded.winner, reason = excluded.reason",
        (id, conflict.strong, conflict.weak, conflict.state, conflict.winner, conflict.reason),
    )


def open_about(db: Database, weak: str) -> tuple[str, str]:
    """(conflict id, strong side) of the open conflict whose weaker side this claim is; ("", "") where there is none."""
    row = db.one("SELECT id, strong FROM conflicts WHERE state = 'open' AND weak = ? ORDER BY id", (weak,))
    return (str(row[0]), str(row[1])) if row else ("", "")


def open_over(db: Database, strong: str) -> list[tuple[str, str]]:
    """(conflict id, weaker side) of the open conflicts whose stronger side this claim is."""
    rows = db.rows("SELECT id, weak FROM conflicts WHERE strong = ? AND state = 'open' ORDER BY id", (strong,))
    return [(str(row[0]), str(row[1])) for row in rows]


def listed(db: Database, project: str, *, resolved: bool = False, limit: int = 200) -> list[ConflictRow]:
    """Open conflicts of a project and of every project, oldest first; resolved ones too when asked."""
    rows = db.rows(
        "SELECT m.id, m.project, m.tier, m.origin, x.state, x.strong, s.text, x.weak, w.text, x.winner, x.reason, m.said_at, m.offset_minutes"
        " FROM conflicts x CROSS JOIN memories m ON m.id = x.id JOIN memories s ON s.id = x.strong JOIN memories w ON w.id = x.weak"
        f" WHERE {scope.sees('?1')} AND m.status <> 'hidden' AND (?2 OR x.state = 'open') ORDER BY m.created LIMIT ?3",
        (project, int(resolved), limit),
    )
    return [ConflictRow(*row) for row in rows]  # type: ignore[arg-type]
