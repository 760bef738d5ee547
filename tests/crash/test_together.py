"""Several processes at once on one store: nothing is lost, nobody waits for a turn that is not theirs, and no one complains."""

import json
import os
import signal
from collections import Counter

import pytest
from road import LIMIT_S

from bellek.kg import locks, queue

ENQUEUE = """
import sys
from bellek.kg import projects, queue
from bellek.kg.home import open_home
from bellek.schemas.queue import Sighting
path, work, name, count = sys.argv[1:]
with open_home(path) as home:
    for n in range(int(count)):
        with home.memory.transaction():
            here = projects.find(home.memory, work)
            said = Sighting(
                project=here, agent="a", session=name, channel="learning", payload=f"ders {name}-{n}", origin="agent",
                message=f"{name}-{n}", position=0, said_at=1_796_040_000_000, offset_minutes=180,
            )
            assert queue.enqueue(home.memory, said) == "queued"
"""


def finish(*processes):
    """Wait for processes; their exit statuses, outputs and complaints."""
    ended = [process.communicate(timeout=LIMIT_S) for process in processes]
    return [(p.returncode, out.decode(), err.decode()) for p, (out, err) in zip(processes, ended, strict=True)]


def go_on(process):
    """Let a held process run to its end; its exit status, output and complaints."""
    process.send_signal(signal.SIGCONT)
    return finish(process)[0]


@pytest.fixture
def registered(world):
    """A world whose project is known."""
    world.must("queue", "status")
    return world


def test_eight_processes_enqueue_while_one_drains(registered):
    """R13, R24: what four passes hear and four writers queue while drains run is written once each, and nobody is told of a busy store."""
    world = registered
    each = 12
    passes = []
    for name in "abcd":
        path = world.transcript(name)
        path.write_bytes(b"".join(world.marked(f"söz {name}-{n}", id=f"{name}-{n}", session=name) for n in range(each)))
        passes.append(world.start("tick", "--file", str(path), "--json"))
    writers = []
    for name in "efgh":
        writers.append(world.start("-c", ENQUEUE, str(world.home), str(world.work), name, str(each)))
        world.expected += [f"ders {name}-{n}" for n in range(each)]
    drains = [world.start("drain", "--offline")]
    while any(process.poll() is None for process in (*passes, *writers)):
        assert finish(drains[-1])[0][::2] == (0, "")
        drains.append(world.start("drain", "--offline"))
    ended = finish(*passes, *writers, drains[-1])
    assert [(status, err) for status, _, err in ended] == [(0, "")] * 9
    assert world.drain().failed == []  # no further pass: who found the lock taken was heard by its holder
    assert world.account() == (0, 0)


def test_eight_processes_make_one_home(world):
    """B90: started together where no home is, all of them find or make the very same store."""
    processes = [world.start("queue", "status", "--json") for _ in range(8)]
    assert [(status, out.strip(), err) for status, out, err in finish(*processes)] == [(0, "{}", "")] * 8


def test_of_two_drains_one_works_and_the_other_is_told(registered):
    """R29: the second drain exits 4 at once and says why; the first one ends its work."""
    world = registered
    world.transcript().write_bytes(b"".join(world.marked(f"ders {n}", id=f"m-{n}") for n in range(3)))
    world.hear()
    first = world.hold("drain", "--offline", at="item-committed")
    ((status, out, err),) = finish(world.start("drain", "--offline"))
    assert (status, out) == (4, "")
    assert "another drain is at work" in err
    assert go_on(first)[::2] == (0, "")
    assert world.account() == (0, 0)


def test_a_drain_that_was_killed_keeps_nobody_out(registered):
    """R29, B82, B94: the lock of a killed drain is free at once, and a lock file with anybody's number in it is harmless."""
    world = registered
    world.transcript().write_bytes(world.marked("ders", id="m-1"))
    world.hear()
    held = world.hold("drain", "--offline", at="rows-written")
    held.kill()
    finish(held)
    (world.home / "drain.lock").write_text(f"{os.getpid()}\n")
    assert world.drain().acknowledged == 1
    assert world.account() == (0, 0)


def test_of_two_passes_one_hears_what_both_came_for(world):
    """R29: a pass that finds another one at work leaves word of its file and goes; the other hears that file too, wherever it lies."""
    near, far = world.transcript(), world.root / "elsewhere.jsonl"
    near.write_bytes(world.marked("yakın", id="m-1"))
    first = world.hold("tick", "--file", str(near), "--json", at="round-over")
    far.write_bytes(world.marked("uzak", id="m-2", session="elsewhere"))
    second = json.loads(world.must("tick", "--file", str(far), "--json"))
    assert (second["busy"], second["files"]) == (True, 0)
    status, out, err = go_on(first)
    assert (status, err, json.loads(out)["queued"]) == (0, "", 2)
    world.drain()
    assert world.account() == (0, 0)


def test_word_left_in_the_last_moment_is_not_overseen(world):
    """R29: a pass that left its word just before the other one let go takes the lock itself."""
    world.transcript().write_bytes(world.marked("ders", id="m-1"))
    first = world.hold("tick", at="round-over")
    second = world.hold("tick", "--json", at="mark-left")
    first.kill()
    finish(first)
    status, out, err = go_on(second)
    assert (status, err, json.loads(out)["busy"]) == (0, "", False)
    world.drain()
    assert world.account() == (0, 0)


def test_marks_say_what_was_asked_and_are_taken_once(tmp_path):
    """What several processes asked for comes in their order, blanks, newlines and the empty word included."""
    home = str(tmp_path)
    assert locks.take_marks(home, "x") == []
    locks.leave_marks(home, "x", ["/a b", "/c\nd"])
    locks.leave_marks(home, "x", [""])
    assert locks.take_marks(home, "x") == ["/a b", "/c\nd", ""]
    assert locks.take_marks(home, "x") == []


def event(world, name):
    """A client's event for one session."""
    return {
        "session_id": name,
        "cwd": str(world.work),
        "prompt": "önbellek dersi neydi?",
        "transcript_path": str(world.transcript(name)),
    }


def hooks(world, names):
    """Start one prompt hook a session."""
    started = []
    for name in names:
        given = world.root / f"{name}.json"
        given.write_text(json.dumps(event(world, name)))
        with given.open("rb") as stdin:
            started.append(world.start("hook", "UserPromptSubmit", "--home", str(world.home), stdin=stdin))
    return started


def test_four_hooks_at_once_all_answer(registered):
    """R27: four prompts at one moment, while a pass is at work, each get the lesson and a clean exit."""
    world = registered
    world.transcript().write_bytes(world.marked("önbellek dersi: her sürümden sonra boşalt", id="m-1"))
    world.settle()
    held = world.hold("tick", at="round-over")
    ended = finish(*hooks(world, "wxyz"))
    assert [(status, err) for status, _, err in ended] == [(0, "")] * 4
    for _, out, _ in ended:
        assert "her sürümden sonra boşalt" in json.loads(out)["hookSpecificOutput"]["additionalContext"]
    assert go_on(held)[0] == 0


def test_a_prompt_does_not_wait_for_a_writer(registered):
    """R27: while another process stands inside a write transaction, a prompt still gets its packet."""
    world = registered
    world.transcript().write_bytes(world.marked("önbellek dersi: her sürümden sonra boşalt", id="m-1"))
    world.settle()
    world.transcript("t").write_bytes(world.marked("başka ders", id="m-2", session="t"))
    held = world.hold("tick", at="batch-written")
    ((status, out, err),) = finish(*hooks(world, "w"))
    assert held.poll() is None
    assert (status, err) == (0, "")
    assert "her sürümden sonra boşalt" in out
    assert go_on(held)[::2] == (0, "")
    world.drain()
    assert world.account() == (0, 0)


def test_what_is_taken_under_a_token_is_not_drained(registered):
    """R29: items that a client's subagent holds are left alone by a drain, and come back when the token is given back."""
    world = registered
    world.transcript().write_bytes(b"".join(world.marked(f"ders {n}", id=f"m-{n}") for n in range(3)))
    world.hear()
    taken = json.loads(world.must("queue", "take", "--limit", "2", "--json"))
    assert world.drain().acknowledged == 1
    from bellek.kg.home import open_home

    with open_home(str(world.home)) as home, home.memory.transaction():
        assert queue.give_back(home.memory, taken["token"]) == 2
    assert Counter(item["message"] for item in taken["items"]).total() == world.drain().acknowledged
    assert world.account() == (0, 0)
