"""What each turn was told, and whether it arrived: offered → seen (its fence was read back) → kept (a reply followed it),
or lost (a reply came without it).

The prompt hook writes offers by itself (`context/turn`); this room is hearing's and the CLI's side. No text is kept.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from bellek.kg import clock
from bellek.kg.db import Database
from bellek.schemas.conversation import Compacted, Event, PacketSeen, Said
from bellek.schemas.errors import NotFound


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a receipt: which row, in which section, what became of it ("told", "cut", "known"), scores an arm."""

    section: str
    id: str
    revision: int
    fate: str
    scores: dict[str, float]


@dataclass(frozen=True, slots=True)
class Receipt:
    """One packet. `at` is UTC milliseconds, `units` its length in UTF-16 units."""

    id: str
    session: str
    project: str
    event: str
    at: int
    state: str
    units: int
    lines: tuple[Line, ...]


@dataclass(slots=True)
class Books:
    """What one transaction knows of its sessions, so that it asks once for each: when each was said in last (UTC ms), which
    were noted, and which have no offer open.
    """

    last_at: dict[str, int] = field(default_factory=dict)
    noted: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)


def open_books(events: Iterable[Event]) -> Books:
    """The books for a transaction in which these events are taken in."""
    books = Books()
    for event in events:
        if isinstance(event, Said):
            books.last_at[event.session] = max(event.at, books.last_at.get(event.session, 0))
    return books


def answered(db: Database, said: Said, books: Books, *, client: str, project: str) -> None:
    """Note the session; an assistant's line closes the books on offers made before it: unseen ones are lost."""
    if said.session not in books.noted:
        books.noted.add(said.session)
        db.run(
            "INSERT INTO sessions (id, client, project, reset, machine, first_at, last_at) VALUES (?, ?, ?, 0, 0, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET last_at = max(last_at, excluded.last_at)",
            (said.session, client, project, said.at or clock.now(), books.last_at.get(said.session, said.at)),
        )
    if said.author == "assistant" and not said.sidechain and said.session not in books.closed:
        db.run(
            "UPDATE receipts SET state = 'lost' WHERE session = ? AND state = 'offered' AND at < ?",
            (said.session, said.at),
        )
        db.run(
            "UPDATE receipts SET state = 'kept' WHERE session = ? AND state = 'seen' AND at < ?",
            (said.session, said.at),
        )
        if not db.value(
            "SELECT 1 FROM receipts WHERE session = ? AND state IN ('offered', 'seen') LIMIT 1", (said.session,)
        ):
            books.closed.add(said.session)


def read_back(db: Database, seen: PacketSeen, books: Books) -> None:
    """A packet's fence stands in a transcript: it reached that session. A fork's transcript carries its parent's."""
    books.closed.discard(seen.session)
    db.run(
        "UPDATE receipts SET state = 'seen' WHERE id = ? AND session = ? AND state <> 'kept'",
        (seen.packet, seen.session),
    )
    db.run(
        "INSERT OR IGNORE INTO packet_seen (session, packet) SELECT ?, id FROM receipts WHERE id = ? AND session <> ?",
        (seen.session, seen.packet, seen.session),
    )


def arrived(db: Database, session: str) -> None:
    """Every offer to a session reached it: for clients in whose store no packet can be read back."""
    db.run("UPDATE receipts SET state = 'seen' WHERE session = ? AND state = 'offered'", (session,))


def forget_context(db: Database, compacted: Compacted) -> None:
    """After a compaction nothing told before stands in the client's context; what was told for it does."""
    db.run(
        "UPDATE sessions SET reset = max(reset, coalesce((SELECT max(n) FROM receipts WHERE session = ?1 AND at <= ?2"
        " AND event <> 'SessionStart:compact'), 0)) WHERE id = ?1",
        (compacted.session, compacted.at),
    )
    db.run("DELETE FROM packet_seen WHERE session = ?", (compacted.session,))


def load(db: Database, id: str) -> Receipt:
    """A receipt by its packet's id. Raises NotFound."""
    row = db.one("SELECT id, session, project, event, at, state, units, lines FROM receipts WHERE id = ?", (id,))
    if row is None:
        raise NotFound(f"no packet {id}", why="no receipt has that id")
    return _receipt(row)


def latest(db: Database, *, limit: int = 50) -> list[Receipt]:
    """The newest receipts first."""
    rows = db.rows(
        "SELECT id, session, project, event, at, state, units, lines FROM receipts ORDER BY n DESC LIMIT ?", (limit,)
    )
    return [_receipt(row) for row in rows]


def of_memory(db: Database, memory: str, *, limit: int = 50) -> list[tuple[Receipt, Line]]:
    """Which packets a row was considered for, newest first, with the line that says what became of it."""
    rows = db.rows(
        "SELECT id, session, project, event, at, state, units, lines FROM receipts WHERE instr(lines, ?) ORDER BY n DESC LIMIT ?",
        (f'"{memory}"', limit),
    )
    return [(receipt, line) for receipt in map(_receipt, rows) for line in receipt.lines if line.id == memory]


def _receipt(row: tuple[object, ...]) -> Receipt:
    id_, session, project, event, at, state, units, lines = row
    parsed = tuple(Line(*line) for line in json.loads(str(lines)))
    return Receipt(str(id_), str(session), str(project), str(event), int(str(at)), str(state), int(str(units)), parsed)
