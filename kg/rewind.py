"""Point in time: typed memory as it stood at an instant, worked out from the trail and written as one new batch.

What came after is hidden, what changed is as it was; nothing leaves the trail, so the whole is undone like any other batch.
It must never bring back what was forgotten since (its bodies are gone), and is a person's act.
"""

from dataclasses import dataclass

from bellek.kg import audit, clock, memories, tombstones
from bellek.kg.db import Database
from bellek.kg.ids import mint
from bellek.schemas.errors import NeverAgain, PersonNeeded, Refused
from bellek.schemas.memory import Memory

WHY = "it came after the instant that memory was taken back to"
ACT = "undo"  # as an undo does: whole revisions come back, of every kind


@dataclass(frozen=True, slots=True)
class Rewound:
    """What it did (or would do): its batch, rows hidden, rows brought back, refusals taken back, rows that could not be."""

    batch: str
    hidden: tuple[str, ...]
    restored: tuple[str, ...]
    lifted: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row that was touched after the instant, and the revision that it had then (0: there was none)."""

    id: str
    then: int


def touched(db: Database, at: int) -> list[str]:
    """Ids of the rows that acts after an instant (UTC milliseconds) wrote, newest first. Writes nothing."""
    return [row.id for row in _touched(db, at)]


def to(db: Database, at: int, *, actor: str) -> Rewound:
    """Take typed memory back to an instant. Raises PersonNeeded, and Refused where nothing came after it."""
    if not memories.by_person(actor):
        raise PersonNeeded("memory was not taken back", why="only a person takes back what persons did")
    hidden, restored, notes = list[str](), list[str](), list[str]()
    with db.transaction():
        rows = _touched(db, at)
        stones = [str(id_) for (id_,) in db.rows(
            "SELECT DISTINCT t.memory FROM tombstones t JOIN audit a ON a.id = t.id AND a.revision = 1 WHERE t.why = 'refused' AND t.lifted = 0 AND a.clock >> ? > ?",
            (clock.COUNTER_BITS, at),
        )]  # fmt: skip
        if not rows and not stones:
            raise Refused(
                "nothing was taken back", why=f"no act came after {clock.stamp(at)}", hint="run `bellek audit log`"
            )
        batch = mint("b")
        lifted = sum(tombstones.lift(db, memory, actor=actor, batch=batch) for memory in stones)
        for row in rows:
            now = memories.read(db, row.id)
            try:
                with db.savepoint():
                    memories.write(db, _as_then(db, row, now, batch), actor=actor, act=ACT)
            except (Refused, NeverAgain, PersonNeeded) as exc:
                notes.append(f"{row.id} stays as it is: {exc.why or exc.what}")
            else:
                (restored if row.then else hidden).append(row.id)
        audit.append(db, actor=actor, act="rewind", kind="home", id="", batch=batch)
    return Rewound(batch, tuple(hidden), tuple(restored), lifted, tuple(notes))


def _touched(db: Database, at: int) -> list[_Row]:
    """Only rows that are there: what was forgotten has none."""
    rows = db.rows(
        "SELECT m.id, coalesce((SELECT max(b.revision) FROM audit b WHERE b.id = m.id AND b.revision > 0 AND b.clock >> ?1 <= ?2), 0)"
        " FROM memories m JOIN audit a ON a.id = m.id AND a.revision = m.revision WHERE a.clock >> ?1 > ?2 ORDER BY a.seq DESC",
        (clock.COUNTER_BITS, at),
    )
    return [_Row(str(id_), int(str(then))) for id_, then in rows]


def _as_then(db: Database, row: _Row, now: Memory, batch: str) -> Memory:
    if not row.then:
        return memories.out_of_sight(now, batch=batch, why=WHY)
    then = memories.of_revision(db, row.id, row.then)
    if then is None:
        raise Refused(f"revision {row.then} of {row.id} is gone", why="it was forgotten")
    return then.model_copy(update={"batch": batch})
