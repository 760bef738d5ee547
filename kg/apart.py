"""What is set apart: the rows in quarantine, and those of an origin that is never told until a person lets it in. Reads only."""

from dataclasses import dataclass

from bellek.kg import scope
from bellek.kg.db import Database
from bellek.schemas.vocab import MAY_BE_TOLD

_FIELDS = "m.id, m.project, m.kind, m.tier, m.origin, m.status, m.note, m.said_at, m.offset_minutes, m.text"


@dataclass(frozen=True, slots=True)
class ApartRow:
    """A row for a list; `note` says why it is in quarantine, "" where its origin alone keeps it out of packets."""

    id: str
    project: str
    kind: str
    tier: str
    origin: str
    status: str
    note: str
    said_at: int
    offset_minutes: int
    text: str


def listed(db: Database, project: str, *, kept_out: bool = False, limit: int = 1000) -> list[ApartRow]:
    """Rows of a project and of every project in quarantine, oldest first; with `kept_out` those that no turn is told besides."""
    besides = f" OR (m.status IN ('current', 'contested') AND NOT {MAY_BE_TOLD})" if kept_out else ""
    rows = db.rows(
        f"SELECT {_FIELDS} FROM memories m WHERE {scope.sees('?1')} AND (m.status = 'quarantined'{besides}) ORDER BY m.created, m.id LIMIT ?2",
        (project, limit),
    )
    return [ApartRow(*row) for row in rows]  # type: ignore[arg-type]


def count(db: Database, project: str) -> int:
    """How many rows of a project and of every project are in quarantine."""
    return int(
        str(db.value(f"SELECT count(*) FROM memories m WHERE status = 'quarantined' AND {scope.sees('?')}", (project,)))
    )
