"""R112: what does not match says nothing, what does is found; the floor's arithmetic."""

import corpus
import pytest
import rows
from hypothesis import given
from hypothesis import strategies as st

from bellek.context import preview, reasons, recall
from bellek.context.recall import FLOOR, Weights, carried
from bellek.kg.fold import index_text
from bellek.kg.home import open_home


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """208 memories and 300 messages in one project; the home, the project and its scope words."""
    root = tmp_path_factory.mktemp("corpus")
    with open_home(str(root / "home")) as home:
        here = rows.project(home, root)
        rows.write(home, here, *[rows.lesson(text) for text in corpus.memories()])
        for number, talk in enumerate(corpus.messages()):
            rows.say(home, here, *talk, talk=f"talk-{number}")
        yield home, here, here.replace("_", "") + " pany"


@pytest.mark.parametrize("prompt", corpus.OFF_TOPIC)
def test_an_off_topic_prompt_draws_nothing(store, prompt):
    """R112: a prompt about something else draws no memory and no message, in Turkish and in English."""
    home, here, scope = store
    assert [line.text for line in recall.lessons(home.memory, prompt, scope)] == []
    assert [line.text for line in recall.talks(home.conversations, prompt, here, "s")] == []


@pytest.mark.parametrize(("prompt", "wanted"), corpus.ON_TOPIC)
def test_a_paraphrase_with_one_rare_shared_word_finds_its_row(store, prompt, wanted):
    """R112: a prompt that shares one rare word (or several) with a row finds it, within the first rows told."""
    home, _, scope = store
    assert any(wanted in line.text for line in recall.lessons(home.memory, prompt, scope))


@pytest.mark.parametrize(("prompt", "wanted"), corpus.ON_TOPIC)
def test_a_young_memory_answers_as_well(tmp_path, prompt, wanted):
    """The floor holds for eight rows as for two hundred: a word of one of eight rows is not yet common."""
    with open_home(str(tmp_path / "home")) as home:
        here = rows.project(home, tmp_path)
        rows.write(
            home, here, *[rows.lesson(text) for text in (*corpus.SPECIAL, corpus.memories()[0], corpus.memories()[17])]
        )
        scope = here.replace("_", "")
        if wanted in "".join(corpus.SPECIAL):
            assert any(wanted in line.text for line in recall.lessons(home.memory, prompt, scope))
        assert not [p for p in corpus.OFF_TOPIC if recall.lessons(home.memory, p, scope)]


def test_the_floor_is_one_telling_word_in_three_not_in_four():
    """A lone rare word carries a prompt of three words and not one of four, in a memory of any size."""
    for rows_in_scope in (1, 50, 1_000, recall.COUNT_CAP):
        three = Weights({"kafka": 1, "mars": 0, "venus": 0}, rows_in_scope)
        four = Weights({"kafka": 1, "mars": 0, "venus": 0, "pluto": 0}, rows_in_scope)
        assert carried(three, "kafka offsets") >= FLOOR
        assert carried(four, "kafka offsets") < FLOOR


def test_a_word_in_every_row_weighs_nothing():
    """The weight is an inverse document frequency: in every row of the scope it tells nothing, in one row most."""
    weights = Weights({"her": 200, "rare": 1, "some": 20}, 200).words
    assert weights["her"] < 0.01
    assert weights["rare"] > weights["some"] > weights["her"]


def test_plain_words_never_speak_alone():
    """Words that ask, time or greet draw nothing, however rare they are here, not even when they are all of the prompt."""
    assert carried(Weights({"merhaba": 1}, 200), "merhaba deniz") == 0.0
    assert carried(Weights({"write": 1, "today": 1}, 200), "write this today") == 0.0
    assert carried(Weights({"kafka": 1}, 200), "kafka offsets") == 1.0


def test_short_words_meet_their_endings_and_not_other_words():
    """Port meets portta, red does not meet Redis, a long word meets its other endings."""
    one = {"port": 1, "x": 0}
    assert carried(Weights(one, 200), index_text("9107 portta dinler")) > 0
    assert carried(Weights({"red": 1, "x": 0}, 200), index_text("Redis anahtarı")) == 0
    assert carried(Weights({"paketleri": 1, "x": 0}, 200), index_text("paketlerden biri")) > 0


@given(
    st.dictionaries(st.text("abcdeğş", min_size=1, max_size=8), st.integers(0, 300), min_size=1, max_size=12),
    st.integers(0, 300),
    st.text(max_size=200),
)
def test_the_share_is_a_share(counted, many, text):
    """For any counts and any row the share lies between 0 and 1, and it is 1 only where every word is shared."""
    share = carried(Weights(counted, many), index_text(text))
    assert 0.0 <= share <= 1.0 + 1e-9


def test_a_long_prompt_asks_a_bounded_number_of_counts(store, monkeypatch):
    """A pasted trace of 200 KB costs at most MAX_WORDS + 1 counts an index."""
    home, _, scope = store
    asked = []
    real = recall.lookup.frequency
    monkeypatch.setattr(recall.lookup, "frequency", lambda *given: asked.append(given) or real(*given))
    recall.weigh(home.memory, "at frame kafka module redis port " * 6_000, scope)
    assert 1 < len(asked) <= recall.MAX_WORDS + 1


def test_why_not_says_the_reason(store):
    """R114: `why-not` names what kept a row out: the arithmetic, another project, its state or its origin."""
    home, here, _ = store
    (first, *_) = reasons.why_not(home, here, "Kafka offsets", "Write a haiku about autumn and kafka in winter")
    assert "the floor is 0.32" in first[2]
    assert "would be told" in reasons.why_not(home, here, "Kafka offsets", "kafka offsets")[0][2]
    assert "another project" in reasons.why_not(home, "p_other", "Kafka offsets", "kafka")[0][2]
    assert reasons.why_not(home, here, "zxqv", "") == []


def test_a_packet_never_repeats_the_running_session(store):
    """What the running session said itself is not told to it."""
    home, here, _ = store
    everywhere = preview.next_packet(home, here, "payment webhook two users save").text
    assert "conversation talk-" in everywhere
    from bellek.context.recall import talks

    lines = talks(home.conversations, "payment webhook two users save", here, "talk-8")
    assert all("conversation talk-8" not in line.tail for line in lines)
