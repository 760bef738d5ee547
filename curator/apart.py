"""What a person does with quarantine: set a row apart, let it stand again, or put it away for good.

Each is the act of a person whom the gate has let through; the caller hands the actor in. Everything happens in the
caller's transaction. It must never decide by itself, and a released row takes its place by the same law as a new one.
"""

from dataclasses import dataclass
from typing import Protocol

from bellek.curator import claiming, contradictions
from bellek.kg import conflicts, entities, memories, names, pages
from bellek.kg.db import Database
from bellek.kg.ids import mint
from bellek.schemas.claim import Claim
from bellek.schemas.entity import Entity, EntityField
from bellek.schemas.errors import PersonNeeded, Refused
from bellek.schemas.memory import Memory
from bellek.schemas.page import Page
from bellek.schemas.trust import trust
from bellek.schemas.vocab import ORIGINS_KEPT_OUT


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a row: its id, the status it has now, whether it was let into packets."""

    id: str
    status: str
    let_in: bool


class Decision(Protocol):
    """`release` or `drop`: what a person says of a row, in the caller's transaction."""

    def __call__(self, db: Database, id: str, *, actor: str) -> Settled:
        """Carry it out; what became of the row."""


def release(db: Database, id: str, *, actor: str) -> Settled:
    """Let a row stand again, or into packets where its origin kept it out. It stays T1. Raises PersonNeeded, Refused."""
    row = _mine(db, id, actor, "release")
    kept_out = row.origin in ORIGINS_KEPT_OUT
    if row.status != "quarantined" and (not kept_out or row.let_in or row.tier == "T2"):
        raise Refused(
            f"{row.id} is not in quarantine",
            why=f"it is {row.status}, origin {row.origin}",
            hint="nothing is to be done",
        )
    batch = mint("b")
    status = _place(db, row) if row.status == "quarantined" else row.status
    update = {"status": status, "note": "", "let_in": row.let_in or kept_out, "batch": batch}
    memories.write(db, row.model_copy(update=update), actor=actor, act="release")
    _weigh(db, row, batch=batch, actor=actor)
    now = memories.read(db, row.id)
    return Settled(now.id, now.status, now.let_in)


BY_HAND = "set apart by hand"


def set_apart(db: Database, id: str, *, note: str, actor: str) -> Settled:
    """Put a provisional row into quarantine: it is told to nobody until it is released. Raises PersonNeeded, Refused."""
    row = _mine(db, id, actor, "set apart")
    if row.tier == "T2" or row.status not in ("current", "contested"):
        what = "permanent" if row.tier == "T2" else row.status
        hint = "refuse it, or undo the act that made it so"
        raise Refused(f"{row.id} was not set apart", why=f"it is {what}", hint=hint)
    if row.body.kind in ("proposal", "conflict"):
        raise Refused(f"{row.id} was not set apart", why=f"a {row.body.kind} is a question", hint="answer it")
    batch = mint("b")
    update = {"status": "quarantined", "note": note.strip() or BY_HAND, "let_in": False, "batch": batch}
    memories.write(db, row.model_copy(update=update), actor=actor, act="set-apart")
    now = memories.read(db, row.id)
    if isinstance(row.body, Claim):
        contradictions.mind(db, row.id, "quarantined", conflicts.open_about(db, row.id)[1], batch=batch, actor=actor)
        claiming.relaw_of(db, now, batch=batch, actor=actor)
        contradictions.free_from(db, row.id, batch=batch, actor=actor, relaw=claiming.relaw_of)
    return Settled(now.id, now.status, now.let_in)


def drop(db: Database, id: str, *, actor: str) -> Settled:
    """Put a row in quarantine away for good, with its reason; the same words heard again stay away. Raises PersonNeeded, Refused."""
    row = _mine(db, id, actor, "drop")
    if row.status != "quarantined":
        raise Refused(f"{row.id} is not in quarantine", why=f"it is {row.status}", hint="run `bellek quarantine list`")
    update = {"status": "refused", "note": f"dropped from quarantine: {row.note}", "batch": mint("b")}
    memories.write(db, row.model_copy(update=update), actor=actor, act="drop")
    now = memories.read(db, row.id)
    return Settled(now.id, now.status, now.let_in)


def _mine(db: Database, id: str, actor: str, act: str) -> Memory:
    if not memories.by_person(actor):
        raise PersonNeeded(f"{id} was not touched", why=f"only a person may {act} what is set apart")
    return memories.read(db, memories.find_id(db, id))


def _place(db: Database, row: Memory) -> str:
    """The status in which a released row begins; a claim's slot is weighed afterwards. Raises Refused where none is free."""
    match row.body:
        case Page(topic=topic) if pages.of_topic(db, row.project, topic):
            raise Refused(
                f"{row.id} cannot stand: the topic {topic} has a page",
                why="a topic has one current page",
                hint="drop it, or write what is right of it into the page",
            )
        case EntityField(entity=entity, name=name):
            same = [f for f in entities.fields(db, entity) if f.key == names.snake(name)]
            stronger = any(trust(f.tier, f.origin) >= trust(row.tier, row.origin) for f in same)
            return "contested" if stronger else "current"
        case Claim():
            return "superseded"  # no moment of the trail has two that stand: the law of the slot lifts it, or does not
        case _:
            return "current"


def _weigh(db: Database, row: Memory, *, batch: str, actor: str) -> None:
    match row.body:
        case Claim():
            claiming.relaw_of(db, row, batch=batch, actor=actor)
        case Entity(name=name, aliases=aliases):
            keys = tuple(dict.fromkeys(names.key(one) for one in (name, *aliases)))
            claiming.relaw_names(db, keys, batch=batch, actor=actor)
        case _:
            pass
