"""LoCoMo as retrieval: which turns hold the evidence of a question, through the product's own store and search.

    python scripts/bench/locomo.py FILE [--embedder E] [--json]

FILE is LoCoMo's list of conversations. Each question is put to its own conversation, which is a project of its own; only
the turns' text, author and time are stored (no captions). Adversarial questions (category 5) are shown by category and kept
out of ``overall``; questions without a known evidence turn are left out.

turn_r@k: share of a question's evidence turns among the first k, averaged over questions. session_r@k: share of its
evidence sessions among the first k different sessions, in the order of their best turns. mrr: 1 / place of the first
evidence turn. query_ms: expression, index and scoring of one question. embedder: the arm of meaning that was asked besides.
"""

import argparse
import hashlib
import json
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conditions import conditions
from product import EMBEDDERS, Said, arm, ask, best_embedder, fill, home

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
ADVERSARIAL = "adversarial"
DEEP = 100  # ranks looked at for mrr and sessions
Row = dict[str, float]


def turns(conversation: dict[str, Any]) -> list[Said]:
    """The turns of all sessions in order, a second apart."""
    said: list[Said] = []
    numbers = sorted(int(found[1]) for key in conversation if (found := re.fullmatch(r"session_(\d+)", key)))
    for number in numbers:
        when = conversation.get(f"session_{number}_date_time", "")
        at = int(datetime.strptime(when, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).timestamp()) if when else 0
        said.extend(
            Said(turn["dia_id"], turn["text"], session=str(number), author=turn["speaker"], at=(at + place) * 1000)
            for place, turn in enumerate(conversation[f"session_{number}"])
        )
    return said


def judge(order: list[Said], evidence: set[str], session_of: dict[str, str]) -> Row:
    """The figures of one question: ``order`` is the ranking, ``evidence`` the names of the turns that answer it."""
    names = [turn.name for turn in order]
    sessions = list(dict.fromkeys(turn.session for turn in order))
    wanted = {session_of[name] for name in evidence}
    first = next((place for place, name in enumerate(names, 1) if name in evidence), 0)
    return {
        **{f"turn_r@{k}": len(evidence.intersection(names[:k])) / len(evidence) for k in (5, 10, 20)},
        **{f"session_r@{k}": len(wanted.intersection(sessions[:k])) / len(wanted) for k in (5, 10)},
        "mrr": 1 / first if first else 0.0,
    }


def answers(sample: dict[str, Any], project: str, name: str) -> Iterator[tuple[str, Row, float]]:
    """Category, figures and milliseconds of each question of one conversation."""
    said = turns(sample["conversation"])
    session_of = {turn.name: turn.session for turn in said}
    with home() as store:
        turn_of = fill(store, project, said)
        embedder = arm(store, name)
        for asked in sample["qa"]:
            evidence = {name for cell in asked["evidence"] for name in re.findall(r"D\d+:\d+", cell)} & set(session_of)
            if not evidence:
                continue
            start = time.perf_counter()
            found = ask(store, project, asked["question"], limit=DEEP, embedder=embedder)
            spent = (time.perf_counter() - start) * 1000
            yield CATEGORIES[asked["category"]], judge([turn_of[n] for n in found], evidence, session_of), spent


def mean(rows: list[Row]) -> Row:
    """Column means and the number of rows."""
    names = rows[0] if rows else {}
    return {**{name: round(sum(row[name] for row in rows) / len(rows), 4) for name in names}, "n": len(rows)}


def measure(path: Path, embedder: str) -> dict[str, Any]:
    """The figures of one file."""
    samples = json.loads(path.read_text("utf-8"))
    results = [row for at, sample in enumerate(samples) for row in answers(sample, f"p_{at}", embedder)]
    by_category = {
        name: mean([row for category, row, _ in results if category == name]) for name in CATEGORIES.values()
    }
    times = sorted(spent for _, _, spent in results)
    return {
        "overall": mean([row for category, row, _ in results if category != ADVERSARIAL]),
        "by_category": {name: row for name, row in by_category.items() if row["n"]},
        "query_ms": {f"p{p}": round(times[(len(times) - 1) * p // 100], 3) if times else 0.0 for p in (50, 95)},
        "embedder": embedder,
    }


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--embedder", choices=EMBEDDERS, default=best_embedder(), help="the arm of meaning")
    given = parser.parse_args()
    figures = measure(given.file, given.embedder)
    if given.json:
        data = hashlib.sha256(given.file.read_bytes()).hexdigest()[:16]
        print(json.dumps({"conditions": conditions(data=data, file=given.file.name), **figures}, indent=1))
        return
    print("embedder    ", figures["embedder"])
    for name, row in {"overall": figures["overall"], **figures["by_category"], "query_ms": figures["query_ms"]}.items():
        print(f"{name:12}", "  ".join(f"{column} {value}" for column, value in row.items()))


if __name__ == "__main__":
    main()
