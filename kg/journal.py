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
    mood: str
    said_at: int
    offset_minutes: int
    text: str


def put(db: Database, id: str, event: Event) -> None:
    """Write the typed row; called by `memories.put` inside its transaction."""
    db.run(
        "INSERT INTO events (id, day, topic, conversation, mood) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET day = excluded.day, topic = excluded.topic, conversation = excluded.conversation,"
        " mood = excluded.mood",
        (id, event.day, event.topic, event.conversation, event.mood),
    )


def listed(
    db: Database,
    project: str,
    *,
    since: str = "",
    until: str = "",
    topic: str = "",
    mood: str = "",
    limit: int = 1000,
) -> list[EventRow]:
    """Journal rows of a project and of every project, newest first.

    `since` and `until` are days of the content (YYYY-MM-DD, both included), `topic` a topic or the words it begins with,
    `mood` a word of `schemas.event.MOODS`; "" filters nothing.
    """
    rows = db.rows(
        "SELECT m.id, m.project, m.tier, m.origin, e.day, e.topic, e.conversation, e.mood, m.said_at, m.offset_minutes, m.text"
        " FROM memories m JOIN events e ON e.id = m.id"
        f" WHERE {scope.sees(':project')} AND m.kind = 'event' AND m.status = 'current'"
        " AND e.day >= :since AND (:until = '' OR e.day <= :until) AND (:mood = '' OR e.mood = :mood)"
        " AND (:topic = '' OR e.topic = :topic OR substr(e.topic, 1, length(:topic) + 1) = :topic || '-')"
        " ORDER BY e.day DESC, m.said_at DESC, m.id LIMIT :limit",
        {"project": project, "since": since, "until": until, "mood": mood, "topic": topic, "limit": limit},
    )
    return [EventRow(*row) for row in rows]  # type: ignore[arg-type]
