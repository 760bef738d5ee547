"""The canary: a row that is stored, recalled and forgotten end to end, by the roads that every other row takes.

What it is for: a store can be sound and still not answer. How long a written row took until it could be found is told. It must
never leave a word of itself behind, nor be seen by a project: it lives in one of its own.
"""

import secrets
import time

from bellek.context import quick
from bellek.curator import forgetting
from bellek.doctor_finding import Finding
from bellek.kg import blast, clock, memories, noted, typed
from bellek.kg.home import Home
from bellek.kg.ids import ALPHABET, mint
from bellek.schemas.lesson import LOW, Lesson
from bellek.schemas.memory import Memory
from bellek.schemas.vocab import ANY

PROJECT = "p_canary"
NOTED = "canary"  # a row of meta: JSON of how the last one ended
OLD_MS = 14 * clock.DAY_MS


def run(store: Home) -> Finding:
    """Store, recall, forget; keep how it went."""
    word = "kanarya" + "".join(secrets.choice(ALPHABET) for _ in range(12))
    began = time.monotonic()
    id_ = _stored(store, word)
    found = [row.id for row in typed.find(store.memory, word, PROJECT, now=clock.now(), limit=3, related=False).rows]
    lag_ms = (time.monotonic() - began) * 1000
    told = [line.id for line in quick.ask(store, word, PROJECT)]
    gone = forgetting.carry_out(store, blast.reach(store, blast.Asked(PROJECT, (id_,))), actor="doctor")
    left = typed.find(store.memory, word, PROJECT, now=clock.now(), limit=3, related=False).rows
    why = _why(found == [id_], told == [id_], not left, gone.state)
    noted.put(store.memory, NOTED, {"at": clock.now(), "lag_ms": round(lag_ms, 1), "why": why})
    return canary(store)


def _stored(store: Home, word: str) -> str:
    memory = Memory(
        id=mint("l"), project=PROJECT, agent=ANY, session=ANY, origin="agent", tier="T1", text=f"{word} sings in the mine", said_at=clock.now(),
        batch=mint("b"), body=Lesson(topic="canary", learning="discovery", importance=LOW),
    )  # fmt: skip
    with store.memory.transaction():
        memories.write(store.memory, memory, actor="doctor")
    return memory.id


def _why(found: bool, told: bool, gone: bool, state: str) -> str:
    if not found:
        return "it was stored and not found again"
    if not told:
        return "it was found and recall does not tell it"
    if not gone:
        return "it was forgotten and is found still"
    return "" if state in ("proven", "scrubbed", "hidden") else f"its forgetting is {state}"


def canary(store: Home) -> Finding:
    """How the last canary went."""
    last = noted.of(store.memory, NOTED)
    at = last.get("at")
    if not isinstance(at, int):
        return Finding(
            "canary", "WARN", "no row was ever stored, recalled and forgotten on trial", "", "bellek doctor --canary"
        )
    if why := last["why"]:
        return Finding(
            "canary", "FAIL", f"the trial of {clock.stamp(at)} failed", str(why), "bellek doctor --fix --dry-run"
        )
    old = clock.now() - at > OLD_MS
    said = f"a row was stored, recalled and forgotten on trial {clock.stamp(at)}, readable after {last['lag_ms']} ms"
    return Finding("canary", "WARN" if old else "OK", said, "", "bellek doctor --canary" if old else "")
