"""One verdict → rows: a closed union, one arm each. Whose rows they are, in which batch, out of what, is the `Place`'s.

It must never believe a verdict about origin, trust or scope, touch a row of another project, or change a permanent one.
"""

from datetime import datetime, timedelta, timezone
from typing import assert_never

from bellek.curator import claiming, context_of, knowledge, route, writers
from bellek.curator.context_of import Place
from bellek.curator.writers import Kept
from bellek.kg import memories, scope
from bellek.schemas.claim import Claim
from bellek.schemas.entity import Entity
from bellek.schemas.errors import Refused
from bellek.schemas.lesson import Lesson
from bellek.schemas.log import LogEntry
from bellek.schemas.memory import Memory
from bellek.schemas.page import Page
from bellek.schemas.proposal import Proposal
from bellek.schemas.trust import lowest
from bellek.schemas.verdict import (
    Absorb,
    Drop,
    Improve,
    NewClaim,
    NewEntity,
    NewEvent,
    NewLesson,
    NewLogEntry,
    NewMemory,
    NewPage,
    NewTask,
    OpenConflict,
    Outcome,
    Propose,
    ResolveConflict,
    Verdict,
    Write,
)  # fmt: skip
from bellek.schemas.vocab import IMPORTANCE

IMPROVABLE = ("lesson", "page", "task")
STANDS = ("current", "contested")


def cited_message(verdict: Verdict) -> str:
    """The message that a verdict names as its evidence; '' where it names none."""
    match verdict:
        case Write(memory=NewClaim(message=message)) if message:
            return message
        case _:
            return verdict.evidence[0] if verdict.evidence else ""


def carry_out(place: Place, verdict: Verdict) -> Kept:
    """Do what a verdict says, in the caller's transaction. Raises Refused, NotFound, PersonNeeded naming the field.

    What would write a refused or forgotten value is dropped with that reason: its items do not wait for a better verdict.
    """
    return _carry_out(place, verdict)


@writers.never_again
def _carry_out(place: Place, verdict: Verdict) -> Kept:
    match verdict:
        case Write(memory=memory):
            return _write(place, memory)
        case Absorb(into=into):
            return _absorb(place, into)
        case Improve(id=id_, text=text):
            return _improve(place, id_, text)
        case Drop(reason=reason):
            return _drop(place, reason)
        case OpenConflict(left=left, right=right, reason=reason):
            sides = [_own(place, given, field, kind="claim").id for field, given in (("left", left), ("right", right))]
            return Kept("opened", (claiming.open_conflict(place, sides[0], sides[1], reason),))
        case ResolveConflict(conflict=conflict, winner=winner, reason=reason):
            return Kept(
                "resolved",
                (claiming.resolve(place, _own(place, conflict, "conflict", kind="conflict").id, winner, reason),),
            )
        case Outcome(id=id_, result=result):
            return writers.outcome(place, _own(place, id_, "id", kind="lesson").id, result)
        case Propose(structure=structure, title=title, text=text):
            return writers.propose(place, text, Proposal(structure=structure, title=title))
        case _:
            assert_never(verdict)


def _write(place: Place, new: NewMemory) -> Kept:
    match new:
        case NewClaim():
            return _claim(place, new)
        case NewLesson(text=text, topic=topic, learning=learning, importance=importance):
            body = Lesson(
                topic=route.kebab(topic or text),
                learning=learning,
                importance=IMPORTANCE.index(importance),
                sightings=place.sightings,
            )
            return writers.lesson(place, text, body, origin=place.derived(text))
        case NewEvent(text=text, topic=topic, day=day, mood=mood):
            return writers.event(place, text, route.kebab(topic or text), _day(day), mood=mood)
        case NewTask(text=text):
            return writers.task(place, text, origin=place.derived(text))
        case NewPage(topic=topic, title=title, text=text, how=how, agent=agent) if agent:
            page = Page(topic=topic, title=title)
            return knowledge.write(place, text, page, agent=agent, how=how, origin=place.derived(text))
        case NewPage(topic=topic, title=title, text=text, how=how):
            return writers.page(place, text, Page(topic=topic, title=title), how=how, origin=place.derived(text))
        case NewEntity():
            return _entity(place, new)
        case NewLogEntry(type=type_, text=text, reason=reason):
            return writers.log(place, text, LogEntry(type=type_, channel=place.actor, reason=reason))
        case _:
            assert_never(new)


def _own(place: Place, given: str, field: str, *, kind: str = "") -> Memory:
    """The row that a verdict names: of this project or of every project. Raises NotFound, Refused."""
    row = memories.read(place.home.memory, memories.find_id(place.home.memory, given, kind=kind))
    if not scope.in_sight(row.project, place.project):
        raise Refused(f"{field}: {row.id} belongs to another project", why="a verdict answers for one project")
    return row


def _claim(place: Place, new: NewClaim) -> Kept:
    if place.message is None:
        raise Refused("message: a claim cites the message that holds its quote", why="none is named")
    context_of.check_quote(place.message, new.quote)
    body = Claim(
        category=new.category, subject=new.subject, predicate=claiming.predicate(new.predicate), object=new.object,
        confidence=new.confidence, quote=new.quote, message=place.message.id, valid_from=_instant(new.valid_from, place.offset),
        note=new.note,
    )  # fmt: skip
    return writers.claim(place, body, origin=_said_by(place, new.quote, new.object))


def _said_by(place: Place, quote: str, said: str) -> str:
    """Whose word something is: the person's where they typed it, else the lowest of what the verdict was made from."""
    origin = context_of.origin_of(place.message, quote, said)
    return origin if origin == "user" else lowest([origin, place.derived(said)])


def _instant(text: str, offset: int) -> int:
    """UTC milliseconds of an ISO date or time, in the writer's zone (minutes east of UTC) where it names none.

    0 for none, 1 for what began before 1970. A date begins at its midnight.
    """
    if not text:
        return 0
    try:
        found = datetime.fromisoformat(text)
        at = (found if found.tzinfo else found.replace(tzinfo=timezone(timedelta(minutes=offset)))).timestamp()
    except (ValueError, OverflowError) as exc:
        raise Refused(f"valid_from: {text[:40]!r} is no ISO date or time", why=str(exc)[:80]) from exc
    return max(1, int(at * 1000))


def _day(text: str) -> str:
    if text:
        try:
            datetime.fromisoformat(text)
        except ValueError as exc:
            raise Refused(f"day: {text[:40]!r} is not in the calendar", why=str(exc)[:80]) from exc
    return text


def _entity(place: Place, new: NewEntity) -> Kept:
    """An entity with its fields; a field's refusal refuses the whole verdict, so that nothing is half-written."""
    _check_fields(new)
    text = place.message.text if place.message else ""
    made = Entity(name=new.name, type=new.type, aliases=tuple(new.aliases))
    origin = _said_by(place, text, new.name)
    kept = (writers.make_entity if new.another else writers.entity)(place, made, origin=origin)
    if not kept.ids:
        return kept
    id_ = kept.ids[0]
    if new.name != id_ and not new.another:
        writers.mind_namesake(place, id_, new.fields)
    name = str(getattr(memories.read(place.home.memory, id_).body, "name", new.name))
    ids = list(kept.ids)
    for field, value in new.fields.items():
        said = _said_by(place, text, value)
        ids += writers.field(place, id_, field, value, origin=said).ids
        ids += writers.field_claim(place, name, field, value, origin=said)
    return Kept(kept.state if len(ids) == 1 else "written", tuple(dict.fromkeys(ids)), kept.note)


def _check_fields(new: NewEntity) -> None:
    for name, value in new.fields.items():
        if not name.strip() or not value.strip():
            raise Refused(f"fields.{name[:60]}: empty", why="a field has a name and a value")
    if any(not alias.strip() for alias in new.aliases):
        raise Refused("aliases: one is empty", why="an alias is a name")


def _absorb(place: Place, into: str) -> Kept:
    old = _own(place, into, "into")
    if old.status not in STANDS:
        raise Refused(
            f"into: {old.id} does not stand any more",
            why=f"it is {old.status}",
            hint="write it as new: the law decides what stands",
        )
    match old.body:
        case Lesson():
            return writers.absorb_lesson(place, old.id)
        case Claim() as claim:
            text = place.message.text if place.message else ""
            counted = claiming.absorb(place, old.id, origin=_said_by(place, text, claim.object))
            return Kept("absorbed", (old.id,), "" if counted else writers.PERMANENT)
        case body:
            raise Refused(f"into: a {body.kind} cannot absorb", why="only lessons and claims count sightings")


def _improve(place: Place, given: str, text: str) -> Kept:
    """A better text for a row that a machine wrote; the person's own words are left as they said them."""
    old = _own(place, given, "id")
    if old.body.kind not in IMPROVABLE:
        raise Refused(
            f"id: a {old.body.kind} is not reworded",
            why=f"only {', '.join(IMPROVABLE)} are",
            hint="write a new claim: the law decides what stands",
        )
    if old.tier == "T2":
        raise Refused(
            f"id: {old.id} is permanent",
            why="only a person changes what a person made permanent",
            hint="propose the change",
        )
    if old.origin == "user":
        raise Refused(f"id: {old.id} is in the person's own words", why="only what a machine wrote is reworded")
    if old.status != "current":
        raise Refused(f"id: {old.id} does not stand any more", why=f"it is {old.status}")
    sources = (*old.sources, *(s for s in place.sources() if s not in old.sources))
    update = {
        "text": text,
        "batch": place.batch,
        "sources": sources,
        "origin": lowest([old.origin, place.derived(text)]),
    }
    new = old.model_copy(update=update)
    return Kept("improved", (memories.write(place.home.memory, new, actor=place.actor, act="improve").id,))


def _drop(place: Place, reason: str) -> Kept:
    if not place.items:
        raise Refused("items: a drop names the items it drops", why="none is cited")
    return writers.drop(place, reason)
