"""Draining without a model: take each waiting item, write what its form says, acknowledge it, in one transaction.

It must never acknowledge an item whose rows it did not read back, never guess beyond the form, and never let one
indigestible item stop the others: after its tries it is parked with a reason.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from bellek.curator import route
from bellek.kg import clock, failpoints, fold, locks, memories, queue, tasks
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.schemas.errors import BellekError, Busy, NotFound, Refused, StoreFault
from bellek.schemas.event import Event
from bellek.schemas.lesson import Lesson
from bellek.schemas.memory import Memory, Source
from bellek.schemas.queue import Item
from bellek.schemas.task import Task
from bellek.schemas.vocab import ANY

LOCK = "drain"
ACTOR = "drain-offline"
TOGETHER = 20  # items a transaction: what a commit costs (index pages, a segment of full text) is shared, other writers wait little
OVERDUE_MS = 24 * 60 * clock.MINUTE_MS  # DESIGN: what has waited a day is drained without a curator


@dataclass(slots=True)
class Drained:
    """What a drain did: the batch's id, rows written by kind, items acknowledged, items that failed with their reasons."""

    batch: str
    written: dict[str, int] = field(default_factory=dict)
    acknowledged: int = 0
    repeated: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)


def drain_offline(home: Home, project: str, *, limit: int = 1000) -> Drained:
    """Drain a project's queue by rule. Raises Busy where another drain works; an empty queue is a no-op."""
    done = Drained(mint("b"))
    with locks.held(home.path, LOCK) as mine:
        if not mine:
            raise Busy("another drain is at work", why="its lock is held by a living process")
        with home.memory.transaction():
            queue.release_expired(home.memory)
        items = [item for item in queue.peek(home.memory, project, limit=limit) if item.state == "pending"]
        for start in range(0, len(items), TOGETHER):
            _some(home.memory, items[start : start + TOGETHER], done)
    return done


def drain_overdue(home: Home) -> list[Drained]:
    """Drain by rule the projects in which an item has waited a day: nobody else came for it. Another drain is left alone."""
    rows = home.memory.rows(
        "SELECT DISTINCT project FROM queue WHERE state = 'pending' AND enqueued_at < ? ORDER BY project",
        (clock.now() - OVERDUE_MS,),
    )
    done = []
    for (project,) in rows:
        with suppress(Busy):
            done.append(drain_offline(home, str(project)))
    return done


def _some(db: Database, items: list[Item], done: Drained) -> None:
    """A few items in one transaction, each undone alone when it fails. Only what was committed is counted."""
    with db.transaction():
        ends = [(item.id, _one(db, item, done.batch)) for item in items]
    failpoints.reach("item-committed")
    for id_, end in ends:
        if isinstance(end, str):
            done.failed.append((id_, end))
        elif end is not None:
            _count(done, end)


def _one(db: Database, item: Item, batch: str) -> list[str] | str | None:
    """Kinds of the rows written, or the reason why it failed; None where it was acknowledged or taken since the list was read."""
    current = queue.pending(db, item.id)
    if current is None:
        return None
    try:
        with db.savepoint():
            kinds = _settle(db, current, batch)
        failpoints.reach("item-written")
    except (Busy, StoreFault):
        raise
    except (BellekError, ValueError) as exc:
        reason = exc.what if isinstance(exc, BellekError) else type(exc).__name__
        queue.fail(db, current, reason, for_good=isinstance(exc, Refused))
        return reason
    return kinds


def _count(done: Drained, kinds: list[str]) -> None:
    if not kinds:
        done.repeated += 1
        return
    done.acknowledged += 1
    for kind in kinds:
        done.written[kind] = done.written.get(kind, 0) + 1


def _settle(db: Database, item: Item, batch: str) -> list[str]:
    """Write an item's rows and acknowledge it; their kinds, none where the same words stand already."""
    standing = queue.standing(db, item)
    if standing:  # a twin came while the first was being drained: its rows are current, so it only counts
        queue.settle(db, item, standing, actor=ACTOR, batch=batch)
        return []
    if item.channel not in WRITERS:
        raise NotFound(
            f"no writer for the channel {item.channel}", why="this version knows none", hint="upgrade bellek"
        )
    rows = WRITERS[item.channel](db, item, batch)
    ids = tuple(memories.write(db, row, actor=ACTOR).id for row in rows)
    for row in rows:
        memories.read(db, row.id)  # acknowledged only after the row was read back
    failpoints.reach("rows-written")
    queue.settle(db, item, ids, actor=ACTOR, batch=batch)
    return [row.body.kind for row in rows]


def _learning(_db: Database, item: Item, batch: str) -> list[Memory]:
    found = route.learning(item.payload)
    event = Event(day=clock.day(item.said_at, item.offset_minutes), topic=found.topic, conversation=item.session)
    lesson = Lesson(topic=found.topic, learning=found.kind, importance=found.importance, sightings=item.sightings)
    return [
        _memory("e", item, batch, found.text, event, tier="-", agent=ANY),
        _memory("l", item, batch, found.text, lesson, tier="T1", agent=ANY),
    ]


def _task(db: Database, item: Item, batch: str) -> list[Memory]:
    mark, text = route.task_mark(item.payload)
    if not text:
        raise Refused("a task mark without words", why=f"{mark} names no task")
    if mark == "SELF_TASK":
        return [_memory("t", item, batch, text, Task(), tier="-", agent=item.agent)]
    closed = Task(state="done" if mark == "TASK_DONE" else "deleted", closed_at=clock.now())
    old = memories.read(db, _open_task(db, item.project, text))
    return [old.model_copy(update={"body": closed, "status": "closed", "batch": batch})]


def _open_task(db: Database, project: str, text: str) -> str:
    """The open task with this id or with these very words (case, accents and punctuation apart); never a guess."""
    wanted = fold.fold(text)
    rows = tasks.listed(db, project)
    found = [row.id for row in rows if row.id == text.strip()] or [
        row.id for row in rows if fold.fold(row.text) == wanted
    ]
    if len(found) != 1:
        near = "; ".join(f"{row.id} {row.text[:40]}" for row in rows[:5]) or "no task is open"
        raise Refused("no single open task has these words", why=near, hint="close it by its id: [TASK_DONE: ID]")
    return found[0]


WRITERS: dict[str, Callable[[Database, Item, str], list[Memory]]] = {"learning": _learning, "task": _task}


def _memory(
    letter: str, item: Item, batch: str, text: str, body: Event | Lesson | Task, *, tier: str, agent: str
) -> Memory:
    return Memory.model_validate(
        {
            "id": mint(letter), "project": item.project, "agent": agent, "session": ANY, "origin": item.origin, "tier": tier,
            "text": text, "said_at": item.said_at, "offset_minutes": item.offset_minutes, "batch": batch, "body": body,
            "sources": (Source(item=item.id, conversation=item.session, message=item.message),),
        }
    )  # fmt: skip
