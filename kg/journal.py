"""The journal: append-only evidence of what happened, by the person's local day. Never instructions."""

from dataclasses import dataclass

from bellek.kg import scope
from bellek.kg.db import Database
from bellek.schemas.event import Event


@dataclass(frozen=True, slots=True)
class EventRow:
    """A journal row for a list; `said_at` UTC milliseconds."""

    id: str
    project: str
    tier: str
    origin: str
    day: str
    topic: str
    conversation: str
    said_at: int
    offset_minutes: int
    text: str


def put(db: Database, id: str, event: Event) -> None:
    """Write the typed row; called by `memories.put` inside its transaction."""
    db.run(
        "INSERT INTO events (id, day, topic, conversation) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET day = excluded.day, topic = excluded.topic, conversation = excluded.conversation",
        (id, event.day, event.topic, event.conversation),
    )


def listed(db: Database, project: str, *, limit: int = 1000) -> list[EventRow]:
    """Journal rows of a project and of every project, newest first."""
    rows = db.rows(
        "SELECT m.id, m.project, m.tier, m.origin, e.day, e.topic, e.conversation, m.said_at, m.offset_minutes, m.text"
        " FROM memories m JOIN events e ON e.id = m.id"
        f" WHERE {scope.sees('?')} AND m.kind = 'event' AND m.status = 'current' ORDER BY m.said_at DESC, m.id LIMIT ?",
        (project, limit),
    )
    return [EventRow(*row) for row in rows]  # type: ignore[arg-type]
