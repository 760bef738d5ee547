"""What tone, tasks and signals cost a prompt hook: two equal homes, one in which messages moved STATE, tasks are open and
learnings wait, one with nothing of it.

    python scripts/bench/tone.py [--rounds N] [--json]

The two are run in turn, between runs of ``python -I -c pass``. `added_ms` is the median of the differences, round by round;
`added_cpu_ms` the same of processor time, which neighbours disturb less; `added_ratio` counts in bare starts, 12 ms on a machine of one's own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from conditions import conditions, quantile, spread
from hook import NOWHERE, ROOT, Run, World, start

POINTS = 5_000  # messages that moved something: a year or two of talk
TASKS, ITEMS = 8, 40  # open tasks; learnings that were heard and wait
MEMORIES, MESSAGES = 1_000, 2_000
_MOVED = f"""
import sys, time
sys.path.insert(0, {str(ROOT)!r})
from bellek.kg import memories, queue, registry, state
from bellek.kg.home import open_home
from bellek.kg.ids import mint
from bellek.kg.state import Point
from bellek.schemas.memory import Memory
from bellek.schemas.queue import Sighting
from bellek.schemas.task import Task
now = time.time_ns() // 1_000_000
with open_home(sys.argv[1]) as home, home.memory.transaction():
    for n in range({POINTS}):
        at = now - ({POINTS} - n) * 600_000
        state.add(home.memory, Point(f"m{{n}}", "claude-code", "p", "s", at, 0, (-0.05, -0.1, 0, 0, 0, 0.1, 0, 0), ("mastery",)))
    project = registry.register(home.memory, sys.argv[2])
    for n in range({TASKS}):
        given = {{"id": mint("t"), "project": project, "agent": "*", "session": "*", "origin": "agent", "tier": "-", "text": f"raporu kapat, bölüm {{n}}"}}
        memories.write(home.memory, Memory(**given, said_at=now, batch="b_x", body=Task()), actor="bench")
    for n in range({ITEMS}):
        queue.enqueue(home.memory, Sighting(project, "claude-code", "s", "learning", f"öğrenilen {{n}} çünkü", "agent", f"i{{n}}", 0, now, 0))
"""


def measure(plain: World, moved: World, rounds: int) -> dict[str, object]:
    """The hook in both homes, round by round."""
    runs: list[tuple[Run, Run, Run]] = []
    for turn in range(-1, rounds):  # one that fills the caches
        for world in (plain, moved):
            world.settle()
        bare = start([sys.executable, "-I", "-c", "pass"], "", plain.world)
        pair = [world.hook("UserPromptSubmit", NOWHERE) for world in ((plain, moved) if turn % 2 else (moved, plain))]
        without, with_ = pair if turn % 2 else pair[::-1]
        if with_.size <= without.size:
            raise SystemExit("nothing of it was told: nothing is measured")
        if turn >= 0:
            runs.append((without, with_, bare))
    return {
        "added_ms": round(quantile([b.wall - a.wall for a, b, _ in runs], 0.5), 2),
        "added_cpu_ms": round(quantile([b.cpu - a.cpu for a, b, _ in runs], 0.5), 2),
        "added_ratio": round(quantile([(b.wall - a.wall) / bare.wall for a, b, bare in runs], 0.5), 3),
        "without_ms": spread([a.wall for a, _, _ in runs]),
        "with_ms": spread([b.wall for _, b, _ in runs]),
        "n": len(runs),
    }


def main() -> None:
    """Parse, make both homes, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as at:
        worlds = []
        for name in ("plain", "moved"):
            os.mkdir(f"{at}/{name}")
            worlds.append(World(os.path.realpath(f"{at}/{name}"), MESSAGES, MEMORIES))
        subprocess.run([sys.executable, "-c", _MOVED, worlds[1].home, worlds[1].folder], check=True)
        figures = measure(*worlds, given.rounds)
        for world in worlds:
            world.close()
    result = {"conditions": conditions(points=POINTS, rounds=given.rounds), "tone": figures}
    print(json.dumps(result, indent=1) if given.json else f"tone, tasks and signals add {figures['added_ms']} ms, {figures['added_ratio']} x a bare start")  # fmt: skip


if __name__ == "__main__":
    main()
