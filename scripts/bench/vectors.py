"""The vector arm alone, over made vectors: how long a question takes and how much of the exact answer it finds.

    python scripts/bench/vectors.py [--vectors N] [--questions N] [--json]

Made vectors: 384 numbers around 2,000 directions, as talk gathers around subjects. They are stored as the product stores
them (int8, by project and cell), in one project, and asked through its own search. recall@10: the share of the ten nearest of all that
are among the ten found. ms: one question without embedding it, the exact scores of its pool included. Needs numpy and sqlite-vec.
"""

import argparse
import json
import statistics
import tempfile
import time
from importlib import metadata
from pathlib import Path

import made_vectors
from conditions import conditions, spread
from made_vectors import PROJECT

from bellek.kg import vectors
from bellek.kg.answers import Where
from bellek.kg.home import open_home
from bellek.kg.vectors import Arm

BAR = {"ms_p95": 15, "recall@10": 0.95}


def measure(count: int, asked: int) -> dict[str, object]:
    """The figures."""
    with tempfile.TemporaryDirectory() as folder, open_home(folder + "/home") as store:
        db = store.conversations
        start = time.perf_counter()
        space, points = made_vectors.fill(db, count)
        filled = time.perf_counter() - start
        start = time.perf_counter()
        made_vectors.gather(db, space)
        gathered = time.perf_counter() - start
        times: list[float] = []
        shares: list[float] = []
        for question in made_vectors.questions(asked):
            exact = made_vectors.exact(points, question, 10)
            begun = time.perf_counter()
            found = vectors.nearest(db, space, question, Where(PROJECT), limit=vectors.POOL)
            arm = Arm(db, [(space, question)], found, weight=0.5, floor=0.0)
            times.append((time.perf_counter() - begun) * 1000)
            best = sorted(arm.pool, key=lambda n: -arm.pool[n])[:10]
            shares.append(len(exact.intersection(best)) / 10)
        size = Path(db.path).stat().st_size
        cells = int(str(db.value("SELECT count(*) FROM vector_cells")))
    return {
        "vectors": count, "questions": asked, "ms": spread(times), "recall@10": round(statistics.mean(shares), 4), "cells": cells,
        "probes": vectors.PROBES, "insert_s": round(filled, 1), "gather_s": round(gathered, 1), "bytes_a_vector": round(size / count),
    }  # fmt: skip


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=200_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    figures = {
        **measure(given.vectors, given.questions),
        "bar": BAR,
        "conditions": conditions(sqlite_vec=metadata.version("sqlite-vec")),
    }
    print(
        json.dumps(figures, indent=1)
        if given.json
        else "\n".join(f"{name:14} {value}" for name, value in figures.items())
    )


if __name__ == "__main__":
    main()
