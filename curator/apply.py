"""Verdicts → rows: a closed union, one arm each, one transaction for all of them, a receipt for every one.

A wrong shape or a broken rule refuses its own verdict and nothing else. An item is acknowledged when every verdict that
cites it was carried out; the same verdict for the same item is carried out once. It must never believe a verdict about
origin, trust or scope, and never answer "written" for a row that it did not read back.
"""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import assert_never

from pydantic import ValidationError

from bellek.curator import claiming, context_of, route, writers
from bellek.curator.context_of import Place
from bellek.curator.writers import Kept
from bellek.kg import clock, conflicts, memories, names, queue
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.schemas.claim import Claim
from bellek.schemas.entity import Entity, sensitivity
from bellek.schemas.errors import BellekError, Busy, NotFound, Refused, StoreFault
from bellek.schemas.lesson import Lesson
from bellek.schemas.log import LogEntry
from bellek.schemas.page import Page
from bellek.schemas.predicates import canonical
from bellek.schemas.proposal import Proposal
from bellek.schemas.queue import Item
from bellek.schemas.trust import trust
from bellek.schemas.verdict import (
    VERDICT, Absorb, Drop, Improve, NewClaim, NewEntity, NewEvent, NewLesson, NewLogEntry, NewPage, NewTask, OpenConflict, Propose,
    Receipt, ResolveConflict, Verdict, Write,
)  # fmt: skip
from bellek.schemas.vocab import IMPORTANCE

IMPROVABLE = ("lesson", "page", "task")


@dataclass(slots=True)
class _Run:
    home: Home
    project: str
    actor: str
    token: str
    batch: str
    ok: dict[str, list[str]] = field(default_factory=dict)  # item → rows written for it
    bad: set[str] = field(default_factory=set)  # items that a refused verdict cites


def apply(home: Home, project: str, rows: list[object], *, actor: str, token: str = "") -> list[Receipt]:
    """Carry out verdicts in their order. Raises Busy or StoreFault, with nothing written; everything else is a receipt."""
    run = _Run(home, project, actor, token, mint("b"))
    with home.memory.transaction():
        if token:
            queue.renew(home.memory, token)
        receipts = [_one(run, n, row) for n, row in enumerate(rows)]
        _acknowledge(run)
    return receipts


def _one(run: _Run, n: int, row: object) -> Receipt:
    try:
        verdict = VERDICT.validate_python(row)
    except ValidationError as exc:
        cited = row.get("items") if isinstance(row, dict) else None
        run.bad.update(str(i) for i in cited or [] if isinstance(i, str))
        return Receipt(n=n, state="refused", reason=why_invalid(exc))
    try:
        with run.home.memory.savepoint():
            return _carry_out(run, n, verdict)
    except (Busy, StoreFault):
        raise
    except (BellekError, ValidationError) as exc:
        run.bad.update(verdict.items)
        return Receipt(
            n=n, state="refused", reason=why_invalid(exc) if isinstance(exc, ValidationError) else _sentence(exc)
        )


def why_invalid(exc: ValidationError) -> str:
    """The fields that are off and why, without their values: they have not passed redaction."""
    return "; ".join(
        f"{'.'.join(str(p) for p in e['loc']) or 'verdict'}: {e['msg']}"
        for e in exc.errors(include_url=False, include_input=False)[:6]
    )


def _sentence(exc: BellekError) -> str:
    return exc.what + (f" ({exc.why})" if exc.why else "")


def _carry_out(run: _Run, n: int, verdict: Verdict) -> Receipt:
    digest = hashlib.blake2b(verdict.model_dump_json().encode(), digest_size=16).hexdigest()
    if verdict.items and (old := _applied(run, verdict.items, digest)):
        return old.model_copy(update={"n": n, "state": "already"})
    items = tuple(_item(run, given) for given in verdict.items)
    kept = _write(run, verdict, items)
    for id_ in kept.ids:
        memories.read(run.home.memory, id_)  # a receipt tells only of what was read back
    receipt = Receipt(n=n, state=kept.state, ids=kept.ids, readable_at=clock.stamp(clock.now()))  # type: ignore[arg-type]
    for item in items:
        run.ok.setdefault(item.id, []).extend(kept.ids)
        run.home.memory.run(
            "INSERT INTO applied (item, digest, receipt) VALUES (?, ?, ?)", (item.id, digest, receipt.model_dump_json())
        )
    return receipt


def _applied(run: _Run, items: list[str], digest: str) -> Receipt | None:
    found = [
        run.home.memory.value("SELECT receipt FROM applied WHERE item = ? AND digest = ?", (item, digest))
        for item in items
    ]
    return Receipt.model_validate_json(str(found[0])) if all(found) else None


def _item(run: _Run, given: str) -> Item:
    """A cited item that may be answered now: waiting, or taken under this very token."""
    item = queue.find(run.home.memory, run.project, given)
    holder = run.home.memory.value("SELECT token FROM queue WHERE id = ?", (item.id,))
    if item.state == "dead":
        raise Refused(f"items: {item.id} is a dead letter", why=item.reason)
    if holder and holder != run.token:
        raise Refused(f"items: {item.id} is taken by another drain", why="its token is not the one given")
    return item


def _place(run: _Run, verdict: Verdict, items: tuple[Item, ...], message: str = "") -> Place:
    """The evidence that counts: the named message, else the first cited one, else the first item's own."""
    named = message or (verdict.evidence[0] if verdict.evidence else "") or (items[0].message if items else "")
    found = context_of.evidence(run.home, named, "evidence") if named else None
    return Place(run.home, run.project, run.actor, run.batch, items, found)


def _write(run: _Run, verdict: Verdict, items: tuple[Item, ...]) -> Kept:
    match verdict:
        case Write(memory=NewClaim() as new):
            return _claim(_place(run, verdict, items, new.message), new)
        case Write(memory=memory):
            return _new(_place(run, verdict, items), memory)
        case Absorb(into=into):
            return _absorb(_place(run, verdict, items), into)
        case Improve(id=id_, text=text):
            return _improve(_place(run, verdict, items), id_, text)
        case Drop(reason=reason):
            return _drop(run, items, reason)
        case OpenConflict() | ResolveConflict():
            return _conflict(run, verdict)
        case Propose(structure=structure, title=title, text=text):
            return writers.propose(_place(run, verdict, items), text, Proposal(structure=structure, title=title))
        case _:
            assert_never(verdict)


def _new(place: Place, new: NewLesson | NewEvent | NewTask | NewPage | NewEntity | NewLogEntry | NewClaim) -> Kept:
    match new:
        case NewLesson(text=text, topic=topic, learning=learning, importance=importance):
            body = Lesson(topic=route.kebab(topic or text), learning=learning, importance=IMPORTANCE.index(importance))
            return writers.lesson(place, text, body, origin="agent")
        case NewEvent(text=text, topic=topic, day=day):
            return writers.event(place, text, route.kebab(topic or text), day)
        case NewTask(text=text):
            return writers.task(place, text, origin="agent")
        case NewPage(topic=topic, title=title, text=text, how=how):
            return writers.page(place, text, Page(topic=topic, title=title), how=how, origin="agent")
        case NewEntity():
            return _entity(place, new)
        case NewLogEntry(type=type_, text=text, reason=reason):
            return writers.log(place, text, LogEntry(type=type_, channel=place.actor, reason=reason))
        case NewClaim():
            return _claim(place, new)
        case _:
            assert_never(new)


def _claim(place: Place, new: NewClaim) -> Kept:
    if place.message is None:
        raise Refused("message: a claim cites the message that holds its quote", why="none is named")
    context_of.check_quote(place.message, new.quote)
    origin = context_of.origin_of(place.message, new.quote, new.object)
    body = Claim(
        category=new.category, subject=new.subject, predicate=claiming.predicate(new.predicate), object=new.object,
        confidence=new.confidence, quote=new.quote, message=place.message.id, valid_from=_instant(new.valid_from), note=new.note,
    )  # fmt: skip
    return writers.claim(place, body, origin=origin)


def _instant(text: str) -> int:
    """UTC milliseconds of an ISO date or time; a date begins at its midnight UTC; 0 for none."""
    if not text:
        return 0
    try:
        found = datetime.fromisoformat(text)
    except ValueError as exc:
        raise Refused(f"valid_from: {text[:40]!r} is no ISO date or time", why=str(exc)[:80]) from exc
    return max(0, int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1000))


def _entity(place: Place, new: NewEntity) -> Kept:
    """An entity with its fields; a field's refusal refuses the whole verdict, so that nothing is half-written."""
    origin = context_of.origin_of(place.message, place.message.text if place.message else "", new.name)
    kept = writers.entity(place, Entity(name=new.name, type=new.type, aliases=tuple(new.aliases)), origin=origin)
    ids = list(kept.ids)
    for name, value in new.fields.items():
        said = context_of.origin_of(place.message, place.message.text if place.message else "", value)
        ids += writers.field(place, kept.ids[0], name, value, origin=said).ids
        ids += field_claim(place, new.name, name, value, origin=said)
    return Kept(kept.state, tuple(ids))


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
    return writers.claim(place, body, origin=origin).ids


def _absorb(place: Place, into: str) -> Kept:
    db = place.home.memory
    id_ = memories.find_id(db, into)
    old = memories.read(db, id_)
    match old.body:
        case Lesson():
            writers.absorb_lesson(place, id_)
        case Claim() as claim:
            text = place.message.text if place.message else ""
            claiming.absorb(place, id_, origin=context_of.origin_of(place.message, text, claim.object))
        case body:
            raise Refused(f"into: a {body.kind} cannot absorb", why="only lessons and claims count sightings")
    return Kept("absorbed", (id_,))


def _improve(place: Place, given: str, text: str) -> Kept:
    db = place.home.memory
    old = memories.read(db, memories.find_id(db, given))
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
    new = old.model_copy(
        update={
            "text": text,
            "batch": place.batch,
            "sources": (*old.sources, *(s for s in place.sources() if s not in old.sources)),
        }
    )
    return Kept("improved", (memories.write(db, new, actor=place.actor, act="improve").id,))


def _drop(run: _Run, items: tuple[Item, ...], reason: str) -> Kept:
    if not items:
        raise Refused("items: a drop names the items it drops", why="none is cited")
    return writers.drop(Place(run.home, run.project, run.actor, run.batch, items), reason)


def _conflict(run: _Run, verdict: OpenConflict | ResolveConflict) -> Kept:
    db = run.home.memory
    if isinstance(verdict, ResolveConflict):
        claiming.resolve(db, verdict.conflict, verdict.winner, verdict.reason, batch=run.batch, actor=run.actor)
        return Kept("resolved", (memories.find_id(db, verdict.conflict, kind="conflict"),))
    sides = [memories.read(db, memories.find_id(db, given, kind="claim")) for given in (verdict.left, verdict.right)]
    if sides[0].id == sides[1].id or any(side.status != "current" for side in sides):
        raise Refused(
            "left, right: two different claims that stand are needed", why="one of them does not stand, or both are one"
        )
    weak, strong = sorted(sides, key=lambda m: (trust(m.tier, m.origin), m.said_at))
    if weak.tier == "T2":
        raise Refused("left, right: both are permanent", why="only a person weighs what a person made permanent")
    if conflicts.open_about(db, weak.id)[0]:
        raise Refused(f"{weak.id} is contested already", why="it has an open conflict")
    return Kept(
        "opened", (claiming.open_conflict(db, strong.id, weak.id, verdict.reason, batch=run.batch, actor=run.actor),)
    )


def _acknowledge(run: _Run) -> None:
    """Acknowledge what was answered in full; what a refused verdict cites waits for a better one."""
    for id_, ids in run.ok.items():
        if id_ in run.bad or any(id_.startswith(given) for given in run.bad if given):
            continue
        try:
            item = queue.find(run.home.memory, run.project, id_)
        except NotFound:
            continue
        queue.settle(run.home.memory, item, tuple(dict.fromkeys(ids)), actor=run.actor, batch=run.batch)


def read_rows(text: str) -> list[object]:
    """The verdicts of a file: a JSON array, an object with `verdicts`, or one object a line. Raises Refused with the place."""
    try:
        value = json.loads(text)
    except ValueError as exc:
        lines = [line for line in text.split("\n") if line.strip()]
        try:
            return [json.loads(line) for line in lines] if len(lines) > 1 else _broken(exc)
        except ValueError:
            return _broken(exc)
    if isinstance(value, dict):
        value = value.get("verdicts", [value])
    return value if isinstance(value, list) else [value]


def _broken(exc: ValueError) -> list[object]:
    where = f"line {exc.lineno}, column {exc.colno}" if isinstance(exc, json.JSONDecodeError) else "somewhere"
    raise Refused(
        "the verdicts are not JSON",
        why=where,
        hint="give a JSON array of verdicts; `bellek apply --schema` shows their shape",
    ) from exc
