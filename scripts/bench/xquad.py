"""XQuAD as retrieval: each question against all paragraphs of the file, lexical.

    python scripts/bench/xquad.py FILE [--json]

FILE is an XQuAD file (SQuAD form: data → paragraphs → qas). r@k is the share of questions whose own paragraph is among
the first k.
"""

import argparse
import json
from pathlib import Path

from lexical import Message, ask, build


def measure(path: Path) -> dict[str, dict[str, float]]:
    """The figures of one file."""
    articles = json.loads(path.read_text("utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    db = build([Message(str(at), paragraph["context"], session=str(at)) for at, paragraph in enumerate(paragraphs)])
    ranks: list[int] = []
    for at, paragraph in enumerate(paragraphs):
        for question in paragraph["qas"]:
            found = [row for row, _ in ask(db, question["question"], 5)]
            ranks.append(found.index(at) + 1 if at in found else 99)
    n = len(ranks)
    shares = {f"r@{k}": round(sum(rank <= k for rank in ranks) / n, 4) if n else 0.0 for k in (1, 5)}
    return {"overall": {**shares, "n": n}}


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    figures = measure(given.file)
    if given.json:
        print(json.dumps(figures))
    else:
        print("  ".join(f"{name} {value}" for name, value in figures["overall"].items()))


if __name__ == "__main__":
    main()
