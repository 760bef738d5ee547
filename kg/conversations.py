"""Every heard message, verbatim but redacted, with the index that finds it. Written idempotently by the client's id.

It must never be handed unredacted text: `append` redacts, as the one write path of this file. The index is external
content over a view of a message's own words, and is maintained here, a batch at a time; what is rewritten is first taken
out with the very values that were put in.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from bellek.kg import clock, parts, pasted, quarantine, search
from bellek.kg.db import Database, Row
from bellek.kg.fold import fold, index_text
from bellek.kg.parts import Part
from bellek.kg.redact import redact
from bellek.schemas.vocab import FORGOTTEN

COLUMNS = "own, author, day"
_FIELDS = "id, conversation, seq, project, agent, author, origin, typed, machine, sidechain, at, offset_minutes, text"
_CHUNK = 500  # ids a query


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `at` is UTC milliseconds; `seq` its place in its conversation (0: not stored yet)."""

    id: str
    conversation: str
    seq: int
    project: str
    agent: str
    author: str
    origin: str
    typed: bool
    machine: bool
    sidechain: bool
    at: int
    offset_minutes: int
    text: str


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation: its client's session id, the project of its first message, its span in UTC milliseconds."""

    id: str
    client: str
    project: str
    first_at: int
    last_at: int
    messages: int


def append(db: Database, client: str, messages: list[Message]) -> int:
    """Store messages of any conversations in order; those that are known by id are left alone. The number stored."""
    with db.transaction():
        fresh = _unknown(db, messages)
        first = int(str(db.value("SELECT coalesce(max(n), 0) FROM messages"))) + 1
        talks: dict[str, list[Message]] = {}
        for message in fresh:
            talks.setdefault(message.conversation, []).append(message)
        for talk, said in talks.items():
            _append_to(db, client, talk, said)
        db.run(  # in the index's own order: FTS5 writes what it holds away whenever a smaller number comes
            f"INSERT INTO messages_fts (rowid, {COLUMNS}) SELECT spot, {COLUMNS} FROM message_words"
            " WHERE spot IN (SELECT spot FROM messages WHERE n >= ?) ORDER BY spot",
            (first,),
        )
    return len(fresh)


def _unknown(db: Database, messages: list[Message]) -> list[Message]:
    by_id = {m.id: m for m in reversed(messages)}  # a line that stands twice in one batch is one message
    ids = list(by_id)
    for start in range(0, len(ids), _CHUNK):
        part = ids[start : start + _CHUNK]
        for (known,) in db.rows(f"SELECT id FROM messages WHERE id IN ({', '.join('?' * len(part))})", tuple(part)):
            del by_id[str(known)]
    return [m for m in messages if by_id.pop(m.id, None) is not None]


def _append_to(db: Database, client: str, talk: str, said: list[Message]) -> None:
    _span(db, client, talk, said)
    seq = int(str(db.value("SELECT coalesce(max(seq), 0) FROM messages WHERE conversation = ?", (talk,))))
    values = [_values(message, seq + i) for i, message in enumerate(said, start=1)]
    spots = _spots(db, [message.project for message in said], [str(row[-1]) for row in values])
    db.run_many(
        f"INSERT INTO messages ({_FIELDS}, day, apart, shadow, spot) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(*given, spot) for given, spot in zip(values, spots, strict=True)],
    )


def _spots(db: Database, owners: list[str], shadows: list[str]) -> list[int]:
    """The numbers in the index of new messages, each in its project's part; a project that says its first word gets one."""
    owned: dict[str, Part] = {}
    for project in owners:
        if project not in owned:
            known = parts.part(db, project)
            owned[project] = known or Part(int(str(db.value("SELECT coalesce(max(part), 0) + 1 FROM parts"))), 0)
            if known is None:
                db.run("INSERT INTO parts (project, part, messages) VALUES (?, ?, 0)", (project, owned[project].number))
    spots = [owned[project].add(shadow) for project, shadow in zip(owners, shadows, strict=True)]
    db.run_many("UPDATE parts SET messages = ? WHERE project = ?", [(p.messages, name) for name, p in owned.items()])
    return spots


def _span(db: Database, client: str, talk: str, said: list[Message]) -> None:
    """Note what a conversation gains: its time, its count, and who speaks in it."""
    at = [m.at for m in said]
    names = {m.author for m in said} - search.ROLES
    known = db.value("SELECT named FROM conversations WHERE id = ?", (talk,)) if names else ""
    named = "\n".join(sorted(names.union(filter(None, str(known or "").split("\n")))))
    db.run(
        "INSERT INTO conversations (id, client, project, first_at, last_at, messages, named) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at),"
        " messages = messages + excluded.messages, named = CASE excluded.named WHEN '' THEN named ELSE excluded.named END",
        (talk, client, said[0].project, min(at), max(at), len(said), named),
    )


def _values(message: Message, seq: int) -> tuple[str | int, ...]:
    text = redact(message.text)
    return (
        message.id, message.conversation, seq, message.project, message.agent, message.author, message.origin,
        int(message.typed), int(message.machine), int(message.sidechain), message.at, message.offset_minutes, text,
        _day(clock.day(message.at, message.offset_minutes)), _apart(message, text), _shadow(text),
    )  # fmt: skip


def _shadow(text: str) -> str:
    """The search words of a text; what was forgotten has none."""
    return "" if text == FORGOTTEN else index_text(text)


def _apart(message: Message, text: str) -> str:
    """Why no turn may be told a message: what the person typed is never judged by its words, what they pasted is."""
    return quarantine.reason(pasted.foreign_words(text) if message.typed and message.origin == "user" else text)


@lru_cache(maxsize=64)
def _day(date: str) -> str:
    """The words of a date: neighbours share theirs."""
    return fold(search.day_text(date))


def rewrite(db: Database, n: int, text: str) -> None:
    """Put another text in a message's place, in the caller's transaction. FORGOTTEN has no words to be found by."""
    spot = db.value("SELECT spot FROM messages WHERE n = ?", (n,))
    db.run(
        f"INSERT INTO messages_fts (messages_fts, rowid, {COLUMNS}) SELECT 'delete', spot, {COLUMNS} FROM message_words WHERE spot = ?",
        (spot,),
    )
    db.run("UPDATE messages SET text = ?, shadow = ? WHERE n = ?", (text, _shadow(text), n))
    db.run(
        f"INSERT INTO messages_fts (rowid, {COLUMNS}) SELECT spot, {COLUMNS} FROM message_words WHERE spot = ?", (spot,)
    )


def blank(db: Database, ids: list[str]) -> int:
    """Put FORGOTTEN in the place of messages' words; how many were blanked.

    The rows stay: a message that is known by its id is not heard again.
    """
    blanked = 0
    with db.transaction():
        for id_ in ids:
            row = db.one("SELECT n FROM messages WHERE id = ? AND text <> ?", (id_, FORGOTTEN))
            if row:
                rewrite(db, int(str(row[0])), FORGOTTEN)
                blanked += 1
    return blanked


def _message(row: Row) -> Message:
    values = list(row)
    for flag in (7, 8, 9):
        values[flag] = bool(values[flag])
    return Message(*values)  # type: ignore[arg-type]


def show(db: Database, talk: str) -> list[Message]:
    """A whole conversation in order; empty where there is none."""
    return [
        _message(r) for r in db.rows(f"SELECT {_FIELDS} FROM messages WHERE conversation = ? ORDER BY seq", (talk,))
    ]


def show_in(db: Database, talk: str, project: str, *, also: frozenset[str] = frozenset()) -> list[Message]:
    """A conversation as one project may be told it: its own messages (a session may go through several), in order, without
    those that are set apart; a message that was asked for by its words (`also`, ids) stays.
    """
    rows = db.rows(
        f"SELECT {_FIELDS}, apart FROM messages WHERE conversation = ? AND project = ? ORDER BY seq", (talk, project)
    )
    return [_message(r[:-1]) for r in rows if not r[-1] or r[0] in also]


def from_seq(db: Database, talk: str, first: int, *, until: int | None = None) -> Iterator[Message]:
    """The messages of a conversation from one place on, in order, read a chunk at a time; `until` is the last place."""
    while True:
        rows = db.rows(
            f"SELECT {_FIELDS} FROM messages WHERE conversation = ? AND seq >= ? AND seq <= ? ORDER BY seq LIMIT {_CHUNK}",
            (talk, first, until if until is not None else 2**62),
        )
        yield from map(_message, rows)
        if len(rows) < _CHUNK:
            return
        first = int(str(rows[-1][2])) + 1


def number_of(db: Database, id: str) -> int | None:
    """The row number of a message; None where it was not heard, or is gone."""
    n = db.value("SELECT n FROM messages WHERE id = ?", (id,))
    return n if isinstance(n, int) else None


def load(db: Database, id: str) -> Message | None:
    """One message by its id; None where it was not heard, or is gone."""
    row = db.one(f"SELECT {_FIELDS} FROM messages WHERE id = ?", (id,))
    return _message(row) if row else None


def around(db: Database, n: int, *, before: int = 2, after: int = 2) -> tuple[Message, list[Message], list[Message]]:
    """The message with row number n, those before it and those after it, in order; what was said in another project is left out."""
    hit = _message(db.rows(f"SELECT {_FIELDS} FROM messages WHERE n = ?", (n,))[0])
    near = [
        _message(r)
        for r in db.rows(
            f"SELECT {_FIELDS} FROM messages WHERE conversation = ? AND seq BETWEEN ? AND ? AND project = ? ORDER BY seq",
            (hit.conversation, hit.seq - before, hit.seq + after, hit.project),
        )
    ]
    return hit, [m for m in near if m.seq < hit.seq], [m for m in near if m.seq > hit.seq]


def typed(db: Database, project: str, *, longest: int) -> Iterator[Message]:
    """The lines of a project that the client marks as typed by the person, in the order of saying, up to a length in letters."""
    rows = db.rows(
        f"SELECT {_FIELDS} FROM messages WHERE project = ? AND typed = 1 AND machine = 0 AND sidechain = 0 AND author = 'user'"
        " AND origin = 'user' AND length(text) <= ? ORDER BY at, n",
        (project, longest),
    )
    yield from map(_message, rows)


def find(db: Database, given: str) -> list[Talk]:
    """Conversations whose id starts with what was given, at most three: enough to tell one from several."""
    rows = db.rows(
        "SELECT id, client, project, first_at, last_at, messages FROM conversations WHERE substr(id, 1, ?) = ? ORDER BY id LIMIT 3",
        (len(given), given),
    )
    return [Talk(*row) for row in rows]  # type: ignore[arg-type]
