"""R130: the trail is enough. What any sequence of acts left can be written again from it, into an empty store."""

import tempfile
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made import AT, lesson, sighting, tables

from bellek.curator import forgetting
from bellek.kg import audit, blast, check, memories, queue
from bellek.kg.blast import Asked
from bellek.kg.home import Home, open_home
from bellek.schemas import vocab
from bellek.schemas.event import Event
from bellek.schemas.kinds import KINDS
from bellek.schemas.lesson import Lesson
from bellek.schemas.memory import Memory
from bellek.schemas.task import Task

TOPICS = st.text("abcçğıiöşü-", min_size=1, max_size=12)
# Printable by construction: filtering whole texts for it throws most of them away.
TEXTS = st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" "), min_size=1, max_size=40).filter(
    str.strip
)
# How a body of the kinds that are written straight from what was heard is drawn; tests/properties replays the others.
BODIES: dict[str, st.SearchStrategy[Event | Lesson | Task]] = {
    "event": st.builds(Event, day=st.dates().map(str), topic=TOPICS, conversation=st.just("s1")),
    "lesson": st.builds(
        Lesson, topic=TOPICS, learning=st.sampled_from(vocab.LEARNING_KINDS), importance=st.integers(0, 3), sightings=st.integers(1, 9)
    ),
    "task": st.booleans().map(lambda done: Task(state="done", closed_at=AT) if done else Task()),
}  # fmt: skip
SOURCES = st.lists(
    st.fixed_dictionaries({"item": st.sampled_from(["q_1", "q_2"]), "message": st.sampled_from(["m1", "m2"])}),
    max_size=2,
)

# What anybody may write; a refusal and a quarantine are moves of their own (schemas/tier.py).
STATUSES = tuple(status for status in vocab.STATUSES if status not in ("quarantined", "refused"))
WRITE, REVISE, ENQUEUE, ACK = "write", "revise", "enqueue", "ack"
ACTS = st.lists(st.tuples(st.sampled_from([WRITE, WRITE, REVISE, ENQUEUE, ACK]), st.integers(0, 10_000)), max_size=12)
HEARD_ONLY = ("queue", "seen", "settled")  # what was heard is not a memory: it is not written by the trail


def memory(data: st.DataObject, number: int, kind: str) -> Memory:
    """A drawn memory; `number` makes its id, `kind` stays through its revisions."""
    fields = {
        "id": f"{memories.LETTERS[kind]}_{number:012d}",
        "project": data.draw(st.sampled_from(["p_x", "p_y", "*", "-"])),
        "agent": "*", "session": "*", "origin": data.draw(st.sampled_from(vocab.ORIGINS)),
        "tier": "T1" if kind == "lesson" else "-", "status": data.draw(st.sampled_from(STATUSES)),
        "text": data.draw(TEXTS), "said_at": AT + number, "offset_minutes": data.draw(st.sampled_from([0, 180, -300])),
        "batch": "b_1", "body": data.draw(BODIES[kind]), "sources": data.draw(SOURCES),
    }  # fmt: skip
    return Memory.model_validate(fields)


def act(home: Home, kinds: list[str], what: str, pick: int, data: st.DataObject) -> None:
    """Do one drawn act in a transaction; `kinds` are those of the rows written so far, by number."""
    db = home.memory
    with db.transaction():
        if what == WRITE:
            kinds.append(data.draw(st.sampled_from(sorted(BODIES))))
            memories.write(db, memory(data, len(kinds), kinds[-1]), actor="test")
        elif what == REVISE and kinds:
            number = pick % len(kinds)
            memories.write(db, memory(data, number + 1, kinds[number]), actor="test", act="revise")
        elif what == ENQUEUE:
            queue.enqueue(db, sighting(data.draw(TEXTS), f"m{pick}"))
        elif waiting := queue.peek(db, "p_x"):
            queue.settle(db, waiting[pick % len(waiting)], (), actor="test", batch="b_1")


def test_the_law_covers_every_kind():
    """Each kind that the law below draws is one of the table's; a store that holds all of them replays in tests/properties."""
    assert set(BODIES) <= set(KINDS)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(acts=ACTS, data=st.data())
def test_a_replayed_trail_gives_equal_tables(acts, data):
    """R130: replaying the trail of any sequence of writes, revisions and acknowledgements gives equal tables and a sound store."""
    with tempfile.TemporaryDirectory() as folder, open_home(folder + "/a") as old, open_home(folder + "/b") as new:
        kinds: list[str] = []
        for what, pick in acts:
            act(old, kinds, what, pick, data)
        memories.replay(old.memory, new.memory)
        assert tables(new.memory, *HEARD_ONLY) == tables(old.memory, *HEARD_ONLY)
        assert check.check_home(new) == []
        assert check.check_home(old) == []
        assert audit.verify(new.memory) == []


@pytest.fixture
def pair(make_home: Callable[[str], Home]) -> tuple[Home, Home]:
    """Two homes."""
    return make_home("a"), make_home("b")


def test_a_forgotten_body_is_not_replayed(pair):
    """R130: a row whose bodies were dropped comes out of a replay as its entries alone: what is forgotten stays so."""
    old, new = pair
    with old.memory.transaction():
        memories.write(old.memory, row := lesson(), actor="test")
    forgetting.carry_out(old, blast.reach(old, Asked("p_x", (row.id,))), actor="test")
    memories.replay(old.memory, new.memory)
    assert new.memory.value("SELECT count(*) FROM memories") == 0
    assert tables(new.memory, "forgettings") == tables(old.memory, "forgettings")
