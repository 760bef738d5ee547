"""Where a row comes from: the harness stamps origin, scope, time and sources; no model and no marker does.

"The user said so" needs a quote in a line that the client marks as typed by a person, and the quote must hold the
claim's own content words; everything else was said by an agent. It must never believe a word about its own trust.
"""

from dataclasses import dataclass

from bellek.kg import clock, fold, fts_query
from bellek.kg.conversations import Message
from bellek.kg.home import Home
from bellek.schemas.errors import Refused
from bellek.schemas.kinds import KINDS, claim_scope
from bellek.schemas.memory import Body, Memory, Source
from bellek.schemas.queue import Item
from bellek.schemas.vocab import ANY

LOOK_BACK = 12  # messages before a mark in which the person may have said what it states


@dataclass(frozen=True, slots=True)
class Place:
    """Who writes, for which project, out of which items, in which batch. `message` is the evidence, None where there is none."""

    home: Home
    project: str
    actor: str
    batch: str
    items: tuple[Item, ...] = ()
    message: Message | None = None

    @property
    def said_at(self) -> int:
        """When it was said: the evidence's time, else the first item's, else now."""
        if self.message:
            return self.message.at
        return self.items[0].said_at if self.items else clock.now()

    @property
    def offset(self) -> int:
        """The writer's minutes east of UTC."""
        if self.message:
            return self.message.offset_minutes
        return self.items[0].offset_minutes if self.items else clock.offset_minutes(clock.now())

    @property
    def agent(self) -> str:
        """The agent that heard it."""
        if self.message:
            return self.message.agent
        return self.items[0].agent if self.items else self.actor

    @property
    def conversation(self) -> str:
        """The conversation it was said in, '' where there is none."""
        if self.message:
            return self.message.conversation
        return self.items[0].session if self.items else ""

    def sources(self) -> tuple[Source, ...]:
        """One source an item; the evidence alone where no item was cited."""
        message = self.message.id if self.message else ""
        found = [Source(item=i.id, conversation=self.conversation, message=message or i.message) for i in self.items]
        return tuple(found) or ((Source(conversation=self.conversation, message=message),) if message else ())


def stamp(place: Place, id: str, body: Body, text: str, *, origin: str, status: str = "current") -> Memory:  # noqa: A002
    """A memory with everything that the harness knows; a kind with tiers begins at T1."""
    kind = KINDS[body.kind]
    return Memory.model_validate(
        {
            "id": id, "project": _project(place, body, origin), "agent": _agent(place, body), "session": ANY, "origin": origin,
            "tier": "T1" if "T1" in kind.tiers else "-", "status": status, "text": text, "said_at": place.said_at,
            "offset_minutes": place.offset, "batch": place.batch, "body": body, "sources": place.sources(),
        }
    )  # fmt: skip


def _project(place: Place, body: Body, origin: str) -> str:
    match KINDS[body.kind].scope:
        case "everywhere":
            return ANY
        case "by-category":
            return ANY if claim_scope(str(getattr(body, "category", "")), origin) == "everywhere" else place.project
        case _:
            return place.project


def _agent(place: Place, body: Body) -> str:
    return place.agent if KINDS[body.kind].scope in ("agent", "agent-in-project") or body.kind == "log" else ANY


def evidence(home: Home, message: str, field: str) -> Message:
    """The cited message. Raises Refused where no such message was heard."""
    row = home.conversations.value("SELECT n FROM messages WHERE id = ?", (message,))
    if row is None:
        raise Refused(f"{field}: no message {message[:60]!r} was heard", why="a claim needs the message that shows it")
    from bellek.kg import conversations

    return conversations.around(home.conversations, int(str(row)), before=0, after=0)[0]


def check_quote(message: Message, quote: str) -> None:
    """A quote stands verbatim in its message, line breaks and runs of blanks apart. Raises Refused."""
    if " ".join(quote.split()) not in " ".join(message.text.split()):
        raise Refused(
            "quote: these words do not stand in the cited message", why=f"message {message.id} was searched for them"
        )


def origin_of(message: Message | None, quote: str, said: str) -> str:
    """ "user" where a person typed the line and the quote holds the content words of what is stated; else "agent"."""
    return "user" if message is not None and by_person(message) and holds(quote, said) else "agent"


def by_person(message: Message) -> bool:
    """Whether the client marks a message as typed by a person."""
    return message.author == "user" and message.typed and not message.machine and message.origin == "user"


def holds(quote: str, said: str) -> bool:
    """Whether a text holds every content word of a statement: the word itself or its longest cut (suffixes apart)."""
    own = set(fold.tokens(quote))
    ends = {cut for word in own for cut in fold.cuts(word)[-1:]}
    wanted = fts_query.words(said)
    return bool(wanted) and all(
        word in own or (fold.cuts(word)[-1:] and fold.cuts(word)[-1] in ends) for word in wanted
    )


def typed_line_before(home: Home, item: Item, said: str) -> Message | None:
    """The nearest typed line of the person, at or before an item's message, that holds what is stated."""
    from bellek.kg import conversations

    n = home.conversations.value("SELECT n FROM messages WHERE id = ?", (item.message,))
    if n is None:
        return None
    _, before, _ = conversations.around(home.conversations, int(str(n)), before=LOOK_BACK, after=0)
    return next((m for m in reversed(before) if origin_of(m, m.text, said) == "user"), None)
