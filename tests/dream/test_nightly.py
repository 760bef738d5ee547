"""`nightly`: mine, consolidate, replay, snapshot; a plan that writes nothing, and nights that change nothing further."""

import json

import pytest
import rows
from dreaming import HOUR, dump
from endpoint import config as config_text
from endpoint import serving
from world import Session

from bellek import nightly
from bellek.curator import config
from bellek.kg.home import open_home

ORDER = "Never push to main directly"


def settle(world):
    """Two sessions with the same order, three records and six hours, heard."""
    Session(world, "s-1").turn(ORDER, "tamam")
    Session(world, "s-2").turn(ORDER.lower(), "tamam")
    Session(world, "s-2").lines(
        {
            "type": "user",
            "uuid": "x-9",
            "message": {"role": "user", "content": "I prefer tabs in Go files"},
            "promptSource": "typed",
        }
    )
    world.clock += 7 * HOUR
    world.bellek("tick")


def files(world):
    """Every byte of the home."""
    return {path: path.read_bytes() for path in sorted(world.home.rglob("*")) if path.is_file()}


def store(world):
    """Every row of the home, but what every start of a command notes."""
    with open_home(str(world.home)) as home:
        return dump(home)


def test_a_dry_night_lists_its_steps_and_changes_no_byte(world):
    """R59: `nightly --dry-run` tells steps and cost; the home is byte-identical, and an absent one stays absent."""
    assert json.loads(world.bellek("nightly", "--dry-run", "--json")) == []
    assert not world.home.exists()
    settle(world)
    before = files(world)
    steps = json.loads(world.bellek("nightly", "--dry-run", "--json"))
    assert [(step["name"], step["due"]) for step in steps] == [
        ("mine", True),
        ("sleep", True),
        ("snapshot", True),
        ("drill", True),
    ]
    assert "nothing was written" in world.bellek("nightly", "--dry-run")
    assert files(world) == before


def test_three_nights_in_a_row_change_nothing_further(world):
    """R59: the first night writes T1 rows and no T2; the second and third leave every row of every table as it was."""
    settle(world)
    done = json.loads(world.bellek("nightly", "--json"))
    assert [(one["name"], one["did"], len(one["rows"])) for one in done] == [
        ("mine", True, 1),
        ("sleep", True, 1),
        ("snapshot", True, 0),
        ("drill", True, 0),
    ]
    assert "verified and kept" in done[2]["what"]
    after = store(world)
    assert {row[7] for row in after["memories"]} == {"T1"}
    for _ in range(2):
        world.clock += 24 * HOUR
        world.bellek("nightly")
        assert store(world) == after


def test_the_seventh_night_reflects(world):
    """R59, R94: on the seventh day, and on the seventh after it, the night runs `evolve` and writes its week once."""
    settle(world)
    world.bellek("nightly")
    with open_home(str(world.home)) as home:
        here = str(home.memory.value("SELECT id FROM projects"))
        learned = ("uv kilidi tutar, çünkü tek", "uv hızlıdır, çünkü önbellek", "uv sürümü sabittir, çünkü dosya")
        rows.write(
            home, here, *(rows.lesson(text, said_at=world.clock + n * 24 * HOUR) for n, text in enumerate(learned))
        )
    first, did = world.clock, []
    for night in (6, 7, 8, 13, 14):
        world.clock = first + (night - 1) * 24 * HOUR
        steps = json.loads(world.bellek("nightly", "--json"))
        did += [night for one in steps if one["name"] == "evolve" and one["did"] and one["rows"]]
    assert did == [7, 14]
    with open_home(str(world.home)) as home:
        assert home.memory.value("SELECT count(*) FROM evolved") == 2


def test_a_night_under_way_keeps_a_second_one_out(world):
    """Two nights at once: the second ends with status 4 and does nothing."""
    from bellek.kg import locks

    settle(world)
    with locks.held(str(world.home), "nightly"):
        before = store(world)
        assert "another nightly run" in failing(world, 4, "nightly")
        assert store(world) == before


def failing(world, status, *words):
    """What a verb says on standard error when it ends with a status."""
    done = world.run(*words)
    assert done.returncode == status, done.stderr
    return done.stderr.decode()


TASK = 'prompt = "Which package manager?"\ncovers = ["{id}"]\n[check]\nby = "text"\nhas = ["pnpm"]\n'


@pytest.mark.parametrize("nightly_usd", [0, 0.5])
def test_replay_runs_at_night_only_where_money_is_set(world, nightly_usd):
    """R59: without `replay.nightly_usd` the night only plans the replay; with it the replay runs, once a day."""
    settle(world)
    world.bellek("mine")
    with open_home(str(world.home)) as home:
        id_ = str(home.memory.value("SELECT id FROM memories LIMIT 1"))
    (world.home / "config/replay").mkdir(parents=True)
    (world.home / "config/replay/manager.toml").write_text(TASK.format(id=id_), encoding="utf-8")
    with serving(lambda body: ("pnpm" if ORDER in body["messages"][0]["content"] else "npm", 100, 10)) as server:
        text = (
            config_text(server.url)
            .replace("[replay]\n", f"[replay]\nnightly_usd = {nightly_usd}\n")
            .replace('[sleep]\nmodel = "small"\n', "")
        )
        (world.home / "config/config.toml").write_text(text, encoding="utf-8")
        (step,) = [one for one in json.loads(world.bellek("nightly", "--json")) if one["name"] == "replay"]
        (again,) = [one for one in json.loads(world.bellek("nightly", "--json")) if one["name"] == "replay"]
        assert len(server.asked) == (2 if nightly_usd else 0)
    if nightly_usd:
        assert step["what"] == "0 of 1 pass without, 1 with the candidates (done)"
        assert "replayed today" in again["what"]
    else:
        assert "replay.nightly_usd is not set" in step["what"]
        assert step["what"] == again["what"]


def test_the_plan_is_a_value(home):
    """The planner answers with steps and leaves no trace, even on an empty store."""
    before = dump(home)
    assert [step.name for step in nightly.plan(home, config.read(home.memory))] == ["snapshot", "drill"]
    assert dump(home) == before
