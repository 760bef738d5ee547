"""How long a hundred verdicts take in a store that holds many claims.

    python scripts/bench/apply.py [--claims N] [--verdicts N] [--rounds N] [--json]

The store is filled through the one write path: made-up claims of one project, half of them of many-valued and half of
single-valued predicates, a tenth about the person, so that some slots are deep. A round applies that many verdicts, each
citing an item that waits: three of five write a claim (of them a third contradicts one, a third repeats one), the others
a lesson and an entity with a field. Each round has other words; a round's time is that of `curator.apply.apply` alone.
`cpu_ms` counts processor time, which neighbours disturb less. `prompts_ms` is what a curator does for the same items before a
model is asked: the search for what is known and the words of its prompts, eight items each. `work_cpu_ms` is the processor
time of both: all that a drain does besides waiting for its model.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from conditions import conditions, spread

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bellek.curator import drain_model
from bellek.curator.apply import apply
from bellek.kg import conversations, memories, queue
from bellek.kg.conversations import Message
from bellek.kg.home import Home, open_home
from bellek.kg.ids import mint
from bellek.schemas.claim import Claim
from bellek.schemas.memory import Memory
from bellek.schemas.queue import Sighting

PROJECT = "p_bench"
AT = 1_796_000_000_000
MANY = ("uses", "likes", "depends_on", "requires")
ONE = ("version", "owner", "port", "status", "database")


def subject(dice: random.Random) -> str:
    """The person in one of ten, else one of many made-up names."""
    return "user" if dice.random() < 0.1 else f"thing {dice.randrange(30_000)}"


def fill(home: Home, count: int, dice: random.Random) -> None:
    """Write claims that stand, in batches; a single-valued slot is filled once."""
    taken: set[tuple[str, str]] = set()
    for start in range(0, count, 1000):
        with home.memory.transaction():
            for n in range(start, min(count, start + 1000)):
                who, what = subject(dice), dice.choice(MANY + ONE)
                if what in ONE and (who, what) in taken:
                    what = dice.choice(MANY)
                taken.add((who, what))
                body = Claim(
                    category="project", subject=who, predicate=what, object=f"value {n}", confidence=0.7, valid_from=AT
                )
                row = Memory.model_validate({
                    "id": mint("c"), "project": PROJECT, "agent": "*", "session": "*", "origin": "agent", "tier": "T1",
                    "text": f"{who} {what} value {n}", "said_at": AT + n, "batch": "b_fill", "body": body,
                })  # fmt: skip
                memories.write(home.memory, row, actor="bench")


def verdicts(home: Home, round_: int, count: int, dice: random.Random) -> list[object]:
    """Messages said, items queued, and one verdict for each item."""
    made: list[object] = []
    for n in range(count):
        who, what = subject(dice), dice.choice(MANY + ONE)
        text = f"{who} {what} value {dice.choice((n, 10**6 + n))} in round {round_}"
        at = AT + 10**9 + round_ * 10**6 + n
        message = f"m-{round_}-{n}"
        said = Message(
            id=message, conversation=f"talk-{round_}", seq=0, project=PROJECT, agent="claude-code", author="assistant", origin="agent", typed=False,
            machine=False, sidechain=False, at=at, offset_minutes=0, text=text,
        )  # fmt: skip
        conversations.append(home.conversations, "claude-code", [said])
        sighting = Sighting(PROJECT, "claude-code", f"talk-{round_}", "learning", text, "agent", message, 0, at, 0)
        with home.memory.transaction():
            queue.enqueue(home.memory, sighting)
        made.append({"verdict": "write", "evidence": [message], "memory": memory(n, who, what, text)})
    waiting = queue.peek(home.memory, PROJECT, limit=count)
    return [{**row, "items": [item.id]} for row, item in zip(made, waiting, strict=True)]  # type: ignore[dict-item]


def memory(n: int, who: str, what: str, text: str) -> dict[str, object]:
    """What verdict number `n` writes."""
    match n % 5:
        case 0:
            return {"kind": "lesson", "text": f"Remember: {text}", "learning": "discovery"}
        case 1:
            return {"kind": "entity", "name": who if who != "user" else f"thing {n}", "fields": {"note": text}}
        case _:
            return {
                "kind": "claim",
                "category": "project",
                "subject": who,
                "predicate": what,
                "object": text.partition(" in round")[0],
                "confidence": 0.7,
                "quote": text,
            }


def measure(at: str, claims: int, count: int, rounds: int) -> dict[str, object]:
    """Fill a home and time the rounds; milliseconds a round, after one that fills the caches."""
    dice = random.Random(7)
    with open_home(os.path.join(at, "home")) as home:
        began = time.perf_counter()
        fill(home, claims, dice)
        filled = time.perf_counter() - began
        times: list[float] = []
        cpu: list[float] = []
        asked: list[float] = []
        work: list[float] = []
        for round_ in range(rounds + 1):
            rows = verdicts(home, round_, count, dice)
            items = queue.peek(home.memory, PROJECT, limit=count)
            began, prompted = time.perf_counter(), time.process_time()
            for start in range(0, len(items), drain_model.BATCH):
                drain_model.prompt_of(home, PROJECT, tuple(items[start : start + drain_model.BATCH]))
            asked.append((time.perf_counter() - began) * 1000)
            prompted = time.process_time() - prompted
            began, worked = time.perf_counter(), time.process_time()
            receipts = apply(home, PROJECT, rows, actor="curator")
            times.append((time.perf_counter() - began) * 1000)
            cpu.append((time.process_time() - worked) * 1000)
            work.append(cpu[-1] + prompted * 1000)
            refused = [receipt.reason for receipt in receipts if receipt.state == "refused"]
            if refused or queue.peek(home.memory, PROJECT):
                raise SystemExit(f"a verdict was not carried out: {refused[:1]}")
    return {
        "ms": spread(times[1:], 1),
        "cpu_ms": spread(cpu[1:], 1),
        "prompts_ms": spread(asked[1:], 1),
        "work_cpu_ms": spread(work[1:], 1),
        "worst_ms": round(max(times[1:]), 1),
        "filled_per_s": round(claims / filled),
    }


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=100_000)
    parser.add_argument("--verdicts", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as at:
        figures = measure(at, given.claims, given.verdicts, given.rounds)
    result = {"conditions": conditions(claims=given.claims, verdicts=given.verdicts, rounds=given.rounds), **figures}
    print(
        json.dumps(result, indent=1)
        if given.json
        else f"{given.verdicts} verdicts at {given.claims} claims: {figures['ms']} ms ({figures['cpu_ms']} of processor time), worst {figures['worst_ms']}"
    )


if __name__ == "__main__":
    main()
