"""One memory as a person weighs it: its evidence, what says nearly the same, its history, its latest replay. Reads only.

It must never hand out a sensitive value without consent: the memory in it is the one that may be shown, and nothing near to it is named.
"""

from dataclasses import dataclass

from bellek.curator import dedupe, replay
from bellek.curator.dedupe import Near
from bellek.curator.replay import Delta
from bellek.kg import clock, conversations, memories
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.schemas.claim import Claim
from bellek.schemas.memory import Memory

EVIDENCE = 600  # letters of a message


@dataclass(frozen=True, slots=True)
class Quote:
    """A message that a row comes from; `quote` is what stands for the row in it, "" where the whole message does."""

    item: str
    conversation: str
    message: str
    author: str
    typed: bool
    at: str
    quote: str
    text: str


@dataclass(frozen=True, slots=True)
class Act:
    """One entry of the trail about a row."""

    revision: int
    actor: str
    act: str
    at: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory as it may be shown, with what a person weighs it by."""

    memory: Memory
    evidence: tuple[Quote, ...]
    near: tuple[Near, ...]
    history: tuple[Act, ...]
    replayed: Delta | None


def evidence(store: Home, memory: Memory) -> tuple[Quote, ...]:
    """The messages behind a row; one that was deleted is told by its id alone."""
    quote = memory.body.quote if isinstance(memory.body, Claim) else ""
    found = []
    for source in memory.sources:
        message = conversations.load(store.conversations, source.message) if source.message else None
        if message is None:
            found.append(Quote(source.item, source.conversation, source.message, "", False, "", "", ""))
            continue
        at = clock.stamp(message.at, message.offset_minutes)
        text = message.text[:EVIDENCE] + ("…" if len(message.text) > EVIDENCE else "")
        held = quote if quote and quote in message.text else ""
        found.append(Quote(source.item, source.conversation, message.id, message.author, message.typed, at, held, text))
    return tuple(found)


def history(db: Database, id: str) -> tuple[Act, ...]:
    """The trail's entries about a row, oldest first."""
    rows = db.rows("SELECT revision, actor, act, clock FROM audit WHERE id = ? ORDER BY seq", (id,))
    return tuple(
        Act(int(str(r)), str(who), str(act), clock.stamp(int(str(c)) >> clock.COUNTER_BITS)) for r, who, act, c in rows
    )


def of(store: Home, id: str) -> Shown:
    """A memory, by its whole id, with what stands around it. Raises NotFound."""
    memory = memories.read(store.memory, id)
    open_to_see = memories.shown(memory)
    return Shown(
        open_to_see,
        evidence(store, memory),
        tuple(dedupe.near(store.memory, memory)) if open_to_see == memory else (),
        history(store.memory, memory.id),
        replay.latest(store.memory, memory.id),
    )
