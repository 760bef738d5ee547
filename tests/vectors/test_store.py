"""Vectors beside the messages: built piece by piece, asked only when whole, gone with the words they were made of."""

import json
import signal
import sqlite3
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import rows
from embedding_server import serving

from bellek.doctor_vectors import meaning
from bellek.kg import check, conversations, embedders, embedding, find, mend, spaces, vectors
from bellek.kg.answers import Where
from bellek.kg.embedding_endpoint import Endpoint
from bellek.kg.fold import index_text
from bellek.kg.home import open_home
from bellek.kg.vectors import Arm, Off
from bellek.schemas.embedding import Choice

pytestmark = pytest.mark.skipif(
    find_spec("sqlite_vec") is None, reason="sqlite-vec is not installed: `pip install 'bellek[vectors]'` brings it"
)
TEXTS = [f"message {word}" for word in ("aaaa", "bbbb", "cccc", "dddd", "eeee", "ffff")]


@pytest.fixture
def server():
    """An endpoint on loopback."""
    with serving() as running:
        yield running


@pytest.fixture
def letters(server, home, monkeypatch):
    """That endpoint, chosen by a setting as a person would."""
    return choose(home, server, monkeypatch)


def choose(home, server, monkeypatch, model="letters"):
    """Choose the endpoint with a model's name; the embedder."""
    monkeypatch.setenv(embedders.VARIABLE, "openai")
    with home.memory.transaction():
        home.memory.run_many(
            "INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)",
            [("config:embedder.url", json.dumps(server.url)), ("config:embedder.model", json.dumps(model))],
        )
    return Endpoint(Choice("openai", server.url, model))


def nearest(home, project, question, **within):
    """The texts of the arm's pool, best first."""
    arm = vectors.ask(home, question, Where(project, **within))
    assert isinstance(arm, Arm), arm
    best = sorted(arm.pool, key=lambda n: (-arm.pool[n], n))
    return [str(home.conversations.value("SELECT text FROM messages WHERE n = ?", (n,))) for n in best]


def held(home):
    """How many vectors there are."""
    return home.conversations.value("SELECT count(*) FROM vectors")


@pytest.fixture
def here(home, tmp_path):
    """A project in which TEXTS were said."""
    project = rows.project(home, tmp_path)
    rows.say(home, project, *TEXTS)
    return project


def test_what_is_embedded_is_found_by_meaning(home, here, letters):
    """A question without a word of the message finds it; the second run has nothing to do."""
    first, again = embedding.catch_up(home, letters), embedding.catch_up(home, letters)
    assert (first, embedding.look(home.conversations, letters.identity).whole, again) == (6, True, 0)
    assert nearest(home, here, "ccc")[0] == "message cccc"
    assert (
        next(
            hit.n
            for hit in find.find(home.conversations, "ccc", project=here, dense=vectors.ask(home, "ccc", Where(here)))
        )
        == 3
    )


def test_a_model_that_changed_is_not_asked_with_old_vectors(home, here, letters, server, monkeypatch):
    """B96: another model and length: the old vectors stay, the search says that it goes by words and what to run, and `index` makes new ones beside them."""
    embedding.catch_up(home, letters)
    server.vector = lambda text: [text.count("c") + 0.1, text.count("a") + 0.1, 1.0]
    other = choose(home, server, monkeypatch, "small")
    off = vectors.ask(home, "ccc", Where(here))
    assert isinstance(off, Off)
    assert off.wanted
    assert "bellek index" in off.why
    assert held(home) == 6
    assert {(s.embedder, s.dimension) for s in spaces.listed(home.conversations)} == {("openai letters", 26)}
    embedding.catch_up(home, other)
    assert nearest(home, here, "ccc")[0] == "message cccc"
    assert {(s.embedder, s.dimension) for s in spaces.listed(home.conversations)} == {("openai small", 3)}
    assert held(home) == 6


def test_a_far_message_is_found_among_many_parts(home, tmp_path, letters):
    """B97: more rows than any limit of a vector index, and the one that matches the bounds is the farthest: it is found."""
    project = rows.project(home, tmp_path)
    said = [
        conversations.Message(
            id=f"m{i}", conversation="t", seq=0, project=project, agent="*", author="user", origin="user", typed=True, machine=False,
            sidechain=False, at=rows.AT + i, offset_minutes=0, text="zzzz far away" if i == 0 else f"aaaa{'b' * (i % 7)} near {i}",
        )
        for i in range(4_200)
    ]  # fmt: skip
    conversations.append(home.conversations, "test", said)
    embedding.catch_up(home, letters)
    assert nearest(home, project, "aaaab", until=rows.AT + 1) == ["zzzz far away"]
    assert len(nearest(home, project, "aaaab")) == vectors.POOL


def test_nearer_rows_of_another_project_take_no_place(home, here, tmp_path, letters):
    """B99: 600 nearer messages of another project do not crowd out this project's one."""
    other = rows.project(home, tmp_path / "other")
    rows.say(home, other, *["ccc"] * 600, talk="foreign")
    embedding.catch_up(home, letters)
    found = nearest(home, here, "ccc")
    assert set(found) == set(TEXTS)


def test_a_kill_in_the_middle_leaves_searches_whole(home, here, letters, server, monkeypatch, tmp_path):
    """A kill -9 while a space is built or replaced: searches go by words or by the old vectors, nothing is doubled, and the next run goes on."""
    monkeypatch.setattr(embedding, "BATCH", 2)
    script = (
        "import sys; from bellek.kg import embedding, embedders; from bellek.kg.home import open_home; embedding.BATCH = 2\n"
        "home = open_home(sys.argv[1]); e = embedders.load(home.memory)\n"
        "if sys.argv[2:]: embedding.start_anew(home.conversations, e)\n"
        "embedding.catch_up(home, e)"
    )
    for place, anew, left in (
        ("vectors-written:2", [], 2),
        ("vectors-stored:1", [], 4),
        ("spaces-whole", [], 6),
        ("vectors-stored:1", ["anew"], 8),
        ("spaces-whole", ["anew"], 12),
    ):
        done = subprocess.run(
            [sys.executable, "-c", script, home.path, *anew],
            check=False,
            env={**embedders.os.environ, "BELLEK_FAILPOINT": place, "PYTHONPATH": program()},
            timeout=60,
        )
        assert done.returncode == -signal.SIGKILL, place
        assert held(home) == left, place
        assert check.check_conversations(home.conversations) == []
        arm = vectors.ask(home, "ccc", Where(here))
        assert isinstance(arm, Arm) is (left >= 6)
        assert find.find(home.conversations, "cccc", project=here)[0].n == 3
    asked = len(server.asked)
    made = embedding.catch_up(home, letters)
    assert (embedding.look(home.conversations, letters.identity).whole, made) == (True, 0)
    assert len(server.asked) == asked
    assert held(home) == len(TEXTS)


def program():
    """Where the package under test lies."""
    import bellek

    return str(Path(bellek.__file__).parents[1])


def test_a_rebuild_is_asked_only_when_it_is_whole(home, here, letters):
    """While new vectors are made beside them, the old ones answer; then they are gone."""
    embedding.catch_up(home, letters)
    old = [s.id for s in spaces.whole(home.conversations, letters.identity)]
    embedding.start_anew(home.conversations, letters)
    embedding.start_anew(home.conversations, letters)
    assert [s.id for s in spaces.whole(home.conversations, letters.identity)] == old
    assert nearest(home, here, "ccc")[0] == "message cccc"
    assert embedding.catch_up(home, letters) == len(TEXTS)
    assert [s.id for s in spaces.listed(home.conversations)] != old
    assert held(home) == len(TEXTS)


def test_a_vector_goes_with_the_words_it_was_made_of(home, here, letters):
    """Words that are changed or deleted take their own vectors and their neighbours' along, in any SQLite; `index` makes the neighbours' anew."""
    embedding.catch_up(home, letters)
    home.close()
    plain = sqlite3.connect(f"{home.path}/conversations.db")  # no other connection of ours is open
    plain.execute("UPDATE messages SET text = '[forgotten]', shadow = '' WHERE n = 3")
    plain.commit()
    plain.close()
    with open_home(home.path) as again:
        assert again.conversations.rows("SELECT n FROM vectors ORDER BY n") == [(1,), (5,), (6,)]
        assert embedding.catch_up(again, letters, mend=True) == 2
        assert again.conversations.rows("SELECT n FROM vectors ORDER BY n") == [(1,), (2,), (4,), (5,), (6,)]
        again.conversations.run(
            "UPDATE messages SET text = 'message cccc', shadow = ? WHERE n = 3", (index_text("message cccc"),)
        )


def test_words_that_change_while_they_are_embedded_leave_no_vector(home, here, letters, server):
    """A message that is forgotten while the embedder works is not stored, nor are neighbours whose text held its words."""

    def forget_then_answer(text):
        if len(server.asked) == 2:  # the first request is the sample that a new space's mean is made of
            home.conversations.run("UPDATE messages SET text = '[forgotten]' WHERE n = 3")
        return [1.0, float(len(text)), 2.0]

    server.vector = forget_then_answer
    embedding.catch_up(home, letters)
    assert home.conversations.rows("SELECT n FROM vectors ORDER BY n") == [(1,), (5,), (6,)]
    home.conversations.run("UPDATE messages SET text = 'message cccc' WHERE n = 3")


def test_nothing_lacks_a_vector_where_the_last_words_say_nothing(home, here, letters):
    """Hearing asks whether a message waits before it loads an embedder: one without words, or whose words are forgotten, waits for none."""
    assert embedding.lacking(home.conversations, letters.identity)
    embedding.catch_up(home, letters)
    assert not embedding.lacking(home.conversations, letters.identity)
    rows.say(home, here, "?!", talk="signs")
    assert not embedding.lacking(home.conversations, letters.identity)
    rows.say(home, here, "message gggg", talk="signs")
    assert embedding.lacking(home.conversations, letters.identity)


def test_a_message_that_moves_to_another_project_is_found_there(home, here, tmp_path, letters):
    """The vectors follow their message's project."""
    other = rows.project(home, tmp_path / "other")
    embedding.catch_up(home, letters)
    home.conversations.run("UPDATE messages SET project = ? WHERE n = 3", (other,))
    assert nearest(home, other, "ccc") == ["message cccc"]
    assert "message cccc" not in nearest(home, here, "ccc")
    home.conversations.run("UPDATE messages SET project = ? WHERE n = 3", (here,))


def test_refused_vectors_are_counted_and_their_messages_found_by_words(home, here, letters, server):
    """An embedder that answers NaN for one text costs that text its vector and nothing else."""
    from embedding_server import by_letters

    server.vector = lambda text: [float("nan")] * 26 if "cccc" in text else by_letters(text)
    embedding.catch_up(home, letters)
    progress = embedding.look(home.conversations, letters.identity)
    assert (progress.whole, progress.refused, held(home)) == (True, 1, 5)
    arm = vectors.ask(home, "bbb", Where(here))
    assert arm(None, [3]) == {}
    assert 3 in [hit.n for hit in find.find(home.conversations, "cccc", project=here, dense=arm)]


def test_an_endpoint_that_is_gone_leaves_words(home, here, letters, server):
    """A question while the endpoint answers 500 is found by words, and the reason is told."""
    embedding.catch_up(home, letters)
    server.status = 500
    off = vectors.ask(home, "cccc", Where(here))
    assert isinstance(off, Off)
    assert off.wanted
    assert "500" in off.why


def test_a_plain_sqlite_opens_checks_and_dumps_the_file(home, here, letters):
    """B101: without the extension any SQLite reads, checks, dumps and vacuums a store that has vectors: they lie in ordinary tables."""
    embedding.catch_up(home, letters)
    home.conversations.backup_to(f"{home.path}/copy.db")
    plain = sqlite3.connect(f"{home.path}/copy.db")
    assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert plain.execute("SELECT count(*) FROM vectors").fetchone() == (6,)
    assert "CREATE TABLE vectors" in "\n".join(plain.iterdump())
    plain.execute("VACUUM")
    plain.close()


def test_cells_hold_every_vector_once_and_find_the_same(home, tmp_path, letters, monkeypatch):
    """Putting vectors into cells, killed or not, loses none and changes no exact score; what comes later goes to its cell."""
    pytest.importorskip("numpy", reason="numpy is not installed: there are no cells without it")
    from bellek.kg import vector_cells as cells

    monkeypatch.setattr(cells, "SMALL", 50)
    monkeypatch.setattr(cells, "SMALLEST", 10)
    monkeypatch.setattr(cells, "MOVED", 40)
    project = rows.project(home, tmp_path)
    rows.say(home, project, *[f"{chr(97 + i % 20) * 6} {chr(97 + i % 13)}" for i in range(200)])
    embedding.catch_up(home, letters)
    db = home.conversations
    assert db.value("SELECT count(DISTINCT cell) FROM vectors") > 5
    assert db.value("SELECT count(*) FROM vectors WHERE cell = 0") == 0
    assert db.value("SELECT count(DISTINCT n) FROM vectors") == held(home) == 200
    assert nearest(home, project, "cccccc c")[0].startswith("cccccc")
    rows.say(home, project, "qqqqqq q")
    embedding.catch_up(home, letters)
    assert db.value("SELECT cell FROM vectors WHERE n = 201") > 0
    assert nearest(home, project, "qqqqqq q")[0] == "qqqqqq q"


def test_a_question_about_something_else_finds_nothing_by_meaning(home, here, letters):
    """R112: where even the nearest message is not above the embedder's floor, meaning alone finds none; beside words it orders."""
    embedding.catch_up(home, letters)

    def found(question: str) -> list[int]:
        arm = vectors.asked(home.conversations, letters, question, Where(here))
        return [hit.n for hit in find.find(home.conversations, question, project=here, dense=arm)]

    assert found("c")[0] == 3
    near = found("cccc")
    letters.floor = 1.01
    assert found("c") == []
    assert found("cccc") == near
    assert near[0] == 3


SPOILT = {
    "UPDATE vectors SET v = x'0102' WHERE n = 2": "1 vectors have another length than their space",
    "UPDATE vectors SET v = zeroblob(26) WHERE n IN (2, 3)": "2 vectors are nothing but zeros",
    "UPDATE vectors SET project = 'p_other' WHERE n = 4": "1 vectors lie under another project than their message",
    "UPDATE vectors SET cell = 7 WHERE n = 5": "1 vectors lie in a cell that is not there: no search comes to them",
    f"UPDATE spaces SET mean = x'{'0000c07f' * 26}'": "the mean that was taken out of its vectors is no vector",
}


@pytest.mark.parametrize("spoil", SPOILT)
def test_doctor_finds_vectors_that_cannot_be_right_and_mends_them(home, here, letters, spoil):
    """R45: a vector of a wrong length, of zeros, of another project, in a cell that is gone, a mean that is none: named with the command;
    --fix takes it out, `index` makes it anew, and no message is touched.
    """
    embedding.catch_up(home, letters)
    said = home.conversations.rows("SELECT id, text FROM messages")
    assert [found.state for found in meaning(home) if found.name == "vectors"] == ["OK"]
    with home.conversations.transaction():
        home.conversations.run(spoil)
    (found,) = [found for found in meaning(home) if found.name == "vectors"]
    assert (found.state, found.what, found.next) == ("WARN", f"space 1: {SPOILT[spoil]}", "bellek doctor --fix")
    steps = [step for step in mend.plan(home, home.path + "/backups") if "space 1" in step.what]
    assert len(mend.carry_out(steps)) == 1
    embedding.catch_up(home, letters, mend=True)
    assert [found.state for found in meaning(home) if found.name == "vectors"] == ["OK"]
    assert nearest(home, here, "bbb")[0] == "message bbbb"
    assert home.conversations.rows("SELECT id, text FROM messages") == said


def test_doctor_counts_messages_that_lost_their_vector(home, here, letters):
    """R45: what was looked at and has no vector is counted, with the command that makes it anew."""
    embedding.catch_up(home, letters)
    with home.conversations.transaction():
        home.conversations.run("DELETE FROM vectors WHERE n = 3")
    (found,) = [found for found in meaning(home) if found.name == "vectors"]
    assert (found.what, found.next) == ("space 1: 1 messages were looked at and have no vector", "bellek index")
    embedding.catch_up(home, letters, mend=True)
    assert [found.state for found in meaning(home) if found.name == "vectors"] == ["OK"]
