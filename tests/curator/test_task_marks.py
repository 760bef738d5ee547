"""Bracket task marks: heard in prose alone, at the place of their bracket."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bellek.curator.markers import Scan
from bellek.curator.task_marks import MAX_TASK, scan
from bellek.kg import queue
from bellek.schemas.marker import CodePlace, InCode, Marker, OpenBracket, TooLong


def test_each_mark_is_a_marker_of_its_channel():
    """R97: SELF_TASK, TASK_DONE and TASK_DELETE become markers with the mark in the payload and the bracket's position."""
    text = "Not: [SELF_TASK: raporu gönder] ve\n- [TASK_DONE:test]\n**[TASK_DELETE: eski]**"
    assert scan(text, "task") == Scan(
        (
            Marker("task", "SELF_TASK: raporu gönder", 5), Marker("task", "TASK_DONE: test", 37), Marker("task", "TASK_DELETE: eski", 56),
        ),
        (),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "place"),
    [("`[SELF_TASK: x]`", CodePlace.SPAN), ("```\n[SELF_TASK: x]\n```", CodePlace.FENCE), ("a\n\n    [SELF_TASK: x]", CodePlace.INDENTED),
     ("```\n[SELF_TASK: x]", CodePlace.OPEN_FENCE)],
)  # fmt: skip
def test_a_mark_in_code_is_told_and_not_heard(text, place):
    """In a code span, a fence, an indented block or an open fence a mark is an example: no item, one report."""
    (report,) = scan(text, "task").reports
    assert isinstance(report, InCode)
    assert report.place is place
    assert scan(text, "task").markers == ()


@pytest.mark.parametrize(
    "text",
    ["> [SELF_TASK: alıntı]", '"[SELF_TASK: x]" yazarım', "“[TASK_DONE: x]”", "<!-- learning: [SELF_TASK: x] olur çünkü -->", "[SELF_TASK: ]",
     "[SELF TASK: x]", "[self_task: x]", "[SELF_TASKS: x]"],
)  # fmt: skip
def test_a_quoted_commented_empty_or_other_mark_is_nothing(text):
    """In quotations, inside a comment, without words or under another name there is no mark at all."""
    assert scan(text, "task") == Scan((), ())


def test_brackets_in_the_words_belong_to_them():
    """A mark ends at the bracket that matches its own, also around code, and a mark inside its words is part of them."""
    assert [m.payload for m in scan("[SELF_TASK: fix `a[0]` and [1]] son]", "task").markers] == [
        "SELF_TASK: fix `a[0]` and [1]"
    ]
    assert [m.payload for m in scan("[SELF_TASK: write [TASK_DONE: x]]", "task").markers] == [
        "SELF_TASK: write [TASK_DONE: x]"
    ]


def test_an_unclosed_or_endless_mark_is_told():
    """Without a closing bracket on its line, or with more words than a task holds, a mark is reported and not queued."""
    assert scan("a [SELF_TASK: x\ny]", "task") == Scan((), (OpenBracket("SELF_TASK", 2),))
    assert scan(f"[SELF_TASK: {'x' * (MAX_TASK + 1)}]", "task").reports == (TooLong("task", MAX_TASK + 1, 0),)


@given(
    st.lists(
        st.sampled_from(
            [
                "[",
                "]",
                "[SELF_TASK: a",
                "[TASK_DONE:b]",
                "`",
                "\n",
                "```\n",
                "> ",
                "<!--",
                "-->",
                '"',
                " ",
                "é",
                "\ud800",
            ]
        ),
        max_size=40,
    ).map("".join)
)
def test_scanning_is_total_and_exact(text):
    """Any text is scanned without an error; each marker's payload stands behind its position."""
    for marker in scan(text, "task").markers:
        word, _, words = marker.payload.partition(": ")
        assert text.startswith(f"[{word}", marker.position)
        assert words in text[marker.position :]


def test_marks_of_a_message_are_queued_once_in_their_order(home, talk):
    """Marks of both forms in one message are items in the order of the text, and hearing the file again adds none."""
    said = talk().agent(
        "[SELF_TASK: b işi] <!-- task: a işi -->\n[TASK_DONE: b işi] <!-- learning: [SELF_TASK: yok] çünkü -->"
    )
    said.hear()
    home.memory.run("DELETE FROM cursors")
    assert said.hear().queued == 0
    items = queue.peek(home.memory, said.project)
    assert [i.payload for i in items] == ["SELF_TASK: b işi", "a işi", "TASK_DONE: b işi", "[SELF_TASK: yok] çünkü"]
