"""STATE and DRIVES over time as pictures: what is read for them, and the one way they are drawn. Reads only.

For `state plot`, `drives plot` and the page. It must never hold a word of anybody's: names of ours, days and numbers.
"""

from bellek.context import curves
from bellek.kg import clock, state
from bellek.kg.db import Database
from bellek.kg.pace import pace_of
from bellek.schemas import drives
from bellek.schemas import state as rules

AGENT = "claude-code"  # whose, where nobody says
SAMPLES = 480  # points of a curve between its messages: two for a pixel of a half-width screen


def of_state(db: Database, agent: str, days: int) -> str:
    """The channels of so many days back from now, as one SVG."""
    now = clock.now()
    first = now - days * clock.DAY_MS
    series = _series(db, agent, first, now)
    rests = dict(zip(rules.CHANNELS, pace_of(db).baseline, strict=True))
    drawn = {name: [(x, values[n]) for x, values in series] for n, name in enumerate(rules.CHANNELS)}
    return curves.svg(f"STATE, {days} days", drawn, rests, _ends(first, now))


def _series(db: Database, agent: str, first: int, now: int) -> list[tuple[float, rules.Values]]:
    """(share of the time, values): at even steps, and right after each message, so that no peak is missed."""
    pace = pace_of(db)
    known = {at: values for at, values, _ in state.points(db, agent, first)}
    even = [first + (now - first) * n // SAMPLES for n in range(SAMPLES + 1)]
    last, values, found = first, state.at(db, agent, first), []
    for at in sorted({*even, *(at for at in known if at <= now)}):
        values = known.get(at) or rules.decayed(values, at - last, pace)
        last = at
        found.append(((at - first) / max(1, now - first), values))
    return found


def of_drives(db: Database, agent: str, days: int) -> str:
    """The drives of so many days back from today, as one SVG."""
    today = local_today()
    by_day = dict(drives.over(state.touches(db, agent), today))
    rest = dict.fromkeys(drives.DRIVES, drives.REST)
    shown = range(today - days, today + 1)
    drawn = {name: [((day - shown[0]) / days, by_day.get(day, rest)[name]) for day in shown] for name in drives.DRIVES}
    ends = _ends(shown[0] * clock.DAY_MS, today * clock.DAY_MS)
    return curves.svg(f"DRIVES, {days} days", drawn, rest, ends)


def local_today() -> int:
    """The person's local day, as days since 1970."""
    now = clock.now()
    return clock.local_day(now, clock.offset_minutes(now))


def _ends(first: int, last: int) -> tuple[str, str]:
    return clock.day(first, 0), clock.day(last, 0)
