"""What of the vectors cannot be right, and how it is put right: vectors are a cache, so nothing is lost with them.

Asked by `doctor`: each rule is a query over the spaces of conversations.db, and a few stored vectors are searched for with
themselves: they must come first. Reads only, but for `take_out`, `drop` and `scatter`. It must never touch a message.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from bellek.kg import spaces, vectors
from bellek.kg.answers import Where
from bellek.kg.db import Database
from bellek.kg.spaces import Space

ASKED = 5  # stored vectors a space that are searched for with themselves
# "take out": the vectors that a rule names · "drop": all of the embedder, which are built and asked together · "scatter": into no cell ·
# "": nothing here, `bellek index` embeds again.
Mend = Literal["take out", "drop", "scatter", ""]
_BAD = {
    "have another length than their space": "length(v.v) <> :dimension",
    "are nothing but zeros": "v.v = zeroblob(length(v.v))",
    "belong to no message, or to one without words": "NOT EXISTS (SELECT 1 FROM messages m WHERE m.n = v.n AND m.shadow <> '')",
    "lie under another project than their message": "EXISTS (SELECT 1 FROM messages m WHERE m.n = v.n AND m.project <> v.project)",
}
_ASTRAY = (
    "cell > 0 AND NOT EXISTS (SELECT 1 FROM vector_cells c WHERE c.space = vectors.space AND c.project = vectors.project"
    " AND c.cell = vectors.cell)"
)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong in one space, and how many vectors or messages it concerns."""

    space: int
    what: str
    count: int
    mend: Mend


def faults(db: Database) -> list[Fault]:
    """Every fault of every space that is asked or being built."""
    return [fault for space in spaces.listed(db) if space.state != "old" for fault in _of(db, space)]


def _of(db: Database, space: Space) -> Iterator[Fault]:
    if len(space.mean) not in (0, space.dimension) or not all(map(math.isfinite, space.mean)):
        yield Fault(space.id, "the mean that was taken out of its vectors is no vector", 1, "drop")
        return
    found = False
    for what, rule in _BAD.items():
        count = _count(db, f"SELECT count(*) FROM vectors v WHERE v.space = :space AND ({rule})", space)
        if count:
            found = True
            yield Fault(space.id, f"{count} vectors {what}", count, "take out")
    if count := _count(db, f"SELECT count(*) FROM vectors WHERE space = :space AND {_ASTRAY}", space):
        found = True
        yield Fault(
            space.id, f"{count} vectors lie in a cell that is not there: no search comes to them", count, "scatter"
        )
    lost = _count(
        db,
        "SELECT count(*) FROM messages m WHERE m.shadow <> '' AND m.n <= (SELECT done FROM spaces WHERE space = :space)"
        " AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.n = m.n AND v.space = :space)",
        space,
    )
    if lost > space.refused:
        yield Fault(space.id, f"{lost} messages were looked at and have no vector", lost, "")
    if not found and space.state == "whole" and spaces.extension(db) and (missed := _not_first(db, space)):
        yield Fault(space.id, f"{missed} of {ASKED} vectors are not the nearest to themselves", missed, "drop")


def _count(db: Database, sql: str, space: Space) -> int:
    return int(str(db.value(sql, {"space": space.id, "dimension": space.dimension})))


def _not_first(db: Database, space: Space) -> int:
    """Of a few stored vectors, how many does a search with the very vector not bring first (one as near is as good)?"""
    rows = db.rows(
        "SELECT project, n, v FROM vectors WHERE space = ? AND part = 0 GROUP BY project ORDER BY project LIMIT ?",
        (space.id, ASKED),
    )
    missed = 0
    for project, _, v in rows:
        assert isinstance(v, bytes)
        best = vectors.nearest(db, space, v, Where(str(project)), limit=1)
        near = db.value(
            "SELECT 1 FROM vectors WHERE space = ? AND n = ? AND v = ?", (space.id, best[0] if best else 0, v)
        )
        missed += near is None
    return missed


def take_out(db: Database, space: int) -> None:
    """Delete the vectors of a space that a rule names, with the other parts of their messages."""
    with db.transaction():
        db.run(
            f"DELETE FROM vectors WHERE space = :space AND n IN (SELECT v.n FROM vectors v WHERE v.space = :space AND ({' OR '.join(_BAD.values())}))",
            {"space": space, "dimension": db.value("SELECT dimension FROM spaces WHERE space = ?", (space,))},
        )


def drop(db: Database, space: int) -> None:
    """Delete a space with all of its embedder's, since those of all kinds are built and asked together."""
    with db.transaction():
        every = "(SELECT o.space FROM spaces o JOIN spaces s ON s.embedder = o.embedder WHERE s.space = ?)"
        for table in ("vectors", "vector_cells", "spaces"):
            db.run(f"DELETE FROM {table} WHERE space IN {every}", (space,))


def scatter(db: Database, space: int) -> None:
    """Put vectors whose cell is not there into none: those are always searched, and the next `bellek index` gathers them."""
    with db.transaction():
        db.run(f"UPDATE OR REPLACE vectors SET cell = 0 WHERE space = ? AND {_ASTRAY}", (space,))
