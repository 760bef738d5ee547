"""The pure laws of STATE and DRIVES, over ninety simulated days of messages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bellek.schemas import drives, state
from bellek.schemas.event import MOODS

HOUR, DAY = state.HOUR_MS, 24 * state.HOUR_MS
PACES = st.builds(
    state.Pace,
    st.tuples(*[st.floats(0, 1)] * 8),
    st.tuples(*[st.floats(0.1, 200)] * 8),
)
SHIFTS = st.tuples(*[st.floats(-5, 5)] * 8)
VALUES = st.tuples(*[st.floats(0, 1)] * 8)
# Ninety days of messages: minutes since the last one, and what it moved.
MESSAGES = st.lists(st.tuples(st.integers(0, 5 * 24 * 60), SHIFTS), max_size=120)


@settings(max_examples=60, deadline=None)
@given(messages=MESSAGES, pace=PACES)
def test_ninety_days_stay_within_bounds(messages, pace):
    """R95: whatever is said in ninety days, every channel stays between 0 and 1, and one message moves it by at most a fifth."""
    values, passed = pace.baseline, 0
    for minutes, shifts in messages:
        passed += minutes
        if passed > 90 * 24 * 60:
            break
        before = state.decayed(values, minutes * 60_000, pace)
        values = state.shifted(before, shifts)
        assert all(0.0 <= value <= 1.0 for value in values)
        assert all(abs(a - b) <= state.MOST_SHIFT + 1e-12 for a, b in zip(values, before, strict=True))
        assert state.mood(values, pace) in ("", *MOODS)
        assert state.tone(values, pace).count(";") == 3


@given(values=VALUES, pace=PACES, cuts=st.lists(st.integers(0, 10 * DAY), min_size=1, max_size=12))
def test_it_does_not_matter_how_often_it_is_computed(values, pace, cuts):
    """R95: looking at it in between changes nothing: many short steps give what one long one gives."""
    at_once = state.decayed(values, sum(cuts), pace)
    step_by_step = values
    for cut in cuts:
        step_by_step = state.decayed(step_by_step, cut, pace)
    assert step_by_step == pytest.approx(at_once, abs=1e-9)


@given(values=VALUES, pace=PACES)
def test_a_long_pause_brings_it_back_to_rest(values, pace):
    """R95: after forty half-lives of the slowest channel nothing of a departure is left."""
    rested = state.decayed(values, int(40 * max(pace.half_life_h) * HOUR), pace)
    assert rested == pytest.approx(pace.baseline, abs=1e-9)
    assert state.tone(rested, pace) == state.PLAIN


@given(given_=st.dictionaries(st.sampled_from([f"{c}.baseline" for c in state.CHANNELS]), st.floats(0, 1)))
def test_a_person_may_set_where_it_rests(given_):
    """R95: what config names is set, the rest stays as it comes."""
    made = state.pace(given_)
    for name, rest, default in zip(state.CHANNELS, made.baseline, state.BASELINE, strict=True):
        assert rest == given_.get(f"{name}.baseline", default)


@settings(max_examples=60, deadline=None)
@given(
    days=st.dictionaries(
        st.integers(20_000, 20_089), st.dictionaries(st.sampled_from(drives.DRIVES), st.integers(1, 500)), max_size=90
    )
)
def test_ninety_days_of_topics_move_a_drive_by_small_steps(days):
    """R96: within ninety days each drive stays between 0 and 1 and moves by at most a hundredth a day."""
    last = dict.fromkeys(drives.DRIVES, drives.REST)
    for _, values in drives.over(days, 20_089):
        for name, value in values.items():
            assert 0.0 <= value <= 1.0
            assert abs(value - last[name]) <= drives.STEP + 1e-12
        last = values


def test_months_of_a_topic_raise_its_drive_and_silence_fades_it():
    """R96: sixty days full of one topic raise its drive, not the others; a year of silence takes most of it away."""
    full = {20_000 + day: {"mastery": 9} for day in range(60)}
    after, later = drives.at(full, 20_059), drives.at(full, 20_059 + 365)
    assert after["mastery"] > drives.REST + 0.2
    assert after["beauty"] == drives.REST
    assert drives.REST < later["mastery"] < drives.REST + 0.05
    assert drives.at({20_000: {"mastery": 500}}, 20_000)["mastery"] <= drives.REST + drives.STEP
