"""The shared log: one line an entry, signed by its agent, append-only. Its entries are entries of the trail."""

import json
from dataclasses import dataclass

from bellek.kg import unread
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
    if len(text.strip().splitlines()) > 1:
        raise Refused("a log entry is one line", why="its text has several")
    if (entry.type == "ack") != bool(entry.about):
        raise Refused("an acknowledgement names the entry that it is about", why="and no other entry is about one")
    if entry.type == "decision" and not entry.reason.strip():
        raise Refused("a decision needs its reason", why="`reason` is empty", hint="say why it was decided so")


def put(db: Database, id: str, entry: LogEntry) -> None:
    """Write the typed row; called by `memories.put` inside its transaction."""
    db.run(
        "INSERT INTO logs (id, type, channel, reason, about) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        (id, entry.type, entry.channel, entry.reason, entry.about),
    )
    unread.note(db, id)


def listed(
    db: Database, project: str, *, type: str = "", only: "list[str] | None" = None, limit: int = 200
) -> list[LogRow]:
    """The newest entries of a project, oldest of them first; of one type, or those of the ids in `only`, where given."""
    rows = db.rows(
        "SELECT m.id, m.project, m.agent, m.tier, m.origin, l.type, l.channel, l.reason, l.about, m.said_at, m.offset_minutes, m.text"
        " FROM logs l JOIN memories m ON m.id = l.id WHERE m.project = ?1 AND m.kind = 'log' AND m.status = 'current'"
        " AND (?2 = '' OR l.type = ?2) AND (?3 = '' OR m.id IN (SELECT value FROM json_each(?3))) ORDER BY m.created DESC LIMIT ?4",
        (project, type, "" if only is None else json.dumps(only), limit),
    )
    return [LogRow(*row) for row in reversed(rows)]  # type: ignore[arg-type]
