"""The vector spaces of conversations.db: what made them, how far they are, their beginning and end, how a vector is kept in them.

A space holds one kind of text of one embedder in one length. What is not whole is asked by nobody; another embedder's is
never compared. It must never import the vector extension's Python package (it pulls numpy in): SQLite loads the library.
"""

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import util
from pathlib import Path
from typing import Literal, cast

from bellek.kg.db import Database, Row
from bellek.kg.passages import Kind
from bellek.schemas.embedding import Vector

State = Literal["building", "whole", "old"]
SPAN = 6.0  # standard deviations of a vector's numbers that int8 covers; nothing measured lay outside
MOST = 127
DROPPED = 2_000  # rows of an old space that one transaction deletes


@dataclass(frozen=True, slots=True)
class Space:
    """One row of `spaces`. `mean` is what is taken out of a vector; `done` the row number up to which messages were looked at."""

    id: int
    embedder: str
    kind: Kind
    dimension: int
    mean: Vector
    done: int
    refused: int
    state: State


def extension(db: Database) -> bool:
    """Load sqlite-vec into a connection; False where it is not installed or cannot be loaded."""
    found = util.find_spec("sqlite_vec")
    if found is None or found.origin is None:
        return False
    return db.extend(str(Path(found.origin).with_name("vec0")))


def listed(db: Database, embedder: str = "") -> list[Space]:
    """The spaces of one embedder, of all when none is named, in the order in which they were begun."""
    rows = db.rows(
        "SELECT space, embedder, kind, dimension, mean, done, refused, state FROM spaces WHERE ?1 IN ('', embedder) ORDER BY space",
        (embedder,),
    )
    return [_space(row) for row in rows]


def _space(row: Row) -> Space:
    space, embedder, kind, dimension, mean, done, refused, state = row
    taken_out = array("f")
    taken_out.frombytes(cast("bytes", mean))
    return Space(
        int(str(space)), str(embedder), cast("Kind", kind), int(str(dimension)), taken_out, int(str(done)), int(str(refused)), cast("State", state)
    )  # fmt: skip


def whole(db: Database, embedder: str) -> list[Space]:
    """What may be asked of one embedder: its whole spaces; none where one is still being built for the first time."""
    return [space for space in listed(db, embedder) if space.state == "whole"] if embedder else []


def begin(db: Database, embedder: str, means: Sequence[tuple[Kind, Vector]]) -> list[Space]:
    """New spaces of an embedder, one a kind, each with the mean that is taken out of its vectors; those that are being built now."""
    with db.transaction():
        for kind, mean in means:
            db.run(
                "INSERT INTO spaces (embedder, kind, dimension, mean, done, refused, state) VALUES (?, ?, ?, ?, 0, 0, 'building')",
                (embedder, kind, len(mean), mean.tobytes()),
            )
    return [space for space in listed(db, embedder) if space.state == "building"]


def make_whole(db: Database, embedder: str) -> None:
    """What was built is asked from now on, all kinds at once, and what it replaces no more."""
    with db.transaction():
        if db.value("SELECT 1 FROM spaces WHERE embedder = ? AND state = 'building'", (embedder,)):
            db.run("UPDATE spaces SET state = 'old' WHERE embedder = ? AND state = 'whole'", (embedder,))
            db.run("UPDATE spaces SET state = 'whole' WHERE embedder = ? AND state = 'building'", (embedder,))


def drop(db: Database, space: Space) -> None:
    """Take a space away piece by piece; what a kill leaves of it is for the next run."""
    with db.transaction():
        db.run("UPDATE OR IGNORE spaces SET state = 'old' WHERE space = ?", (space.id,))
    while True:
        with db.transaction():
            gone = db.run(
                "DELETE FROM vectors WHERE (space, project, cell, n, part) IN"
                " (SELECT space, project, cell, n, part FROM vectors WHERE space = ? LIMIT ?)",
                (space.id, DROPPED),
            )
            if not gone:
                db.run("DELETE FROM vector_cells WHERE space = ?", (space.id,))
                db.run("DELETE FROM spaces WHERE space = ?", (space.id,))
                return


def ready(db: Database) -> bool:
    """Whether any space is whole: cheap, asked before anything is loaded."""
    return db.value("SELECT 1 FROM spaces WHERE state = 'whole' LIMIT 1") is not None


def centred(vector: Vector, mean: Vector, share: float) -> Vector | None:
    """A vector of length one without `share` of the mean, of length one again; None where nothing is left."""
    if not share:
        return vector
    rest = [x - share * m for x, m in zip(vector, mean, strict=True)]
    length = math.sqrt(math.fsum(x * x for x in rest))
    return array("f", [x / length for x in rest]) if length > 1e-6 else None


def scale(dimension: int) -> float:
    """What 1.0 is in int8: SPAN standard deviations of a vector of length one reach 127."""
    return MOST * math.sqrt(dimension) / SPAN


def packed(vector: Vector) -> bytes:
    """A vector of length one as int8. Each number is off by half a step at most, .001 of the whole."""
    by = scale(len(vector))
    return array("b", [max(-MOST, min(MOST, round(x * by))) for x in vector]).tobytes()


def cosine(distance: float, dimension: int) -> float:
    """The cosine of two packed vectors from their Euclidean distance: both are `scale` long."""
    return 1 - distance * distance / (2 * scale(dimension) ** 2)


def mean_of(vectors: Sequence[Vector]) -> Vector:
    """The mean; `vectors` are not empty."""
    return array("f", [math.fsum(column) / len(vectors) for column in zip(*vectors, strict=True)])
