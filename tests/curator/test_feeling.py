"""What a typed line moves: moods of both languages, denials, and whose words count."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bellek.curator import feeling
from bellek.curator.feeling_words import DRAWN, MOVES
from bellek.kg import fold, state
from bellek.kg.home import open_home
from bellek.kg.state import Point
from bellek.schemas import state as rules
from bellek.schemas.drives import DRIVES

PACE = rules.Pace()
MOODS = [
    ("happy", "bugün çok mutluyum", "I am so happy today"),
    ("excited", "Çok heyecanlıyım, başlıyoruz", "I am excited about this release"),
    ("grateful", "teşekkür ederim, sağ ol", "thank you, I appreciate it"),
    ("proud", "ekiple gurur duyuyorum", "I am proud of the team"),
    ("calm", "içim rahatladı, huzurluyum", "I feel calm and relaxed"),
    ("curious", "bunu çok merak ettim", "I wonder how that behaves"),
    ("tired", "çok yorgunum, uykusuzum", "I am exhausted"),
    ("sad", "bugün üzgünüm", "I feel sad"),
    ("frustrated", "hâlâ çalışmıyor, bıktım", "still not working, this is frustrating"),
    ("angry", "çok sinirliyim, rezalet", "I am angry, this is awful"),
    ("anxious", "yarınki sunum için kaygılıyım", "I am worried about tomorrow"),
]


def mood(*texts):
    """The mood after some lines, said at once, from rest."""
    values = PACE.baseline
    for text in texts:
        values = rules.shifted(values, feeling.read(text)[0])
    return rules.mood(values, PACE)


@pytest.mark.parametrize(("wanted", "turkish", "english"), MOODS)
def test_a_mood_is_read_in_both_languages(wanted, turkish, english):
    """R95: what a person says of how they are shows as the same mood in Turkish and in English."""
    assert (mood(turkish), mood(english)) == (wanted, wanted)


@pytest.mark.parametrize(
    "text", ["mutlu değilim", "I am not happy", "hiç mutlu değilim", "not happy with it", "hiç heyecanlı değilim"]
)
def test_a_denied_word_does_not_say_what_it_denies(text):
    """R95: "not happy" raises no valence, in either language."""
    assert feeling.read(text)[0][rules.VALENCE] <= 0
    assert mood(text) != "happy"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("annemin sağlığı için bir şey soracağım", "care"),
        ("how does the tokenizer work, why is it slow", "curiosity"),
        ("testleri düzelt ve performansı ölç", "mastery"),
        ("rotate the password and check the backup", "protection"),
        ("arayüz daha zarif ve sade olsun", "beauty"),
        ("yeni bir hikâye fikri bulalım", "creativity"),
    ],
)
def test_a_topic_touches_its_drive(text, wanted):
    """R96: what a line is about touches the drive of that topic."""
    assert wanted in feeling.read(text)[1]


def test_the_lexicon_is_folded_and_each_cue_stands_in_one_group():
    """Every cue is spelled as the fold leaves it, so that it can be found; no mood's cue counts twice."""
    cues = [cue for group, _ in MOVES for cue in group]
    assert len(cues) == len(set(cues))
    assert set(DRAWN) == set(DRIVES)
    for cue in itertools.chain(cues, *DRAWN.values()):
        assert fold.fold(cue.rstrip("*")) == cue.rstrip("*"), cue


@given(st.text(max_size=400))
def test_reading_is_total_and_bounded(text):
    """Whatever is typed, each shift stays within what one message may do."""
    shifts, drawn = feeling.read(text)
    assert all(abs(by) <= rules.MOST_SHIFT for by in shifts)
    assert set(drawn) <= set(DRIVES)


def rows(home):
    """(message, mood) of all points in order."""
    return home.memory.rows("SELECT message, mood FROM state_points ORDER BY at")


def test_only_the_persons_own_typed_words_count(talk):
    """R95: an agent's joy, a machine's prompt and a pasted log move nothing; hearing twice moves nothing twice."""
    heard = talk()
    heard.user("bugün çok mutluyum").agent("Harika, çok mutluyum, I am thrilled!!")
    heard.user("I am furious", promptSource="sdk")
    heard.user("> I am so sad\n> and exhausted")
    heard.hear()
    once = heard.home.memory.rows("SELECT * FROM state_points")
    assert rows(heard.home) == [("s1-1", "happy")]
    heard.home.memory.run("DELETE FROM cursors")
    heard.hear()
    assert heard.home.memory.rows("SELECT * FROM state_points") == once


def test_the_journal_and_the_conversation_keep_the_mood(talk):
    """R91, R95: a journal row has the mood that the person showed in that talk, and none where nothing was shown."""
    one = talk()
    one.user("çok yorgunum ama devam").agent("<!-- learning: uv seçildi, çünkü kilit dosyası tek -->").hear()
    one.drain()
    other = talk("s2")
    other.user("liste nerede").agent("<!-- learning: liste README içinde, çünkü tek yer orası -->").hear()
    other.drain()
    assert one.home.memory.rows("SELECT conversation, mood FROM events ORDER BY conversation") == [("s1", "tired"), ("s2", "")]  # fmt: skip


POINTS = st.lists(
    st.tuples(st.integers(0, 90 * 24 * 60), st.tuples(*[st.floats(-0.3, 0.3)] * 8)), min_size=1, max_size=14, unique_by=lambda p: p[0]
)  # fmt: skip


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(points=POINTS, order=st.randoms(use_true_random=False), gone=st.integers(0, 13))
def test_the_order_of_hearing_does_not_matter(tmp_path_factory, points, order, gone):
    """R95: ninety days of messages heard in any order give the same values, and one that is forgotten leaves no trace."""
    kept = [p for n, p in enumerate(points) if n != gone]
    shuffled = list(points)
    order.shuffle(shuffled)
    folder = str(tmp_path_factory.mktemp("order"))
    with open_home(folder + "/a") as one, open_home(folder + "/b") as two:
        for home, heard in ((one, sorted(kept)), (two, shuffled)):
            with home.memory.transaction():
                for minute, shifts in heard:
                    state.add(home.memory, Point(f"m{minute}", "claude-code", "p", "s", minute * 60_000, 0, shifts, ()))
        if gone < len(points):
            with two.memory.transaction():
                state.forget(two.memory, f"m{points[gone][0]}")
        ends = [state.points(home.memory, "claude-code", 0) for home in (one, two)]
    assert [at for at, _, _ in ends[0]] == [at for at, _, _ in ends[1]]
    for (_, left, _), (_, right, _) in zip(*ends, strict=True):
        assert left == pytest.approx(right, abs=1e-6)
