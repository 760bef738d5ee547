"""What a hub costs: pushing against bare COPY, time to another node, catching up against local import.

    python scripts/bench/hub.py [--entries N] [--spaces N] [--writes N] [--out FILE]

PostgreSQL is started on loopback in a temporary folder (tests/hub/postgres.py). Push: entries of made lessons in runs of 500, one space after the
other, by one writer, against COPY of the same rows in runs of the same size into a table of the same shape, key and index, in the same run. Seen:
one write, a sync of its node, a sync of another in one process, wall time. Catch-up: a new node takes a space, against an import of an archive of the same rows.
"""

import argparse
import json
import os
import secrets
import sys
import tempfile
import time
from pathlib import Path

from conditions import conditions, spread

from bellek.curator import hub_sync
from bellek.kg import archive, archive_load, archive_read, hub_server, hub_spaces, hub_streams, memories, registry
from bellek.kg.home import Home, open_home
from bellek.kg.ids import mint
from bellek.schemas.hub import Token
from bellek.schemas.lesson import Lesson
from bellek.schemas.memory import Memory

SERVER = Path(__file__).resolve().parents[2] / "tests" / "hub"  # where the tests' own server lies
RUN = hub_sync.RUN
COLUMNS = "space, node, seq, id, act, line, hash, body, salt"
TYPES = ["text", "text", "int8", "text", "text", "text", "bytea", "text", "bytea"]


def lesson(store: Home, project: str, n: int) -> None:
    """One lesson, in the caller's transaction."""
    memories.write(store.memory, Memory(
        id=mint("l"), project=project, agent="*", session="*", origin="agent", tier="T1", text=f"lesson {n}: the port of service {n * 7919 % 10_007} is {n}",
        said_at=1_796_000_000_000 + n, batch="b_bench", body=Lesson(topic="note", learning="discovery", importance=1),
    ), actor="bench")  # fmt: skip


def node(folder: Path, token: Token, entries: int) -> Home:
    """A home that joined, with so many lessons."""
    store = open_home(str(folder / token.node))
    with store.memory.transaction():
        project = registry.register(store.memory, str(folder / f"{token.node}-work"))
        hub_spaces.join(store.memory, token, {"app": project}, ())
    for start in range(0, entries, 500):
        with store.memory.transaction():
            for n in range(start, min(entries, start + 500)):
                lesson(store, project, n)
    return store


def pushed(con: object, space: str, sent: list[hub_streams.Sent]) -> float:
    """Seconds to push a stream in runs."""
    began = time.perf_counter()
    for at in range(0, len(sent), RUN):
        hub_server.push(con, space, sent[at : at + RUN])  # type: ignore[arg-type]
    return time.perf_counter() - began


def copied(con: object, space: str, sent: list[hub_streams.Sent]) -> float:
    """Seconds of bare COPY of the same rows in runs of the same size."""
    began = time.perf_counter()
    for at in range(0, len(sent), RUN):
        with con.transaction(), con.cursor().copy(f"COPY bare ({COLUMNS}) FROM STDIN (FORMAT BINARY)") as copy:  # type: ignore[attr-defined]
            copy.set_types(TYPES)
            for one in sent[at : at + RUN]:
                copy.write_row((space, one.node, one.seq, one.id, one.act, one.line, one.hash, one.body, one.salt))
    return time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--entries", type=int, default=5_000)
    asked.add_argument("--spaces", type=int, default=2)
    asked.add_argument("--writes", type=int, default=20)
    asked.add_argument("--out", default="")
    given = asked.parse_args()
    sys.path.insert(0, str(SERVER))
    from postgres import Postgres

    server = Postgres()
    os.environ["PGPASSWORD"] = server.password
    try:
        found = measured(server.server, given)
    finally:
        server.close()
    text = json.dumps(found, indent=1)
    print(text)
    if given.out:
        Path(given.out).write_text(text + "\n", encoding="utf-8")


def measured(server: str, given: argparse.Namespace) -> dict[str, object]:
    """All three figures."""
    push_s = copy_s = 0.0
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with hub_server.opened(server, "bench") as con:
            hub_server.lay_down(con)
            con.execute(
                "CREATE TABLE bare (LIKE bellek_hub.entries, PRIMARY KEY (space, node, seq)) PARTITION BY HASH (space)"
            )
            for i in range(16):
                con.execute(f"CREATE TABLE bare_{i} PARTITION OF bare FOR VALUES WITH (MODULUS 16, REMAINDER {i})")
            con.execute("CREATE INDEX bare_by_id ON bare (space, id)")
        for n in range(given.spaces):
            space = f"s-{n}"
            with hub_server.opened(server, space) as con:
                token = hub_server.invite(con, server, space, "ada", "writer", secrets.token_hex(32))
                second = hub_server.invite(con, server, space, "ada", "writer", token.key)
                store = node(folder, token, given.entries)
                with store.memory.transaction():
                    hub_streams.scan(store.memory, hub_spaces.one(store.memory))
                sent = list(hub_streams.every(store.memory, space))
                copy_s += copied(con, space, sent)
            with hub_server.joined(token) as con:
                push_s += pushed(con, space, sent)
            count += len(sent)
        other = node(folder, second, 0)
        began = time.perf_counter()
        hub_sync.sync(other, hub_spaces.one(other.memory))
        caught = time.perf_counter() - began
        archive.write(store, str(folder / "archive"))
        with open_home(str(folder / "imported")) as third:
            began = time.perf_counter()
            archive_load.load(third, archive_read.read(str(folder / "archive")))
            imported = time.perf_counter() - began
        seen = []
        project = hub_spaces.travels(store.memory, space)[0].project
        for n in range(given.writes):
            began = time.perf_counter()
            with store.memory.transaction():
                lesson(store, project, 1_000_000 + n)
            hub_sync.sync(store, hub_spaces.one(store.memory))
            hub_sync.sync(other, hub_spaces.one(other.memory))
            seen.append((time.perf_counter() - began) * 1000)
        other.close()
        store.close()
    return {
        "conditions": conditions(entries=given.entries, spaces=given.spaces, run=RUN, writers=1, postgresql="15, loopback, shared_buffers 32 MB"),
        "push_entries_s": round(count / push_s), "copy_entries_s": round(count / copy_s), "push_share_of_copy": round(copy_s / push_s, 3),
        "seen_ms": spread(seen, 1), "catch_up_entries_s": round(given.entries / caught), "import_entries_s": round(given.entries / imported),
        "catch_up_share_of_import": round(imported / caught, 3),
    }  # fmt: skip


if __name__ == "__main__":
    main()
