"""What a person sees of a message that arrives in pieces, and that it agrees with what is heard."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bellek.curator import hiding
from bellek.curator.hiding import Screen, hide
from bellek.curator.markers import without_markers
from bellek.schemas.marker import MAX_PAYLOAD

CHANNELS = ("learning", "task", "profile-fact")

# Scraps that meet in every way that matters: signs, names, quotes, fences, blanks, halves of signs.
SCRAPS = (
    "<!--", "-->", "<!", "<", "--", ">", "<!-- learning: ", "<!--task:", "<!-- profile-fact:\n", "<!-- note: ", "learning",
    ":", "\n", "\n\n", " ", "    ", "`", "``", "```", "```\n", "~~~\n", '"', "'", "“", "”", "«", "»", "\\", "**", "_", "> ",
    "- ", "1. ", "# ", "ışık", "Ayşe'nin", "a --> b", "\r\n", "\t", "\u2028", "\ud83d", "|", "\x00", "\x85", "🙂", "İ", "x",
)  # fmt: skip
messages = st.lists(st.sampled_from(SCRAPS), max_size=25).map("".join)


def in_pieces(text: str, cuts: list[int]) -> str:
    """What is shown when ``text`` arrives cut at ``cuts``."""
    edges = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    screen = Screen()
    last = len(edges) - 2
    return "".join(screen.show(text[edges[i] : edges[i + 1]], CHANNELS, final=i == last) for i in range(len(edges) - 1))


@settings(max_examples=200, deadline=None)
@given(messages, st.lists(st.integers(0, 10_000), max_size=8))
def test_however_a_message_is_cut_the_pieces_shown_are_the_whole_text_without_its_markers(text, cuts):
    """For any text and any cutting, what is shown, joined, equals ``hide`` of the whole."""
    assert in_pieces(text, cuts) == hide(text, CHANNELS)


@settings(max_examples=100, deadline=None)
@given(messages)
def test_a_message_that_arrives_letter_by_letter_is_shown_the_same(text):
    """The smallest pieces there are give the same text as the whole."""
    assert in_pieces(text, list(range(len(text)))) == hide(text, CHANNELS)


@settings(deadline=None)
@given(messages)
def test_nothing_but_declared_comments_is_taken_away(text):
    """With no channel declared every text is shown as it was written."""
    assert hide(text, ()) == text


# Paragraphs as models write them; no code span over a line break, no nested comments, no blank line after a `-->`
# inside a payload: those are the differences that the module names.
PARAGRAPHS = (
    "Plain prose.", "İki satır\nve ışık.", "Inline <!-- learning: use uv --> and on.", "<!-- learning: use uv, not pip -->",
    'Text.\n<!-- learning:\n{"type": "FIX", "text": "a --> b"}\n-->', "<!-- learning: a --> b because c -->",
    "<!-- profile-fact:\nentity: Ayşe\nfields:\n  rol: geliştirici\n-->\nAfter.", "`<!-- learning: example -->` is a marker.",
    "```html\n<!-- learning: example -->\n```", "~~~\n<!-- task: example -->\n~~~", "> <!-- learning: quoted -->",
    "**<!-- task: bold -->**", "- item <!-- task: in a list -->\n- next", "    <!-- learning: indented code -->",
    "<!-- learning: never closed", "<!-- note: somebody else's -->", '<!-- learning: says "--> is an end" here -->',
    "<!-- learning: one --><!-- task: two -->", "<!-- learning: two\nlines --> tail", "<!-- LEARNING: loud -->", "<!-- learning: -->",
    "`` ` <!-- learning: span --> ``", "\\` <!-- learning: no span --> `",
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PARAGRAPHS), min_size=1, max_size=6), st.lists(st.integers(0, 10_000), max_size=5))
def test_what_is_hidden_on_screen_is_what_is_heard(paragraphs, cuts):
    """On text as models write it the screen shows exactly what the index of conversations keeps of it."""
    text = "\n\n".join(paragraphs)
    assert in_pieces(text, cuts) == without_markers(text, CHANNELS)


@pytest.mark.parametrize("cut", range(1, len("Visible. <!-- learning: use uv, not pip -->\nMore.\n")))
def test_a_marker_cut_anywhere_is_never_shown(cut):
    """R120: no cut inside a marker brings any part of it onto the screen."""
    text = "Visible. <!-- learning: use uv, not pip -->\nMore.\n"
    screen = Screen()
    assert (
        screen.show(text[:cut], CHANNELS, final=False) + screen.show(text[cut:], CHANNELS, final=True)
        == "Visible. \nMore.\n"
    )


def test_an_opener_that_is_no_marker_is_shown_with_the_line_that_tells():
    """A comment of nobody's channel is held only until its name is known."""
    screen = Screen()
    assert screen.show("See <!--\n", CHANNELS, final=False) == ""
    assert screen.show("note: this -->\n", CHANNELS, final=False) == "See <!--\nnote: this -->\n"


def test_a_marker_that_is_never_closed_is_shown_when_the_message_ends():
    """Nothing held is lost: the end of the message gives it as it was written."""
    screen = Screen()
    assert screen.show("Özet.\n<!-- learning: kapanmayan\n", CHANNELS, final=False) == "Özet.\n"
    assert screen.show("", CHANNELS, final=True) == "<!-- learning: kapanmayan\n"


def test_a_line_is_shown_as_soon_as_it_is_whole():
    """Prose, code and what follows a closed marker wait for nothing."""
    screen = Screen()
    for line in ("One `tick.\n", "```py\n", "<!-- learning: in code -->\n", "```\n"):
        assert screen.show(line, CHANNELS, final=False) == line
    assert screen.show("<!-- learning:\nx\n-->\n", CHANNELS, final=False) == ""
    assert screen.show("Two.\n", CHANNELS, final=False) == "Two.\n"
    assert screen.show("<!-- learning:\ny -->\n\n", CHANNELS, final=False) == "\n"


def test_a_marker_too_long_to_be_heard_does_not_keep_the_message_off_the_screen():
    """Past the limit an unclosed opener is text; the limit lets no payload through that could be heard."""
    assert hiding.HOLD_LIMIT >= MAX_PAYLOAD
    screen = Screen()
    line = "x" * 99 + "\n"
    shown = screen.show("<!-- learning: start\n", CHANNELS, final=False)
    for _ in range(hiding.HOLD_LIMIT // 100 + 1):
        shown += screen.show(line, CHANNELS, final=False)
    assert shown.startswith("<!-- learning: start\n")
    assert screen.held == ""


@pytest.mark.parametrize(
    "scrap", ["<!-- learning: ", "“", '"', "`", "\\`", "-->", "<!--\n", "<!-- learning:\n", "a\n", "``x`"]
)
def test_no_text_takes_more_than_linear_time(scrap):
    """A hundred thousand hostile signs are shown within the test's patience, whole and in pieces."""
    text = "<!-- learning: " + scrap * (100_000 // len(scrap))
    assert in_pieces(text, [len(text) // 3, len(text) // 2]) == hide(text, CHANNELS)
