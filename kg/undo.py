"""Undo: whatever one batch wrote is taken back as one act, which is a batch itself and so can be undone too (R126).

What the batch made is hidden; what it changed gets its former revision back, superseded claims and closed conflicts
included, since those changes are entries of the same batch. It must never take the ground from under a later batch, never
bring back what was forgotten, and never leave half of a batch.
"""

from dataclasses import dataclass

from bellek.kg import audit, memories, tombstones
from bellek.kg.db import Database
from bellek.kg.ids import mint, the_one
from bellek.schemas.errors import NotFound, Refused
from bellek.schemas.memory import Memory

WHY = "what it was about was undone"
ONE_WAY = ("forgetting", "project", "queue")  # kinds of entries of which nothing can be taken back


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did: its own batch, rows hidden, rows brought back to a former revision, refusals taken back."""

    batch: str
    of: str
    hidden: tuple[str, ...]
    restored: tuple[str, ...]
    lifted: int


@dataclass(frozen=True, slots=True)
class _Touched:
    """A row of a batch: its first and last revision there."""

    id: str
    first: int
    last: int


def find(db: Database, given: str) -> str:
    """The one batch that starts with what was given. Raises NotFound, Refused (ambiguous)."""
    rows = db.rows(
        "SELECT DISTINCT batch FROM audit WHERE batch >= ? AND batch < ? ORDER BY batch LIMIT 3", (given, given + "~")
    )
    missing = NotFound(
        f"no batch {given[:40]!r}", why="the trail has none that starts so", hint="run `bellek audit log`"
    )
    return the_one(given, [str(row[0]) for row in rows], missing, things="batches")


def by_person(db: Database, batch: str) -> bool:
    """Whether a person acted in a batch: then only a person may undo it."""
    return any(
        memories.by_person(str(actor))
        for (actor,) in db.rows("SELECT DISTINCT actor FROM audit WHERE batch = ?", (batch,))
    )


def undo(db: Database, batch: str, *, actor: str) -> Undone:
    """Take a batch back, in the caller's transaction. Raises Refused naming the later batch that builds on it, NotFound, PersonNeeded."""
    touched = _touched(db, batch)
    _check(db, batch, touched)
    new = mint("b")
    lifted = tombstones.lift_batch(db, batch, actor=actor, batch=new)
    hidden, restored = [], []
    for row in touched:
        if row.first == 1:
            memories.write(
                db, memories.out_of_sight(memories.read(db, row.id), batch=new, why=WHY), actor=actor, act="undo"
            )
            hidden.append(row.id)
        else:
            before = _body(db, row.id, row.first - 1).model_copy(update={"batch": new})
            memories.write(db, before, actor=actor, act="undo")
            restored.append(row.id)
    audit.append(db, actor=actor, act="undo", kind="batch", id=batch, batch=new)
    return Undone(new, batch, tuple(hidden), tuple(restored), lifted)


def _touched(db: Database, batch: str) -> list[_Touched]:
    """The memories that a batch wrote, newest entry first: what was done last is taken back first."""
    rows = db.rows(
        "SELECT id, min(revision), max(revision) FROM audit WHERE batch = ? AND revision > 0 AND kind <> ? GROUP BY id ORDER BY max(seq) DESC",
        (batch, tombstones.KIND),
    )
    return [_Touched(str(id_), int(str(first)), int(str(last))) for id_, first, last in rows]


def _check(db: Database, batch: str, touched: list[_Touched]) -> None:
    kinds = [str(kind) for (kind,) in db.rows("SELECT DISTINCT kind FROM audit WHERE batch = ?", (batch,))]
    if one_way := sorted(set(kinds) & set(ONE_WAY)):
        raise Refused(
            f"{batch} cannot be undone",
            why=f"it holds an act on a {one_way[0]}: what was forgotten or moved has no former state here",
        )
    if not touched and tombstones.KIND not in kinds:
        raise Refused(
            f"{batch} wrote no row",
            why=f"it holds {', '.join(kinds)} only",
            hint="run `bellek audit log --batch " + batch + "`",
        )
    for row in touched:
        if not db.value("SELECT 1 FROM revisions WHERE id = ? AND revision = ?", (row.id, max(1, row.first - 1))):
            raise Refused(f"{batch} cannot be undone whole", why=f"{row.id} was forgotten since")
    for later, why in _built_upon(db, batch, touched):
        raise Refused(f"{later} builds on {batch}", why=why, hint=f"run `bellek undo {later}` first")


def _built_upon(db: Database, batch: str, touched: list[_Touched]) -> list[tuple[str, str]]:
    """(later batch, why), the newest first. What was changed and brought back since is as the batch left it, and no obstacle."""
    found: dict[str, tuple[int, str]] = {}
    own = {row.id for row in touched}
    for row in touched:
        now = memories.read(db, row.id)
        if not _equal(now, _body(db, row.id, row.last)):
            found.setdefault(now.batch, (_seq(db, now.batch), f"it changed {row.id}"))
    for row in touched:
        for other, how in _pointing(db, row.id):
            if other not in own:
                by = memories.read(db, other)
                found.setdefault(by.batch, (_seq(db, by.batch), f"its {other} {how} {row.id}"))
    return [(later, why) for later, (_, why) in sorted(found.items(), key=lambda one: -one[1][0]) if later != batch]


def _pointing(db: Database, id: str) -> list[tuple[str, str]]:
    """Rows in sight that would be left in the air: conflicts about a row, fields of it, claims it ended, views built on it."""
    rows = db.rows(
        "SELECT x.id, 'is a conflict about' FROM conflicts x WHERE x.state = 'open' AND ?1 IN (x.strong, x.weak)"
        " UNION ALL SELECT f.id, 'is a field of' FROM fields f JOIN memories m ON m.id = f.id WHERE f.entity = ?1 AND m.status IN ('current', 'contested')"
        " UNION ALL SELECT c.id, 'was ended by' FROM claims c JOIN memories m ON m.id = c.id WHERE c.ended_by = ?1 AND m.status <> 'hidden'"
        " UNION ALL SELECT w.id, 'is built on' FROM worldviews w JOIN memories m ON m.id = w.id WHERE m.status = 'current' AND instr(w.evidence, '\"' || ?1 || '\"')",
        (id,),
    )
    return [(str(other), str(how)) for other, how in rows]


def _seq(db: Database, batch: str) -> int:
    return int(str(db.value("SELECT coalesce(max(seq), 0) FROM audit WHERE batch = ?", (batch,))))


def _body(db: Database, id: str, revision: int) -> Memory:
    found = memories.of_revision(db, id, revision)
    if found is None:
        raise Refused(f"revision {revision} of {id} is gone", why="it was forgotten")
    return found


def _equal(one: Memory, other: Memory) -> bool:
    return one.model_copy(update={"batch": ""}) == other.model_copy(update={"batch": ""})
