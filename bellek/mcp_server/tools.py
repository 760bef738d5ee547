"""The tools, as a table: what each is called, what it takes, what it does, what it answers.

An index first, a detail on request: lists are pages of short rows, `show` gives the whole text in parts. It must never
hold a tool that promotes, refuses, releases or forgets, and never tell a row of another project or one in quarantine.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bellek import who
from bellek.api import Memory
from bellek.context import preview, reasons
from bellek.curator import shared
from bellek.kg import answers, clock, conversations, memories, receipts, scope, shared_log, tasks, typed, unread
from bellek.kg.answers import Where
from bellek.kg.home import Home
from bellek.mcp_server import arguments as takes
from bellek.schemas.errors import NotFound
from bellek.schemas.vocab import STATUSES_OUT

SHORT = 300  # letters of a row in a list
PART = 8_000  # letters of a text in one answer
RECEIPTS = 20

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """`writes`: it adds provisional rows. None destroys anything, and none reaches beyond this machine."""

    name: str
    about: str
    given: type[takes.Given]
    call: Callable[[Memory, Any], Answer]
    writes: bool = False


def _short(text: str) -> str:
    return text if len(text) <= SHORT else text[:SHORT] + "…"


def _page(rows: Sequence[Answer], cursor: int, limit: int) -> Answer:
    """One page of rows that were asked for up to one beyond it."""
    page = list(rows[cursor : cursor + limit])
    more = len(rows) > cursor + limit
    return {"rows": page, **({"next": cursor + limit} if more else {})}


def _recall(memory: Memory, given: takes.Recall) -> Answer:
    found = memory.recall(given.question, limit=given.limit)
    return {
        "rows": [
            {"id": q.id, "kind": q.kind, "trust": _trust(q.tier), "said_at": clock.stamp(q.said_at, q.offset_minutes), "text": _short(q.text), "sources": list(q.sources)}
            for q in found
        ],
        **({} if found else {"note": "nothing kept here carries this question"}),
    }  # fmt: skip


def _search(memory: Memory, given: takes.Search) -> Answer:
    limit = given.cursor + given.limit + 1
    found = typed.find(memory.store().memory, given.question, memory.project, now=clock.now(), limit=limit)
    rows = [
        {"id": r.id, "kind": r.kind, "trust": _trust(r.tier), "origin": r.origin, "status": r.status, "day": r.day, "text": _short(r.text)}
        for r in found.rows
    ]  # fmt: skip
    page = _page(rows, given.cursor, given.limit)
    note = (
        "nothing fits the time or table that was named; these rows have its words" if found.elsewhere and rows else ""
    )
    return {**page, **({"note": note or "nothing kept here has these words"} if note or not rows else {})}


def _show(memory: Memory, given: takes.Show) -> Answer:
    store = memory.store()
    id_ = reasons.full_id(store, given.id)
    message = conversations.load(store.conversations, id_)
    if message is not None:
        apart = store.conversations.value("SELECT apart FROM messages WHERE id = ?", (id_,))
        if message.project != memory.project or apart:
            raise _unseen(given.id)
        said = {"conversation": message.conversation, "author": message.author, "origin": message.origin}
        return {
            "id": id_,
            "kind": "message",
            **said,
            "said_at": clock.stamp(message.at, message.offset_minutes),
            **_part(message.text, given.offset),
        }
    return _row(store, memory, id_, given)


def _row(store: Home, memory: Memory, id_: str, given: takes.Show) -> Answer:
    row = memories.read(store.memory, id_)
    if not scope.in_sight(row.project, memory.project) or row.status in STATUSES_OUT:
        raise _unseen(given.id)
    shown = memories.shown(row)
    return {
        "id": id_, "kind": row.body.kind, "trust": _trust(row.tier), "origin": row.origin, "status": row.status,
        "said_at": clock.stamp(row.said_at, row.offset_minutes), "sources": [source.message for source in row.sources if source.message],
        **_part(shown.text, given.offset),
    }  # fmt: skip


def _unseen(given: str) -> NotFound:
    return NotFound(
        f"no row {given} here", why="nothing that this project may see has that id", hint="find ids with search"
    )


def _part(text: str, offset: int) -> Answer:
    part = text[offset : offset + PART]
    return {"text": part, **({"next": offset + PART} if len(text) > offset + PART else {})}


def _talks(memory: Memory, given: takes.Search) -> Answer:
    store = memory.store()
    where = Where(memory.project, limit=given.cursor + given.limit + 1)
    found = answers.answer(store.conversations, given.question, where, now=clock.now())
    rows = []
    for hit in found.hits:
        message = conversations.around(store.conversations, hit.n, before=0, after=0)[0]
        rows.append(
            {"id": message.id, "conversation": message.conversation, "author": message.author, "said_at": clock.stamp(message.at, message.offset_minutes), "text": _short(message.text)}
        )  # fmt: skip
    note = {"note": "nothing was said then; these are of other times"} if found.elsewhere and rows else {}
    return {**_page(rows, given.cursor, given.limit), **note}


def _packet(memory: Memory, given: takes.Packet) -> Answer:
    return {"text": preview.next_packet(memory.store(), memory.project, given.prompt).text}


def _remember(memory: Memory, given: takes.Remember) -> Answer:
    lesson = {
        "kind": "lesson",
        "text": given.text,
        "topic": given.topic,
        "learning": "discovery",
        "importance": "medium",
    }
    (receipt,) = memory.apply([{"verdict": "write", "memory": lesson}])
    return {
        "state": receipt.state, "ids": list(receipt.ids), "trust": "unverified", "readable_at": receipt.readable_at,
        **({"reason": receipt.reason} if receipt.reason else {}),
    }  # fmt: skip


def _tasks(memory: Memory, given: takes.Tasks) -> Answer:
    found = tasks.listed(
        memory.store().memory, memory.project, closed=given.closed, limit=given.cursor + given.limit + 1
    )
    rows = [
        {"id": t.id, "state": t.state, "said_at": clock.stamp(t.said_at, t.offset_minutes), "text": _short(t.text)}
        for t in found
    ]
    return _page(rows, given.cursor, given.limit)


def _why(memory: Memory, given: takes.Why) -> Answer:
    store = memory.store()
    id_ = str(_show(memory, takes.Show(id=given.id))["id"])
    rows = [
        {"packet": r.id, "at": clock.stamp(r.at), "session": r.session, "arrived": r.state, "section": line.section, "fate": line.fate, "scores": line.scores}
        for r, line in receipts.of_memory(store.memory, id_, limit=RECEIPTS)
        if r.project in (memory.project, "-")
    ]  # fmt: skip
    return {"id": id_, "rows": rows, **({} if rows else {"note": "no packet of this project considered it"})}


def _log_append(memory: Memory, given: takes.LogAppend) -> Answer:
    """Signed by the client that started this server, or by an agent that config.toml declares; never by what is asked."""
    store = memory.store()
    voice = who.voice(store)
    with store.memory.transaction():
        done = shared.append(store, memory.project, voice, given.type, given.text, reason=given.reason)
    conflicts = [{"id": other, "agent": by} for other, by in done.conflicts]
    return {
        "id": done.id,
        "agent": done.agent,
        "type": done.type,
        "status": done.status,
        **({"conflicts": conflicts} if conflicts else {}),
    }


def _log_read(memory: Memory, given: takes.LogRead) -> Answer:
    store = memory.store()
    only = None
    if given.unread:
        only = [
            entry
            for entry, _, _ in unread.waiting(store.memory, memory.project, who.voice(store).agent, limit=given.limit)
        ]
    rows = shared_log.listed(store.memory, memory.project, only=only, limit=given.limit)
    return {
        "rows": [
            {"id": r.id, "agent": r.agent, "channel": r.channel, "type": r.type, "said_at": clock.stamp(r.said_at, r.offset_minutes), "text": r.text, **({"reason": r.reason} if r.reason else {})}
            for r in rows
        ]
    }  # fmt: skip


def _trust(tier: str) -> str:
    return {"T1": "unverified", "T2": "permanent"}.get(tier, "evidence")


TOOLS = (
    Tool("recall", "Answer a question in one step from typed memory and earlier conversations. May well find nothing.", takes.Recall, _recall),
    Tool("search", "Find rows of typed memory: claims, lessons, journal, pages, people and things. Short rows; `show` gives the whole.", takes.Search, _search),
    Tool("show", "The whole text of one row or message by its id, in parts, with where it comes from.", takes.Show, _show),
    Tool("conversations_search", "Find what was said in earlier conversations of this project, verbatim; dates in the question narrow.", takes.Search, _talks),
    Tool("packet", "All that memory would tell before this prompt is answered.", takes.Packet, _packet),
    Tool("remember", "Keep something learned, with its reason. It is kept as unverified; only a person makes it permanent.", takes.Remember, _remember, writes=True),
    Tool("log_append", "Append one line to the log that all agents of this project share; a decision needs its reason. It cannot be changed.", takes.LogAppend, _log_append, writes=True),
    Tool("log_read", "The newest entries of the shared log. Acknowledge one openly in your reply: <!-- ack: ID -->", takes.LogRead, _log_read),
    Tool("tasks", "The open tasks of this project.", takes.Tasks, _tasks),
    Tool("why", "Which turns a row was told in, and on which scores.", takes.Why, _why),
)  # fmt: skip
BY_NAME = {tool.name: tool for tool in TOOLS}


def call(memory: Memory, name: str, arguments: dict[str, Any] | None) -> Answer:
    """One tool's answer. Raises BadArguments, and what the rooms below raise."""
    tool = BY_NAME.get(name)
    if tool is None:
        raise takes.BadArguments(f"no tool {name[:80]!r}", f"The tools are {', '.join(BY_NAME)}")
    return tool.call(memory, takes.parsed(tool.given, arguments))
