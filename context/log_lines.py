"""What a turn is told of the shared log: the entries of others that it did not acknowledge yet, and the request to do so.

One of the prompt hook's rooms. Reads only. An entry is another agent's word: it must never be told as a rule, nor for a
project that is not known.
"""

from bellek.kg import clock, unread
from bellek.kg.db import Database
from bellek.schemas.packet import Line

LINES = 6  # entries told at once; the rest is one command away
ASK = "Acknowledge openly with `<!-- ack: ID -->` in your reply, or `bellek log ack ID`"
CHECKPOINT = "your last checkpoint, of a session that did not end its turn: go on from there"


def standing(db: Database, project: str, agent: str) -> "list[Line]":
    """The entries that wait for an agent, each once a session."""
    if not project:
        return []
    waiting = unread.waiting(db, project, agent, limit=LINES)
    return [line for entry, sort, at in waiting if (line := _line(db, project, entry, sort, at))]


def _line(db: Database, project: str, entry: str, sort: int, at: int) -> "Line | None":
    row = db.one(
        "SELECT m.revision, m.text, m.agent, l.type, l.channel, l.reason, m.said_at, m.offset_minutes FROM memories m"
        " JOIN logs l ON l.id = m.id WHERE m.id = ?",
        (entry,),
    )
    if row is None:
        return None
    revision, text, agent, type_, channel, reason, said, offset = row
    words = f"{text}; because: {reason}" if reason else str(text)
    tail = f"{type_} by {agent}, {channel}, {clock.stamp(int(str(said)), int(str(offset)))[:16].replace('T', ' ')}"
    for other, by in unread.beside(db, project, str(agent), sort, at):
        tail += f"; CONFLICT: {by} wrote {other} in the same minute, reconcile the two"
    return Line("log", entry, int(str(revision)), words, tail)


def asked(db: Database, project: str, agent: str) -> "list[Line]":
    """One line that names what waits, at every turn on which something does."""
    if not project:
        return []
    waiting = unread.waiting(db, project, agent, limit=LINES)
    if not waiting:
        return []
    total = unread.count(db, project, agent)
    more = (
        ""
        if total <= len(waiting)
        else f" and {total - len(waiting)}{'+' if total == unread.COUNT_CAP else ''} more (`bellek log read --unread`)"
    )
    names = ", ".join(entry for entry, _, _ in waiting)
    return [Line("signals", "", 0, f"not acknowledged by you in the shared log: {names}{more}.", f" {ASK}.")]


def checkpoint(db: Database, project: str, agent: str, session: str) -> "list[Line]":
    """The last checkpoint of an agent whose latest session was cut off in the middle of a turn (R78)."""
    row = db.one(
        "SELECT w.checkpoint, w.ended, m.revision, m.text FROM work w LEFT JOIN memories m ON m.id = w.checkpoint AND m.status = 'current'"
        " WHERE w.project = ? AND w.agent = ? AND w.session <> ? ORDER BY w.last_at DESC LIMIT 1",
        (project, agent, session),
    )
    if row is None or row[1] or row[2] is None:
        return []
    return [Line("log", str(row[0]), int(str(row[2])), str(row[3]), CHECKPOINT)]
