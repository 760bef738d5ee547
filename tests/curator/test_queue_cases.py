"""What breaks queues elsewhere: dead holders, poison, twins, two workers, a busy store."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from typed_world import World, lesson, write

from bellek.curator.drain import drain_offline
from bellek.kg import locks, memories, paths, queue
from bellek.kg.db import open_database
from bellek.kg.home import Home, open_home
from bellek.schemas.errors import Busy


def python(world, code, **popen):
    """Start a process that opens the home as `home` and runs code."""
    head = f"import sys\nimport bellek\nfrom bellek.kg.home import open_home\nhome = open_home({world.home.path!r})\n"
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return subprocess.Popen(
        [sys.executable, "-c", head + textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
        **popen,
    )


def states(world):
    """Item → state, attempts and reason."""
    return {row["payload"]: (row["state"], row["attempts"], row["reason"]) for row in world.rows("queue")}


def test_items_of_a_dead_holder_come_back(world, monkeypatch):
    """B82: what a process took before it was killed is pending again when its time is over, and is drained."""
    world.item("öğrenilen bir şey")
    holder = python(
        world,
        "from bellek.kg import queue\nqueue.take(home.memory, 'p_one')\nprint('taken', flush=True)\nsys.stdin.read()",
    )
    assert holder.stdout.readline() == "taken\n"
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate()
    assert drain_offline(world.home, world.project).acknowledged == 0
    monkeypatch.setenv("BELLEK_CLOCK", str(int(time.time() * 1000) + queue.TOKEN_MS + 1000))
    assert drain_offline(world.home, world.project).acknowledged == 1


def test_a_failing_item_is_tried_a_few_times_and_parked(world, monkeypatch):
    """B83, B85: an item whose writer always fails is in one state at each moment, is parked with its reason after its tries, and the others pass."""
    for payload in ("iyi bir", "zehir", "iyi iki"):
        world.item(payload)

    real = memories.write

    def failing(db, memory, **given):
        if memory.text == "zehir":
            raise ValueError("indigestible")
        return real(db, memory, **given)

    monkeypatch.setattr(memories, "write", failing)
    first = drain_offline(world.home, world.project)
    assert (first.acknowledged, len(first.failed)) == (2, 1)
    for tries in range(1, queue.MAX_ATTEMPTS + 1):
        state, attempts, reason = states(world)["zehir"]
        assert attempts == tries
        assert reason == "ValueError"
        assert state == ("dead" if tries == queue.MAX_ATTEMPTS else "pending")
        drain_offline(world.home, world.project)
    assert queue.counts(world.db, world.project) == {}
    assert [item.payload for item in queue.dead(world.db, world.project)] == ["zehir"]
    assert len(world.rows("lessons")) == 2


def test_a_parked_item_that_is_said_again_is_tried_again(world):
    """B83: a task that could not be closed is parked with a reason; said again after the task exists it is closed."""
    world.hear("TASK_DONE: rapor", channel="task")
    drain_offline(world.home, world.project)
    assert states(world)["TASK_DONE: rapor"][0] == "dead"
    world.hear("SELF_TASK: rapor", channel="task")
    drain_offline(world.home, world.project)
    assert world.hear("TASK_DONE: rapor", channel="task") == "queued"
    drain_offline(world.home, world.project)
    assert [row["state"] for row in world.rows("tasks")] == ["done"]


def test_two_drains_at_once(world):
    """B86: while one drain works another is told so and writes nothing."""
    world.item("öğrenilen")
    with locks.held(world.home.path, "drain") as mine:
        assert mine
        with pytest.raises(Busy):
            drain_offline(world.home, world.project)
    assert world.rows("memories") == []


def test_two_takers_share_nothing(world):
    """B86: of several processes that take at the same instant each item goes to one."""
    for n in range(30):
        world.item(f"öğrenilen {n}")
    takers = [
        python(
            world,
            "from bellek.kg import queue\nprint(*[i.id for i in queue.take(home.memory, 'p_one', limit=10).items])",
        )
        for _ in range(4)
    ]
    taken = [id_ for taker in takers for id_ in taker.communicate()[0].split()]
    assert len(taken) == len(set(taken)) == 30


def test_a_lock_file_of_a_dead_or_a_recycled_process_is_harmless(world):
    """B94: a lock file that names a dead process, or a living one that does not hold it, keeps nobody out."""
    for pid in (999_999_999, os.getpid(), 1):
        with open(f"{world.home.path}/drain.lock", "w", encoding="utf-8") as file:
            file.write(f"{pid}\n")
        world.item(f"öğrenilen {pid}")
        assert drain_offline(world.home, world.project).acknowledged == 1


def test_a_writer_waits_for_a_busy_store(world):
    """B88: while another process holds the write lock a verdict waits, and is then carried out."""
    item = world.item("öğrenilen")
    blocker = python(
        world, "import time\nwith home.memory.transaction():\n    print('held', flush=True)\n    time.sleep(0.5)"
    )
    assert blocker.stdout.readline() == "held\n"
    assert world.apply(lesson("önbellek boşaltılır", items=[item]))[0].state == "written"
    blocker.communicate()
    assert world.waiting() == []


def test_a_pass_that_waited_its_limit_drops_nothing(home, world, talk):
    """B88: a pass that meets a write lock beyond its limit ends busy with its place in the transcript unmoved; the next one queues the item, once."""
    said = talk().agent("<!-- learning: önbellek boşaltılır çünkü eskir -->")
    blocker = python(
        world,
        "with home.memory.transaction():\n    print('held', flush=True)\n    sys.stdin.read()",
        stdin=subprocess.PIPE,
    )
    assert blocker.stdout.readline() == "held\n"
    files = (paths.memory_db(home.path), paths.conversations_db(home.path))
    said.home = Home(home.path, *(open_database(path, busy_ms=50) for path in files))
    with pytest.raises(Busy):
        said.hear()
    said.home.close()
    assert world.rows("queue") == world.rows("cursors") == []
    blocker.communicate("")
    said.home = home
    assert said.hear().queued == 1
    assert said.hear().queued == 0
    assert [row["sightings"] for row in world.rows("queue")] == [1]


def test_changes_of_two_writers_are_both_kept(world):
    """B92: what was added while a curator thought is still there when its verdicts are applied, on the same page too."""
    page = world.apply(write("page", topic="plan", title="Plan", text="bir"))[0].ids[0]
    with open_home(world.home.path) as other:
        slow, quick = World(world.home), World(other)
        answer = write("page", topic="plan", title="Plan", text="bir\niki")
        quick.apply(write("page", topic="plan", title="Plan", text="üç"), lesson("arada öğrenilen"))
        slow.apply(answer, lesson("sonra öğrenilen önbellek"))
    assert memories.read(world.db, page).text.split("\n") == ["bir", "üç", "iki"]
    assert len(world.rows("lessons")) == 2


def test_the_same_learning_by_marker_and_by_curator_is_one_lesson(world):
    """B75: a lesson that a marker and a curator's verdict both bring is one row with both sources."""
    one, two = world.item("Karar: dağıtım cuma günü yapılmaz"), world.item("curator saw it as well")
    first = world.apply(lesson("Karar: dağıtım cuma günü yapılmaz", items=[one]))[0]
    second = world.apply(lesson("karar, dağıtım cuma günü yapılmaz.", items=[two]))[0]
    assert second.ids == first.ids
    assert {s.item for s in memories.read(world.db, first.ids[0]).sources} == {one, two}


@pytest.mark.parametrize(
    "topic", ["../../../.bashrc", "/etc/x", "CON", "a:b", "x\u0000y", "ş" * 80, "..", "   .   ", "日本"]
)
def test_a_topic_is_never_a_path(world, topic):
    """B65: whatever a topic is spelled like, what is kept is kebab-case of ASCII letters and digits, at most sixty of them."""
    kept = world.apply(write("page", topic=topic, title="T", text="x"), lesson("önbellek", topic=topic))
    assert [r.state for r in kept] == ["written", "written"]
    for row in (*world.rows("pages"), *world.rows("lessons")):
        assert row["topic"]
        assert len(row["topic"]) <= 60
        assert set(row["topic"]) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


@pytest.mark.parametrize(
    "text",
    [
        "'; DROP TABLE memories; --",
        "<script>alert(1)</script>",
        "NULL",
        "0x7f",
        "1e309",
        "\u202eabc",
        "﷽",
        "${HOME}",
        "%s%n",
        "\\x00",
        "👩‍👩‍👧",
    ],
)
def test_texts_that_break_others_come_back_as_they_were(world, text):
    """B179: hostile text is stored and read unchanged in every kind of row, and never an exception."""
    receipts = world.apply(lesson(text), write("event", text=text), write("task", text=text), write("page", topic=text, title=text, text=text),
                           write("entity", name=text, aliases=[text + "2"], fields={text: text}), write("log", type="note", text=text))  # fmt: skip
    state = "quarantined" if text.startswith("\u202e") else "written"  # kept as well, and told to nobody
    for receipt in receipts[:4]:
        assert receipt.state == state
        assert memories.read(world.db, receipt.ids[0]).text == text
    assert receipts[4].state == state
    assert world.rows("entities")[0]["name"] == text
