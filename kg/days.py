"""Ranges of local days and their UTC instants: weeks, months, seasons, parts of them. Pure calendar arithmetic.

What it is for: what `kg.dates` resolves a phrase with. It must never look at a clock: today and the zone are handed in.
A zone of None is the machine's own, the person's.
"""

from calendar import monthrange
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Literal, NamedTuple

Unit = Literal["hour", "day", "week", "month", "year"]

FIRST = date(1970, 1, 1)  # no client wrote anything before; an open beginning
LAST = date(2199, 12, 31)
# Half of a unit on each side of "so many units ago": nobody means the very day when they say "three months ago".
HALF: dict[Unit, int] = {"hour": 0, "day": 0, "week": 3, "month": 15, "year": 182}
SPRING, SUMMER, AUTUMN, WINTER = 3, 6, 9, 12  # the month that a season begins with (northern, meteorological)


class Days(NamedTuple):
    """Local days, both ends included."""

    first: date
    last: date


def local_day(at: int, zone: tzinfo | None) -> date:
    """The local day of an instant (UTC milliseconds)."""
    return datetime.fromtimestamp(at / 1000, zone).date()


def instants(days: Days, zone: tzinfo | None) -> tuple[int, int]:
    """UTC milliseconds: the first moment of the first day, and that of the day after the last (exclusive)."""
    return _midnight(days.first, zone), _midnight(days.last + timedelta(days=1), zone)


def _midnight(day: date, zone: tzinfo | None) -> int:
    """The first instant of a local day; where the clocks jump over midnight, the instant of the jump."""
    return int(datetime.combine(day, time.min, tzinfo=zone).timestamp() * 1000)


def single(day: date) -> Days:
    """One day."""
    return Days(day, day)


def week(day: date) -> Days:
    """The week of a day, Monday to Sunday."""
    monday = day - timedelta(days=day.weekday())
    return Days(monday, monday + timedelta(days=6))


def month(year: int, number: int) -> Days:
    """A month; numbers outside 1..12 run over into other years."""
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    return Days(date(year, number, 1), date(year, number, monthrange(year, number)[1]))


def month_strict(year: int, number: int) -> Days:
    """A month by its number; raises ValueError outside 1..12."""
    return Days(date(year, number, 1), month(year, number).last)


def year(number: int) -> Days:
    """A calendar year."""
    return Days(date(number, 1, 1), date(number, 12, 31))


def season(of: int, begins: int) -> Days:
    """A season of a year; winter is the one that ends in it, since most of its days do."""
    from_year = of - 1 if begins == WINTER else of
    return Days(month(from_year, begins).first, month(from_year, begins + 2).last)


def unit(day: date, name: Unit) -> Days:
    """The calendar unit that holds a day."""
    match name:
        case "hour" | "day":
            return single(day)
        case "week":
            return week(day)
        case "month":
            return month(day.year, day.month)
        case "year":
            return year(day.year)


def back(day: date, count: float, name: Unit) -> date:
    """The day so many units earlier (later where negative); a month's end stays within its month."""
    whole = int(count)
    rest = count - whole
    match name:
        case "hour":
            return day
        case "day":
            return day - timedelta(days=round(count))
        case "week":
            return day - timedelta(days=round(7 * count))
        case "month" | "year":
            months = whole * (12 if name == "year" else 1)
            target = month(day.year, day.month - months)
            moved = target.first.replace(day=min(day.day, target.last.day))
            return moved - timedelta(days=round(rest * (365 if name == "year" else 30)))


def third(days: Days, which: int) -> Days:
    """The beginning (0), middle (1) or end (2) of a range: its thirds."""
    length = (days.last - days.first).days + 1
    low, high = length * which // 3, max(length * (which + 1) // 3, length * which // 3 + 1)
    return Days(days.first + timedelta(days=low), days.first + timedelta(days=high - 1))


def weekend(day: date) -> Days:
    """Saturday and Sunday of the week of a day."""
    return Days(week(day).first + timedelta(days=5), week(day).last)


def weekday_before(today: date, number: int, *, on: bool) -> date:
    """The last such weekday (Monday is 0) before today, or up to and with today."""
    behind = (today.weekday() - number) % 7
    return today - timedelta(days=behind or (0 if on else 7))


def weekday_after(today: date, number: int) -> date:
    """The next such weekday after today."""
    return today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)
