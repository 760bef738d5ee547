"""Point in time: memory as it stood, from the trail; a person's act, undone like any other."""

import json

import command
import pytest
import rows
from world import PROGRAM

from bellek.curator import forgetting, review, undoing
from bellek.kg import blast, check, memories, rewind
from bellek.kg.home import open_home
from bellek.schemas.errors import NotFound, PersonNeeded, Refused

PERSON = "person:terminal"
AT = 1_796_000_000_000
P = "p_0"


def state(home):
    """Id → (tier, status, text) of what is in sight."""
    found = home.memory.rows("SELECT id, tier, status, text FROM memories WHERE status <> 'hidden' ORDER BY id")
    return {row[0]: row[1:] for row in found}


def test_memory_is_as_it_stood_and_the_whole_is_undone(home, monkeypatch):
    """R107: rows written since are hidden, changed, promoted and refused ones are as they were, a refusal since is taken back; undo
    brings the later state again; the trail grows and verifies.
    """
    monkeypatch.setenv("BELLEK_CLOCK", str(AT))
    a, b, c, _ = rows.write(
        home,
        P,
        rows.lesson("alpha words"),
        rows.lesson("beta words"),
        rows.lesson("gamma words"),
        rows.claim("Ayşe", "uses", "uv"),
    )
    review.promote(home, a, actor=PERSON)
    then = state(home)
    monkeypatch.setenv("BELLEK_CLOCK", str(AT + 60_000))
    with home.memory.transaction():
        memories.write(
            home.memory,
            memories.read(home.memory, b).model_copy(update={"text": "beta changed", "batch": "b_x"}),
            actor="test",
        )
    review.refuse(home, c, note="no", actor=PERSON)
    review.refuse(home, a, note="no more", actor=PERSON)
    rows.write(home, P, rows.lesson("delta words"), rows.claim("Ayşe", "uses", "pip"))
    later = state(home)
    with pytest.raises(PersonNeeded):
        rewind.to(home.memory, AT, actor="agent")
    done = rewind.to(home.memory, AT, actor=PERSON)
    assert (state(home), done.notes) == (then, ())
    assert done.lifted == 2
    assert check.check_home(home) == []
    with pytest.raises(Refused):
        rewind.to(home.memory, AT + 120_000, actor=PERSON)
    undoing.take_back(home.memory, done.batch, actor=PERSON)
    assert {id_: row for id_, row in state(home).items() if id_ in later} == later
    assert check.check_home(home) == []


def test_what_was_forgotten_since_stays_so(home, monkeypatch):
    """R107, R116: a point in time before a forgetting does not bring the forgotten row back."""
    monkeypatch.setenv("BELLEK_CLOCK", str(AT))
    (id_,) = rows.write(home, P, rows.lesson("the harbour code is 7731"))
    monkeypatch.setenv("BELLEK_CLOCK", str(AT + 60_000))
    rows.write(home, P, rows.lesson("later"))
    assert forgetting.carry_out(home, blast.reach(home, blast.Asked(P, (id_,))), actor=PERSON).state == "proven"
    rewind.to(home.memory, AT, actor=PERSON)
    with pytest.raises(NotFound):
        memories.read(home.memory, id_)
    assert state(home) == {}
    assert check.check_home(home) == []


def test_by_command(world):
    """R107, R122: `restore --at TIME --dry-run` counts the rows for anybody; without it an agent's shell is refused with 3, and nothing changes."""
    with open_home(str(world.home)) as home:
        rows.write(home, P, rows.lesson("alpha words"))
        before = state(home)
    given = {"cwd": world.work, "env": world.environment(PYTHONPATH=PROGRAM)}
    words = ("restore", "--at", "2020-01-01", "--home", world.home)
    done = command.run((*words, "--dry-run", "--json"), **given)
    assert len(json.loads(done.stdout)["rows"]) == 1, done.stderr
    assert command.run(words, new_session=True, stdin=None, **given).returncode == 3
    with open_home(str(world.home)) as home:
        assert state(home) == before
