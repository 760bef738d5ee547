"""T0: pointers to what the person typed and which files were touched. No text is stored twice; any row may be dropped.

It must never be needed: nothing of T1 or T2 refers to a row here, and losing all of them loses no memory.
"""

from dataclasses import dataclass

from bellek.kg.db import Database
from bellek.kg.redact import redact
from bellek.schemas.vocab import ANY, NO_PROJECT

TYPED = "typed"  # a message that a person typed
CAPTURED = "captured"  # a message that `bellek capture` stored
PATH_LETTERS = 1_000  # of a path that are kept: more is no path


@dataclass(frozen=True, slots=True)
class Observation:
    """A pointer. `at` is UTC milliseconds; `path` is "" unless `kind` is a tool's name; `n` is its row number."""

    session: str
    project: str
    kind: str
    path: str
    message: str
    at: int
    n: int = 0


def point(db: Database, *, session: str, project: str, kind: str, message: str, at: int, path: str = "") -> bool:
    """Keep a pointer once; False where it is known. Call it inside a transaction."""
    return bool(
        db.run(
            "INSERT OR IGNORE INTO observations (session, project, kind, path, message, at, consumed_at)"
            " VALUES (?, ?, ?, ?, ?, ?, 0)",
            (session, project, redact(kind), redact(path)[:PATH_LETTERS], message, at),
        )
    )


def listed(db: Database, project: str, *, limit: int = 1000) -> list[Observation]:
    """The pointers of a project, oldest first."""
    rows = db.rows(
        f"SELECT {_FIELDS} FROM observations WHERE project = ? ORDER BY n LIMIT ?",
        (project, limit),
    )
    return [Observation(*row) for row in rows]  # type: ignore[arg-type]


_FIELDS = "session, project, kind, path, message, at, n"
_WAITS = "consumed_at = 0 AND project NOT IN (?, ?)"  # of an unknown project nothing is consolidated: fail closed


def waiting(db: Database, project: str, *, limit: int = 1000) -> list[Observation]:
    """What no consolidation has read yet, oldest first, pointers to touched files included."""
    rows = db.rows(
        f"SELECT {_FIELDS} FROM observations WHERE {_WAITS} AND project = ? ORDER BY n LIMIT ?",
        (NO_PROJECT, ANY, project, limit),
    )
    return [Observation(*row) for row in rows]  # type: ignore[arg-type]


def counts(db: Database) -> dict[str, tuple[int, int]]:
    """Project → (records that wait, time of the oldest in UTC ms). A record is somebody's words: typed, or captured by hand."""
    rows = db.rows(
        f"SELECT project, count(*), min(at) FROM observations WHERE {_WAITS} AND kind IN (?, ?) GROUP BY project ORDER BY project",
        (NO_PROJECT, ANY, TYPED, CAPTURED),
    )
    return {str(project): (int(str(count)), int(str(oldest))) for project, count, oldest in rows}


def consume(db: Database, numbers: list[int], *, at: int) -> None:
    """Mark pointers as read, by their row numbers. Call it inside the transaction that writes what came of them."""
    db.run_many("UPDATE observations SET consumed_at = ? WHERE n = ? AND consumed_at = 0", [(at, n) for n in numbers])
