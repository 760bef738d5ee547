"""Instants, the person's own days, and a clock that never runs backwards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import AT, lesson

from bellek.kg import check, clock, memories


def test_the_hybrid_clock_goes_on_when_the_machine_s_goes_back(home, monkeypatch):
    """Rows written after the machine's clock was set back by a day still come after all earlier ones."""
    clocks = []
    for minutes in (0, -1440, -1440, 5, 4):
        monkeypatch.setenv("BELLEK_CLOCK", str(AT + minutes * clock.MINUTE_MS))
        with home.memory.transaction():
            clocks.append(memories.write(home.memory, lesson(), actor="test").clock)
    assert clocks == sorted(set(clocks))
    assert clocks[2] == clocks[0] + 2
    assert clocks[3] >> clock.COUNTER_BITS == AT + 5 * clock.MINUTE_MS
    assert check.check_home(home) == []


def test_many_rows_of_one_millisecond_are_told_apart(home, monkeypatch):
    """Within one millisecond a counter grows, and the instant stays readable."""
    monkeypatch.setenv("BELLEK_CLOCK", str(AT))
    with home.memory.transaction():
        clocks = [memories.write(home.memory, lesson(), actor="test").clock for _ in range(5)]
    assert [value - clocks[0] for value in clocks] == [0, 1, 2, 3, 4]
    assert {value >> clock.COUNTER_BITS for value in clocks} == {AT}


@pytest.mark.parametrize(
    ("at", "offset", "day"),
    [
        (AT, 0, "2023-11-14"),
        (AT, 180, "2023-11-15"),
        (AT, -300, "2023-11-14"),
        (0, 0, "1970-01-01"),
        (0, -60, "1969-12-31"),
    ],
)
def test_days_are_the_person_s_own(at, offset, day):
    """The same instant lies on another date for people east and west of it."""
    assert clock.day(at, offset) == day


def test_a_stamp_carries_its_offset():
    """A time is written with its writer's offset: Z for none, hours and minutes otherwise, on both sides."""
    assert clock.stamp(AT) == "2023-11-14T22:13:20Z"
    assert clock.stamp(AT, 180) == "2023-11-15T01:13:20+03:00"
    assert clock.stamp(AT, -330) == "2023-11-14T16:43:20-05:30"


def test_the_offset_is_that_of_the_instant():
    """The person's offset is looked up for the instant itself: Istanbul had summer time in 2010 and has none in 2023."""
    assert clock.offset_minutes(1_277_985_600_000) == 180
    assert clock.offset_minutes(1_262_304_000_000) == 120
    assert clock.offset_minutes(AT) == 180


@given(at=st.integers(0, 4_000_000_000_000), offset=st.integers(-1080, 1080))
def test_a_day_begins_its_stamp(at, offset):
    """The date of an instant and the date in its stamp are one, whatever the instant and the offset."""
    assert clock.stamp(at, offset).startswith(clock.day(at, offset) + "T")
