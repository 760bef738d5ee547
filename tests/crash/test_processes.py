"""Several processes over one home at once, random orders each, and afterwards a store that holds what they were told it holds."""

import json
import os
import random
import traceback
from collections import Counter

import rows

from bellek.curator import drain, forgetting, review
from bellek.kg import backups, blast, check, forget, queue, shelf, typed
from bellek.kg.home import open_home
from bellek.schemas.errors import Busy, NotFound, Refused
from bellek.schemas.queue import Sighting

PERSON = "person:terminal"
P = "p_0"
WORKERS = 4


def work(home, place, number, seed, steps, told):
    """One process: random orders, each acknowledged one told as a line. A busy store is no answer that anybody should see."""
    dice = random.Random(seed)
    with open_home(home) as store:
        for step in range(steps):
            name = f"w{number}-{step}"
            order = dice.choice(("write", "write", "hear", "hear", "drain", "promote", "forget", "find", "backup"))
            for act, text in ACTS[order](store, place, dice, name):
                os.write(told, json.dumps([act, text]).encode() + b"\n")


def write(store, place, dice, name):
    """A lesson is written."""
    text = f"kural {name} yaz {dice.random()}"
    rows.write(store, P, rows.lesson(text))
    yield "written", text


def hear(store, place, dice, name):
    """A payload is queued."""
    payload = f"ders {name} söyle {dice.random()}"
    with store.memory.transaction():
        queue.enqueue(store.memory, Sighting(P, "*", "s", "learning", payload, "agent", name, 0, 1_796_000_000_000, 0))
    yield "heard", payload


def drained(store, place, dice, name):
    """What waits is written; one drain at a time, and the second one says so."""
    try:
        drain.drain_offline(store, P, limit=5)
    except Busy:
        return
    yield "drained", name


def _one(store, dice):
    found = store.memory.rows(
        "SELECT id, text FROM memories WHERE kind = 'lesson' AND status = 'current' ORDER BY random() LIMIT 1"
    )
    return found[0] if found else (None, "")


def promote(store, place, dice, name):
    """A lesson becomes permanent, unless another process was first."""
    id_, text = _one(store, dice)
    if id_:
        try:
            with store.memory.transaction():
                review.promote(store, id_, actor=PERSON)
        except (Refused, NotFound):
            return
        yield "promoted", text


def forgotten(store, place, dice, name):
    """A lesson is forgotten, unless another process was first."""
    id_, text = _one(store, dice)
    if id_:
        try:
            forgetting.carry_out(store, blast.reach(store, blast.Asked(P, (id_,))), actor=PERSON)
        except (Refused, NotFound):
            return
        yield "forgotten", text


def find(store, place, dice, name):
    """A question is asked."""
    typed.find(store.memory, "kural ders", P, now=1_796_000_000_000, limit=5, related=False)
    return ()


def backup(store, place, dice, name):
    """A copy is made, one at a time."""
    try:
        backups.make(store, place, program="t")
    except Busy:
        return
    yield "copied", name


ACTS = {
    "write": write,
    "hear": hear,
    "drain": drained,
    "promote": promote,
    "forget": forgotten,
    "find": find,
    "backup": backup,
}


def test_what_several_processes_were_told_is_so(tmp_path, dice, rounds, capsys):
    """R39, R106: each acknowledged write is there once unless an acknowledged forgetting took it; each heard payload waits or was written, once."""
    home, place = str(tmp_path / "ev"), str(tmp_path / "k")
    open_home(home).close()
    steps = max(8, rounds)
    read, told = os.pipe()
    pids = []
    for number in range(WORKERS):
        seed = dice.random()
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                work(home, place, number, seed, steps, told)
                status = 0
            except BaseException:  # noqa: BLE001  told here, since nobody else sees it
                os.write(2, traceback.format_exc().encode())
            finally:
                os._exit(status)
        pids.append(pid)
    os.close(told)
    with os.fdopen(read, "rb") as said:
        lines = [json.loads(line) for line in said]
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids] == [0] * WORKERS
    account = {
        act: Counter(text for one, text in lines if one == act) for act in ("written", "heard", "promoted", "forgotten")
    }
    with open_home(home) as store:
        drain.drain_offline(store, P, limit=1000)
        assert all(one.state == "proven" for one in forget.finish(store))
        assert check.check_home(store) == []
        held = Counter(
            str(text)
            for (text,) in store.memory.rows("SELECT text FROM memories WHERE kind = 'lesson' AND status = 'current'")
        )
        permanent = {str(text) for (text,) in store.memory.rows("SELECT text FROM memories WHERE tier = 'T2'")}
    gone = set(account["forgotten"])
    expected = {text for text in (*account["written"], *account["heard"]) if text not in gone}
    assert set(held) == expected
    assert set(held.values()) <= {1}
    assert permanent == set(account["promoted"]) - gone
    assert shelf.listed(place)[1] == []
    with capsys.disabled():
        print(f"\n{WORKERS} processes, {len(lines)} acknowledged orders: 0 lost, 0 doubled")
