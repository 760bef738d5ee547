"""Where a large project's vectors gather: inverted lists in an ordinary table, so that a search looks into a few of them.

What it is for: comparing one by one costs about a microsecond a vector; beyond SMALL the vectors of a project are put
into cells by k-means over a sample, and each newcomer goes to its nearest. It must never change which vectors there
are, only beside which others they lie; and a killed process leaves each in exactly one place that is searched.
"""

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from bellek.kg import failpoints
from bellek.kg.db import Database, Value

if TYPE_CHECKING:
    import numpy as np

    Matrix = np.ndarray[tuple[int, int], np.dtype[np.float32]]

SMALL = 20_000  # vectors of a project in one space that are compared one by one
A_CELL = 250  # vectors that a cell is made for: small cells part subjects well, and their centres are compared first
SMALLEST = 60  # in a project that is just large: the time goes to the centres there anyway
SAMPLE = 24  # vectors a cell that k-means looks at
ROUNDS = 6  # of k-means; what moves afterwards moves little
MOVED = 5_000  # vectors a transaction


def nearest(db: Database, space: int, project: str, vector: bytes) -> int:
    """The cell of a newcomer; 0 where the project has none."""
    cell = db.value(
        "SELECT cell FROM vector_cells WHERE space = ? AND project = ? ORDER BY vec_distance_l2(vec_int8(v), vec_int8(?)) LIMIT 1",
        (space, project, vector),
    )
    return int(str(cell or 0))


def gather(db: Database, space: int) -> None:
    """Put the vectors of each large project of a space into cells, and those left over by a kill. Needs numpy; without it nothing is done."""
    waiting = db.rows("SELECT project, count(*) FROM vectors WHERE space = ? AND cell = 0 GROUP BY project", (space,))
    parted = {project for (project,) in db.rows("SELECT DISTINCT project FROM vector_cells WHERE space = ?", (space,))}
    large = [str(project) for project, count in waiting if project in parted or int(str(count)) > SMALL]
    if not large:
        return  # nearly always: numpy is not loaded for it
    try:
        import numpy as np  # noqa: F401  k-means in plain Python would take hours
    except ImportError:
        return
    for project in large:
        if project not in parted:
            _found(db, space, project)
        _move(db, space, project)


def _found(db: Database, space: int, project: str) -> None:
    """Lay down a project's cells, in one transaction; nothing moves yet, and cell 0 is always searched."""
    total = int(str(db.value("SELECT count(*) FROM vectors WHERE space = ? AND project = ?", (space, project))))
    cells = max(min(1_000, total // SMALLEST), min(4_096, total // A_CELL))
    numbers = [
        int(str(n))
        for (n,) in db.rows("SELECT n FROM vectors WHERE space = ? AND project = ? AND part = 0", (space, project))
    ]
    chosen = random.Random(0).sample(numbers, min(len(numbers), cells * SAMPLE))  # noqa: S311  a sample, no secret
    centres = _centres(_matrix(b"".join(_vectors(db, space, chosen)), len(chosen)), cells)
    with db.transaction():
        db.run_many(
            "INSERT INTO vector_cells (space, project, cell, v) VALUES (?, ?, ?, ?)",
            [(space, project, cell, row.astype("i1").tobytes()) for cell, row in enumerate(centres, start=1)],
        )
    failpoints.reach("cells-founded")


def _vectors(db: Database, space: int, numbers: list[int]) -> Iterator[bytes]:
    for start in range(0, len(numbers), 500):
        part = numbers[start : start + 500]
        for (v,) in db.rows(
            f"SELECT v FROM vectors INDEXED BY vectors_by_message WHERE n IN ({', '.join('?' * len(part))}) AND space = ? AND part = 0",
            (*part, space),
        ):
            yield cast("bytes", v)


def _matrix(packed: bytes, rows: int) -> "Matrix":
    import numpy as np

    return np.frombuffer(packed, dtype=np.int8).reshape(rows, -1).astype(np.float32)


def _centres(points: "Matrix", cells: int) -> "Matrix":
    """k-means: centres as whole numbers. A cell that loses all its points keeps its place."""
    import numpy as np

    centres = points[np.random.default_rng(0).choice(len(points), min(cells, len(points)), replace=False)].copy()
    for _ in range(ROUNDS):
        at = _assigned(points, centres)
        sums = np.zeros_like(centres)
        np.add.at(sums, at, points)
        counts = np.bincount(at, minlength=len(centres))
        centres[counts > 0] = sums[counts > 0] / counts[counts > 0, None]
        # A mean is shorter than what it is the mean of; cells are compared with whole vectors, so they get their length.
        centres *= np.linalg.norm(points[0]) / np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-6)
    return np.clip(np.rint(centres), -127, 127)


def _assigned(points: "Matrix", centres: "Matrix") -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """The nearest centre of each point, a block at a time."""
    import numpy as np

    half = (centres**2).sum(1) / 2
    return np.concatenate([(points[i : i + 4_096] @ centres.T - half).argmax(1) for i in range(0, len(points), 4_096)])


def _move(db: Database, space: int, project: str) -> None:
    """Bring what waits in cell 0 into its nearest cell, piece by piece: a search finds each vector in the one or the other."""
    rows = db.rows("SELECT cell, v FROM vector_cells WHERE space = ? AND project = ? ORDER BY cell", (space, project))
    names = [int(str(cell)) for cell, _ in rows]
    centres = _matrix(b"".join(cast("bytes", v) for _, v in rows), len(rows))
    waiting = "SELECT n, part, v FROM vectors WHERE space = ? AND project = ? AND cell = 0 LIMIT ?"
    while batch := db.rows(waiting, (space, project, MOVED)):
        at = _assigned(_matrix(b"".join(cast("bytes", v) for *_, v in batch), len(batch)), centres)
        moved: list[tuple[Value, ...]] = [
            (names[int(cell)], space, project, n, part) for cell, (n, part, _) in zip(at, batch, strict=True)
        ]
        with db.transaction():
            db.run_many(
                "UPDATE vectors SET cell = ? WHERE space = ? AND project = ? AND cell = 0 AND n = ? AND part = ?", moved
            )
        failpoints.reach("cells-filled")
