"""The folding of text: what must meet, what must stay apart, and the laws that hold for every text."""

import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bellek.kg import fold

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=80)

MEET = [
    ("İnşaat", "inşaat"),
    ("IŞIK", "ışık"),
    ("ISPARTA", "ısparta"),
    ("İSTANBUL", "istanbul"),
    ("şarkı", "sarki"),
    ("I\u0307stanbul", "İstanbul"),
    ("café", "cafe\u0301"),
    ("Straße", "STRASSE"),
    ("ΣΊΣΥΦΟΣ", "σισυφος"),
    ("Ёлка", "елка"),
    ("Łódź", "lodz"),
    ("smørrebrød", "Smorrebrod"),
    ("œuvre", "OEUVRE"),
    ("العَرَبِيَّة", "العربية"),
    ("أحمد", "احمد"),
    ("שָׁלוֹם", "שלום"),
    ("ﾊﾞｽ", "バス"),
    ("か\u3099", "が"),
    ("ｆｕｌｌ", "full"),
    ("٢٠٢٤", "2024"),
    ("２０２４", "2024"),
    ("𝔹𝕖𝕝𝕝𝕖𝕜", "bellek"),
    ("soft\u00adhyphen", "softhyphen"),
    ("می\u200cخواهم", "میخواهم"),
    ("ᄒ\u1161\u11ab글", "한글"),
    ("👍🏽", "👍"),
    ("❤️", "❤"),
    ("Node.js", "node js nodejs"),
    ("ก\u0e48\u0e38", "ก\u0e38\u0e48"),
]


@pytest.mark.parametrize(("one", "other"), MEET)
def test_spellings_meet(one: str, other: str) -> None:
    """Two spellings of one word have one folded form."""
    assert fold.fold(one) == fold.fold(other) != ""


APART = [
    ("कि", "का"),
    ("が", "か"),
    ("2.10", "21.0"),
    ("C++", "C#"),
    ("C", "C++"),
    ("🎉", "🎊"),
    ("தமிழ்", "தமழ"),
    ("41252", "41253"),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_different_words_stay_apart(one: str, other: str) -> None:
    """What only looks alike keeps two folded forms: vowel signs, kana marks, versions, language names."""
    assert fold.fold(one) != fold.fold(other)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ankara'da Ali’nin 14'ünde", ["ankara", "da", "ali", "nin", "14", "unde"]),
        ("l'homme d'O'Brien", ["l", "homme", "d", "o", "brien"]),
        ("say 'yes' or 'no'", ["say", "yes", "or", "no"]),
        ("C++ and C#", ["c", "cplusplus", "and", "c", "csharp"]),
        (".NET", ["net", "dotnet"]),
        ("v2.10.3 2.10.3", ["v2", "10", "3", "2p10p3", "2", "10", "3", "2p10p3"]),
        ("OC-41252", ["oc", "41252", "oc41252"]),
        ("src/kg/fold.py", ["src", "kg", "fold", "py", "foldpy"]),
        ("kutlama 🎉!", ["kutlama", "ux1f389"]),
        ("修改youer服务端的", ["修改", "youer", "服务", "务端", "端的"]),
        ("断", ["断"]),
        ("a\x00b\ud800c", ["a", "b", "c"]),
        ("6½ m²", ["6", "1", "2", "m2"]),
        ("... @ 。 — !?", []),
        ("", []),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    """Names, suffixes, emoji and runs without blanks come apart as the rules say, in order."""
    assert fold.tokens(text) == words


def test_heads_leave_suffixes_off() -> None:
    """A suffix behind an apostrophe is stored but is no word of a query; an elided article's noun is."""
    assert fold.heads("Ankara'da Ali’nin Caroline's l'homme don't") == [
        "ankara",
        "ali",
        "caroline",
        "l",
        "homme",
        "don",
    ]


@given(ANY_TEXT)
def test_fold_is_idempotent(text: str) -> None:
    """fold(fold(x)) == fold(x) for every text, lone surrogates and unassigned characters included."""
    once = fold.fold(text)
    assert fold.fold(once) == once


@given(ANY_TEXT)
def test_folded_text_is_storable_and_unmarked(text: str) -> None:
    """No folded word holds a mark, a joiner or what UTF-8 cannot encode, and none is longer than the cap."""
    for word in fold.tokens(text):
        word.encode()
        assert all(c.isalnum() or unicodedata.category(c) in {"Co", "Mn"} for c in word), word
        assert fold.CUT_MARK not in word
        assert fold.LAST_MARK not in word
        assert 0 < len(word) <= fold.WORD_CAP
    fold.index_text(text).encode()


@given(ANY_TEXT, ANY_TEXT)
def test_words_do_not_lean_on_neighbours(left: str, right: str) -> None:
    """Folding two texts with a blank between them is folding each: the index may join and cut texts at blanks."""
    assert fold.tokens(f"{left} {right}") == fold.tokens(left) + fold.tokens(right)


@given(ANY_TEXT)
@settings(max_examples=50)
def test_case_and_composition_do_not_matter(text: str) -> None:
    """NFC and NFD of a text have one folded form."""
    assert fold.fold(unicodedata.normalize("NFC", text)) == fold.fold(unicodedata.normalize("NFD", text))


def test_cuts_join_forms_but_not_numbers() -> None:
    """Inflected forms share a cut; numbers, emoji and pairs have none, so that 41252 never meets 41253."""
    assert set(fold.cuts("evlerden")) & set(fold.cuts("evlerin"))
    assert set(fold.cuts("книгами")) & set(fold.cuts("книги"))
    assert fold.cuts("412521") == fold.cuts("ux1f389") == fold.cuts("断裂") == fold.cuts("ev") == ()
    assert fold.cuts("ยท\ue535\ue548น") == ()


@given(ANY_TEXT)
@example("किताबें kitapçıdan 2nd a1b2 ux1f389 ไทยนี้ C++")
def test_the_index_holds_what_a_query_may_ask(text: str) -> None:
    """Every form that a query makes of a stored word, cuts included, is stored: the two sides have one rule."""
    stored = fold.index_text(text).split(" ")
    words = fold.tokens(text)
    cuts = [form for word in words for form in fold.cuts(word)]
    assert [form for form in stored if form[:1] == fold.CUT_MARK] == cuts
    assert {*words} <= {*stored}


def test_cuts_never_equal_a_word() -> None:
    """A query word equals no stored cut: the mark is a letter that folding always takes apart."""
    assert fold.tokens(fold.CUT_MARK + "ankara") == ["aankara"]
    assert fold.tokens(fold.LAST_MARK + "x") == ["ox"]


def test_a_huge_word_is_capped() -> None:
    """A blob without blanks is kept to its first letters on both sides."""
    assert fold.tokens("a" * 300_000) == ["a" * fold.WORD_CAP]
    assert len(fold.index_text("ก\u0e34" + "\u0e34" * 300_000).encode()) < 10_000_000


def test_folding_is_light() -> None:
    """The prompt hook's rooms load nothing but unicodedata: looked up in sys.modules, not on a clock."""
    code = (
        "import sys; before = set(sys.modules); import bellek.kg.fts_query; "
        "print(*sorted(m for m in set(sys.modules) - before if not m.startswith('bellek')))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["unicodedata"]
