"""What was said is found: the right row, in any script, from one project alone, and with an arm of meaning beside."""

import math
from collections.abc import Callable, Collection, Mapping

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from made import AT

from bellek.kg import check, conversations, find, fold, lookup, parts, search, seeds, window
from bellek.kg.conversations import Message
from bellek.kg.home import Home
from bellek.schemas.vocab import FORGOTTEN

MINUTE = 60_000
FILLER = "lorem ipsum dolor sit amet"


def say(home: Home, *texts: str, talk: str = "t", project: str = "p_x", author: str = "user", start: int = 0) -> None:
    """Append texts of one conversation, a minute apart."""
    said = [
        Message(
            id=f"{talk}-{start + i}", conversation=talk, seq=0, project=project, agent="*", author=author, origin="user", typed=True,
            machine=False, sidechain=False, at=AT + (start + i) * MINUTE, offset_minutes=0, text=text,
        )
        for i, text in enumerate(texts)
    ]  # fmt: skip
    conversations.append(home.conversations, "test", said)


def texts(home: Home, question: str, project: str = "p_x", **how: object) -> list[str]:
    """The texts of what is found, best first."""
    hits = find.find(home.conversations, question, project=project, **how)  # type: ignore[arg-type]
    return [str(home.conversations.value("SELECT text FROM messages WHERE n = ?", (hit.n,))) for hit in hits]


def test_words_around_a_message_find_it(home: Home) -> None:
    """A message is found by the words of two turns on each side and of no third, wherever its batch ended."""
    for i, word in enumerate(("alfa", "beta", "gamma", "delta", "epsilon", "zeta")):
        say(home, f"{word} {FILLER}", start=i)
        say(home, f"other {FILLER}", talk="o", start=i)  # neighbours are not numbers that follow each other
    assert texts(home, "gamma")[0] == f"gamma {FILLER}"
    assert {text.split()[0] for text in texts(home, "gamma")} == {"alfa", "beta", "gamma", "delta", "epsilon"}
    assert {text.split()[0] for text in texts(home, "zeta")} == {"delta", "epsilon", "zeta"}


def test_neighbours_are_of_one_conversation_and_project(home: Home) -> None:
    """A word of another project said in between, or of the conversation before, brings no message."""
    say(home, "the ferry leaves", "at nine", talk="a")
    say(home, "the kite", talk="a", project="p_o", start=2)
    say(home, "is blue", talk="a", start=3)
    say(home, "and green", talk="b", start=4)
    assert texts(home, "kite") == []
    assert set(texts(home, "ferry")) == {"the ferry leaves", "at nine"}


@given(
    st.lists(
        st.lists(st.sampled_from(["kite", "lamp", "boat", "tree", "rock"]), min_size=1, max_size=5),
        min_size=1,
        max_size=9,
    )
)
@settings(deadline=None)
def test_a_window_counts_as_the_formula_says(said: list[list[str]]) -> None:
    """L is BM25 over the summed counts of a message and of the two on each side, and nothing else."""
    forms = window.Forms(["kite", "lamp"])
    forms.weigh(100, {"kite": 3, "lamp": 20})
    turns = [
        window.Turn(forms, n, talk="t", place=n, author="lamp", at=0, offset_minutes=0, day="kite", shadow=" ".join(words), inside=True)
        for n, words in enumerate(said)
    ]  # fmt: skip
    shares = {-2: window.PREV, -1: window.PREV, 0: 1.0, 1: window.NEXT, 2: window.NEXT}

    def around(n: int) -> list[tuple[float, list[str]]]:
        return [(share, said[n + step]) for step, share in shares.items() if 0 <= n + step < len(said)]

    lengths = [sum(len(words) for _, words in around(n)) for n in range(len(said))]
    for n, found in window.scores(turns, forms, range(len(said))).items():
        wanted = 0.0
        for form, held, extra in (("kite", 3, window.DAY), ("lamp", 20, 1.0)):
            wide = held * window.SPREAD
            tf = extra + sum(share * words.count(form) for share, words in around(n))
            k = window.K1 * (1 - window.B + window.B * lengths[n] * len(said) / sum(lengths))
            wanted += math.log(1 + (100 - wide + 0.5) / (wide + 0.5)) * tf * (window.K1 + 1) / (tf + k)
        assert found == pytest.approx(wanted)


def test_the_rarest_forms_are_looked_for_first(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a question's forms match more than MATCHED messages the common ones are not looked for, and one always is."""
    say(home, *["koşu bitti"] * 5, "kosmak kaplumbağa")
    forms, _ = seeds.best(home.conversations, "koşmak kaplumbağa", lookup.Bounds("p_x"))
    assert seeds.rarest(forms, most=100)[-1] == "ªkos"
    assert "ªkos" not in seeds.rarest(forms, most=5)
    assert len(seeds.rarest(forms, most=0)) == 1
    monkeypatch.setattr(seeds, "MATCHED", 0)
    assert texts(home, "koşmak kaplumbağa")[0] == "kosmak kaplumbağa"


def test_who_answered_is_found_by_what_was_asked(home: Home) -> None:
    """Within one speaker's messages an answer is found whose words somebody else had said."""
    say(home, "which database did we take for billing", author="Ada")
    say(home, "PostgreSQL, because of its constraints", author="Can", start=1)
    assert texts(home, "billing database", speaker="Can") == ["PostgreSQL, because of its constraints"]


def test_a_rewritten_message_changes_one_row(home: Home) -> None:
    """A message whose words are gone is found by none of them, nor are those around it; the index stays sound."""
    say(home, "the ferry leaves", "zebra crossing", "at nine")
    n = int(str(home.conversations.value("SELECT n FROM messages WHERE text = 'zebra crossing'")))
    with home.conversations.transaction():
        conversations.rewrite(home.conversations, n, FORGOTTEN)
    assert texts(home, "zebra") == []
    assert texts(home, "ferry")[0] == "the ferry leaves"
    assert check.check_conversations(home.conversations) == []


def test_another_project_is_never_answered(home: Home) -> None:
    """A project finds its own messages alone, even where an arm of meaning names one of another project."""
    say(home, "the kite is blue", talk="a", project="p_a")
    say(home, "the kite is red", talk="b", project="p_b")
    assert texts(home, "kite", "p_a") == ["the kite is blue"]
    assert texts(home, "kite", "p_a", dense={1: 0.2, 2: 1.0}) == ["the kite is blue"]
    assert texts(home, "kite", "p_a, p_b") == texts(home, "kite", "p_c") == texts(home, "kite", "*") == []


def test_the_answer_stands_near_the_words_of_its_question(home: Home) -> None:
    """A turn is found by the words of the turn before it."""
    say(home, "which database did we take for billing", "PostgreSQL, because of its constraints")
    assert "PostgreSQL, because of its constraints" in texts(home, "billing database")


@pytest.mark.parametrize(
    "question", ["what did I say about the boiler", "kombi hakkında ne dedim", "my boiler", "benim kombi"]
)
def test_i_and_my_mean_the_person(home: Home, question: str) -> None:
    """In talk with an agent, a question's "I" prefers what the person said; without it the better match leads."""
    said = "boiler kombi boiler kombi"
    say(home, said, author="assistant", talk="a")
    say(home, f"{said} {FILLER}", author="user", talk="u")
    assert texts(home, question)[0] == f"{said} {FILLER}"
    assert texts(home, "boiler kombi")[0] == said


@pytest.mark.parametrize("question", ["plastik kova nerede", "where is the plastik bucket", "what did we decide"])
def test_a_noun_is_no_person(question: str) -> None:
    """An ending that nouns have too, and a "we" of both sides, name nobody."""
    assert search.Question(question, search.ROLES).named == frozenset()


def test_a_role_is_no_name(home: Home) -> None:
    """The words "user" and "assistant" are words to look for, not participants who were named."""
    say(home, "the user table needs an index", author="assistant")
    about = find.asked(home.conversations, "user table", "p_x")
    assert (about.named, about.search) == (frozenset(), "user table")
    assert texts(home, "user table") == ["the user table needs an index"]


def test_names_in_talk_among_people_are_known(home: Home) -> None:
    """Who speaks in a conversation is kept with it: a name in the question prefers what that person said."""
    say(home, f"the cat sleeps {FILLER}", author="İpek Kaya")
    say(home, "the cat sleeps", author="Caroline", start=1)
    assert lookup.speakers(home.conversations, "p_x") == {"İpek Kaya", "Caroline"}
    assert texts(home, "What did Caroline'ın cat do?")[0] == "the cat sleeps"
    assert texts(home, "İpek'in kedisi, the cat")[0] == f"the cat sleeps {FILLER}"
    say(home, "hello", talk="u", project="p_x")
    assert lookup.speakers(home.conversations, "p_x") == {"İpek Kaya", "Caroline", "user", "assistant"}


def test_bounds_are_filters(home: Home) -> None:
    """`since` is inclusive, `until` exclusive; author and conversation are exact; they hold for both arms."""
    say(home, "kite one", "kite two", "kite three")
    say(home, "kite four", talk="u", author="assistant", start=3)
    at = [AT + i * MINUTE for i in range(5)]
    assert set(texts(home, "kite", since=at[1], until=at[3])) == {"kite two", "kite three"}
    assert set(texts(home, "nothing", since=at[1], until=at[3], dense={1: 1.0, 2: 0.5, 3: 0.4})) == {
        "kite two",
        "kite three",
    }
    assert texts(home, "kite", speaker="assistant") == ["kite four"]
    assert texts(home, "kite", skip="t") == ["kite four"]
    assert texts(home, "kite", since=at[4]) == []


def test_bounds_alone_find_what_was_said_there(home: Home) -> None:
    """A question without a word finds something only within bounds of time or author."""
    say(home, "kite one", "kite two", "kite three")
    assert texts(home, "") == texts(home, "?!") == []
    assert set(texts(home, "", since=AT + MINUTE)) == {"kite two", "kite three"}


def test_an_arm_of_meaning_is_asked_twice(home: Home) -> None:
    """It gives its own best, then the scores of what the words found; both share in the rank, and each hit tells both."""
    say(home, "the kettle boils", talk="a")
    say(home, "tea water is hot", talk="b")
    asked: list[list[int]] = []

    def near(question: search.Question, numbers: Collection[int]) -> Mapping[int, float]:
        asked.append(sorted(numbers))
        return dict.fromkeys(numbers, 0.3) if numbers else {2: 1.0}

    hits = find.find(home.conversations, "kettle", project="p_x", dense=near, weight=0.5)
    assert asked == [[], [1]]
    assert [(hit.n, hit.dense) for hit in hits] == [(1, 0.3), (2, 1.0)]
    assert hits[0].lexical > 0 == hits[1].lexical


def test_what_meaning_finds_has_its_exact_words_too(home: Home) -> None:
    """A message outside the best by words keeps its own lexical score when the other arm names it."""
    for i in range(search.POOL + 5):
        say(home, "kite " * 3, talk=f"t{i}")
    say(home, f"kite {FILLER * 5}", talk="last")
    last = search.POOL + 6
    assert last not in [hit.n for hit in find.find(home.conversations, "kite", project="p_x", limit=200)]
    found = find.find(home.conversations, "kite", project="p_x", dense={last: 1.0}, limit=200)
    assert next(hit.lexical for hit in found if hit.n == last) > 0


SCRIPTS = {
    "latin": "abcdefgğhıijklmnoöpqrsştuüvwxyzçñé", "cyrillic": "абвгдежзиклмнопрстуфхцчшщыэюя", "greek": "αβγδεζηθικλμνξοπρστυφχψω",
    "hebrew": "אבגדהוזחטיכלמנסעפצקרשת", "arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي", "devanagari": "कखगघचछजझटठडढणतथदधनपफबभमयरलवशसहािीुूेै",
    "bengali": "কখগঘচছজঝটঠডঢণতথদধনপফবভমযরলশষসহািীুূ", "tamil": "கஙசஞடணதநபமயரலவழளறனாிீுூ", "thai": "กขคฆงจฉชซญดตถทธนบปผฝพฟภมยรลวสหอฮะาิีุู",
    "hangul": "가나다라마바사아자차카타파하고노도로모보소오조초", "han": "天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往秋收冬藏", "kana": "あいうえおかきくけこがぎぐさしすせそたちつてとアイウエオカキ",
    "georgian": "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ", "armenian": "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ", "ethiopic": "ሀለሐመሠረሰሸቀበተቸኀነኘአከኸወዐዘዠየደጀገጠጨጰጸፀፈፐ",
}  # fmt: skip


def spoken(script: str) -> st.SearchStrategy[list[str]]:
    """A few texts of words in one script."""
    word = st.text(SCRIPTS[script], min_size=2, max_size=9)
    return st.lists(st.lists(word, min_size=1, max_size=6).map(" ".join), min_size=2, max_size=6, unique=True)


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_message_is_found_by_its_rarest_word(make_home: Callable[[str], Home], script: str) -> None:
    """In any script the word that fewest messages hold finds its message, first or with an equal one before it."""
    home = make_home(script)
    number = [0]

    @given(spoken(script))
    @settings(max_examples=12, deadline=None)
    def all_found(said: list[str]) -> None:
        number[0] += 1
        project = f"p_{number[0]}"
        for i, text in enumerate(said):
            say(home, text, talk=f"{project}{i}", project=project)
        owns = [fold.tokens(text) for text in said]
        for text, own in zip(said, owns, strict=True):
            rarest = min(text.split(), key=lambda w: sum(fold.fold(w) in " ".join(other) for other in owns))
            if fold.tokens(rarest):
                assert text in texts(home, rarest, project, limit=100), (rarest, own)

    all_found()


@given(st.text(st.characters(exclude_categories=())))
@example("\ud800 \x00 “x” OR NEAR(((")
@example('ªkit "ªkit" º')
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_question_raises(home: Home, text: str) -> None:
    """Any text is a question: it finds something or nothing, and reaches no other project."""
    if not home.conversations.value("SELECT count(*) FROM messages"):
        say(home, "kite", talk="a", project="p_a")
        say(home, "zebra", talk="b", project="p_b")
    assert "kite" not in texts(home, text, "p_b")


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_what_a_text_says_is_the_same_from_its_search_words(text: str) -> None:
    """The stored search words give the standing of the text itself."""
    assert search.standing(text, fold.index_text(text)) == search.standing(text)


def test_the_check_tells_a_forgotten_name(home: Home) -> None:
    """A conversation that does not know who spoke in it is found by the check."""
    say(home, "kite", author="Caroline")
    db = home.conversations
    assert check.check_conversations(db) == []
    db.run("UPDATE conversations SET named = ''")
    assert "forgets who spoke" in " ".join(check.check_conversations(db))
    db.run("UPDATE conversations SET named = 'Caroline'")


def test_a_question_reads_its_own_project_s_part_of_the_index(home: Home) -> None:
    """R57: numbers in the index are a project's own, in the order of arrival and never given twice; nothing outside them is found."""
    for turn in range(3):
        for project in ("p_x", "p_y"):
            say(home, f"kite {turn}", "lamp", talk=f"{project}-t", project=project, start=2 * turn)
    one, two = (parts.all_of(home.conversations, project) for project in ("p_x", "p_y"))
    assert one[1] < two[0]
    spots = [row[0] for row in home.conversations.rows("SELECT spot FROM messages WHERE project = 'p_x' ORDER BY n")]
    assert spots == sorted(set(spots))
    assert all(one[0] <= int(str(spot)) <= one[1] for spot in spots)
    part = parts.part(home.conversations, "p_x")
    assert part is not None
    assert part.messages == len(spots) == 6
    assert len(lookup.holders(home.conversations, "kite", part.newest(2))) == 1
    assert lookup.holders(home.conversations, "kite", parts.all_of(home.conversations, "p_none")) == []


def test_a_short_message_is_not_hidden_by_long_ones(home: Home) -> None:
    """A message of three words comes before pastes that hold more of a question's words among hundreds of others."""
    long = " ".join(f"filler{i}" for i in range(300))
    say(home, *[f"kite {long} lamp" for _ in range(60)], talk="pastes")
    say(home, "the kite broke", talk="short")
    assert texts(home, "kite lamp broke")[0] == "the kite broke"
