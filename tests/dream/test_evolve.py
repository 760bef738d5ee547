"""`evolve`: once a week, with evidence, by nobody else; what it reports; and what a killed one leaves."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import rows
from dreaming import dump
from endpoint import config as config_text
from endpoint import serving

import bellek
from bellek.curator import config, evolve, patterns, review, self_audit, spend
from bellek.curator.patterns import Row
from bellek.kg import clock, memories, worldview
from bellek.kg.home import open_home
from bellek.schemas.errors import Refused
from bellek.schemas.gate import GATE
from bellek.schemas.memory import Memory
from bellek.schemas.worldview import Worldview

DAY = clock.DAY_MS
TURKISH = [
    "sqlite dosyasını yalnız apsw açar, çünkü kilitler düşüyor",
    "sqlite yedeği anlık görüntüden alınır, çünkü WAL yarım kalır",
    "sqlite sorgusu tırnak içinde verilir, çünkü ifade bozuluyor",
]


@pytest.fixture
def kept(home, tmp_path, monkeypatch):
    """A home whose project learned three things about one subject on three days; the clock stands after them."""
    monkeypatch.setenv("BELLEK_CLOCK", str(rows.AT + 4 * DAY))
    here = rows.project(home, tmp_path / "proje")
    ids = rows.write(home, here, *(rows.lesson(text, said_at=rows.AT + n * DAY) for n, text in enumerate(TURKISH)))
    return home, here, ids


def later(monkeypatch, days):
    """Let days pass."""
    monkeypatch.setenv("BELLEK_CLOCK", str(rows.AT + (4 + days) * DAY))


def test_twice_in_a_week_writes_once(kept, monkeypatch):
    """R94: a second reflection within seven days changes no row of any table; after them the same pattern is a new version."""
    home, _, ids = kept
    _, done = evolve.evolve(home)
    (view,) = worldview.listed(home.memory)
    assert (done.ids, view.evidence, view.topic) == ([view.id], tuple(sorted(ids)), "recurring-sqlite")
    assert "hep geri geliyor" in view.text
    before = dump(home)
    later(monkeypatch, 6)
    planned, again = evolve.evolve(home)
    assert again is None
    assert "6 days ago" in planned.waits
    with pytest.raises(Refused):
        evolve.carry_out(home, planned)
    assert dump(home) == before
    later(monkeypatch, 7)
    evolve.evolve(home)
    (newer,) = worldview.listed(home.memory)
    assert (newer.id, newer.revision) == (view.id, 2)
    assert newer.week > view.week
    old = home.memory.value("SELECT body FROM revisions WHERE id = ? AND revision = 1", (view.id,))
    assert Memory.model_validate_json(str(old)).body.week == view.week, "old versions stay readable"


def test_nobody_else_writes_and_nothing_resets(kept):
    """R94: an agent, a person and a second writer in the week are refused; no verb resets or writes worldview but evolve."""
    home, _, ids = kept
    evolve.evolve(home)
    (view,) = worldview.listed(home.memory)
    row = memories.read(home.memory, view.id)
    for actor in ("curator", "person", "sleep", "evolve"):
        with home.memory.transaction(), pytest.raises(Refused):
            memories.write(home.memory, row.model_copy(update={"text": "başka"}), actor=actor)
    fresh = {"id": "v_zzzzzzzzzzzz", "body": Worldview(topic="x", week="2026-W49", evidence=tuple(ids)), "text": "x"}
    with home.memory.transaction(), pytest.raises(Refused):
        memories.write(home.memory, row.model_copy(update=fresh), actor="curator")
    assert [verb for verb in GATE if verb.startswith("worldview")] == ["worldview list"]


def test_a_person_refuses_a_row_and_it_stays_away(kept, monkeypatch):
    """R94: a refused pattern is not inferred again, however often the weeks show it."""
    home, _, _ = kept
    evolve.evolve(home)
    (view,) = worldview.listed(home.memory)
    with home.memory.transaction():
        review.refuse(home, view.id, note="doğru değil", actor="person:terminal")
    later(monkeypatch, 8)
    planned, done = evolve.evolve(home)
    assert (planned.changes, done.ids, worldview.listed(home.memory)) == ((), [], [])


def test_what_no_turn_may_be_told_is_no_evidence(home, tmp_path, monkeypatch):
    """R56, R94: rows of tool, web and pasted origin, and quarantined ones, show no pattern."""
    monkeypatch.setenv("BELLEK_CLOCK", str(rows.AT + 4 * DAY))
    here = rows.project(home, tmp_path / "proje")
    origins = ("tool", "web", "pasted")
    rows.write(home, here, *(rows.lesson(t, said_at=rows.AT + n * DAY, origin=o) for n, (t, o) in enumerate(zip(TURKISH, origins, strict=True))))  # fmt: skip
    assert evolve.plan(home).changes == ()


def made(n, kind="lesson", what="discovery", text="the export job runs at night", day=0, hour=12):
    """A row for the pure rules."""
    return Row(f"{kind[0]}_{n}", kind, what, text, "agent", rows.AT + day * DAY + (hour - 3) * 3_600_000, 180)


def test_patterns_need_several_rows():
    """R94: one row is no pattern; what most lessons are, what is disputed and late hours are told from many, in the rows' language."""
    assert patterns.found([made(1)], []) == []
    assert patterns.found([], []) == []
    fixes = [made(n, what="bug-fix", text=f"fixed {word}") for n, word in enumerate("abcdefgh")]
    assert [one.topic for one in patterns.found(fixes, [])] == ["learning-kinds"]
    late = [made(n, "event", "tired", f"geç iş {n}", hour=23) for n in range(4)]
    (view,) = patterns.found(late, [])
    assert (view.topic, view.text.startswith("Saat 22.00")) == ("late-hours", True)
    sides = [made(n, "claim", "Deploy Gate", "deploy gate uses x") for n in range(4)]
    (view,) = patterns.found([], sides)
    assert (view.topic, "changes often" in view.text) == ("disputed-deploy-gate", True)


def test_the_report_counts_and_changes_nothing(kept, monkeypatch):
    """R110: orphans, open contradictions, stale rows, unused channels, junk and friction are counted; nothing is mended."""
    home, here, ids = kept
    rows.write(
        home, here, rows.claim("port", "uses", "8080"), rows.task("eski iş", said_at=rows.AT - 90 * DAY),
        rows.lesson("asla elle dağıtma", importance=3), rows.lesson("x", status="quarantined", note="looked odd"),
    )  # fmt: skip
    home.memory.run(
        "INSERT INTO drops (project, item, reason, at) VALUES (?, 'q_1', 'trivial', ?)", (here, clock.now())
    )
    before = dump(home)
    report = self_audit.report(home)
    counts = {}
    for one in report:
        counts[one.name] = counts.get(one.name, 0) + one.count
    assert dump(home) == before
    assert list(counts) == ["orphans", "contradictions", "stale", "unused channels", "junk", "tone drift", "friction", "wisdom"]  # fmt: skip
    assert counts["orphans"] == len(ids) + 2
    assert (counts["stale"], counts["unused channels"], counts["junk"], counts["wisdom"]) == (1, 3, 1, 1)
    assert next(one.ids for one in report if one.what.startswith("rows are in quarantine"))
    evolve.evolve(home)
    assert next(one for one in self_audit.report(home) if one.name == "wisdom").count == 0


def test_a_dry_run_shows_the_diff_and_changes_no_byte(world):
    """R94: `evolve --dry-run` tells what would be written; the home is byte-identical; then one writes, and the packet says it."""
    world.clock = rows.AT
    with open_home(str(world.home)) as home:
        here = rows.project(home, world.work)
        rows.write(home, here, *(rows.lesson(t, said_at=rows.AT - n * DAY) for n, t in enumerate(TURKISH)))
    before = {path: path.read_bytes() for path in sorted(world.home.rglob("*")) if path.is_file()}
    assert "+ “sqlite” hep geri geliyor" in world.bellek("evolve", "--dry-run")
    assert {path: path.read_bytes() for path in sorted(world.home.rglob("*")) if path.is_file()} == before
    done = world.json("evolve")
    assert (done["state"], len(done["ids"])) == ("written", 1)
    assert world.json("evolve")["state"] == "waits"
    assert "“sqlite” hep geri geliyor" in world.begin()


KILLED = """
import sys
from bellek.curator import config, evolve, spend
from bellek.kg.home import open_home
from bellek import runners
with open_home(sys.argv[1]) as home:
    settings = config.read(home.memory)
    model = runners.model_of(home, settings, "small")
    evolve.evolve(home, model=model, run=spend.run_of(home.memory, "evolve"))
"""


@pytest.mark.parametrize("at", ["spend-reserved", "spend-booked", "evolve-planned", "evolve-written"])
def test_a_killed_reflection_pays_once(kept, at):
    """R58, R94: killed anywhere, the next one writes once and asks a model only where no answer was booked."""
    home, _, ids = kept
    said = json.dumps(
        {"inferences": [{"topic": "sqlite-care", "text": "sqlite hep dikkat ister.", "evidence": ids[:2]}]}
    )
    with serving(lambda _: (f"Elbette:\n```json\n{said}\n```", 100, 20)) as server:
        Path(home.path, "config/config.toml").write_text(config_text(server.url), encoding="utf-8")
        assert config.compile_into(home.memory, home.path) is None
        place = str(Path(bellek.__file__).parents[1])
        environment = {**os.environ, "PYTHONPATH": place, "BELLEK_FAILPOINT": at}
        killed = subprocess.run([sys.executable, "-c", KILLED, home.path], env=environment, check=False, timeout=60)
        assert killed.returncode == -signal.SIGKILL
        assert worldview.listed(home.memory) == []
        environment.pop("BELLEK_FAILPOINT")
        subprocess.run([sys.executable, "-c", KILLED, home.path], env=environment, check=True, timeout=60)
        asked = len(server.asked)
    assert asked == 1
    assert [(view.topic, view.evidence) for view in worldview.listed(home.memory)] == [("sqlite-care", tuple(ids[:2]))]
    assert home.memory.value("SELECT count(*) FROM kept_answers") == 0
    states = [row[0] for row in home.memory.rows("SELECT state FROM spend ORDER BY n")]
    assert states == (["reserved", "booked"] if at == "spend-reserved" else ["booked"])


def test_an_answer_of_another_form_falls_back_to_the_rules(kept):
    """R94: prose, half JSON, rows that were not shown: the patterns by rule are written, and it is said why."""
    home, _, _ = kept
    answers = iter(["Hiçbir şey yok.", '{"inferences": [{"topic": "a', '{"inferences": [{"topic": 3}]}'])
    with serving(lambda _: (next(answers), 10, 5)) as server:
        Path(home.path, "config/config.toml").write_text(config_text(server.url), encoding="utf-8")
        config.compile_into(home.memory, home.path)
        from bellek import runners

        model = runners.model_of(home, config.read(home.memory), "small")
        for _ in range(3):
            planned = evolve.plan(home, model=model, run=spend.run_of(home.memory, "evolve"))
            assert [one.inference.topic for one in planned.changes] == ["recurring-sqlite"]
            assert "something else than inferences" in planned.notes[0]
            with home.memory.transaction():
                spend.let_go(home.memory, planned.answers)
