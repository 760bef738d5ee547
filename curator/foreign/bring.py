"""Bring in what a foreign export holds: rows as T1 by the one write path, messages as conversations; each once.

Everything has origin `file`: no export can say that a person here typed something. What it came from is kept as the row's
source. It must never make a row permanent, replace a permanent page, or write the same entry of an export twice.
"""

import re
from dataclasses import dataclass

from bellek.curator import dedupe
from bellek.curator.foreign.values import Found, Row, Said
from bellek.kg import clock, conversations, entities, fold, forgotten, memories, pages, stones
from bellek.kg.conversations import Message
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.schemas.entity import Entity
from bellek.schemas.errors import NeverAgain
from bellek.schemas.event import Event
from bellek.schemas.kinds import KINDS
from bellek.schemas.lesson import MEDIUM, Lesson
from bellek.schemas.memory import Body, Memory, Source
from bellek.schemas.page import Page
from bellek.schemas.vocab import ANY

TEXT_CAP = 20_000  # letters of a row; what is longer is cut, and noted


@dataclass(slots=True)
class Brought:
    """What came in: rows written, known before, refused or forgotten before; of those written, set apart; messages stored."""

    format: str
    batch: str
    written: int = 0
    known: int = 0
    blocked: int = 0
    apart: int = 0
    messages: int = 0
    notes: tuple[str, ...] = ()


def bring(home: Home, found: Found, project: str) -> Brought:
    """Write what was found into a project, in one transaction a store. A second time nothing is written."""
    done = Brought(found.format, mint("b"), notes=tuple(found.notes))
    done.messages = _say(home, found, project)
    with home.memory.transaction():
        for row in found.rows:
            try:
                with home.memory.savepoint():
                    _write(home.memory, found.format, row, project, done)
            except NeverAgain:
                done.blocked += 1
    return done


def _write(db: Database, form: str, row: Row, project: str, done: Brought) -> None:
    item = f"import:{form}:{stones.mark(stones.key_of(db), 'import ' + row.key + row.text).hex()}"
    if db.value("SELECT 1 FROM sources WHERE item = ? LIMIT 1", (item,)):
        done.known += 1
        return
    memory = _memory(db, row, project, item, done)
    if memory is None:
        done.known += 1
        return
    written = memories.write(db, memory, actor=f"import:{form}", act="import")
    done.written += 1
    done.apart += written.status == "quarantined"


def _memory(db: Database, row: Row, project: str, item: str, done: Brought) -> Memory | None:
    """The memory that a row becomes; None where it is known."""
    text = row.text[:TEXT_CAP]
    if len(row.text) > TEXT_CAP:
        done.notes += (f"a {row.kind} was cut to {TEXT_CAP} letters",)
    if row.kind == "page" and (old := pages.of_topic(db, project, topic(row.topic))):
        standing = memories.read(db, old)
        if standing.tier == "T2" or standing.text == text:
            done.notes += (f"{old} is permanent and stays as it is",) if standing.tier == "T2" else ()
            return None
        return standing.model_copy(
            update={"text": text, "batch": done.batch, "sources": (*standing.sources, Source(item=item))}
        )
    if row.kind == "lesson" and dedupe.twin(db, "lesson", project, text):
        return None
    if row.kind == "entity" and entities.named(db, row.text, ANY):
        return None
    at = row.at or clock.now()
    body = _body(row, at)
    return Memory(
        id=mint(KINDS[row.kind].letter), project=ANY if row.kind == "entity" else project, agent=ANY, session=ANY, origin="file",
        tier="-" if row.kind == "event" else "T1", text=text, said_at=at, offset_minutes=clock.offset_minutes(at), batch=done.batch, body=body,
        sources=(Source(item=item),),
    )  # fmt: skip


def _body(row: Row, at: int) -> Body:
    match row.kind:
        case "lesson":
            return Lesson(topic=topic(row.topic), learning="discovery", importance=MEDIUM)
        case "page":
            return Page(topic=topic(row.topic), title=(" ".join(row.title.split()) or row.topic)[:200])
        case "event":
            return Event(day=clock.day(at, clock.offset_minutes(at)), topic=topic(row.topic))
        case "entity":
            return Entity(name=row.text[:200], type=row.type)


def topic(words: str) -> str:
    """A topic as ours are: folded words with dashes between them."""
    return re.sub(r"[^\w]+", "-", fold.fold(words)).strip("-_")[:80].strip("-") or "note"


def _say(home: Home, found: Found, project: str) -> int:
    kept = forgotten.kept(home.memory, [_message(one, found.format, project) for one in found.said])
    return conversations.append(home.conversations, found.format, kept) if kept else 0


def _message(one: Said, form: str, project: str) -> Message:
    at = one.at or clock.now()
    return Message(
        id=f"{form}:{one.id}"[:200], conversation=f"{form}:{one.conversation}"[:200], seq=0, project=project, agent=ANY, author=one.author, origin="file",
        typed=False, machine=False, sidechain=False, at=at, offset_minutes=clock.offset_minutes(at), text=one.text,
    )  # fmt: skip
