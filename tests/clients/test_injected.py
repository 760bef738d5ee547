"""Blocks that programs put into a person's prompt are cut; what is only quoted stays."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bellek.clients.injected import FOREIGN_TAGS, cut_blocks


@pytest.mark.parametrize("tag", FOREIGN_TAGS)
def test_each_listed_block_goes_and_its_inside_is_told(tag):
    """Every tag of the list is cut, with or without attributes, and what stood inside is handed back."""
    text = f'önce <{tag}>bir</{tag}> orta <{tag} kind="x">iki</{tag}>'
    assert cut_blocks(text, FOREIGN_TAGS) == ("önce  orta", ["bir", "iki"])


@pytest.mark.parametrize(
    "text",
    [
        "  bu ne demek: <system-reminder> görüyorum ",
        "</system-reminder> yalnız kapanış",
        "<system-reminders>başka bir ad</system-reminders>",
        "a < b </ c",
    ],
)
def test_a_tag_that_closes_nothing_is_part_of_the_prompt(text):
    """Unclosed, unopened and merely similar tags leave the text as it was, white space included."""
    assert cut_blocks(text, FOREIGN_TAGS) == (text, [])


def test_a_similar_tag_before_a_block_stays():
    """A longer name that begins alike opens nothing, also where a real block follows."""
    text = "<system-reminders> ve <system-reminder>x</system-reminder>"
    assert cut_blocks(text, FOREIGN_TAGS) == ("<system-reminders> ve", ["x"])


def test_many_unclosed_openers_do_not_hurt():
    """The cutter is linear: 200,000 openers before one closer are one block, found in one pass."""
    text = "<system-reminder>" * 200_000 + "x</system-reminder>son"
    kept, inside = cut_blocks(text, FOREIGN_TAGS)
    assert kept == "son"
    assert len(inside) == 1


@settings(deadline=None)
@given(st.lists(st.sampled_from(["<system-reminder>", "</system-reminder>", "söz", "<", ">", "\n"])).map("".join))
def test_cutting_twice_is_cutting_until_nothing_closed_is_left(text):
    """Nothing is invented: every character that stays stood in the text, in its order."""
    kept, _ = cut_blocks(text, FOREIGN_TAGS)
    rest = iter(text)
    assert all(letter in rest for letter in kept)
