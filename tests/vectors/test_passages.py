"""Which texts stand for a message."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bellek.kg.passages import PART, PARTS, Said, bare, parts, passages

NOBODY = Said("", "")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <!-- learning: b --> c", "a  c"),
        ("<!-- a -->", ""),
        ("a <!-- never closed", "a"),
        ("a --> b", "a --> b"),
        ("x<!--->y", "x"),
        ("<!--a--><!--b-->c", "c"),
    ],
)
def test_hidden_comments_are_not_embedded(text, left):
    """What a person does not see is left out; a comment that is never closed hides the rest."""
    assert bare(text) == left


def test_many_openers_are_read_once():
    """200,000 unclosed comments take one pass."""
    assert bare("<!-- " * 200_000) == ""


@settings(deadline=None)  # a busy machine is no fault of the text
@given(st.text(max_size=400).map(lambda text: text * 12))
def test_parts_keep_the_words_in_order(text):
    """No text raises; parts are not empty, not too long, and hold the text's characters in order up to the cap."""
    found = parts(text)
    assert all(part and len(part) <= PART for part in found)
    kept = "".join("".join(found).split())
    assert "".join(text.split()).startswith(kept)
    if len(text) <= PART * PARTS // 2:
        assert kept == "".join(text.split())


def test_a_pair_names_people_and_no_roles():
    """In talk among people a pair says who speaks; "user" and "assistant" are in every message and say nothing."""
    assert passages("pair", Said("Ada", "Where?"), Said("Can", "Behind the shed."), NOBODY) == [
        "Ada: Where?\nCan: Behind the shed."
    ]
    assert passages("pair", Said("user", "Where?"), Said("assistant", "Here."), NOBODY) == ["Where?\nHere."]
    assert passages("turn", Said("Ada", "Where?"), Said("Can", "Here."), NOBODY) == ["Here."]
    assert passages("window", Said("a", "1"), Said("b", "2"), Said("a", "3")) == ["1\n2\n3"]


@pytest.mark.parametrize("kind", ["turn", "pair", "window"])
def test_who_says_nothing_has_no_passage(kind):
    """A message of hidden comments alone is not embedded, whatever stands beside it."""
    assert passages(kind, Said("a", "before"), Said("b", ""), Said("a", "after")) == []
