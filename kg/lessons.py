"""Lessons: what was learned, by topic and importance."""

from dataclasses import dataclass

from bellek.kg import scope
from bellek.kg.db import Database
from bellek.schemas.lesson import Lesson, standing
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
    applied: int
    violated: int
    said_at: int
    offset_minutes: int
    text: str


def put(db: Database, id: str, lesson: Lesson, *, origin: str, tier: str) -> None:
    """Write the typed row; called by `memories.put` inside its transaction."""
    db.run(
        "INSERT INTO lessons (id, topic, learning, importance, sightings, applied, violated, standing) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET topic = excluded.topic, learning = excluded.learning, importance = excluded.importance,"
        " sightings = excluded.sightings, applied = excluded.applied, violated = excluded.violated, standing = excluded.standing",
        (
            id, lesson.topic, lesson.learning, lesson.importance, lesson.sightings, lesson.applied, lesson.violated,
            standing(lesson, origin=origin, tier=tier),
        ),
    )  # fmt: skip


def note_outcome(db: Database, id: str, message: str, result: str, *, at: int) -> bool:
    """Note what a message shows of a lesson, once; False where it was noted. Call it inside the transaction that counts it."""
    return bool(
        db.run(
            "INSERT OR IGNORE INTO lesson_outcomes (lesson, message, result, at) VALUES (?, ?, ?, ?)",
            (id, message, result, at),
        )
    )


def listed(db: Database, project: str, *, limit: int = 1000) -> list[LessonRow]:
    """Current lessons of a project and of every project: most important first, then newest."""
    rows = db.rows(
        "SELECT m.id, m.project, m.tier, m.origin, l.topic, l.learning, l.importance, l.sightings, l.applied, l.violated, m.said_at, m.offset_minutes, m.text"
        " FROM memories m JOIN lessons l ON l.id = m.id"
        f" WHERE {scope.sees('?')} AND m.kind = 'lesson' AND m.status = 'current'"
        " ORDER BY l.importance DESC, m.said_at DESC, m.id LIMIT ?",
        (project, limit),
    )
    return [LessonRow(*(*row[:6], IMPORTANCE[int(str(row[6]))], *row[7:])) for row in rows]  # type: ignore[arg-type]
