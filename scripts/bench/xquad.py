"""XQuAD as retrieval: each question against all paragraphs of the file, through the product's own store and search.

    python scripts/bench/xquad.py FILE [--json]

FILE is an XQuAD file (SQuAD form: data → paragraphs → qas). r@k is the share of questions whose own paragraph is among
the first k. A paragraph is stored as a conversation of one message.
"""

import argparse
import hashlib
import json
from pathlib import Path

from conditions import conditions
from product import Said, ask, fill, home

PROJECT = "p_xquad"


def measure(path: Path) -> dict[str, dict[str, float]]:
    """The figures of one file."""
    articles = json.loads(path.read_text("utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    said = [Said(str(at), paragraph["context"], session=str(at)) for at, paragraph in enumerate(paragraphs)]
    ranks: list[int] = []
    with home() as store:
        stored = fill(store, PROJECT, said)
        for at, paragraph in enumerate(paragraphs):
            for question in paragraph["qas"]:
                found = [int(stored[n].name) for n in ask(store, PROJECT, question["question"], limit=5)]
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
        data = hashlib.sha256(given.file.read_bytes()).hexdigest()[:16]
        print(json.dumps({"conditions": conditions(data=data, file=given.file.name), **figures}, indent=1))
    else:
        print("  ".join(f"{name} {value}" for name, value in figures["overall"].items()))


if __name__ == "__main__":
    main()
