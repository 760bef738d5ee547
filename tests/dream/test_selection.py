"""End of a session: decisions, facts, fixes and preferences become rows; nothing of a trivial one; killed, it pays once."""

import json
import os
import signal
import subprocess
import sys
from typing import get_args

import pytest
import rows
from endpoint import serving
from test_curator import PLACE, model_at

from bellek.curator import selection, spend
from bellek.kg import clock, memories, state, talks
from bellek.schemas.state import BASELINE, CHANNELS

LINES = (
    "exporter neden takılıyor, bakar mısın ve düzelt",
    "Bundan sonra dışa aktarmayı hep anlık görüntüden al, canlı dosyadan değil",
)
ANSWERED = {
    "verdicts": [
        {"verdict": "write", "evidence": ["talk-1-0"], "memory": {"kind": "lesson", "learning": "bug-fix", "importance": "high", "text": "Exporter takılıyordu, çünkü canlı dosyayı kilitliyordu; anlık görüntüyle düzeldi"}},
        {"verdict": "write", "evidence": ["talk-1-1"], "memory": {"kind": "claim", "category": "constraint", "subject": "user", "predicate": "requires", "object": "dışa aktarmayı hep anlık görüntüden al", "confidence": 0.9, "quote": "dışa aktarmayı hep anlık görüntüden al"}},
        {"verdict": "write", "evidence": ["m-elsewhere"], "memory": {"kind": "lesson", "learning": "pattern", "text": "görülmemiş bir satırdan"}},
        {"verdict": "drop", "reason": "x"}, {"verdict": "write", "evidence": ["talk-1-0"], "memory": {"kind": "task", "text": "bir iş uydur"}},
    ],
    "outcome": "Dışa aktarma düzeldi.", "mood": "calm",
}  # fmt: skip


@pytest.fixture
def over(home, tmp_path, monkeypatch):
    """A project with one conversation that ended an hour ago."""
    here = rows.project(home, tmp_path / "proje")
    rows.say(home, here, *LINES)
    monkeypatch.setenv("BELLEK_CLOCK", str(rows.AT + clock.HOUR_MS))
    return here


def selected(home, here, url):
    """One selection by the model at an address."""
    return selection.select(home, here, model_at(home, url), spend.run_of(home.memory, "select"))


def test_a_session_becomes_rows_and_an_outcome(home, over):
    """R70, R103: what was decided, fixed and asked for is written with its line; what was not shown or is of another kind is not; read once."""
    with serving(lambda _: (json.dumps(ANSWERED, ensure_ascii=False), 100, 50)) as server:
        done = selected(home, over, server.url)
        again = selected(home, over, server.url)
        assert len(server.asked) == 1
    assert (done.asked, again.asked, done.refused) == (1, 0, [])
    kept = [memories.read(home.memory, id_) for id_ in done.ids]
    assert [(row.body.kind, row.origin) for row in kept] == [("lesson", "agent"), ("claim", "user")]
    told = talks.told(home.conversations, home.memory, "talk-1", over, frozenset())
    assert (told.outcome, told.mood) == ("Dışa aktarma düzeldi.", "calm")


def test_a_project_that_was_read_is_not_looked_into_again(home, over, monkeypatch):
    """R70: when all was read nothing is due; what is heard then makes it due, also while that conversation goes on, until it was read."""
    with serving(lambda _: (json.dumps(ANSWERED), 1, 1)) as server:
        assert selection.due(home, over)
        selected(home, over, server.url)
        assert not selection.due(home, over)
        rows.say(home, over, "yeni bir karar: sürüm cuma çıkar, çünkü testler perşembe biter", talk="talk-2")
        monkeypatch.setenv("BELLEK_CLOCK", str(rows.AT + 600_000))
        selected(home, over, server.url)
        assert selection.due(home, over)
        monkeypatch.setenv("BELLEK_CLOCK", str(rows.AT + clock.HOUR_MS))
        selected(home, over, server.url)
        assert (len(server.asked), selection.due(home, over)) == (2, False)


def test_a_model_may_say_how_a_typed_line_moved_the_tone(home, over):
    """R95: a shift that the ending names takes the lexicon's place at its line, bounded; one out of bounds, of a channel that is
    none, or of a line that nobody typed or that was not shown moves nothing, is said, and costs no verdict.
    """
    home.memory.run(
        "INSERT INTO sessions (id, client, project, reset, machine, first_at, last_at) VALUES ('talk-1', 'claude-code', ?, 0, 0, 0, 0)",
        (over,),
    )
    moved = [
        {"line": "talk-1-1", "shifts": {"valence": -0.2, "threat_level": 0.15}},
        {"line": "talk-1-1", "shifts": {"valence": -0.9}}, {"line": "talk-1-1", "shifts": {"öfke": 0.1}},
        {"line": "m-elsewhere", "shifts": {"valence": 0.1}}, "x", {"line": "talk-1-1", "shifts": {"novelty": float("nan")}},
    ]  # fmt: skip
    answer = json.dumps({**ANSWERED, "moved": moved})
    with serving(lambda _: (answer, 1, 1)) as server:
        done = selected(home, over, server.url)
    assert (len(done.ids), len(done.refused)) == (2, 5)
    assert get_args(selection.Channel) == CHANNELS
    ((_, values, mood),) = state.points(home.memory, "claude-code", 0)
    assert [round(value - rest, 2) for value, rest in zip(values, BASELINE, strict=True)] == [
        0,
        -0.2,
        0,
        0,
        0,
        0,
        0,
        0.15,
    ]
    assert mood == "anxious"


def test_nothing_is_asked_when_it_was_small_talk_or_goes_on(home, tmp_path, monkeypatch):
    """R70: greetings and look-ups cost no call and write nothing, in both languages; a conversation of ten minutes ago is not over."""
    here = rows.project(home, tmp_path / "proje")
    rows.say(home, here, "merhaba", "teşekkürler", "what is the status")
    rows.say(home, here, *LINES, talk="talk-2")
    with serving(lambda _: (json.dumps(ANSWERED), 1, 1)) as server:
        monkeypatch.setenv("BELLEK_CLOCK", str(rows.AT + 600_000))
        assert selected(home, here, server.url).asked == 0
        monkeypatch.setenv("BELLEK_CLOCK", str(rows.AT + clock.HOUR_MS))
        home.conversations.run("DELETE FROM messages WHERE conversation = 'none'")
        done = selected(home, here, server.url)
        assert [body["messages"][0]["content"].count("merhaba") for _, body, _ in server.asked] == [0]
    assert (done.trivial, done.asked) == (1, 1)


@pytest.mark.parametrize(
    ("text", "why"),
    [("tamam", "the answer is none"), ('{"verdicts": 3}', "the answer is none"), ('{"verdicts": []}', "")],
)
def test_an_answer_that_is_none_is_passed_over(home, over, text, why):
    """R70: prose and wrong shapes write nothing and are said; an empty answer is a fine one; none is asked again."""
    with serving(lambda _: (text, 1, 1)) as server:
        done = selected(home, over, server.url)
        selected(home, over, server.url)
        assert len(server.asked) == 1
    assert done.ids == []
    assert why in "".join(done.refused)


def test_a_provider_that_fails_leaves_the_window(home, over):
    """R40: after 500 the window is still to be read."""
    with serving(lambda _: 500) as server:
        assert "500" in selected(home, over, server.url).stopped
        server.says = lambda _: (json.dumps(ANSWERED), 1, 1)
        assert len(selected(home, over, server.url).ids) == 2


KILLED = """
import sys
from bellek import runners
from bellek.curator import config, selection, spend
from bellek.kg.home import open_home
with open_home(sys.argv[1]) as home:
    model = runners.model_of(home, config.read(home.memory), "small")
    selection.select(home, sys.argv[2], model, spend.run_of(home.memory, "select"))
"""


@pytest.mark.parametrize("at", ["spend-booked", "selection-written"])
def test_a_killed_selection_pays_once(home, over, at):
    """R58, R70: killed behind the answer, the next one writes its rows once and asks nobody."""
    with serving(lambda _: (json.dumps(ANSWERED, ensure_ascii=False), 100, 50)) as server:
        model_at(home, server.url)
        environment = {**os.environ, "PYTHONPATH": PLACE, "BELLEK_FAILPOINT": at}
        words = [sys.executable, "-c", KILLED, home.path, over]
        assert subprocess.run(words, env=environment, check=False, timeout=60).returncode == -signal.SIGKILL
        environment.pop("BELLEK_FAILPOINT")
        subprocess.run(words, env=environment, check=True, timeout=60)
        assert len(server.asked) == 1
    assert home.memory.value("SELECT count(*) FROM memories") == 2
    assert home.memory.value("SELECT count(*) FROM kept_answers") == 0
