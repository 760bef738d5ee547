"""What could not be read or was probably meant otherwise: said once each, by place."""

from dataclasses import dataclass

from bellek.kg import clock
from bellek.kg.db import Database
from bellek.kg.redact import redact
from bellek.schemas.vocab import NO_PROJECT


@dataclass(frozen=True, slots=True)
class Notice:
    """`source` is a transcript path or a message id, `position` a byte or character offset in it."""

    kind: str
    source: str
    position: int
    project: str
    text: str
    at: int


def say_once(db: Database, *, kind: str, source: str, position: int, project: str, text: str) -> bool:
    """Keep a notice; False where the same place was reported before. Call it inside a transaction."""
    return bool(
        db.run(
            "INSERT OR IGNORE INTO notices (kind, source, position, project, text, at) VALUES (?, ?, ?, ?, ?, ?)",
            (kind, redact(source), position, project, redact(text), clock.now()),
        )
    )


def count(db: Database, *, kind: str, source: str) -> int:
    """How many notices of a kind one source has."""
    return int(str(db.value("SELECT count(*) FROM notices WHERE kind = ? AND source = ?", (kind, redact(source)))))


def latest(db: Database, *, project: str = "", limit: int = 20) -> list[Notice]:
    """The newest notices first; of one project and of no project (files, manifests) where one is given."""
    rows = db.rows(
        "SELECT kind, source, position, project, text, at FROM notices WHERE ?1 = '' OR project IN (?1, ?2) ORDER BY n DESC LIMIT ?3",
        (project, NO_PROJECT, limit),
    )
    return [Notice(*row) for row in rows]  # type: ignore[arg-type]
