"""How each kind of new memory is written, by a curator's verdict or by rule: the one place for both.

Everything happens in the caller's transaction. It must never write a sensitive field that the person did not type, never
merge two entities on a likeness of names, and never replace a page that a person made permanent.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec

from bellek.curator import claiming, dedupe, route
from bellek.curator.context_of import Place, stamp
from bellek.kg import clock, entities, intake, lessons, memories, names, pages, state, stones
from bellek.kg.ids import mint
from bellek.kg.redact import redact
from bellek.schemas.claim import Claim
from bellek.schemas.entity import Entity, EntityField, sensitivity
from bellek.schemas.errors import NeverAgain, Refused
from bellek.schemas.event import MOOD, Event, Mood
from bellek.schemas.lesson import Lesson
from bellek.schemas.log import LogEntry
from bellek.schemas.memory import Body, Memory
from bellek.schemas.page import Page
from bellek.schemas.predicates import canonical
from bellek.schemas.proposal import Proposal
from bellek.schemas.task import Task
from bellek.schemas.trust import lowest, trust

PERMANENT = "it is permanent: the sighting is not counted"
BORN = "born_on"  # what tells two bearers of one name apart


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of it: a receipt's state, the rows that hold it now, and what a reader should know besides."""

    state: str
    ids: tuple[str, ...]
    note: str = ""


P = ParamSpec("P")


def never_again(write: Callable[Concatenate[Place, P], Kept]) -> Callable[Concatenate[Place, P], Kept]:
    """A writer whose value was refused or forgotten before writes nothing and says so; the rest of its item goes on."""

    @wraps(write)
    def kept(place: Place, /, *given: P.args, **named: P.kwargs) -> Kept:
        if not stones.left_any(place.home.memory):
            return write(place, *given, **named)  # a savepoint costs a segment of the full-text index
        try:
            with place.home.memory.savepoint():
                return write(place, *given, **named)
        except NeverAgain as exc:
            return drop(place, exc.what)

    return kept


def _new(place: Place, letter: str, body: Body, text: str, *, origin: str, status: str = "current") -> str:
    row = stamp(place, mint(letter), body, text, origin=origin, status=status)
    return memories.write(place.home.memory, row, actor=place.actor).id


def _set_apart(place: Place, letter: str, body: Body, text: str, *, origin: str) -> str:
    """The id of a row that had to go to quarantine, or "" (nothing written): asked before something makes room for it."""
    row = stamp(place, mint(letter), body, text, origin=origin)
    if memories.by_person(place.actor) or not intake.why_apart(row):
        return ""
    return memories.write(place.home.memory, row, actor=place.actor).id


def _again(place: Place, old: Memory, update: dict[str, object], *, act: str) -> str:
    """Another revision of a row, with what it comes from this time added to its sources."""
    sources = (*old.sources, *(s for s in place.sources() if s not in old.sources))
    new = old.model_copy(update={"batch": place.batch, "sources": sources, **update})
    return memories.write(place.home.memory, new, actor=place.actor, act=act).id


def lesson(place: Place, text: str, body: Lesson, *, origin: str) -> Kept:
    """A lesson; a near twin of the same scope absorbs it."""
    known = dedupe.twin(place.home.memory, "lesson", place.project, text)
    if known:
        return absorb_lesson(place, known)
    return new_lesson(place, text, body, origin=origin)


@never_again
def new_lesson(place: Place, text: str, body: Lesson, *, origin: str) -> Kept:
    """A lesson of which the caller knows that no twin stands."""
    return Kept("written", (_new(place, "l", body, text, origin=origin),))


def absorb_lesson(place: Place, id: str) -> Kept:
    """Count a sighting of a lesson and keep its source; a permanent one is not rewritten to count."""
    old = memories.read(place.home.memory, id)
    if not isinstance(old.body, Lesson):
        raise Refused(f"{id} is no lesson", why=f"it is a {old.body.kind}")
    if old.tier == "T2":
        return Kept("absorbed", (id,), PERMANENT)
    body = old.body.model_copy(update={"sightings": old.body.sightings + place.sightings})
    return Kept("absorbed", (_again(place, old, {"body": body}, act="absorb"),))


def outcome(place: Place, id: str, result: str) -> Kept:
    """How a lesson fared, by a message that counts once; a permanent lesson's words and rank are left alone."""
    seen = place.message.id if place.message else (place.items[0].message if place.items else "")
    if not seen:
        raise Refused("evidence: an outcome names the message that shows it", why="none is named")
    old = memories.read(place.home.memory, id)
    assert isinstance(old.body, Lesson)
    if not lessons.note_outcome(place.home.memory, id, seen, result, at=clock.now()):
        return Kept("noted", (id,), "this message was counted already")
    if old.tier == "T2":
        return Kept("noted", (id,), PERMANENT)
    body = old.body.model_copy(update={result: getattr(old.body, result) + 1})
    return Kept("noted", (_again(place, old, {"body": body}, act="outcome"),))


@never_again
def event(place: Place, text: str, topic: str, day: str = "", *, mood: Mood = "") -> Kept:
    """A journal row; the journal only grows. Without a mood of its own it has the one that the person showed in that talk."""
    shown = mood or state.mood_of(place.home.memory, place.conversation, place.project, until=place.said_at)
    body = Event(
        day=day or clock.day(place.said_at, place.offset),
        topic=topic or route.topic(text),
        conversation=place.conversation,
        mood=MOOD.validate_python(shown),
    )
    return Kept("written", (_new(place, "e", body, text, origin=place.derived(text)),))


@never_again
def task(place: Place, text: str, *, origin: str) -> Kept:
    """An open task."""
    return Kept("written", (_new(place, "t", Task(), text, origin=origin),))


@never_again
def log(place: Place, text: str, body: LogEntry) -> Kept:
    """An entry of the shared log."""
    return Kept("written", (_new(place, "g", body, text, origin=place.derived(text)),))


@never_again
def propose(place: Place, text: str, body: Proposal) -> Kept:
    """A structural change: it only waits."""
    return Kept("proposed", (_new(place, "r", body, text, origin=place.derived(text)),))


def page(place: Place, text: str, body: Page, *, how: str, origin: str) -> Kept:
    """The topic's one page: replaced, or merged line by line. A T2 page gets a proposal instead."""
    return page_of(place, text, body.model_copy(update={"topic": route.kebab(body.topic)}), how=how, origin=origin)


@never_again
def page_of(place: Place, text: str, body: Page, *, how: str, origin: str) -> Kept:
    """The same of a topic that is spelled as it has to be."""
    topic = body.topic
    known = pages.of_topic(place.home.memory, place.project, topic)
    if not known:
        return Kept("written", (_new(place, "w", body, text, origin=origin),))
    old = memories.read(place.home.memory, known)
    if old.tier == "T2":
        return propose(place, text, Proposal(structure="page", title=f"replace the page {topic}"))
    if apart := _set_apart(place, "w", body, text, origin=origin):
        return Kept("written", (apart,))
    whole = text if how == "replace" else merged(old.text, text)
    if whole == old.text:
        return Kept("absorbed", (known,))
    update = {"text": whole, "body": body, "origin": origin if how == "replace" else lowest([old.origin, origin])}
    return Kept("written", (_again(place, old, update, act="merge"),))


def merged(old: str, new: str) -> str:
    """The old page with those lines of the new one that it does not hold yet, in their order."""
    known = {names.words(line) for line in old.split("\n")}
    fresh = [line for line in new.split("\n") if line.strip() and names.words(line) not in known]
    return "\n".join([old.rstrip("\n"), *fresh]) if fresh else old


def entity(place: Place, new: Entity, *, origin: str) -> Kept:
    """An entity by its id, name or alias: made, or given new aliases. Several of that name are never merged by guess."""
    _mind_self(new)
    found = entities.named(place.home.memory, new.name, place.project)
    if len(found) > 1:
        raise Refused(
            f"name: {new.name[:60]!r} names several entities",
            why=", ".join(found),
            hint="cite one by its id as the name",
        )
    return add_names(place, found[0], new) if found else make_entity(place, new, origin=origin)


@never_again
def make_entity(place: Place, new: Entity, *, origin: str) -> Kept:
    """An entity of its own, whoever else has its name."""
    _mind_self(new)
    aliases = _alias_set(new.name, new.aliases)
    id_ = _new(place, "n", new.model_copy(update={"aliases": aliases}), _title(new.name, new.type), origin=origin)
    _weigh_names(place, (new.name, *aliases))
    return Kept("written", (id_,))


@never_again
def add_names(place: Place, id: str, new: Entity) -> Kept:
    """New aliases, and a type where none was known, for an entity that is there; one alias a normal form."""
    old = memories.read(place.home.memory, id)
    assert isinstance(old.body, Entity)
    spelled = new.aliases if new.name == id else (new.name, *new.aliases)
    aliases = _alias_set(old.body.name, (*old.body.aliases, *spelled))
    kind = new.type if old.body.type == "unknown" else old.body.type
    if (aliases, kind) == (old.body.aliases, old.body.type):
        return Kept("absorbed", (old.id,))
    if old.tier == "T2":
        return Kept("absorbed", (old.id,), "it is permanent: no name was added")
    body = old.body.model_copy(update={"aliases": aliases, "type": kind})
    _again(place, old, {"body": body, "text": _title(body.name, kind)}, act="write")
    _weigh_names(place, (body.name, *aliases))
    return Kept("written", (old.id,))


def _alias_set(name: str, aliases: tuple[str, ...]) -> tuple[str, ...]:
    """One alias a normal form, as it was spelled first; the name itself is none."""
    known = {names.key(name): ""}
    for alias in aliases:
        if alias.strip():
            known.setdefault(names.key(alias), alias)
    return tuple(alias for alias in known.values() if alias)


def _title(name: str, kind: str) -> str:
    return name if kind == "unknown" else f"{name} ({kind})"


def _mind_self(new: Entity) -> None:
    """Nobody but the person is called "I", "user" or "kullanıcı": else whoever is would take over what is known of the person."""
    taken = [alias for alias in new.aliases if names.key(alias) == names.SELF]
    if taken and names.key(new.name) != names.SELF:
        raise Refused(f"aliases: {taken[0][:60]!r} means the person", why="only the entity `user` is the person")


def _weigh_names(place: Place, spelled: tuple[str, ...]) -> None:
    keys = tuple(dict.fromkeys(names.key(name) for name in spelled))
    claiming.relaw_names(place.home.memory, keys, batch=place.batch, actor=place.actor)


def mind_namesake(place: Place, id: str, fields: dict[str, str]) -> None:
    """Refuse fields that say that this is another bearer of the name: people of one name differ in the day of birth."""
    held = {canonical(row.key): row.value for row in entities.fields(place.home.memory, id)}
    for name, value in fields.items():
        known = held.get(BORN) if canonical(names.snake(name)) == BORN else None
        if known and names.words(known) != names.words(value):
            raise Refused(
                f"fields.{name[:60]}: {id} has another one",
                why="it may be somebody else of the same name",
                hint="say `another: true` for somebody else, or give the id as the name to correct it",
            )


@never_again
def field(place: Place, entity_id: str, name: str, value: str, *, origin: str) -> Kept:
    """One field of an entity. A newer value of equal or higher trust takes the place; a weaker one is contested.

    The same value is absorbed, unless who says it now is trusted more: then the row becomes theirs, so that what the
    person confirmed does not fall to the next agent.
    """
    kind = sensitivity(names.snake(name))
    if kind and origin != "user":
        raise Refused(
            f"field {name[:60]!r} is about {kind}", why="such a field is written only from the person's own typed words"
        )
    there = [
        row for row in entities.fields(place.home.memory, entity_id, contested=True) if row.key == names.snake(name)
    ]
    held = [memories.read(place.home.memory, row.id) for row in there]
    for old in held:
        same = isinstance(old.body, EntityField) and names.words(old.body.value) == names.words(value)
        if same and trust("T1", origin) <= trust(old.tier, old.origin):
            return Kept("absorbed", (old.id,))
    body = EntityField(entity=entity_id, name=name, value=value, sensitivity=kind)
    if apart := _set_apart(place, "f", body, f"{name}: {value}", origin=origin):
        return Kept("written", (apart,))
    standing = [old for old in held if old.status == "current"]
    weaker = any(trust("T1", origin) < trust(old.tier, old.origin) for old in standing)
    for old in [] if weaker else held:
        _step_down(place, old)
    status = "contested" if weaker else "current"
    return Kept("written", (_new(place, "f", body, f"{name}: {value}", origin=origin, status=status),))


def drop(place: Place, reason: str) -> Kept:
    """Not worth keeping: nothing is written but, for each item, the reason."""
    for item in place.items:
        place.home.memory.run(
            "INSERT INTO drops (project, item, reason, at) VALUES (?, ?, ?, ?)",
            (place.project, item.id, redact(reason), clock.now()),
        )
    return Kept("dropped", (), reason)


def _step_down(place: Place, old: Memory) -> None:
    new = old.model_copy(update={"status": "superseded", "batch": place.batch})
    memories.write(place.home.memory, new, actor=place.actor, act="supersede")


@never_again
def claim(place: Place, body: Claim, *, origin: str) -> Kept:
    """A claim, under the law of its slot."""
    done = claiming.write(place, body, origin=origin)
    return Kept(done.state, (done.id,))


def field_claim(place: Place, subject: str, name: str, value: str, *, origin: str) -> tuple[str, ...]:
    """The claim that a field states, where its name is a predicate of the vocabulary; a sensitive one states none."""
    known = canonical(names.snake(name.rpartition(".")[2])) or canonical(names.snake(name))
    if known is None or sensitivity(names.snake(name)):
        return ()
    quote = place.message.text[:4000] if place.message and origin == "user" else ""
    body = Claim(
        category=route.category(known), subject=subject, predicate=known, object=value[:2000], confidence=0.8 if origin == "user" else 0.6,
        quote=quote, message=place.message.id if place.message and quote else "",
    )  # fmt: skip
    return claim(place, body, origin=origin).ids
