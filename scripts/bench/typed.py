"""Recall over typed memory: the questions of a small typed fixture, by words and with the graph beside them.

    python scripts/bench/typed.py [FOLDER] [--json]

FOLDER holds rows.jsonl and questions.jsonl (default: tests/fixtures/typed). r@k is the share of a question's rows among
the first k, averaged; arms: `words` is the product's search of typed memory, the others add the graph to its score.
"""

import argparse
import hashlib
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conditions import conditions

from bellek.kg import clock, graph, graph_arm, memories, typed
from bellek.kg.graph import Graph
from bellek.kg.home import Home, open_home
from bellek.schemas.memory import Memory

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "typed"
LETTERS = {"claim": "c", "entity": "n", "field": "f", "lesson": "l", "event": "e", "page": "w"}
TOP = 20
AT = 1_773_500_000_000  # the content's time: no question of the fixture asks for one


def body_of(row: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    """(text, body, tier) of a row as the curator would write it."""
    kind = row["kind"]
    match kind:
        case "claim":
            body = {k: row[k] for k in ("category", "subject", "predicate", "object", "quote")} | {"confidence": 0.7}
            return f"{row['subject']} {row['predicate'].replace('_', ' ')} {row['object']}", body, "T1"
        case "entity":
            return (
                row["name"],
                {"name": row["name"], "type": row["type"], "aliases": tuple(sorted(row["aliases"]))},
                "T1",
            )
        case "lesson":
            return row["text"], {"topic": row["topic"], "learning": "discovery", "importance": row["importance"]}, "T1"
        case "event":
            return row["text"], {"day": row["day"], "topic": row["topic"]}, "-"
        case _:
            return row["text"], {"topic": row["topic"], "title": row["title"]}, "T1"


def build(home: Home, folder: Path) -> dict[str, str]:
    """Write the rows, a project a language; memory id → key."""
    keys = {}
    with home.memory.transaction():
        for line in (folder / "rows.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            text, body, tier = body_of(row)
            memory = Memory.model_validate({
                "id": f"{LETTERS[row['kind']]}_{row['key']}", "project": f"p_{row['language']}", "agent": "*", "session": "*", "origin": "agent", "tier": tier,
                "text": text, "said_at": AT, "batch": "b_bench", "body": {"kind": row["kind"], **body},
            })  # fmt: skip
            memories.write(home.memory, memory, actor="bench")
            keys[memory.id] = row["key"]
    return keys


Scores = dict[str, float]


def hops(depth: int) -> Callable[[Graph, str, Scores], Scores]:
    """The graph arm of the product with so many edges."""
    return lambda loaded, question, lexical: graph_arm.near(loaded, question, lexical, hops=depth)


def walk(loaded: Graph, question: str, lexical: Scores) -> Scores:
    """Personalised PageRank from what the question names (1 each) and what the matching rows are about (their score)."""
    start = dict.fromkeys(graph_arm.named(loaded, question), 1.0)
    for edge in loaded.edges:
        for end in (edge.source, edge.target):
            start[end] = start.get(end, 0.0) + lexical.get(edge.id, 0.0) / 2
    ranks = graph.rank(loaded, start) if any(start.values()) else {}
    rows: Scores = {}
    for edge in loaded.edges:
        rows[edge.id] = max(rows.get(edge.id, 0.0), (ranks.get(edge.source, 0.0) * ranks.get(edge.target, 0.0)) ** 0.5)
    best = max(rows.values(), default=0.0)
    return {id_: value / best for id_, value in rows.items()} if best else {}


ARMS: dict[str, Callable[[Graph, str, Scores], Scores]] = {
    "words": lambda *_: {}, "words + one hop": hops(1), "words + two hops": hops(2), "words + PageRank": walk,
}  # fmt: skip


def ask(home: Home, loaded: Graph, question: dict[str, Any], arm: str) -> list[str]:
    """Ids of the first rows for a question."""
    found = typed.find(
        home.memory, question["question"], f"p_{question['language']}", now=clock.now(), limit=100, related=False
    )
    best = max((row.score for row in found.rows), default=0.0)
    lexical = {row.id: row.score / best for row in found.rows} if best else {}
    beside = ARMS[arm](loaded, question["question"], lexical)
    return graph_arm.fused(lexical, beside)[:TOP]


def figures(ranks: list[list[int]]) -> dict[str, float]:
    """r@5, r@10 and mrr of the ranks of each question's rows (from 1; 0 for a row that is not there)."""
    n = len(ranks)
    share = {f"r@{k}": round(sum(sum(0 < r <= k for r in q) / len(q) for q in ranks) / n, 4) for k in (1, 5, 10)}
    return {**share, "mrr": round(sum(max((1 / r for r in q if r), default=0.0) for q in ranks) / n, 4), "n": n}


def measure(folder: Path) -> dict[str, Any]:
    """The figures of each arm: overall, by language and by kind of question."""
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as place, open_home(f"{place}/home") as home:
        keys = build(home, folder)
        graphs = {language: graph.load(home.memory, f"p_{language}") for language in {q["language"] for q in questions}}
        for arm in ARMS:
            ranks = []
            for question in questions:
                found = [keys[id_] for id_ in ask(home, graphs[question["language"]], question, arm)]
                ranks.append([found.index(gold) + 1 if gold in found else 0 for gold in question["gold"]])
            parts = {}
            for by in ("language", "kind"):
                parts[f"by_{by}"] = {
                    value: figures([r for r, q in zip(ranks, questions, strict=True) if q[by] == value])
                    for value in sorted({q[by] for q in questions})
                }
            result[arm] = {"overall": figures(ranks), **parts}
    return result


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    found = measure(given.folder)
    if given.json:
        rows = (given.folder / "rows.jsonl").read_bytes() + (given.folder / "questions.jsonl").read_bytes()
        told = conditions(data=hashlib.sha256(rows).hexdigest()[:16])
        print(json.dumps({"conditions": told, "arms": found}, indent=1))
        return
    for arm, parts in found.items():
        print(f"{arm:18} {parts['overall']}")
        for kind, values in parts["by_kind"].items():
            print(f"    {kind:12} {values}")


if __name__ == "__main__":
    main()
