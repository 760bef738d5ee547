"""Where a row comes from: the harness stamps origin, scope, time and sources; no model and no marker does.

"The user said so" needs a quote in a line that the client marks as typed by a person, in a part of it that they did not
paste, and the quote must hold the claim's own content words; everything else was said by an agent, or pasted. It must never believe a word about its own trust.
"""

import re
from dataclasses import dataclass

from bellek.kg import clock, conversations, fold, fts_query, pasted, scope
from bellek.kg.conversations import Message
from bellek.kg.home import Home
from bellek.schemas.claim import Claim
from bellek.schemas.errors import Refused
from bellek.schemas.kinds import KINDS, claim_scope
from bellek.schemas.memory import Body, Memory, Source
from bellek.schemas.queue import Item
from bellek.schemas.trust import lowest
from bellek.schemas.vocab import ANY, NO_PROJECT

LOOK_BACK = 12  # messages before a mark in which the person may have said what it states


@dataclass(frozen=True, slots=True)
class Place:
    """Who writes, for which project, out of which items, in which batch. `message` is the evidence, None where there is none.

    `seen` are the origins of what else whoever words the row was shown.
    """

    home: Home
    project: str
    actor: str
    batch: str
    items: tuple[Item, ...] = ()
    message: Message | None = None
    seen: tuple[str, ...] = ()

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

    def position(self, quote: str) -> int:
        """Where in its message a quote begins, line breaks and runs of blanks apart; without one, the first item's place."""
        if self.message and quote:
            return max(0, _flat(self.message.text).find(_flat(quote)))
        return self.items[0].position if self.items else 0

    def derived(self, said: str = "") -> str:
        """The origin of what a curator words itself: never above an agent's, and the lowest of what it was made from.

        Where what is stated stands only in what the person pasted into the evidence, it is no more than that.
        """
        found = [item.origin for item in self.items] + ([self.message.origin] if self.message else [])
        if said and self.message and by_person(self.message) and _only_pasted(self.message.text, said):
            found.append(pasted.PASTED)
        return lowest(["agent", *found, *self.seen])

    @property
    def sightings(self) -> int:
        """How often it was said: what its items counted while they waited, once without an item."""
        return sum(item.sightings for item in self.items) or 1

    def sources(self) -> tuple[Source, ...]:
        """One source an item; the evidence alone where no item was cited."""
        message = self.message.id if self.message else ""
        found = [Source(item=i.id, conversation=self.conversation, message=message or i.message) for i in self.items]
        return tuple(found) or ((Source(conversation=self.conversation, message=message),) if message else ())


def stamp(place: Place, id: str, body: Body, text: str, *, origin: str, status: str = "current") -> Memory:
    """A memory with everything that the harness knows; a kind with tiers begins at T1."""
    kind = KINDS[body.kind]
    project = _project(place, body, origin)
    doubt = _ambiguous(place, project) if status == "current" and "T1" in kind.tiers else ""
    return Memory.model_validate(
        {
            "id": id, "project": project, "agent": _agent(place, body), "session": ANY, "origin": origin,
            "tier": "T1" if "T1" in kind.tiers else "-", "status": "quarantined" if doubt else status, "note": doubt, "text": text, "said_at": place.said_at,
            "offset_minutes": place.offset, "batch": place.batch, "body": body, "sources": place.sources(),
        }
    )  # fmt: skip


def _project(place: Place, body: Body, origin: str) -> str:
    match KINDS[body.kind].scope:
        case "everywhere":
            return ANY
        case "by-category":
            return ANY if claim_scope(str(getattr(body, "category", "")), origin) == "everywhere" else place.project
        case _ if body.kind in ("log", "proposal"):
            return scope.base(place.project)  # what is addressed to the others, or to the person, lies in nobody's bank
        case _:
            return place.project


AMBIGUOUS = "scope_ambiguous"


def _ambiguous(place: Place, project: str) -> str:
    """R57: why nobody can tell for which project a row would hold; "" where it is plain. What holds everywhere needs none."""
    if project == ANY:
        return ""
    if project == NO_PROJECT:
        return f"{AMBIGUOUS}: it was heard without a working folder"
    message = place.message
    if message and message.project != scope.base(project) and message.id not in {item.message for item in place.items}:
        return f"{AMBIGUOUS}: its evidence was said in another project"
    return ""


def _agent(place: Place, body: Body) -> str:
    return place.agent if KINDS[body.kind].scope in ("agent", "agent-in-project") or body.kind == "log" else ANY


def evidence(home: Home, message: str, *, project: str, items: tuple[Item, ...], named: bool) -> Message | None:
    """The message that shows it. Raises Refused where a verdict names one that was not heard, or one of another project.

    An item's own message (`named` False) may be gone: conversations can be deleted, and the item must still be answered.
    """
    found = conversations.load(home.conversations, message)
    if found is None:
        if not named:
            return None
        raise Refused(f"evidence: no message {message[:60]!r} was heard", why="a claim needs the message that shows it")
    if named and found.project != scope.base(project) and found.conversation not in {item.session for item in items}:
        raise Refused(f"evidence: {message[:60]!r} was said in another project", why="what is said there stays there")
    return found


def _flat(text: str) -> str:
    return " ".join(text.split())


def check_quote(message: Message, quote: str) -> None:
    """A quote stands verbatim in its message, line breaks and runs of blanks apart. Raises Refused."""
    if not quote.strip() or _flat(quote) not in _flat(message.text):
        raise Refused(
            "quote: these words do not stand in the cited message", why=f"message {message.id} was searched for them"
        )


def origin_of(message: Message | None, quote: str, said: str) -> str:
    """The person ("user") where they typed the line and their own part of the quote holds the content words of what is stated.

    Else an agent said so, or whatever is trusted less that the words came from (a tool, a page, a paste in the line).
    """
    if message is None:
        return "agent"
    if not by_person(message):
        return lowest(["agent", message.origin])
    if holds(pasted.own_part(message.text, quote), said):
        return "user"
    return (
        pasted.PASTED
        if pasted.whose(message.text, quote) == pasted.PASTED or _only_pasted(message.text, said)
        else "agent"
    )


def _only_pasted(text: str, said: str) -> bool:
    """Whether what is stated stands in what was pasted into a line, and nowhere else in it."""
    parts = pasted.parts(text)
    return any(holds(block, said) for block, whose in parts if whose == pasted.PASTED) and not any(
        holds(block, said) for block, whose in parts if whose != pasted.PASTED
    )


def by_person(message: Message) -> bool:
    """Whether the client marks a message as typed by a person."""
    return message.author == "user" and message.typed and not message.machine and message.origin == "user"


DENIALS = frozenset((
    "no", "not", "never", "none", "without", "don", "doesn", "didn", "isn", "aren", "wasn", "won", "cannot", "wrong", "incorrect",
    "mistake", "false", "formerly", "hayir", "hic", "hicbir", "asla", "sakin", "eskiden",
))  # fmt: skip
# Beginnings of Turkish words of denial, and the negation inside a Turkish verb (sevmiyorum, yemez, demedim).
_DENIES = re.compile(r"(?:yok|degil|yanlis|baska|artik|olmaz)|.+(?:m[iu]yor|m[ae]z|m[ae]di)")
DENYING = frozenset(("dislikes", "avoids", "forbids", "must_not"))  # predicates that are said with a denial
_SENTENCE_END = re.compile(r"[.!?…]+(?:\s|$)|\n+")
_QUOTED = re.compile(r"[\"“”«»„][^\"“”«»„]*[\"“”«»„]|^\s*>.*$", re.MULTILINE)


def affirms(message: Message | None, quote: str, claim: Claim) -> bool:
    """Whether a line says a claim again, rather than mentioning it in a correction or a quotation (R123). In doubt it does not.

    Every sentence of the line that holds words of the claim's object is looked at, quotations taken out; "hayır" in front
    of a sentence denies it as well as "yok" in it.
    """
    if message is None:
        return False
    text = _QUOTED.sub(" ", pasted.own_words(message.text))
    if not holds(text, claim.object) or (quote and _flat(quote) not in _flat(message.text)):
        return False
    own = set(fold.tokens(f"{claim.object} {claim.predicate}"))
    wanted = set(fts_query.words(claim.object))
    for sentence in _SENTENCE_END.split(text):
        denied = {word for word in fold.tokens(sentence) if word in DENIALS or _DENIES.match(word)} - own
        if denied and claim.predicate not in DENYING and any(holds(sentence, word) for word in wanted):
            return False
    return True


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
    n = conversations.number_of(home.conversations, item.message)
    if n is None:
        return None
    _, before, _ = conversations.around(home.conversations, n, before=LOOK_BACK, after=0)
    return next((m for m in reversed(before) if origin_of(m, m.text, said) == "user"), None)
