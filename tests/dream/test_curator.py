"""The curator: a scripted model over HTTP drains what was heard into typed rows; what fails stays; nothing is paid twice."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import rows
from endpoint import config as config_text
from endpoint import serving
from scripted import Curator, items_of, labelled

import bellek
from bellek import hearing, runners
from bellek.clients.claude_ears import ClaudeEars
from bellek.curator import capture, config, drain, drain_model, spend
from bellek.kg import locks, memories, queue, registry
from bellek.schemas.errors import Busy

PLACE = str(Path(bellek.__file__).parents[1])


def heard(home, tmp_path, entries, session="s1"):
    """Let a session say the entries, each after its typed line; the project's id."""
    folder = tmp_path / "proje"
    folder.mkdir(exist_ok=True)
    lines = []
    for entry in entries:
        if "said" in entry:
            lines.append(("user", entry["said"], {"promptSource": "typed"}))
        lines.append(("assistant", [{"type": "text", "text": f"Peki. <!-- learning: {entry['payload']} -->"}], {}))
    path = tmp_path / "client/projects/p" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(
        json.dumps({
            "type": kind, "uuid": f"{session}-{n}", "sessionId": session, "timestamp": f"2026-11-30T09:{n // 60:02d}:{n % 60:02d}.000Z",
            "cwd": str(folder), "version": "2.1.332", "entrypoint": "cli", "isSidechain": False, "message": {"role": kind, "content": content}, **more,
        }, ensure_ascii=False) + "\n"
        for n, (kind, content, more) in enumerate(lines)
    ), encoding="utf-8")  # fmt: skip
    ears = ClaudeEars(str(tmp_path / "client"))
    capture.hear(home, ears, ears.transcripts([str(path)]))
    return home.memory.value("SELECT id FROM projects WHERE path = ?", (str(folder),))


def model_at(home, url, extra=""):
    """The model of a config that names an endpoint."""
    Path(home.path, "config/config.toml").write_text(config_text(url, extra=extra), encoding="utf-8")
    assert config.compile_into(home.memory, home.path) is None
    return runners.model_of(home, config.read(home.memory), "small")


def drained(home, project, model, **given):
    """One drain by a model."""
    return drain_model.drain_by_model(home, project, model, spend.run_of(home.memory, "drain"), **given)


def rows_of(home):
    """What stands in the typed tables, in the form of the labelled set."""
    for id_ in [str(row[0]) for row in home.memory.rows("SELECT id FROM memories ORDER BY n")]:
        row = memories.read(home.memory, id_)
        match row.body.kind:
            case "lesson":
                yield ("lesson", row.body.learning, row.text)
            case "claim":
                yield ("claim", row.body.predicate, row.body.object)
            case "event":
                yield ("event", row.body.day, row.text)
            case "page":
                yield ("page", row.body.topic)
            case "entity" | "field":
                yield (row.body.kind, row.body.name)
            case "log" if row.body.type != "note":  # hearing notes each turn that marked something by itself
                yield ("log", row.body.type)
            case "log":
                pass
            case "proposal":
                yield ("proposal", row.body.structure)
            case kind:
                yield (kind, row.text)


def test_fifty_learnings_become_the_expected_rows(home, tmp_path):
    """R30, R32, R42, R99: fifty Turkish and English learnings, answered by a scripted model over HTTP, land where the labelled set says."""
    entries = labelled()
    assert len(entries) == 50
    assert sum(any(c in "çğışöüİ" for c in entry["payload"]) for entry in entries) >= 20
    here = heard(home, tmp_path, entries)
    with serving(Curator(entries)) as server:
        done = drained(home, here, model_at(home, server.url))
        asked = len(server.asked)
    wanted = Counter(tuple(row) for entry in entries for row in entry["rows"])
    found = Counter(rows_of(home))
    hits = (wanted & found).total()
    precision, recall = hits / found.total(), hits / wanted.total()
    print(f"\n50 learnings: precision {precision:.2f}, recall {recall:.2f}, {asked} calls")
    assert (precision, recall) == (1.0, 1.0), (wanted - found, found - wanted)
    assert done.states["dropped"] == 3
    assert done.states["absorbed"] == 1
    (dead,) = queue.dead(home.memory, here)
    assert dead.payload.startswith("Whoever answers this wrongly")
    assert "text" in dead.reason
    assert queue.counts(home.memory, here) == {}
    assert (
        home.memory.value("SELECT sightings FROM lessons JOIN memories USING (id) WHERE text LIKE 'Yedeği WAL%'") == 2
    )
    assert [row[0] for row in home.memory.rows("SELECT object FROM claims JOIN memories USING (id) WHERE predicate = 'lives_in' AND status = 'current'")] == ["İzmir"]  # fmt: skip
    assert {row[0] for row in home.memory.rows("SELECT tier FROM memories")} <= {"T1", "-"}
    assert {row[0] for row in home.memory.rows("SELECT state FROM spend")} == {"booked"}
    assert home.memory.value("SELECT count(*) FROM drops") == 3


FIVE = [entry for entry in labelled() if entry["rows"] and entry["rows"][0][0] == "lesson"][:5]


def hostile(home, tmp_path, says, **given):
    """Five learnings and a provider that answers so; what the drain did and the project."""
    here = heard(home, tmp_path, FIVE)
    with serving(says) as server:
        done = drained(home, here, model_at(home, server.url, **given))
        return done, here, len(server.asked)


@pytest.mark.parametrize("status", [401, 429, 500, 503])
def test_a_provider_that_fails_costs_no_item_a_try(home, tmp_path, status):
    """R40: after 429 or 500 every item still waits, with no try counted, and the drain says why it stopped after one call."""
    done, here, asked = hostile(home, tmp_path, lambda _: status)
    assert (asked, done.steps, done.acknowledged) == (1, 1, 0)
    assert str(status) in done.stopped
    items = queue.peek(home.memory, here)
    assert [(item.state, item.attempts) for item in items] == [("pending", 0)] * 5
    assert list(rows_of(home)) == []


def test_a_provider_that_hangs_is_left_in_time(home, tmp_path):
    """R40, R49: a provider that sends a byte now and then is given up at its time; the items wait and the reservation counts."""
    done, here, asked = hostile(home, tmp_path, lambda _: "drip", extra="timeout_s = 1\n")
    assert asked == 1
    assert "in time" in done.stopped
    assert [item.state for item in queue.peek(home.memory, here)] == ["pending"] * 5
    assert home.memory.rows("SELECT state, micros > 0 FROM spend") == [("failed", 1)]


@pytest.mark.parametrize(
    "text", ["", "Üzgünüm, yapamam.", '{"verdicts": [{"verdict": "write", "items": ["q', '{"verdicts": [{"object": "\\u12 şeker"}]}', "[]", '{"verdicts": []}', "{" * 3_000]
)  # fmt: skip
def test_an_answer_that_is_none_is_tried_three_times_and_parked(home, tmp_path, text):
    """B66, B68, R40: empty, prose, cut off, wrongly escaped, nothing: three tries in all, then dead letters that hold how it began."""
    done, here, asked = hostile(home, tmp_path, lambda _: (text, 10, 5))
    assert asked == queue.MAX_ATTEMPTS
    parked = queue.dead(home.memory, here)
    assert len(parked) == 5
    assert all(
        (item.reason and text[:20] in item.reason.replace("\\\\", "\\")) or "no verdict" in item.reason
        for item in parked
    )
    assert len(done.failed) == 15
    assert list(rows_of(home)) == []


def test_a_model_that_answers_only_other_peoples_items_writes_nothing(home, tmp_path):
    """B67: verdicts without an item, or for items that are not in the prompt, are not carried out."""
    write = {"verdict": "write", "memory": {"kind": "lesson", "text": "uydurma, çünkü boş", "learning": "pattern"}}
    rows = [write, {**write, "items": []}, {**write, "items": ["q_000000000000"]}, "x", None]
    _, here, _ = hostile(home, tmp_path, lambda _: (json.dumps({"verdicts": rows}), 10, 5))
    assert list(rows_of(home)) == []
    assert len(queue.dead(home.memory, here)) == 5


def test_a_good_verdict_beside_a_bad_one_is_kept(home, tmp_path):
    """B67: of five answers one has a wrong shape: four items are written at once, the fifth is asked for again with the reason."""
    curator = Curator(FIVE)

    def says(body):
        items = items_of(body)
        text, *tokens = curator(body)
        if "refused" not in items[0]:
            text = text.replace('"learning"', '"lerning"', 1)
        return text, *tokens

    done, here, asked = hostile(home, tmp_path, says)
    assert (asked, done.acknowledged, len(done.failed)) == (2, 5, 1)
    assert len(list(rows_of(home))) == 5
    assert queue.counts(home.memory, here) == {}


def test_a_ceiling_stops_the_drain_before_it_spends(home, tmp_path):
    """R58: where the next call could cross a ceiling it is not made; what waits, waits."""
    done, here, asked = hostile(home, tmp_path, Curator(FIVE), extra="[spend]\ncall_tokens = 500\n")
    assert (asked, done.acknowledged) == (0, 0)
    assert "spend.call_tokens" in done.stopped
    assert queue.counts(home.memory, here) == {"learning": 5}


def test_one_curator_at_a_time(home, tmp_path):
    """R29, R99: while another drain works the curator asks nobody."""
    here = heard(home, tmp_path, FIVE)
    with serving(Curator(FIVE)) as server, locks.held(home.path, drain.LOCK) as mine:
        assert mine
        with pytest.raises(Busy):
            drained(home, here, model_at(home, server.url))
        assert server.asked == []


def test_what_is_known_is_found_by_the_words_that_tell(home, tmp_path, monkeypatch):
    """R90, R99: near rows share a word that few hold, the best first, in either language; a text of common words alone meets the
    newest rows that hold all of them; another project's are never shown. A word is counted once a step.
    """
    here, other = rows.project(home, tmp_path / "bir"), rows.project(home, tmp_path / "iki")
    ids = rows.write(
        home,
        here,
        *(rows.lesson(f"deploy raporu kolon {n}", topic=f"d-{n}") for n in range(6)),
        rows.lesson("çığlık raporu Çarşamba'da", topic="c"),
    )
    rows.write(home, other, rows.lesson("çığlık raporu başka yerde", topic="x"))
    monkeypatch.setattr(drain_model, "COMMON_ROWS", 5)
    counted = {}
    assert [row["id"] for row in drain_model.known(home, here, "DEPLOY raporu, ÇIĞLIK sonrası", counted)] == [ids[6]]
    assert [row["id"] for row in drain_model.known(home, here, "deploy raporunda", counted)] == ids[5:1:-1]
    assert {word: n for word, n in counted.items() if n} == {"deploy": 5, "raporu": 5, "raporunda": 5, "ciglik": 1}
    assert drain_model.known(home, here, "ve bu") == []


def test_what_no_turn_may_be_told_is_not_shown_to_a_model(home, tmp_path):
    """R56: a known row of pasted origin is not in the prompt, a row of the project is."""
    import rows

    here = heard(home, tmp_path, FIVE[:1])
    words = FIVE[0]["payload"]
    rows.write(home, here, rows.lesson(words + " (yapıştırılmış)", origin="pasted"), rows.lesson(words + " (bilinen)"))
    prompt = drain_model.prompt_of(home, here, tuple(queue.peek(home.memory, here)))
    assert "(bilinen)" in prompt
    assert "(yapıştırılmış)" not in prompt


KILLED = """
import sys
from bellek import runners
from bellek.curator import config, drain_model, spend
from bellek.kg.home import open_home
with open_home(sys.argv[1]) as home:
    model = runners.model_of(home, config.read(home.memory), "small")
    drain_model.drain_by_model(home, sys.argv[2], model, spend.run_of(home.memory, "drain"))
"""


@pytest.mark.parametrize(
    "at", ["curator-taken", "spend-reserved", "spend-booked", "curator-written", "curator-committed"]
)
def test_a_killed_curator_loses_nothing_and_pays_once(home, tmp_path, at):
    """R38, R58, R99: killed at any point, the next run writes every row once and asks again only where no answer was booked."""
    here = heard(home, tmp_path, FIVE)
    with serving(Curator(FIVE)) as server:
        model_at(home, server.url)
        environment = {**os.environ, "PYTHONPATH": PLACE, "BELLEK_FAILPOINT": at}
        words = [sys.executable, "-c", KILLED, home.path, here]
        assert subprocess.run(words, env=environment, check=False, timeout=60).returncode == -signal.SIGKILL
        environment.pop("BELLEK_FAILPOINT")
        subprocess.run(words, env=environment, check=True, timeout=60)
        asked = len(server.asked)
    assert asked == 1
    assert Counter(rows_of(home)) == Counter(tuple(row) for entry in FIVE for row in entry["rows"])
    assert queue.counts(home.memory, here) == {}
    states = [row[0] for row in home.memory.rows("SELECT state FROM spend ORDER BY n")]
    assert states == (["reserved", "booked"] if at == "spend-reserved" else ["booked"])
    assert home.memory.value("SELECT count(*) FROM kept_answers") == 0


@pytest.mark.parametrize("with_model", [True, False])
def test_a_companion_curates_after_the_reply(home, tmp_path, monkeypatch, with_model):
    """R99: in profile `companion` the hearing child drains, by the model in at most three steps, by rule where none is set."""
    entries = labelled()[-29:-1]
    here = heard(home, tmp_path, entries)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "client"))
    with serving(Curator(entries)) as server:
        text = (
            'profile = "companion"\n'
            + ('[curator]\nmodel = "small"\n' if with_model else "")
            + config_text(server.url).replace('[sleep]\nmodel = "small"\n', "")
        )
        Path(home.path, "config/config.toml").write_text(text, encoding="utf-8")
        hearing.child(home.path, "claude-code", "")
        asked = len(server.asked)
    written = home.memory.value("SELECT count(*) FROM lessons")
    assert (asked, written) == ((3, 24) if with_model else (0, 28))
    assert queue.counts(home.memory, here) == ({"learning": 4} if with_model else {})
    assert registry.listed(home.memory)[0].id == here
