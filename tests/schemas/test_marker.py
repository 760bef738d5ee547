"""How a skipped marker is told to a person."""

import pytest

from bellek.schemas.marker import MAX_QUOTED, CodePlace, InCode, NearMiss, TooLong, Unclosed, clip, describe


@pytest.mark.parametrize(
    ("report", "line"),
    [
        (Unclosed("learning", 7), "learning marker at 7 is never closed: end it with -->"),
        (
            NearMiss("learnin", "learning", 0),
            "marker at 0 names 'learnin', which is not a channel: did you mean 'learning'?",
        ),
        (
            InCode("learning", CodePlace.SPAN, 3),
            "learning marker at 3 was seen in code, skipped: it stands in a code span",
        ),
        (
            TooLong("learning", 20_001, 3),
            "learning marker at 3 was skipped: 20001 characters, the limit is 20000",
        ),
    ],
)
def test_each_report_has_its_line(report, line):
    """Each report is one line that says what was skipped, where and why."""
    assert describe(report) == line


def test_names_are_clipped():
    """No more of a message than forty characters is repeated, and a cut is visible."""
    assert clip("a" * MAX_QUOTED) == "a" * MAX_QUOTED
    assert clip("a" * 1000) == "a" * (MAX_QUOTED - 1) + "…"
    assert len(describe(NearMiss("b" * 1000, "c" * 1000, 0))) < 4 * MAX_QUOTED
