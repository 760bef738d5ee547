"""kill -9 anywhere in a forgetting: what was asked is hidden or not at all, and the next run finishes it."""

import signal

import pytest

from bellek.kg import audit, forget, fts_query, lookup
from bellek.kg.home import open_home

SAID = "zümrüdüanka kolonisi çırağan sokağında toplanıyor"
PLACES = ("forget-hidden", "forget-begun", "forget-blanked", "forget-scrubbed", "forget-truncated")


def bytes_of(home):
    """All bytes of the home's files; nothing has them open here."""
    return b"".join(path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file())


@pytest.fixture
def told(world):
    """Two learnings were heard and drained, one of them to be forgotten."""
    world.transcript().write_bytes(world.marked(SAID, id="m-1") + world.marked("önbelleği boşalt", id="m-2"))
    world.hear()
    world.drain()
    return world


@pytest.mark.parametrize("place", PLACES)
def test_a_killed_forgetting_is_finished_by_the_next_run(told, place):
    """R116: wherever it dies after the first commit the words are out of search, and `forget` without words proves the rest."""
    told.crash("forget", "--query", "zümrüdüanka", "--project", str(told.work), at=place)
    with open_home(str(told.home)) as home:
        assert lookup.memories(home.memory, fts_query.match("zümrüdüanka")) == []
        rows = home.memory.rows("SELECT status FROM memories WHERE text LIKE '%mrüdüanka%'")
        assert {status for (status,) in rows} <= {"hidden"}
        assert len(forget.pending(home.memory)) == 1
    told.must("forget")
    assert "zümrüdüanka".encode() not in bytes_of(told.home)
    with open_home(str(told.home)) as home:
        assert forget.pending(home.memory) == []
        assert audit.verify(home.memory) == []
        assert home.memory.value("SELECT count(*) FROM memories WHERE kind <> 'log'") == 2


def test_hearing_finishes_it_too(told):
    """R116: nobody has to remember: the next turn's hearing takes up what a killed forgetting left."""
    told.crash("forget", "--query", "zümrüdüanka", "--project", str(told.work), at="forget-hidden")
    told.hear()
    assert "zümrüdüanka".encode() not in bytes_of(told.home)


def test_two_forgettings_at_once_do_no_harm(told):
    """R116: a run that is held in the middle of one does not keep another from finishing it, and finds it done."""
    held = told.hold("forget", "--query", "zümrüdüanka", "--project", str(told.work), at="forget-scrubbed")
    with open_home(str(told.home)) as home:
        assert [one.state for one in forget.finish(home)] == ["proven"]
    held.send_signal(signal.SIGCONT)
    held.communicate(timeout=60)
    assert held.returncode == 0
    told.check()
