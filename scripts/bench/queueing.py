"""How many items a second several processes enqueue while another drains them.

    python scripts/bench/queueing.py [--processes N] [--seconds S] [--json]

Each process opens the home by itself, as a hearing child does, and enqueues learnings one transaction each, as fast as it
can, until its time is over; meanwhile one process drains offline, again and again, until the writers are done and nothing
waits. Counted: `together_per_s`, what was enqueued and what was acknowledged a second of the time in which all of them were
at work; the same of the whole time, in which at the end only the backlog is drained; what was lost or doubled (rows
against sightings), and errors, of which a busy store is one. `*_cpu_ms` is processor time an item, which neighbours
disturb less than a rate. (Named queueing: a queue.py beside a script would stand in front of the standard library's.)
"""

import argparse
import json
import multiprocessing
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from conditions import conditions

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bellek.curator.drain import drain_offline
from bellek.kg import check, clock, queue
from bellek.kg.home import open_home
from bellek.schemas.errors import BellekError
from bellek.schemas.queue import Sighting

PROJECT = "p_bench"
# By the trail: each acknowledgement left an entry with its time.
_ACKNOWLEDGED = f"SELECT count(*) FROM audit WHERE act = 'ack' AND clock >> {clock.COUNTER_BITS} BETWEEN ? AND ?"
AT = 1_796_000_000_000


def enqueue(at: str, number: int, seconds: float, ready: Any, out: Any) -> None:
    """Enqueue made-up learnings until the time is over; puts (number of items, errors, processor seconds)."""
    dice = random.Random(number)
    done, errors = 0, 0
    with open_home(at) as home:
        ready.wait()
        began = time.process_time()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            text = f"process {number} learned fact {done}: " + " ".join(str(dice.randrange(10**6)) for _ in range(12))
            sighting = Sighting(
                PROJECT,
                "claude-code",
                f"talk-{number}",
                "learning",
                text,
                "agent",
                f"m-{number}-{done}",
                0,
                AT + done,
                0,
            )
            try:
                with home.memory.transaction():
                    queue.enqueue(home.memory, sighting)
                done += 1
            except BellekError:
                errors += 1
    out.put((done, errors, time.process_time() - began))


def drain(at: str, ready: Any, finished: Any, out: Any) -> None:
    """Drain until the writers are done and nothing waits; puts (acknowledged, failed, errors, processor seconds)."""
    acknowledged, failed, errors = 0, 0, 0
    with open_home(at) as home:
        ready.wait()
        last, began = False, time.process_time()
        while True:
            try:
                done = drain_offline(home, PROJECT, limit=200)
            except BellekError:
                errors += 1
                continue
            acknowledged += done.acknowledged + done.repeated
            failed += len(done.failed)
            if last and not done.acknowledged:
                break
            last = finished.is_set()
            if not done.acknowledged:
                time.sleep(0.005)
    out.put((acknowledged, failed, errors, time.process_time() - began))


def measure(at: str, processes: int, seconds: float) -> dict[str, object]:
    """Run them all and account for every item."""
    home_at = os.path.join(at, "home")
    open_home(home_at).close()
    context = multiprocessing.get_context("spawn")
    out, drained, finished = context.Queue(), context.Queue(), context.Event()
    ready = context.Barrier(processes + 2)  # interpreters start before the time does
    drainer = context.Process(target=drain, args=(home_at, ready, finished, drained))
    writers = [context.Process(target=enqueue, args=(home_at, n, seconds, ready, out)) for n in range(processes)]
    for process in (drainer, *writers):
        process.start()
    ready.wait()
    began, began_at = time.monotonic(), clock.now()
    counts = [out.get() for _ in writers]
    wrote, wrote_at = time.monotonic() - began, clock.now()
    finished.set()
    acknowledged, failed, errors, drain_cpu = drained.get()
    whole = time.monotonic() - began
    for process in (drainer, *writers):
        process.join()
    enqueued = sum(done for done, _, _ in counts)
    with open_home(home_at) as home:
        meanwhile = int(str(home.memory.value(_ACKNOWLEDGED, (began_at, wrote_at))))
        lessons = int(str(home.memory.value("SELECT count(*) FROM lessons")))
        faults = check.check_memory(home.memory)
    return {
        "enqueued": enqueued, "acknowledged": acknowledged, "lessons": lessons, "lost": enqueued - lessons, "failed": failed,
        "errors": errors + sum(wrong for _, wrong, _ in counts), "faults": faults,
        "together_per_s": round((enqueued + meanwhile) / wrote), "enqueued_per_s": round(enqueued / wrote),
        "enqueued_and_acknowledged_per_s": round((enqueued + acknowledged) / whole), "acknowledged_per_s": round(acknowledged / whole),
        "enqueue_cpu_ms": round(sum(cpu for *_, cpu in counts) / max(1, enqueued) * 1000, 3),
        "drain_cpu_ms": round(drain_cpu / max(1, acknowledged) * 1000, 3), "seconds": round(whole, 1),
    }  # fmt: skip


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as at:
        figures = measure(at, given.processes, given.seconds)
    result = {"conditions": conditions(processes=given.processes, seconds=given.seconds), **figures}
    print(json.dumps(result, indent=1) if given.json else f"{given.processes} processes: {figures}")


if __name__ == "__main__":
    main()
