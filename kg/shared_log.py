"""The shared log: one line an entry, signed by its agent, append-only. Its entries are entries of the trail."""

from dataclasses import dataclass

from bellek.kg.db import Database
from bellek.schemas.errors import Refused
from bellek.schemas.log import LogEntry


@dataclass(frozen=True, slots=True)
class LogRow:
    """An entry for a list."""

    id: str
    project: str
    agent: str
    tier: str
    origin: str
    type: str
    channel: str
    reason: str
    about: str
    said_at: int
    offset_minutes: int
    text: str


def guard(db: Database, id: str, entry: LogEntry, agent: str, text: str) -> None:
    """Refuse an edit, an unsigned entry, more than one line, and a decision without a reason."""
    if db.value("SELECT 1 FROM logs WHERE id = ?", (id,)):
        raise Refused(
            f"log entry {id} cannot be changed", why="the shared log is append-only", hint="append another entry"
        )
    if agent in ("", "*"):
        raise Refused("a log entry needs the agent that signs it", why="its agent is missing")
    if "\n" in text.strip():
        raise Refused("a log entry is one line", why="its text has several")
    if entry.type == "decision" and not entry.reason.strip():
        raise Refused("a decision needs its reason", why="`reason` is empty", hint="say why it was decided so")


def put(db: Database, id: str, entry: LogEntry) -> None:
    """Write the typed row; called by `memories.put` inside its transaction."""
    db.run(
        "INSERT INTO logs (id, type, channel, reason, about) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        (id, entry.type, entry.channel, entry.reason, entry.about),
    )


def listed(db: Database, project: str, *, limit: int = 200) -> list[LogRow]:
    """The newest entries of a project, oldest of them first."""
    rows = db.rows(
        "SELECT m.id, m.project, m.agent, m.tier, m.origin, l.type, l.channel, l.reason, l.about, m.said_at, m.offset_minutes, m.text"
        " FROM logs l JOIN memories m ON m.id = l.id WHERE m.project = ? AND m.status = 'current' ORDER BY m.created DESC LIMIT ?",
        (project, limit),
    )
    return [LogRow(*row) for row in reversed(rows)]  # type: ignore[arg-type]
