"""What an arm of meaning would add to what a prompt is told of typed memory, at the same silence.

    python scripts/bench/meaning.py [--embedder use|e5] [--json]

Each question of the typed fixture is a prompt. `words` is the packet's own recall with its floor. `words + meaning` adds
the rows whose centred cosine with the prompt lies above that of every off-topic prompt of `tests/stage/corpus.py` with any
row: a lower floor would tell those prompts something. told: share of a question's rows among the five lines; lines: how
many were told. question_ms and load_s are what a process that is warm, or is not, would wait for.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from conditions import conditions, spread
from typed import FOLDER, build

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "stage"))

from corpus import OFF_TOPIC

from bellek.context import recall
from bellek.kg import embedders, embedding, scope, spaces
from bellek.kg.embedders import Embedder
from bellek.kg.home import Home, open_home
from bellek.schemas.embedding import Unfit, Vector

ARMS = ("words", "words + meaning")


class Meaning:
    """Cosines of a text with every row of the store."""

    def __init__(self, home: Home, embedder: Embedder) -> None:
        rows = home.memory.rows("SELECT id, project, text FROM memories WHERE status = 'current' ORDER BY n")
        self._project = {str(id_): str(project) for id_, project, _ in rows}
        vectors = self._made(embedder, [*(str(text) for *_, text in rows), *embedding.PLAIN])
        self._mean = spaces.mean_of(vectors)
        self._embedder = embedder
        self._rows = {str(row[0]): self._centred(vector) for row, vector in zip(rows, vectors, strict=False)}
        self.ms: list[float] = []

    @staticmethod
    def _made(embedder: Embedder, texts: list[str], *, question: bool = False) -> list[Vector]:
        return [vector for vector in embedder.embed(texts, question=question) if not isinstance(vector, Unfit)]

    def _centred(self, vector: Vector) -> Vector:
        return spaces.centred(vector, self._mean, self._embedder.centre) or vector

    def near(self, text: str, project: str = "") -> dict[str, float]:
        """Id → cosine, of one project's rows or of all."""
        began = time.perf_counter()
        [asked] = [self._centred(vector) for vector in self._made(self._embedder, [text], question=True)]
        self.ms.append((time.perf_counter() - began) * 1000)
        return {
            id_: sum(a * b for a, b in zip(asked, vector, strict=True))
            for id_, vector in self._rows.items()
            if project in ("", self._project[id_])
        }


def told(home: Home, meaning: Meaning, floor: float, question: dict[str, Any], arm: str) -> list[str]:
    """The rows that a prompt is told, at most as many as the packet has lines."""
    project = f"p_{question['language']}"
    found = [line.id for line in recall.lessons(home.memory, question["question"], scope.words(project))]
    if arm != "words":
        near = meaning.near(question["question"], project)
        found += sorted((id_ for id_ in near if near[id_] > floor and id_ not in found), key=lambda id_: -near[id_])
    return found[: recall.LESSON_LINES]


def measure(name: str) -> dict[str, Any]:
    """The figures of both arms."""
    questions = [json.loads(line) for line in (FOLDER / "questions.jsonl").read_text("utf-8").splitlines()]
    os.environ[embedders.VARIABLE] = name
    with tempfile.TemporaryDirectory() as place, open_home(f"{place}/home") as home:
        keys = build(home, FOLDER)
        began = time.perf_counter()
        embedder = embedders.load(home.memory)
        loaded = time.perf_counter() - began
        if embedder is None:
            raise SystemExit(f"no embedder {name}")
        meaning = Meaning(home, embedder)
        floor = max(max(meaning.near(prompt).values()) for prompt in OFF_TOPIC)
        result: dict[str, Any] = {"embedder": embedder.identity, "floor": round(floor, 3)}
        for arm in ARMS:
            rows = [[keys[id_] for id_ in told(home, meaning, floor, question, arm)] for question in questions]
            shares = [sum(g in row for g in q["gold"]) / len(q["gold"]) for q, row in zip(questions, rows, strict=True)]
            kinds = sorted({q["kind"] for q in questions})
            of_kind = {k: [s for s, q in zip(shares, questions, strict=True) if q["kind"] == k] for k in kinds}
            result[arm] = {
                "told": round(sum(shares) / len(shares), 4),
                "lines": round(sum(map(len, rows)) / len(rows), 2),
                "by_kind": {kind: round(sum(values) / len(values), 4) for kind, values in of_kind.items()},
                "n": len(questions),
            }
        return {**result, "question_ms": spread(meaning.ms, 1), "load_s": round(loaded, 2)}


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedder", choices=("use", "e5"), default="use")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    found = measure(given.embedder)
    if given.json:
        rows = (FOLDER / "rows.jsonl").read_bytes() + (FOLDER / "questions.jsonl").read_bytes()
        told = conditions(data=hashlib.sha256(rows).hexdigest()[:16])
        print(json.dumps({"conditions": told, **found}, indent=1))
        return
    for name, value in found.items():
        print(f"{name:16} {value}")


if __name__ == "__main__":
    main()
