"""`replay`: the same tasks with and without the candidates; priced before it is asked, compared in pairs, changing nothing."""

import json
import math
import os
import stat
from pathlib import Path

import pytest
from dreaming import dump
from endpoint import serving
from hypothesis import given
from hypothesis import strategies as st

from bellek import hook
from bellek.clients.claude_print import ClaudePrint
from bellek.curator import checking, replay, spend
from bellek.curator.mine import mine
from bellek.curator.models import Endpoint
from bellek.kg import memories, replays, tiers
from bellek.schemas.errors import ModelFault
from bellek.schemas.replay import TASK
from bellek.schemas.settings import Ceilings, ModelSettings

WORDS = "kilit dosyasını yalnız uv tutar"


@pytest.fixture
def candidate(person):
    """A T1 row that was mined; its id."""
    person.types("Never push to main directly", session="s1").types("never push to main directly", session="s2")
    (id_,) = mine(person.home, person.project).ids
    return id_


def declare(home, name, *, covers, prompt="What about main?", check='by = "text"\nhas = ["never push"]'):
    """A person's task."""
    folder = Path(home.path) / "config/replay"
    folder.mkdir(exist_ok=True)
    ids = json.dumps(covers)
    (folder / f"{name}.toml").write_text(
        f"prompt = {json.dumps(prompt)}\ncovers = {ids}\n[check]\n{check}\n", encoding="utf-8"
    )


def echo(body):
    """A model that repeats what it was given."""
    return body["messages"][0]["content"], 100, 50


def model_at(server):
    """The endpoint as a model, one dollar in and four out a million tokens."""
    return Endpoint(
        "small", ModelSettings(runner="openai", model="tiny", url=server.url, input_usd=1.0, output_usd=4.0)
    )


def run_of(**ceilings):
    """A run under ceilings."""
    return spend.Run("replay", "s_1", Ceilings(**ceilings))


def test_each_arm_is_given_its_own_memory(person, candidate):
    """R60: permanent rows alone, then with the covered candidates labelled unverified; by flag nothing at all."""
    db = person.home.memory
    person.types("Always write commits in Turkish", session="s3")
    from bellek.curator import consolidate

    (other,) = consolidate.sleep(person.home, person.project).ids
    with db.transaction():
        tiers.promote(db, memories.read(db, other), actor="person")
    declare(person.home, "main", covers=[candidate])
    with serving(echo) as server:
        planned = replay.plan(person.home, person.project, model_at(server), none=True)
        replay.carry_out(person.home, planned, model_at(server), run_of())
        none, permanent, covered = (body["messages"][0]["content"] for _, body, _ in server.asked)
    assert none == "What about main?"
    assert "write commits in Turkish" in permanent
    assert "Never push" not in permanent
    assert "write commits in Turkish" in covered
    assert "Never push to main directly (claim, unverified)" in covered


def test_without_run_only_the_plan_is_told(person, candidate):
    """R60: a plan has a price for each call and asks nobody."""
    declare(person.home, "main", covers=[candidate])
    with serving(echo) as server:
        before = dump(person.home)
        planned = replay.plan(person.home, person.project, model_at(server))
        assert [(call.task, call.arm, call.micros > 4000) for call in planned.calls] == [
            ("main", "permanent", True),
            ("main", "covered", True),
        ]
        assert dump(person.home) == before
        assert server.asked == []


def test_a_plan_above_the_budget_is_cut_before_spending(person, candidate):
    """R60: whole tasks are left out until the plan fits; `limit` leaves out the rest as well."""
    for n in range(3):
        declare(person.home, f"task-{n}", covers=[candidate])
    with serving(echo) as server:
        model = model_at(server)
        whole = replay.plan(person.home, person.project, model)
        half = replay.plan(person.home, person.project, model, budget_usd=whole.micros / 1_000_000 / 2)
        assert (len(half.tasks), half.cut) == (1, 2)
        assert half.micros <= whole.micros / 2
        assert (len(replay.plan(person.home, person.project, model, limit=2).tasks)) == 2
        assert replay.plan(person.home, person.project, model, budget_usd=0).calls == ()


def test_the_result_is_stored_and_changes_no_row(person, candidate):
    """R60, R61: per-arm results are there for `show` by the candidate's id; no memory, revision or trail entry changed."""
    declare(person.home, "main", covers=[candidate])
    declare(person.home, "harmed", covers=[candidate], check='by = "text"\nlacks = ["never push"]')
    before = {name: rows for name, rows in dump(person.home).items() if not name.startswith(("replay", "spend"))}
    with serving(echo) as server:
        model = model_at(server)
        replay.carry_out(person.home, replay.plan(person.home, person.project, model), model, run_of())
    assert {
        name: rows for name, rows in dump(person.home).items() if not name.startswith(("replay", "spend"))
    } == before
    found = replay.latest(person.home.memory, candidate)
    assert (found.compared.tasks, found.compared.without, found.compared.with_) == (2, 1, 1)
    assert (found.compared.better, found.compared.harm, found.compared.p) == (("main",), ("harmed",), 1.0)
    assert replay.latest(person.home.memory, "c_000000000000") is None
    assert "Never push" not in str(dump(person.home)["replay_cells"])


def test_a_ceiling_cuts_a_run_where_it_stands(person, candidate):
    """R58, R60: what was answered is kept, the run says that it was cut, and nothing is spent beyond."""
    declare(person.home, "main", covers=[candidate])
    with serving(echo) as server:
        model = model_at(server)
        planned = replay.plan(person.home, person.project, model)
        one = planned.calls[0].micros / 1_000_000
        ended = replay.carry_out(person.home, planned, model, run_of(command_usd=one + 0.0001))
        assert len(server.asked) == 1
    assert ended.state == "cut"
    assert [cell.arm for cell in replays.cells(person.home.memory, ended.id)] == ["permanent"]


BAD = {
    "no check": 'prompt = "x"\ncovers = ["{id}"]',
    "another check": 'prompt = "x"\ncovers = ["{id}"]\n[check]\nby = "judge"',
    "unknown id": 'prompt = "x"\ncovers = ["c_zzzzzzzzzzzz"]\n[check]\nby = "text"',
    "no id at all": 'prompt = "x"\ncovers = ["%"]\n[check]\nby = "text"',
    "broken pattern": 'prompt = "x"\ncovers = ["{id}"]\n[check]\nby = "regex"\npattern = "("',
    "broken TOML": "prompt = ",
}  # fmt: skip


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_a_task_that_cannot_be_used_is_a_fault_and_the_rest_stands(person, candidate, text):
    """A file with a fault is named with its reason; the other tasks are planned."""
    declare(person.home, "good", covers=[candidate])
    (Path(person.home.path) / "config/replay/bad.toml").write_text(text.replace("{id}", candidate), encoding="utf-8")
    found, faults = replay.declared(person.home, person.project)
    assert [one.name for one in found] == ["good"]
    assert [fault.file for fault in faults] == ["bad"]
    assert all(fault.what for fault in faults)


def test_another_projects_tasks_are_not_replayed_here(person, stranger, candidate):
    """R57: a task whose candidate belongs to another project is none of this one's."""
    stranger.types("bir satır")
    declare(person.home, "main", covers=[candidate])
    assert replay.declared(person.home, stranger.project) == ([], [])


CHECKS = [
    ('by = "text"\nhas = ["İSTANBUL"]', "istanbul'da", "Ankara"),
    ('by = "text"\nlacks = ["npm"]', "use pnpm", "use npm"),
    ('by = "regex"\npattern = "^p?npm$"', "pnpm", "yarn"),
    ('by = "json"\npath = "a.b"\nequals = 3', 'so: {"a": {"b": 3}}', '{"a": {"b": true}}'),
    ('by = "command"\nrun = ["grep", "-q", "pnpm"]', "use pnpm", "use yarn"),
    ('by = "command"\nrun = ["true"]', "x; rm -rf /", None),
    ('by = "command"\nrun = ["/no/such/program"]', None, "x"),
]  # fmt: skip


@pytest.mark.parametrize(("check", "good", "bad"), CHECKS)
def test_checks_tell_a_good_answer_from_a_bad_one(check, good, bad):
    """R60: text by folded words, pattern, JSON by path and type, a command's status; an answer is never run."""
    import tomllib

    made = TASK.validate_python(tomllib.loads(f'prompt = "x"\ncovers = ["c_1"]\n[check]\n{check}\n')).check
    if good is not None:
        assert checking.passes(made, good) == ""
    if bad is not None:
        assert checking.passes(made, bad) != ""


@given(better=st.integers(0, 60), worse=st.integers(0, 60))
def test_the_sign_test_is_symmetric_and_bounded(better, worse):
    """The p is the same whoever wins, lies in (0, 1], and falls as one side wins more of the same number."""
    p = replay.sign_test(better, worse)
    assert p == replay.sign_test(worse, better)
    assert 0 < p <= 1
    assert replay.sign_test(better + worse, 0) <= p
    assert math.isclose(replay.sign_test(5, 0), 0.0625)


CLAUDE = """#!{python}
import json, os, sys
note = {{"argv": sys.argv[1:], "stdin": sys.stdin.read(), "guard": os.environ.get("BELLEK_NESTED"), "cwd": os.getcwd()}}
with open({record!r}, "w") as file:
    json.dump(note, file)
print(json.dumps({{"type": "result", "is_error": False, "result": "tamam", "total_cost_usd": 0.0123,
                  "usage": {{"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 5}}}}))
"""


@pytest.fixture
def program(tmp_path):
    """A program in the place of `claude`, which notes how it was started."""
    import sys

    path = tmp_path / "claude"
    path.write_text(CLAUDE.format(python=sys.executable, record=str(tmp_path / "note.json")), encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_claude_runs_guarded_noted_and_without_hands(home, program, tmp_path):
    """R23, R60: guard in the environment, session noted as a machine's, prompt on stdin, no writing tool, no hook, the reported cost."""
    model = ClaudePrint(
        "c",
        ModelSettings(runner="claude", program=str(program), input_usd=1.0),
        home.memory,
        folder=str(tmp_path),
        tools=("Read", "Grep", "Glob"),
    )
    answer = model.ask("gizli soru", max_tokens=100)
    assert (answer.text, answer.tokens_in, answer.tokens_out, answer.micros) == ("tamam", 100, 5, 12_300)
    note = json.loads((tmp_path / "note.json").read_text(encoding="utf-8"))
    assert (note["guard"], note["stdin"], note["cwd"]) == ("1", "gizli soru", os.path.realpath(tmp_path))
    assert hook.GUARD == "BELLEK_NESTED"
    words = note["argv"]
    assert "gizli soru" not in words
    assert words[words.index("--allowedTools") + 1] == "Read,Grep,Glob"
    assert {"Bash", "Edit", "Write", "WebFetch", "Task"} <= set(words[words.index("--disallowedTools") + 1].split(","))
    session = words[words.index("--session-id") + 1]
    assert home.memory.rows("SELECT id, machine FROM sessions") == [(session, 1)]


def test_a_session_of_ours_is_not_heard(person, program, tmp_path):
    """R23: whatever the noted session's transcript says, hearing passes it by."""
    model = ClaudePrint(
        "c", ModelSettings(runner="claude", program=str(program)), person.home.memory, folder=str(tmp_path)
    )
    model.ask("x", max_tokens=100)
    session = str(person.home.memory.value("SELECT id FROM sessions"))
    person.types("Never push to main directly", session=session)
    assert person.home.conversations.value("SELECT count(*) FROM messages") == 0


def test_a_claude_that_is_not_there_costs_nothing(home, tmp_path):
    """R58: a program that cannot be started was reached by nobody."""
    model = ClaudePrint(
        "c", ModelSettings(runner="claude", program=str(tmp_path / "none")), home.memory, folder=str(tmp_path)
    )
    with pytest.raises(ModelFault) as fault:
        model.ask("x", max_tokens=100)
    assert not fault.value.sent
