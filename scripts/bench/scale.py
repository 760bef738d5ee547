"""How search grows: N made messages, stored and searched through the product's own rooms.

    python scripts/bench/scale.py N [--rounds N] [--keep DIR] [--json]

Two stores are made, one after the other: `all` keeps every message in one project, `tenth` a tenth of them, spread over the
whole time. Each is asked with questions of 6 and of 25 content words from what was said in one place of the asked project:
`lexical` by words, `newest` by words in the newest tenth alone (`since`), `hybrid` by words and by made vectors of the same
messages, without the embedding. Times are milliseconds of one `find.find`, best of the rounds for each question, by
the clock (`ms`) and by processor time (`cpu_ms`), which neighbours disturb less.

index_s: storing (redaction, folding, tables, index). Sizes are bytes; peak_mb is this process's, questions included.
--keep makes the stores in a folder, or asks those that lie there.
"""

import argparse
import itertools
import json
import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import made_vectors
from conditions import conditions, peak_mb, spread
from made import BATCH, PROMPTS, TALK, Speech, messages, prompts
from product import home

from bellek.kg import conversations, find, spaces, vectors
from bellek.kg.answers import Where
from bellek.kg.home import Home, open_home
from bellek.kg.vectors import Arm

KEPT_TALKS = 200  # conversations, evenly spread, whose texts become questions
PROJECT = "p_here"
SHARES = {"all": ("p_here",) * 4, "tenth": ("p_a", "p_b", "p_c", "p_here")}  # made.PROJECTS: the last has ten per cent
WORDS = (6, 25)


def fill(store: Home, projects: tuple[str, ...], count: int) -> tuple[list[str], dict[str, float]]:
    """Store everything; some texts of the asked project, and what it took."""
    kept: list[str] = []
    step = max(1, count // TALK // KEPT_TALKS)
    spent = busy = 0.0
    stream = messages(Speech(1), list(projects), count)
    number = 0
    while batch := list(itertools.islice(stream, BATCH)):
        began, began_cpu = time.perf_counter(), time.process_time()
        conversations.append(store.conversations, "bench", batch)
        spent += time.perf_counter() - began
        busy += time.process_time() - began_cpu
        for message in batch:
            if message.project == "p_here" and (number // TALK % step == 0 or count < TALK * KEPT_TALKS):
                kept.append(message.text)
            number += message.project == "p_here"
    return kept, {"index_s": round(spent, 1), "index_cpu_s": round(busy, 1)}


def sizes(store: Home) -> dict[str, int]:
    """Bytes of the file, of the index and of what was said, and the messages of the asked project."""
    db = store.conversations
    ask = {
        "file": "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
        "index": "SELECT sum(length(block)) FROM messages_fts_data",
        "text": "SELECT sum(length(CAST(text AS BLOB))) FROM messages",
        "asked": "SELECT count(*) FROM messages WHERE project = 'p_here'",
    }
    return {name: int(str(db.value(sql))) for name, sql in ask.items()}


def timed(work: Callable[[str], object], questions: list[str], rounds: int) -> dict[str, Any]:
    """Median and 95th percentile over the questions, each at its best."""
    clocks, busy = [], []
    for question in questions:
        best = best_cpu = float("inf")
        for _ in range(rounds):
            began, began_cpu = time.perf_counter(), time.process_time()
            work(question)
            best_cpu = min(best_cpu, time.process_time() - began_cpu)
            best = min(best, time.perf_counter() - began)
        clocks.append(best * 1000)
        busy.append(best_cpu * 1000)
    return {"ms": spread(clocks, 1), "cpu_ms": spread(busy, 1), "n": len(questions)}


@contextmanager
def kept(folder: str, share: str, count: int) -> Iterator[tuple[Home, list[str], dict[str, float]]]:
    """A filled store with texts of the asked project and what it took; kept in a folder, or gone afterwards."""
    if not folder:
        with home() as store:
            yield store, *fill(store, SHARES[share], count)
        return
    told = Path(folder) / f"{share}.json"
    with open_home(f"{folder}/{share}") as store:
        if not told.exists():
            told.write_text(json.dumps(fill(store, SHARES[share], count)), "utf-8")
        texts, spent = json.loads(told.read_text("utf-8"))
        yield store, texts, spent


def meaning(store: Home, count: int) -> Callable[[str], Arm]:
    """An arm of made vectors over the messages of a store; each question gets one of as many made questions."""
    spaces.extension(store.conversations)
    if not spaces.listed(store.conversations, "made"):
        made_vectors.gather(store.conversations, made_vectors.fill(store.conversations, count, PROJECT)[0])
    (space,) = spaces.listed(store.conversations, "made")
    asked = itertools.cycle(made_vectors.questions(PROMPTS))

    def arm(_question: str) -> Arm:
        packed = next(asked)
        near = vectors.nearest(store.conversations, space, packed, Where(PROJECT), limit=vectors.POOL)
        return Arm(store.conversations, [(space, packed)], near, weight=0.4, floor=0.0)

    return arm


def measure(share: str, count: int, rounds: int, folder: str) -> dict[str, Any]:
    """One store: what it took to make, how large it is, how fast it answers."""
    with kept(folder, share, count) as (store, texts, spent):
        db = store.conversations
        bytes_ = sizes(store)
        since = int(str(db.value("SELECT min(at) + (max(at) - min(at)) * 9 / 10 FROM messages")))
        arms: dict[str, Callable[[str], object]] = {
            "lexical": lambda q: find.find(db, q, project=PROJECT),
            "newest": lambda q: find.find(db, q, project=PROJECT, since=since),
        }
        if share == "all":
            arm = meaning(store, count)
            arms["hybrid"] = lambda q: find.find(db, q, project=PROJECT, dense=arm(q), weight=0.4)
        asked = {str(size): prompts(texts, size, 1) for size in WORDS}
        times = {
            name: {size: timed(work, questions, rounds) for size, questions in asked.items()}
            for name, work in arms.items()
        }
        return {**spent, "bytes": bytes_, **times}


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("messages", type=int)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", default="", help="a folder in which the stores are made, or lie already")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    before = conditions(messages=given.messages, rounds=given.rounds)
    stores = {share: measure(share, given.messages, given.rounds, given.keep) for share in SHARES}
    peak = peak_mb(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    result = {"conditions": {**before, "load_after": round(os.getloadavg()[0], 1)}, **stores, "peak_mb": peak}
    if given.json:
        print(json.dumps(result, indent=1))
        return
    for share, figures in stores.items():
        print(f"{share}: {figures['index_s']} s to store, {figures['bytes']}")
        for arm in ("lexical", "newest", "hybrid"):
            for size, found in figures.get(arm, {}).items():
                print(f"  {arm:8} {size:>2} words  {found['ms']} ms, {found['cpu_ms']} of processor time")
    print(f"peak {peak} MB")


if __name__ == "__main__":
    main()
