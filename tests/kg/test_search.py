"""The scoring core: each term of the formula does what its reason says, and ranking is a pure function."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bellek.kg import search

PEOPLE = ("Caroline", "Ali Kaya")
TOLD = (0.0, 0.0)


def turn(
    number: int,
    *,
    lexical: float = 1.0,
    author: str = "Caroline",
    session: str = "s",
    day: str = "2023-05-07",
    standing: tuple[float, float] = TOLD,
    dense: float = 0.0,
) -> search.Turn:
    """A turn with plain values for what a test does not look at."""
    return search.Turn(number, session=session, author=author, day=day, lexical=lexical, standing=standing, dense=dense)


def order(text: str, *turns: search.Turn, w: float = 0.0) -> list[int]:
    """Ids in ranked order."""
    return [found.id for _, found in search.rank(search.Question(text, PEOPLE), turns, w=w)]


@pytest.mark.parametrize("text", ["What did Caroline's friend buy?", "Caroline'ın arkadaşı ne aldı?", "CAROLINE?"])
def test_a_named_participant_leaves_the_search_and_lifts_her_turns(text: str) -> None:
    """A first name, suffix or not, is a filter on the author and no content word, unless nothing else is left."""
    question = search.Question(text, PEOPLE)
    assert question.named == {"Caroline"}
    assert ("caroline" in question.search) == (text == "CAROLINE?")
    assert order(text, turn(1, author="Ali Kaya"), turn(2, lexical=0.8)) == [2, 1]


def test_two_named_people_lift_nobody() -> None:
    """With two participants named the author says nothing: a third one's better hit stays in front."""
    assert order("What did Ali give Caroline?", turn(1, author="Zeynep"), turn(2, lexical=0.8)) == [1, 2]
    assert order("What did Ali give her?", turn(1, author="Zeynep"), turn(2, lexical=0.8, author="Ali Kaya")) == [2, 1]


@pytest.mark.parametrize(
    ("text", "prior", "times"),
    [
        ("What did you buy?", -0.20, 0.0),
        ("Nice! What did you buy?", -0.10, 0.0),
        ("I went there yesterday", 0.05, 0.5),
        ("Dün eve gittim, geçen hafta da.", 0.05, 1.0),
        ("你去哪里？", -0.20, 0.0),
        ('He asked "why?" and left.', -0.10, 0.0),
        ("v2.10.3 works", 0.0, 0.0),
        ("", 0.0, 0.0),
        ("?! ... 。", -0.20 / 3, 0.0),
    ],
)
def test_what_a_text_says_before_any_question(text: str, prior: float, times: float) -> None:
    """Asking lowers, telling of oneself lifts a little, and times are counted, in Turkish as in English."""
    assert search.standing(text) == (pytest.approx(prior), times)


@pytest.mark.parametrize(
    "text", ["When did we move?", "Ne zaman taşındık?", "Hangi ayda taşındık?", "How long did it take?"]
)
def test_asking_when_prefers_turns_with_times(text: str) -> None:
    """A question about time lifts turns that name one; another question does not."""
    assert order(text, turn(1), turn(2, lexical=0.9, standing=(0.0, 1.0))) == [2, 1]
    assert order("Where to?", turn(1), turn(2, lexical=0.9, standing=(0.0, 1.0))) == [1, 2]


@pytest.mark.parametrize("text", ["the trip of 7 May 2023", "7 Mayıs 2023'teki gezi", "Mayıs'ın 7'sindeki gezi"])
def test_a_named_date_prefers_its_day(text: str) -> None:
    """Month, day and year named in either language lift the turns of that day above those of another month."""
    assert order(text, turn(1, day="2023-06-07"), turn(2, lexical=0.95)) == [2, 1]
    assert order(text, turn(1, day="2023-05-08"), turn(2, lexical=0.97)) == [2, 1]


def test_a_year_alone_counts_half() -> None:
    """Only a year is named: its turns get half of a month's lift."""
    question = search.Question("what happened in 2023", PEOPLE)
    gain = search.score(question, turn(1), best=1.0) - search.score(question, turn(1, day="2021-05-07"), best=1.0)
    assert gain == pytest.approx(search.DAY / 2)


def test_the_session_of_the_best_turn_comes_forward() -> None:
    """Of two equal turns the one whose session holds the best hit ranks higher."""
    best = turn(3, session="b", lexical=1.0)
    assert order("x", turn(1, session="a", lexical=0.5), turn(2, session="b", lexical=0.5), best) == [3, 2, 1]


def test_vectors_share_the_score_by_weight() -> None:
    """With w = .5 a turn that only the vectors know can lead; with w = 0 it cannot."""
    unknown = turn(2, lexical=0.0, dense=1.0, session="b")
    assert order("x", turn(1, lexical=0.4), turn(3, lexical=0.5), unknown, w=0.8) == [2, 3, 1]
    assert order("x", turn(1, lexical=0.4), turn(3, lexical=0.5), unknown)[-1] == 2


def test_day_text_speaks_both_languages() -> None:
    """The day column holds the date, its day and its month in words; what is no day gives nothing."""
    assert search.day_text("2023-05-07") == "2023-05-07 7 may mayis"
    assert search.day_text("") == search.day_text("soon") == search.day_text("2023-13-01") == ""


@given(st.text(st.characters(exclude_categories=())))
def test_no_text_raises(text: str) -> None:
    """Any text has a standing within its bounds and makes a question."""
    prior, times = search.standing(text)
    assert search.ASKED - 1e-9 <= prior <= search.FIRST_PERSON
    assert times in {0.0, 0.5, 1.0}
    search.Question(text, (text, "Ali"))


scores = st.floats(0, 50, allow_nan=False)


@given(st.lists(st.tuples(scores, st.sampled_from("abc"), st.sampled_from(PEOPLE)), max_size=12), st.randoms())
def test_rank_is_a_permutation_that_input_order_cannot_change(
    rows: list[tuple[float, str, str]], random: Random
) -> None:
    """Every turn comes back once, scores fall, and shuffling the pool changes nothing."""
    pool = [turn(at, lexical=value, session=s, author=a) for at, (value, s, a) in enumerate(rows)]
    question = search.Question("When did Ali go?", PEOPLE)
    ranked = [(value, found.id) for value, found in search.rank(question, pool)]
    assert sorted(number for _, number in ranked) == list(range(len(rows)))
    assert [value for value, _ in ranked] == sorted((value for value, _ in ranked), reverse=True)
    random.shuffle(pool)
    assert [(value, found.id) for value, found in search.rank(question, pool)] == ranked


def test_search_is_light() -> None:
    """The scoring core loads nothing but unicodedata: looked up in sys.modules, not on a clock."""
    code = (
        "import sys; before = set(sys.modules); import bellek.kg.search; "
        "print(*sorted(m for m in set(sys.modules) - before if not m.startswith('bellek')))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["unicodedata"]
