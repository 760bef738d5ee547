"""How each kind of new memory is written, by a curator's verdict or by rule: the one place for both.

Everything happens in the caller's transaction. It must never write a sensitive field that the person did not type, never
merge two entities on a likeness of names, and never replace a page that a person made permanent.
"""

from dataclasses import dataclass

from bellek.curator import claiming, dedupe, route
from bellek.curator.context_of import Place, stamp
from bellek.kg import clock, entities, memories, names, pages
from bellek.kg.ids import mint
from bellek.schemas.entity import Entity, EntityField, sensitivity
from bellek.schemas.errors import Refused
from bellek.schemas.event import Event
from bellek.schemas.lesson import Lesson
from bellek.schemas.log import LogEntry
from bellek.schemas.page import Page
from bellek.schemas.proposal import Proposal
from bellek.schemas.task import Task
from bellek.schemas.trust import trust


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of it: a receipt's state, and the rows that hold it now."""

    state: str
    ids: tuple[str, ...]


def lesson(place: Place, text: str, body: Lesson, *, origin: str) -> Kept:
    """A lesson; a near twin of the same scope absorbs it."""
    db = place.home.memory
    known = dedupe.twin(db, "lesson", place.project, text)
    if known:
        absorb_lesson(place, known)
        return Kept("absorbed", (known,))
    return Kept(
        "written", (memories.write(db, stamp(place, mint("l"), body, text, origin=origin), actor=place.actor).id,)
    )


def absorb_lesson(place: Place, id: str) -> None:  # noqa: A002
    """Count a sighting of a lesson and keep its source."""
    db = place.home.memory
    old = memories.read(db, id)
    if not isinstance(old.body, Lesson):
        raise Refused(f"{id} is no lesson", why=f"it is a {old.body.kind}")
    if old.tier == "T2":
        return  # what a person made permanent is not rewritten to count a sighting
    body = old.body.model_copy(update={"sightings": old.body.sightings + 1})
    sources = (*old.sources, *(s for s in place.sources() if s not in old.sources))
    memories.write(
        db,
        old.model_copy(update={"body": body, "sources": sources, "batch": place.batch}),
        actor=place.actor,
        act="absorb",
    )


def event(place: Place, text: str, topic: str, day: str = "") -> Kept:
    """A journal row; the journal only grows."""
    body = Event(
        day=day or clock.day(place.said_at, place.offset),
        topic=topic or route.topic(text),
        conversation=place.conversation,
    )
    return Kept(
        "written",
        (memories.write(place.home.memory, stamp(place, mint("e"), body, text, origin="agent"), actor=place.actor).id,),
    )


def task(place: Place, text: str, *, origin: str) -> Kept:
    """An open task."""
    return Kept(
        "written",
        (
            memories.write(
                place.home.memory, stamp(place, mint("t"), Task(), text, origin=origin), actor=place.actor
            ).id,
        ),
    )


def log(place: Place, text: str, body: LogEntry) -> Kept:
    """An entry of the shared log."""
    return Kept(
        "written",
        (memories.write(place.home.memory, stamp(place, mint("g"), body, text, origin="agent"), actor=place.actor).id,),
    )


def propose(place: Place, text: str, body: Proposal) -> Kept:
    """A structural change: it only waits."""
    return Kept(
        "proposed",
        (memories.write(place.home.memory, stamp(place, mint("r"), body, text, origin="agent"), actor=place.actor).id,),
    )


def page(place: Place, text: str, body: Page, *, how: str, origin: str) -> Kept:
    """The topic's one page: replaced, or merged line by line. A T2 page gets a proposal instead."""
    db = place.home.memory
    topic = route.kebab(body.topic)
    known = pages.of_topic(db, place.project, topic)
    body = body.model_copy(update={"topic": topic})
    if not known:
        return Kept(
            "written", (memories.write(db, stamp(place, mint("w"), body, text, origin=origin), actor=place.actor).id,)
        )
    old = memories.read(db, known)
    if old.tier == "T2":
        return propose(place, text, Proposal(structure="page", title=f"replace the page {topic}"))
    whole = text if how == "replace" else merged(old.text, text)
    if whole == old.text:
        return Kept("absorbed", (known,))
    new = old.model_copy(
        update={"text": whole, "body": body, "batch": place.batch, "sources": (*old.sources, *place.sources())}
    )
    return Kept("written", (memories.write(db, new, actor=place.actor, act="merge").id,))


def merged(old: str, new: str) -> str:
    """The old page with those lines of the new one that it does not hold yet, in their order."""
    known = {names.words(line) for line in old.split("\n")}
    fresh = [line for line in new.split("\n") if line.strip() and names.words(line) not in known]
    return "\n".join([old.rstrip("\n"), *fresh]) if fresh else old


def entity(place: Place, new: Entity, *, origin: str) -> Kept:
    """An entity by its name or alias: made, or given new aliases. Several of that name are never merged by guess."""
    db = place.home.memory
    found = entities.named(db, new.name, place.project)
    if len(found) > 1:
        raise Refused(
            f"name: {new.name[:60]!r} names several entities",
            why=", ".join(found),
            hint="cite one by its id as the name",
        )
    if not found:
        text = new.name if new.type == "unknown" else f"{new.name} ({new.type})"
        return Kept(
            "written", (memories.write(db, stamp(place, mint("n"), new, text, origin=origin), actor=place.actor).id,)
        )
    old = memories.read(db, found[0])
    assert isinstance(old.body, Entity)
    aliases = tuple(
        dict.fromkeys([*old.body.aliases, *(a for a in new.aliases if names.key(a) != names.key(old.body.name))])
    )
    kind = new.type if old.body.type == "unknown" else old.body.type
    if old.tier == "T2" or (aliases, kind) == (old.body.aliases, old.body.type):
        return Kept("absorbed", (old.id,))
    body = old.body.model_copy(update={"aliases": aliases, "type": kind})
    text = body.name if kind == "unknown" else f"{body.name} ({kind})"
    return Kept(
        "written",
        (
            memories.write(
                db, old.model_copy(update={"body": body, "text": text, "batch": place.batch}), actor=place.actor
            ).id,
        ),
    )


def field(place: Place, entity_id: str, name: str, value: str, *, origin: str) -> Kept:
    """One field of an entity. A newer value of equal or higher trust takes the place; a weaker one is contested."""
    db = place.home.memory
    kind = sensitivity(names.snake(name))
    if kind and origin != "user":
        raise Refused(
            f"field {name[:60]!r} is about {kind}", why="such a field is written only from the person's own typed words"
        )
    text = f"{name}: {value}"
    standing = [row for row in entities.fields(db, entity_id) if row.key == names.snake(name)]
    old = memories.read(db, standing[0].id) if standing else None
    if old and isinstance(old.body, EntityField) and names.words(old.body.value) == names.words(value):
        return Kept("absorbed", (old.id,))
    weaker = old is not None and trust("T1", origin) < trust(old.tier, old.origin)
    if old and not weaker:
        memories.write(
            db,
            old.model_copy(update={"status": "superseded", "batch": place.batch}),
            actor=place.actor,
            act="supersede",
        )
    body = EntityField(entity=entity_id, name=name, value=value, sensitivity=kind)
    new = stamp(place, mint("f"), body, text, origin=origin, status="contested" if weaker else "current")
    return Kept("written", (memories.write(db, new, actor=place.actor).id,))


def drop(place: Place, reason: str) -> Kept:
    """Not worth keeping: nothing is written but, for each item, the reason."""
    for item in place.items:
        place.home.memory.run(
            "INSERT INTO drops (project, item, reason, at) VALUES (?, ?, ?, ?)",
            (place.project, item.id, reason, clock.now()),
        )
    return Kept("dropped", ())


def claim(place: Place, body: claiming.Claim, *, origin: str) -> Kept:
    """A claim, under the law of its slot."""
    done = claiming.write(place, body, origin=origin)
    return Kept(done.state, (done.id,))
