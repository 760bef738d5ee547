"""A person's "no" lasts: whatever way the value comes again, it does not stand, and no packet tells it."""

import pytest
from world import Session

from bellek.curator import review
from bellek.kg import memories, projects
from bellek.kg.home import open_home

ORDER = "Never push to main directly"
HOUR = 3_600_000


def standing(world):
    """The texts that stand."""
    with open_home(str(world.home)) as home:
        rows = home.memory.rows(
            "SELECT text FROM memories WHERE status IN ('current', 'contested') AND kind <> 'event'"
        )
    return [str(text) for (text,) in rows if "push to main" in str(text).lower()]


def nights(world, count):
    """That many nights, a day apart."""
    for _ in range(count):
        world.clock += 24 * HOUR
        world.bellek("nightly")


@pytest.fixture
def refused(world):
    """A world in which what two sessions ordered was mined, and refused by a person."""
    Session(world, "s-1").turn(ORDER, f"tamam\n\n<!-- learning: {ORDER}, because reviews are skipped -->")
    Session(world, "s-2").turn(ORDER.lower(), "tamam")
    world.bellek("tick")
    world.bellek("drain", "--offline")
    world.bellek("mine")
    assert len(standing(world)) == 2
    with open_home(str(world.home)) as home, home.memory.transaction():
        for kind in ("claim", "lesson"):
            id_ = home.memory.value("SELECT id FROM memories WHERE kind = ? AND status = 'current'", (kind,))
            review.refuse(home, str(id_), note="we do push", actor="person:terminal")
    assert standing(world) == []
    return world


def test_a_refused_value_does_not_come_back(refused):
    """R53, R115: after a re-scan of every transcript, the same words in a third session and three nights nothing of it stands."""
    world = refused
    with open_home(str(world.home)) as home, home.memory.transaction():
        home.memory.run("DELETE FROM cursors")
    world.bellek("tick")
    Session(world, "s-3").turn(
        f"{ORDER.upper()}!", f"tamam\n\n<!-- learning: {ORDER}, because reviews are skipped! -->"
    )
    world.bellek("tick")
    world.bellek("drain", "--offline")
    nights(world, 3)
    assert standing(world) == []
    assert (
        "push to main"
        not in world.bellek("packet", "--prompt", "push to main?", "--full").lower().split("conversations")[0]
    )


def test_the_refusal_keeps_its_reason(refused):
    """R53: a refused row keeps its words and the note, for whoever asks; the journal row of the same words goes with it."""
    with open_home(str(refused.home)) as home:
        here = projects.find(home.memory, str(refused.work))
        rows = home.memory.rows("SELECT id FROM memories WHERE status = 'refused' AND project IN (?, '*')", (here,))
        assert {str(id_)[0] for (id_,) in rows} == {"c", "l", "e"}
        assert {memories.read(home.memory, str(id_)).note for (id_,) in rows} == {"we do push"}
