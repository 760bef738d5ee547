"""Draining without a model: take each waiting item, write what its form says, acknowledge it, in one transaction.

It must never acknowledge an item whose rows it did not read back, never guess beyond the form, and never let one
indigestible item stop the others: after its tries it is parked with a reason.
"""

import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import assert_never

from bellek.curator import channels, dedupe, profile, profile_rows, route, tasks, writers
from bellek.curator.context_of import Place
from bellek.kg import agents, failpoints, locks, memories, notices, queue
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.kg.redact import redact
from bellek.schemas.channel import Channels, Drain
from bellek.schemas.errors import BellekError, Busy, Refused, StoreFault
from bellek.schemas.lesson import Lesson
from bellek.schemas.memory import Memory
from bellek.schemas.queue import Item

LOCK = "drain"
BY_RULE: frozenset[Drain] = frozenset(("learning", "task", "profile-fact"))
ACTOR = "drain-offline"
TOGETHER = 20  # items a transaction: what a commit costs (index pages, a segment of full text) is shared, other writers wait little
GAP_S = 0.005  # between two transactions: who waits for the store looks every two milliseconds, and now finds it free


@dataclass(slots=True)
class Drained:
    """What a drain did: the batch's id, rows written by kind, items acknowledged, items that failed with their reasons.

    `repeated` items were said before in the same words, `absorbed` ones in nearly the same; `dropped` ones held nothing;
    `quarantined` rows wait for a person's look; `waiting` ones are of channels that are not drained by rule. `notes` pairs an item with what was done otherwise.
    """

    batch: str
    written: dict[str, int] = field(default_factory=dict)
    acknowledged: int = 0
    repeated: int = 0
    absorbed: int = 0
    dropped: int = 0
    quarantined: int = 0
    waiting: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Done:
    """What became of one item: how, the rows that hold it, those of them that were written now, and what to say."""

    how: str
    ids: tuple[str, ...]
    written: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


_End = tuple[_Done, list[str]] | str | None  # of one item: settled, failed with a reason, not ours any more


def drain_offline(home: Home, project: str, *, limit: int = 1000, only: frozenset[Drain] | None = None) -> Drained:
    """Drain a project's queue by rule, or what of it is drained in some ways (`only`). Raises Busy where another drain works; an empty queue is a no-op."""
    done = Drained(mint("b"))
    with locks.held(home.path, LOCK) as mine:
        if not mine:
            raise Busy("another drain is at work", why="its lock is held by a living process")
        declared = channels.load(home.path)
        with home.memory.transaction():
            queue.release_expired(home.memory)
        items = [item for item in queue.peek(home.memory, project, limit=limit) if item.state == "pending"]
        ready = [item for item in items if declared.drain_of(item.channel) in (only or BY_RULE)]
        done.waiting += len(items) - len(ready)
        for start in range(0, len(ready), TOGETHER):
            began = time.monotonic()
            _some(home, ready[start : start + TOGETHER], declared, done)
            _give_way(home, time.monotonic() - began)
    return done


def _give_way(home: Home, held: float) -> None:
    """Leave the store free for a moment, and where others write meanwhile for as long as it was `held` (seconds)."""
    before = home.memory.value("PRAGMA data_version")
    time.sleep(GAP_S)
    if home.memory.value("PRAGMA data_version") != before:
        time.sleep(held)


def drain_overdue(home: Home, projects: list[str]) -> list[Drained]:
    """Drain by rule the projects in which an item has waited too long. Where another drain works it is left alone."""
    done = []
    for project in projects:
        with suppress(Busy):
            done.append(drain_offline(home, project))
    return done


def _some(home: Home, items: list[Item], declared: Channels, done: Drained) -> None:
    """A few items in one transaction; where one fails, once more with each undone alone. Only what was committed is counted.

    Not so from the start: at every savepoint the full-text index writes a segment, which made half of a drain's cost.
    """
    db = home.memory
    try:
        with db.transaction():
            ends: list[_End] = [_one(home, item, declared, done.batch) for item in items]
    except (Busy, StoreFault):
        raise
    except (BellekError, ValueError):
        with db.transaction():
            ends = [_alone(home, item, declared, done.batch) for item in items]
    for item, end in zip(items, ends, strict=True):
        failpoints.reach("item-committed")
        match end:
            case None:
                pass
            case str(reason):
                done.failed.append((item.id, reason))
            case (settled, kinds):
                _count(done, item, settled, kinds)


def _alone(home: Home, item: Item, declared: Channels, batch: str) -> _End:
    """What became of an item, or why it failed; nothing of one that failed is written but its try."""
    try:
        with home.memory.savepoint():
            return _one(home, item, declared, batch)
    except (Busy, StoreFault):
        raise
    except (BellekError, ValueError) as exc:
        reason = _reason(exc)
        queue.fail(home.memory, item, reason, for_good=isinstance(exc, Refused))
        return reason


def _one(home: Home, item: Item, declared: Channels, batch: str) -> tuple[_Done, list[str]] | None:
    """What became of an item and the kinds of its rows; None where it was acknowledged or taken meanwhile."""
    current = queue.pending(home.memory, item.id)
    if current is None:
        return None
    ended = _settle(home, current, declared.drain_of(item.channel), batch)
    failpoints.reach("item-written")
    return ended


def _counted_as(row: Memory) -> str:
    return "quarantined" if row.status == "quarantined" else str(row.body.kind)


def _reason(exc: BellekError | ValueError) -> str:
    if not isinstance(exc, BellekError):
        return type(exc).__name__
    return redact(exc.what + (f": {exc.why}" if exc.why else ""))


def _count(done: Drained, item: Item, settled: _Done, kinds: list[str]) -> None:
    """Only what was committed is counted."""
    done.notes += [(item.id, redact(note)) for note in settled.notes]
    match settled.how:
        case "repeated":
            done.repeated += 1
            return
        case "absorbed":
            done.absorbed += 1
        case "dropped":
            done.dropped += 1
        case _:
            pass
    done.acknowledged += 1
    done.quarantined += kinds.count("quarantined")
    for kind in (kind for kind in kinds if kind != "quarantined"):
        done.written[kind] = done.written.get(kind, 0) + 1


def _settle(home: Home, item: Item, how: Drain, batch: str) -> tuple[_Done, list[str]]:
    """Write an item's rows and acknowledge it, unless the same words stand already. With the kinds of the new rows."""
    db = home.memory
    standing = queue.standing(db, item)
    if standing:  # a twin came while the first was being drained: its rows are current, so it only counts
        queue.settle(db, item, standing, actor=ACTOR, batch=batch)
        return _Done("repeated", standing), []
    here = agents.scope_of_session(db, item.project, item.session)
    settled = _write(Place(home, here, ACTOR, batch, (item,)), item, how)
    # Acknowledged only after each row was read back.
    kinds = {id_: _counted_as(memories.read(db, id_)) for id_ in settled.ids}
    failpoints.reach("rows-written")
    for n, note in enumerate(settled.notes):
        notices.say_once(
            db,
            kind="drain",
            source=item.id,
            position=n,
            project=item.project,
            text=f"{item.channel} item {item.id}: {note}",
        )
    queue.settle(db, item, settled.ids, actor=ACTOR, batch=batch)
    return settled, [kinds[id_] for id_ in settled.written]


def _write(place: Place, item: Item, how: Drain) -> _Done:
    match how:
        case "learning":
            return _learning(place, item)
        case "task":
            kept = tasks.take(place, item.payload, origin=item.origin)
            return _Done(kept.state, kept.ids, kept.ids if kept.state == "written" else ())
        case "profile-fact":
            stated = profile_rows.write(place, item, profile.parse(item.payload))
            how_it_went = "written" if stated.written else "absorbed" if stated.ids else "dropped"
            return _Done(how_it_went, stated.ids, stated.written, stated.notes)
        case "none":
            raise Refused(f"the channel {item.channel} is not drained by rule")
        case _:
            assert_never(how)


def _learning(place: Place, item: Item) -> _Done:
    """A lesson and a journal row; a near twin of a known lesson only counts there; small talk is dropped with a record."""
    found = route.learning(item.payload)
    if route.trivial(found.text):
        return _Done("dropped", writers.drop(place, "it holds nothing to learn").ids)
    body = Lesson(topic=found.topic, learning=found.kind, importance=found.importance, sightings=item.sightings)
    known = dedupe.twin(place.home.memory, "lesson", place.project, found.text)
    if known:
        writers.absorb_lesson(place, known)
        return _Done("absorbed", (known,))
    # The event first: of two rows with the same words recall takes the older.
    event = writers.event(place, found.text, found.topic)
    kept = writers.new_lesson(place, found.text, body, origin=item.origin)
    rows = (*event.ids, *kept.ids)
    return _Done("written" if rows else "dropped", rows, rows)
