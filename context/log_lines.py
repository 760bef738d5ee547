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


def told(db: Database, project: str, agent: str, *, person: bool) -> "list[Line]":
    """The entries that wait for an agent, each once a session, and for a `person`'s turn the line that names them, every time."""
    waiting = unread.waiting(db, project, agent, limit=LINES) if project else []
    if not waiting:
        return []
    return [*_entries(db, project, waiting), *(_asked(db, project, agent, waiting) if person else [])]


def _entries(db: Database, project: str, waiting: "list[tuple[str, int, int]]") -> "list[Line]":
    rows = db.rows(
        "SELECT m.id, m.revision, m.text, m.agent, l.type, l.channel, l.reason, m.said_at, m.offset_minutes FROM memories m"
        f" JOIN logs l ON l.id = m.id WHERE m.id IN ({', '.join('?' * len(waiting))})",
        tuple(entry for entry, _, _ in waiting),
    )
    found = {str(row[0]): row[1:] for row in rows}
    return [_line(db, project, entry, sort, at, found[entry]) for entry, sort, at in waiting if entry in found]


def _line(db: Database, project: str, entry: str, sort: int, at: int, row: "tuple[object, ...]") -> Line:
    revision, text, agent, type_, channel, reason, said, offset = row
    words = f"{text}; because: {reason}" if reason else str(text)
    tail = f"{type_} by {agent}, {channel}, {clock.stamp(int(str(said)), int(str(offset)))[:16].replace('T', ' ')}"
    for other, by in unread.beside(db, project, str(agent), sort, at):
        tail += f"; CONFLICT: {by} wrote {other} in the same minute, reconcile the two"
    return Line("log", entry, int(str(revision)), words, tail)


def _asked(db: Database, project: str, agent: str, waiting: "list[tuple[str, int, int]]") -> "list[Line]":
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
