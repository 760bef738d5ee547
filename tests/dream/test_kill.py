"""kill -9 at named places of sleep, mine, nightly and replay: nothing is lost, doubled or half written."""

import signal

import pytest
from dreaming import HOUR
from endpoint import config as config_text
from endpoint import serving
from world import Session

from bellek.kg.home import open_home


def spoken(world):
    """An order in two sessions, a preference and a decision; heard, with an open gate."""
    Session(world, "s-1").turn("Never push to main directly", "tamam")
    second = Session(world, "s-2")
    second.turn("never push to main directly", "tamam")
    second.turn("I prefer tabs in Go files", "tamam")
    second.turn("Kuyruk için Postgres kullanmaya karar verdik", "tamam")
    world.clock += 7 * HOUR
    world.bellek("tick")


def killed(world, *words, at):
    """Run a verb that dies at a named place."""
    done = world.run(*words, env={"BELLEK_FAILPOINT": at})
    assert done.returncode == -signal.SIGKILL, f"{at} was not reached: {done.stderr.decode()}"


def outcome(world):
    """What there is, whoever wrote it and in which batch: (kind, tier, text, sightings, sources), and what waits."""
    with open_home(str(world.home)) as home:
        rows = home.memory.rows(
            "SELECT m.kind, m.tier, m.text, coalesce(c.sightings, l.sightings), (SELECT group_concat(message) FROM"
            " (SELECT message FROM sources s WHERE s.memory = m.id ORDER BY message)) FROM memories m"
            " LEFT JOIN claims c USING (id) LEFT JOIN lessons l USING (id) ORDER BY m.text"
        )
        return rows, home.memory.value("SELECT count(*) FROM observations WHERE consumed_at = 0")


PLACES = [
    (("sleep", "--force"), ("sleep-planned", "sleep-written", "sleep-committed")),
    (("mine",), ("mine-planned", "mine-written", "mine-committed")),
    (("nightly",), ("mine-written", "mine-committed", "nightly-step:1", "sleep-planned", "sleep-written", "nightly-step:2", "nightly-step:3")),
]  # fmt: skip


@pytest.fixture
def whole(tmp_path):
    """What a night ends with when nobody kills it."""
    from world import World

    made = World(tmp_path / "whole")
    spoken(made)
    made.bellek("nightly")
    return outcome(made)


@pytest.mark.parametrize(("words", "at"), [(words, at) for words, places in PLACES for at in places])
def test_a_killed_pass_is_made_good_by_the_next_night(world, whole, words, at):
    """R59: killed anywhere, the next night ends with the very rows, sightings and sources of a night that nobody killed."""
    spoken(world)
    killed(world, *words, at=at)
    world.bellek("nightly")
    assert outcome(world) == whole
    world.bellek("nightly")
    assert outcome(world) == whole


def test_a_killed_replay_keeps_its_cells_and_frees_the_next(world):
    """R60: a run that died is cut, not running; what it answered is kept and paid; the next run is whole."""
    spoken(world)
    world.bellek("nightly")
    with open_home(str(world.home)) as home:
        id_ = home.memory.value("SELECT id FROM memories ORDER BY n LIMIT 1")
    (world.home / "config/replay").mkdir(parents=True)
    task = f'prompt = "x"\ncovers = ["{id_}"]\n[check]\nby = "text"\n'
    (world.home / "config/replay/a.toml").write_text(task, encoding="utf-8")
    with serving(lambda _: ("tamam", 10, 10)) as server:
        (world.home / "config/config.toml").write_text(config_text(server.url), encoding="utf-8")
        killed(world, "replay", "--run", at="replay-cell:1")
        world.bellek("replay", "--run")
    with open_home(str(world.home)) as home:
        rows = home.memory.rows(
            "SELECT state, (SELECT count(*) FROM replay_cells c WHERE c.replay = r.id) FROM replays r ORDER BY 2"
        )
        assert rows == [("cut", 1), ("done", 2)]
        assert home.memory.rows("SELECT state, count(*) FROM spend GROUP BY 1") == [("booked", 3)]
