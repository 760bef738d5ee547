"""Tasks: open until somebody closes them."""

from dataclasses import dataclass

from bellek.kg import scope
from bellek.kg.db import Database
from bellek.schemas.task import Task
from bellek.schemas.vocab import STATUSES_OUT


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task for a list; times are UTC milliseconds, `closed_at` 0 while open."""

    id: str
    project: str
    tier: str
    origin: str
    state: str
    said_at: int
    offset_minutes: int
    closed_at: int
    text: str


def put(db: Database, id: str, task: Task) -> None:
    """Write the typed row; called by `memories.put` inside its transaction."""
    db.run(
        "INSERT INTO tasks (id, state, closed_at) VALUES (?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET state = excluded.state, closed_at = excluded.closed_at",
        (id, task.state, task.closed_at),
    )


def listed(db: Database, project: str, *, closed: bool = False, limit: int = 1000) -> list[TaskRow]:
    """Open tasks of a project (all of them with `closed`), oldest first."""
    rows = db.rows(
        "SELECT m.id, m.project, m.tier, m.origin, t.state, m.said_at, m.offset_minutes, t.closed_at, m.text"
        " FROM memories m JOIN tasks t ON t.id = m.id"
        f" WHERE {scope.sees('?')} AND m.kind = 'task' AND m.status NOT IN {STATUSES_OUT} AND (? OR t.state = 'open') ORDER BY m.said_at, m.id LIMIT ?",
        (project, int(closed), limit),
    )
    return [TaskRow(*row) for row in rows]  # type: ignore[arg-type]
