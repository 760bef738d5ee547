"""What many agents and plain files cost: the shared log and the index in a prompt, and a vault of many memories.

    python scripts/bench/files.py [--entries N] [--memories N] [--rounds N] [--json]

- `log`: reading what of N entries of other agents waits for one agent, and the memory index, as the prompt hook does; the
  same in a store without an entry stands beside it, round by round, and `adds_ms` is the median difference, `adds_cpu_ms` that of processor time, which neighbours disturb less. Half of the entries are acknowledged.
- `export`: `vault export` of N memories (lessons, claims, pages, journal rows, entities in equal parts) into an empty folder,
  again with nothing changed (`again_s`), and after one edit (`after_edit_s`; `touched` are files written by it). `files` counts files.

The log's rows are laid into the tables directly: only reading is measured. The memories go through the one write path.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from conditions import conditions, quantile, spread

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bellek.context import index, log_lines
from bellek.curator import review, vault_disk, vaulted
from bellek.kg import clock, memories, registry
from bellek.kg.home import Home, open_home
from bellek.kg.ids import mint
from bellek.schemas.claim import Claim
from bellek.schemas.entity import Entity
from bellek.schemas.event import Event
from bellek.schemas.lesson import Lesson
from bellek.schemas.memory import Memory
from bellek.schemas.page import Page

WORDS = [
    "kurulum",
    "sunucu",
    "liman",
    "paket",
    "sürüm",
    "kilit",
    "anahtar",
    "tablo",
    "dizin",
    "sorgu",
    "port",
    "cache",
    "index",
    "shard",
    "queue",
    "lease",
    "token",
    "batch",
]


def entries(home: Home, project: str, many: int) -> None:
    """Entries of another agent, every second one acknowledged by the reader."""
    db = home.memory
    base = (clock.now() - many * 1000) << 16
    with db.transaction():
        db.run_many(
            "INSERT INTO log_agents (project, agent) VALUES (?, ?)", [(project, name) for name in ("*", "pi", "ada")]
        )
        db.run_many(
            "INSERT INTO memories (id, kind, project, agent, session, origin, tier, status, note, let_in, text, shadow, said_at, offset_minutes, created, updated, batch, revision)"
            " VALUES (?, 'log', ?, 'pi', '*', 'agent', '-', 'current', '', 0, ?, '', ?, 0, ?, ?, 'b', 1)",
            [
                (
                    f"g_{n:012d}",
                    project,
                    f"entry {n}",
                    (base >> 16) + n * 1000,
                    base + (n * 1000 << 16),
                    base + (n * 1000 << 16),
                )
                for n in range(many)
            ],
        )
        db.run_many(
            "INSERT INTO logs (id, type, channel, reason, about) VALUES (?, ?, 'pi', 'why', '')",
            [(f"g_{n:012d}", "decision" if n % 5 == 0 else "note") for n in range(many)],
        )
        for agent, step in (("*", 1), ("ada", 2)):
            db.run_many(
                "INSERT INTO log_open (project, agent, sort, clock, entry) VALUES (?, ?, ?, ?, ?)",
                [
                    (project, agent, int(n % 5 == 0), base + (n * 1000 << 16), f"g_{n:012d}")
                    for n in range(0, many, step)
                ],
            )


def read(home: Home, project: str) -> tuple[float, float]:
    """Milliseconds of one turn's reading: of wall and of processor time."""
    began, used = time.perf_counter(), time.thread_time()
    log_lines.told(home.memory, project, "ada", person=True)
    index.lines(home.memory, project)
    return (time.perf_counter() - began) * 1000, (time.thread_time() - used) * 1000


def log(at: str, many: int, rounds: int) -> dict[str, object]:
    """Reading with and without entries, in turn."""
    with open_home(f"{at}/full") as full, open_home(f"{at}/empty") as empty:
        projects = []
        for home in (full, empty):
            with home.memory.transaction():
                projects.append(registry.register(home.memory, at))
        entries(full, projects[0], many)
        pairs = [(read(full, projects[0]), read(empty, projects[1])) for _ in range(rounds + 1)][1:]
    return {
        "adds_ms": round(quantile([a[0] - b[0] for a, b in pairs], 0.5), 3),
        "adds_cpu_ms": round(quantile([a[1] - b[1] for a, b in pairs], 0.5), 3),
        "ms": spread([a[0] for a, _ in pairs]),
        "empty_ms": spread([b[0] for _, b in pairs]),
        "entries": many,
    }


def body(n: int) -> tuple[str, object, str, str]:
    """(letter, body, text, tier) of the n-th memory."""
    words = " ".join(WORDS[(n * step + step) % len(WORDS)] for step in range(1, 12))
    match n % 5:
        case 0:
            return (
                "l",
                Lesson(topic=f"konu-{n}", learning="discovery", importance=n % 4),
                f"{words} {n} çünkü öyle",
                "T1",
            )
        case 1:
            return (
                "c",
                Claim(category="project", subject=f"ada {n}", predicate="uses", object=f"{words} {n}", confidence=0.5),
                f"ada {n} uses {words} {n}",
                "T1",
            )
        case 2:
            return "w", Page(topic=f"sayfa-{n}", title=f"Sayfa {n}"), f"# {n}\n\n{words}\n\n## Not\n\n{words}", "T1"
        case 3:
            return "e", Event(day=f"2026-{1 + n % 12:02d}-{1 + n % 28:02d}", topic=f"gun-{n}"), f"{words} {n}", "-"
        case _:
            return "n", Entity(name=f"ada {n}", type="project"), f"ada {n} (project)", "T1"


def export(at: str, many: int) -> dict[str, object]:
    """A vault of so many memories."""
    with open_home(f"{at}/vault-home") as home:
        with home.memory.transaction():
            project = registry.register(home.memory, at)
        first = ""
        for start in range(0, many, 500):
            with home.memory.transaction():
                for n in range(start, min(start + 500, many)):
                    letter, made, text, tier = body(n)
                    row = Memory.model_validate({
                        "id": mint(letter), "project": project, "agent": "*", "session": "*", "origin": "agent", "tier": tier, "text": text,
                        "said_at": clock.now(), "batch": "b_bench", "body": made,
                    })  # fmt: skip
                    first = first or row.id
                    memories.write(home.memory, row, actor="bench")
        root = vault_disk.make(f"{at}/vault")
        took, cpu = [], []
        for step in range(3):
            if step == 2:
                with home.memory.transaction():
                    review.edit(home, first, "başka söz çünkü öyle", actor="person:bench")
            began, used = time.perf_counter(), time.process_time()
            done = vaulted.export(home, root, project)
            took.append(round(time.perf_counter() - began, 2))
            cpu.append(round(time.process_time() - used, 2))
            if step == 1 and done.written:
                raise SystemExit(f"{len(done.written)} unchanged files were written")
    return {
        "first_s": took[0], "again_s": took[1], "after_edit_s": took[2], "first_cpu_s": cpu[0], "again_cpu_s": cpu[1], "touched": len(done.written), "memories": many,
        "files": sum(len(names) for _, _, names in os.walk(root)),
    }  # fmt: skip


def where(folder: str) -> str:
    """Whether a folder lies in memory: on a disk that others use a new file may wait longer than everything else takes."""
    return "memory" if folder.startswith("/dev/shm") else "disk"


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as at:
        place = os.path.realpath(at)
        cases = {"log": log(place, given.entries, given.rounds), "export": export(place, given.memories)}
    result = {
        "conditions": conditions(
            entries=given.entries, memories=given.memories, rounds=given.rounds, place=where(place)
        ),
        "cases": cases,
    }
    if given.json:
        print(json.dumps(result, indent=1))
        return
    print(f"log     adds {cases['log']['adds_ms']} ms at {given.entries} entries")
    print(
        f"export  {cases['export']['first_s']} s, again {cases['export']['again_s']} s, {cases['export']['files']} files"
    )


if __name__ == "__main__":
    main()
