"""T0: pointers to what the person typed and which files were touched. No text is stored twice; any row may be dropped.

It must never be needed: nothing of T1 or T2 refers to a row here, and losing all of them loses no memory.
"""

from dataclasses import dataclass

from bellek.kg.db import Database
from bellek.kg.redact import redact

TYPED = "typed"  # a message that a person typed
CAPTURED = "captured"  # a message that `bellek capture` stored
PATH_LETTERS = 1_000  # of a path that are kept: more is no path


@dataclass(frozen=True, slots=True)
class Observation:
    """A pointer. `at` is UTC milliseconds; `path` is "" unless `kind` is a tool's name."""

    session: str
    project: str
    kind: str
    path: str
    message: str
    at: int


def point(db: Database, *, session: str, project: str, kind: str, message: str, at: int, path: str = "") -> bool:
    """Keep a pointer once; False where it is known. Call it inside a transaction."""
    return bool(
        db.run(
            "INSERT OR IGNORE INTO observations (session, project, kind, path, message, at) VALUES (?, ?, ?, ?, ?, ?)",
            (session, project, redact(kind), redact(path)[:PATH_LETTERS], message, at),
        )
    )


def listed(db: Database, project: str, *, limit: int = 1000) -> list[Observation]:
    """The pointers of a project, oldest first."""
    rows = db.rows(
        "SELECT session, project, kind, path, message, at FROM observations WHERE project = ? ORDER BY n LIMIT ?",
        (project, limit),
    )
    return [Observation(*row) for row in rows]  # type: ignore[arg-type]
