"""How long the page's server takes for each page, over a store of many claims and messages.

    python scripts/bench/web.py [--claims N] [--messages N] [--rounds N] [--keep FOLDER] [--json]

Requests go to a real server on loopback, one at a time, over connections of their own, as a browser's first one would. It must
never leave out the door: each request carries the session, and each page is the one that a person gets.
"""

import argparse
import http.client
import json
import random
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import made
import uvicorn
from conditions import conditions, spread

import bellek
from bellek.kg import memories, projects, registry
from bellek.kg.home import Home, open_home
from bellek.schemas.memory import Memory
from bellek.web import app
from bellek.web.guard import Keys

BATCH = 1_000
SUBJECTS = 2_000  # of the claims: with their objects the graph has some thousands of nodes
PREDICATES = ("uses", "avoids", "works_on")
BAR_MS, GRAPH_BAR_MS = 50, 300


def fill_claims(home: Home, project: str, count: int, seed: int) -> None:
    """Write claims through the one write path, a batch a transaction; some are candidates."""
    rng = random.Random(seed)
    words = made.vocabulary("en")
    for first in range(0, count, BATCH):
        with home.memory.transaction():
            for n in range(first, min(first + BATCH, count)):
                memories.write(home.memory, _claim(rng, words, project, n), actor="bench")


def _claim(rng: random.Random, words: list[str], project: str, n: int) -> Memory:
    subject, said = f"{words[n % SUBJECTS]}-{n % SUBJECTS}", f"{rng.choice(words)} {rng.choice(words)}"
    predicate, category = rng.choice(PREDICATES), "constraint" if n % 500 == 0 else "project"
    body = {
        "kind": "claim",
        "category": category,
        "subject": subject,
        "predicate": predicate,
        "object": said,
        "confidence": 0.7,
    }
    return Memory.model_validate({
        "id": f"c_{n:012d}", "project": project, "agent": "*", "session": "*", "origin": "agent", "tier": "T1", "text": f"{subject} {predicate} {said}",
        "said_at": made.FIRST_AT + n * 1000, "batch": f"b_{n // BATCH:012d}", "body": body,
    })  # fmt: skip


def ask(keys: Keys, path: str) -> float:
    """Milliseconds until the whole page is there."""
    connection = http.client.HTTPConnection("127.0.0.1", keys.port, timeout=120)
    begun = time.perf_counter()
    connection.request("GET", path, headers={"host": keys.hosts[0], "cookie": f"{keys.cookie}={keys.session}"})
    answer = connection.getresponse()
    answer.read()
    took = (time.perf_counter() - begun) * 1000
    connection.close()
    assert answer.status == 200, (path, answer.status)
    return took


def measure(home: str, folder: str, rounds: int, talk: str) -> dict[str, dict[str, float]]:
    """Path → median and 95th percentile in milliseconds."""
    paths = {
        "inbox": "/", "memory": "/memory/c_000000000000", "search": "/search?q=" + quote("bunu şimdi nasıl"), "conversation": f"/conversation/{quote(talk)}",
        "packet": "/packet?prompt=" + quote("what should we use"), "timeline": "/timeline", "graph": "/graph", "health": "/health",
    }  # fmt: skip
    with (
        bellek.open(home=home, project=folder, agent="page") as memory,
        socket.create_server(("127.0.0.1", 0)) as listening,
    ):
        keys = Keys(listening.getsockname()[1])
        server = uvicorn.Server(
            uvicorn.Config(app.built(memory, keys, ("bench", "")), log_level="critical", access_log=False)
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            for path in paths.values():  # the first of each opens connections and loads templates
                ask(keys, path)
            return {name: spread([ask(keys, path) for _ in range(rounds)]) for name, path in paths.items()}
        finally:
            server.should_exit = True
            thread.join()


def fill(home: str, folder: str, claims: int, messages: int, seed: int = 1) -> None:
    """Make the store, where it is not there yet."""
    if Path(home).exists():
        return
    Path(folder).mkdir(parents=True)
    with open_home(home) as store:
        made.fill(store, folder, count=messages, typed=1_000, seed=seed)
        with store.memory.transaction():
            project = registry.register(store.memory, folder)
        fill_claims(store, project, claims, seed)


def run(place: str, claims: int, messages: int, rounds: int) -> dict[str, object]:
    """Ask for each page of a store under a folder; the times with their conditions."""
    home, folder = f"{place}/home", f"{place}/project"
    fill(home, folder, claims, messages)
    with open_home(home) as store:
        project = projects.find(store.memory, folder)
        talk = str(store.conversations.value("SELECT conversation FROM messages WHERE project = ? LIMIT 1", (project,)))
    pages = measure(home, folder, rounds, talk)
    bars = {name: GRAPH_BAR_MS if name == "graph" else BAR_MS for name in pages}
    return {
        "claims": claims,
        "messages": messages,
        "rounds": rounds,
        "pages_ms": pages,
        "bars_ms": bars,
        "conditions": conditions(),
    }


def main() -> None:
    """Print a table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=100_000)
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument(
        "--keep", metavar="FOLDER", help="make the store there, or ask the one that an earlier run left"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as throwaway:
        result = run(given.keep or f"{throwaway}/bench", given.claims, given.messages, given.rounds)
    if given.json:
        print(json.dumps(result, indent=2))
        return
    pages, bars = result["pages_ms"], result["bars_ms"]
    assert isinstance(pages, dict)
    assert isinstance(bars, dict)
    for name, found in pages.items():
        print(f"{name:14} {found['p50']:8.1f} ms  {found['p95']:8.1f} ms at the 95th  (bar {bars[name]} ms)")


if __name__ == "__main__":
    main()
