"""Lessons: what was learned, by topic and importance."""

from dataclasses import dataclass

from bellek.kg import scope
from bellek.kg.db import Database
from bellek.schemas.lesson import Lesson
from bellek.schemas.vocab import IMPORTANCE


@dataclass(frozen=True, slots=True)
class LessonRow:
    """A lesson for a list: `importance` in words, `said_at` UTC milliseconds."""

    id: str
    project: str
    tier: str
    origin: str
    topic: str
    learning: str
    importance: str
    sightings: int
    said_at: int
    offset_minutes: int
    text: str


def put(db: Database, id: str, lesson: Lesson) -> None:
    """Write the typed row; called by `memories.put` inside its transaction."""
    db.run(
        "INSERT INTO lessons (id, topic, learning, importance, sightings) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET topic = excluded.topic, learning = excluded.learning,"
        " importance = excluded.importance, sightings = excluded.sightings",
        (id, lesson.topic, lesson.learning, lesson.importance, lesson.sightings),
    )


def listed(db: Database, project: str, *, limit: int = 1000) -> list[LessonRow]:
    """Current lessons of a project and of every project: most important first, then newest."""
    rows = db.rows(
        "SELECT m.id, m.project, m.tier, m.origin, l.topic, l.learning, l.importance, l.sightings, m.said_at, m.offset_minutes, m.text"
        " FROM memories m JOIN lessons l ON l.id = m.id"
        f" WHERE {scope.sees('?')} AND m.kind = 'lesson' AND m.status = 'current'"
        " ORDER BY l.importance DESC, m.said_at DESC, m.id LIMIT ?",
        (project, limit),
    )
    return [LessonRow(*(*row[:6], IMPORTANCE[int(str(row[6]))], *row[7:])) for row in rows]  # type: ignore[arg-type]
