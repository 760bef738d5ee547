"""Made vectors for the benchmark of the vector arm: the same each time, in a store as the product lays it out.

It must never search itself but for `exact`, the answer that the product's is held against.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bellek.kg import spaces, vector_cells
from bellek.kg.db import Database
from bellek.kg.spaces import Space

PROJECT = "p_made"
DIMENSION = 384
SUBJECTS = 2_000
NEAR = 0.9  # how far a vector lies from its subject, against the subject's own length
BLOCK = 20_000
Points = "np.ndarray[tuple[int, int], np.dtype[np.int8]]"


def _subjects() -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    return _unit(np.random.default_rng(1).standard_normal((SUBJECTS, DIMENSION), dtype=np.float32))


def _unit(rows):  # noqa: ANN001, ANN202
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _packed(seed: int, count: int):  # noqa: ANN202
    """Vectors around the subjects, packed as `kg.spaces.packed` does it."""
    chance = np.random.default_rng(seed)
    noise = _unit(chance.standard_normal((count, DIMENSION), dtype=np.float32))
    rows = _unit(_subjects()[chance.integers(0, SUBJECTS, count)] + NEAR * noise)
    return np.clip(np.rint(rows * spaces.scale(DIMENSION)), -127, 127).astype(np.int8)


def fill(db: Database, count: int, project: str = PROJECT):  # noqa: ANN201
    """Store `count` messages without words and their vectors; the space and the vectors in the order of their numbers from 1."""
    spaces.extension(db)
    db.run(
        "INSERT INTO spaces (embedder, kind, dimension, mean, done, refused, state) VALUES ('made', 'turn', ?, ?, ?, 0, 'whole')",
        (DIMENSION, bytes(4 * DIMENSION), count),
    )
    (space,) = spaces.listed(db, "made")
    db.run("PRAGMA foreign_keys = OFF")  # the messages themselves are not what is measured
    blocks = []
    for start in range(0, count, BLOCK):
        rows = _packed(100 + start, min(BLOCK, count - start))
        blocks.append(rows)
        with db.transaction():
            db.run_many(
                "INSERT INTO vectors (space, project, cell, n, part, v) VALUES (?, ?, 0, ?, 0, ?)",
                [(space.id, project, start + i, row.tobytes()) for i, row in enumerate(rows, start=1)],
            )
    return space, np.concatenate(blocks)


def gather(db: Database, space: Space) -> None:
    """Put them into cells, as the product does when a space becomes whole."""
    vector_cells.gather(db, space.id)


def questions(count: int) -> list[bytes]:
    """Questions around the same subjects, packed."""
    return [row.tobytes() for row in _packed(7, count)]


def exact(points, question: bytes, limit: int) -> set[int]:  # noqa: ANN001
    """The numbers of the nearest of all, int8 against int8."""
    asked = np.frombuffer(question, dtype=np.int8).astype(np.float32)
    far = np.concatenate(
        [((points[i : i + BLOCK].astype(np.float32) - asked) ** 2).sum(1) for i in range(0, len(points), BLOCK)]
    )
    return {int(n) + 1 for n in np.argpartition(far, limit)[:limit]}
