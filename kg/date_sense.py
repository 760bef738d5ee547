"""What dates resolve to that count from now: so many units ago, this and last, days of the week, parts of a day.

What it is for: the arithmetic behind the rules of `kg.date_rules`. Each function takes the words that fit a rule, by tag,
and the moment; None where they are no date after all. It must never look at a clock: the moment is handed in as `Now`.
"""

from collections.abc import Callable
from datetime import timedelta, tzinfo
from typing import TypeAlias, cast

from bellek.kg import days
from bellek.kg.date_words import Token
from bellek.kg.days import Days, Unit

Got: TypeAlias = dict[str, Token]


class Now:
    """The moment that phrases count from, in UTC milliseconds, with its zone and local day."""

    __slots__ = ("moment", "today", "zone")

    def __init__(self, moment: int, zone: tzinfo | None) -> None:
        self.moment = moment
        self.zone = zone
        self.today = days.local_day(moment, zone)


Rule: TypeAlias = Callable[[Got, Now], Days | None]
HOUR_MS = 3_600_000
FEW = (2, 5)  # what "a few" and "birkaç" may be
A_WHILE = 14  # days of "the other day", "geçenlerde"


def value(got: Got, tag: str) -> int:
    """The number that a tag's word stands for."""
    return int(got[tag].tags[tag])


def unit_of(got: Got) -> Unit:
    """The unit of time that is named."""
    return cast("Unit", got["unit"].tags["unit"] if "unit" in got else got["birim"].tags["birim"])


def folded(token: Token) -> str:
    """A word without its capitals."""
    return token.raw.casefold()


def ago(got: Got, now: Now) -> Days:
    """So many units ago, half a unit on each side."""
    count = (
        float(got["half"].tags["half"]) / 2 if "half" in got else float(value(got, "num" if "num" in got else "sayi"))
    )
    count += 0.5 * ("bucuk" in got)
    name = unit_of(got)
    if count < 1 and name == "year":  # half a year is said of months
        count, name = 12 * count, "month"
    if name == "hour":
        return Days(days.local_day(now.moment - int(count * HOUR_MS), now.zone), now.today)
    middle = days.back(now.today, count, name)
    half = timedelta(days=0 if "exact" in got else days.HALF[name])
    return Days(middle - half, min(middle + half, now.today))


def few_ago(got: Got, now: Now) -> Days:
    """A few weeks ago, birkaç gün önce."""
    return Days(days.back(now.today, FEW[1], unit_of(got)), days.back(now.today, FEW[0], unit_of(got)))


def past(got: Got, now: Now) -> Days | None:
    """The last three weeks, son üç hafta; "past week" without a number."""
    number = next((value(got, tag) for tag in ("num", "sayi") if tag in got), FEW[1] if "few" in got else 1)
    if not {"num", "sayi", "few"} & set(got) and folded(got["past"]) != "past":
        return None
    return Days(days.back(now.today, number, unit_of(got)), now.today)


def of_now(got: Got, now: Now) -> Days | None:
    """Last week, bu ay, next year: the calendar's unit; geçen gün is the other day."""
    rel, name = value(got, "rel"), unit_of(got)
    if name == "day" and "birim" in got and rel < 1:
        return Days(now.today - timedelta(days=A_WHILE), now.today) if rel else days.single(now.today)
    if name in ("hour", "day"):
        return None
    return days.unit(days.back(now.today, -rel, name), name)


def weekday_in_week(got: Got, now: Now) -> Days | None:
    """Last week's Tuesday, geçen hafta salı."""
    week = of_now(got, now)
    if week is None or unit_of(got) != "week":
        return None
    return days.single(week.first + timedelta(days=value(got, "weekday")))


def day_in_month(got: Got, now: Now) -> Days | None:
    """Ayın 14'ünde, geçen ayın üçü, the 14th of last month, on the 14th: the last such day unless a month is told."""
    number = next(value(got, tag) for tag in ("inde", "nth", "dom") if tag in got)
    if ("birim" in got or "unit" in got) and unit_of(got) != "month":
        return None
    if "rel" in got:
        first = days.month(now.today.year, now.today.month + value(got, "rel")).first
        return days.single(first.replace(day=number))
    back = 0 if number <= now.today.day else 1
    for months in range(back, back + 2):  # a 31st may not be in the month before
        first = days.month(now.today.year, now.today.month - months).first
        if number <= days.month(first.year, first.month).last.day:
            return days.single(first.replace(day=number))
    return None


def bare_day(got: Got, now: Now) -> Days | None:
    """14'ünde, without a month: only a digit with the ending that says when."""
    token = got["inde"]
    says_when = token.suffix.endswith(("nde", "nda", "nden", "ndan", "ndeki", "ndaki"))
    return day_in_month(got, now) if token.raw[0].isdigit() and says_when else None


def part_of(got: Got, now: Now) -> Days | None:
    """The beginning, middle or end of a week, month or year: the last one that has begun unless it is told which."""
    name = unit_of(got)
    if name in ("hour", "day"):
        return None
    part = value(got, "part")
    if "rel" in got:
        return days.third(days.unit(days.back(now.today, -value(got, "rel"), name), name), part)
    this = days.third(days.unit(now.today, name), part)
    return this if this.first <= now.today else days.third(days.unit(days.back(now.today, 1, name), name), part)


def before_yesterday(got: Got, now: Now) -> Days | None:
    """The day before yesterday, dünden önceki gün, evvelsi gün, önceki gün; önceki hafta is one or two weeks back."""
    name = unit_of(got)
    if "bir" in got:
        return days.unit(days.back(now.today, 1, name), name)
    if name == "day":
        wrong = "day" in got and value(got, "day") < 1
        return None if wrong else days.single(now.today - timedelta(days=2))
    if "day" in got or name == "hour":
        return None
    return Days(
        days.unit(days.back(now.today, 2, name), name).first, days.unit(days.back(now.today, 1, name), name).last
    )


def with_night(when: Days, got: Got) -> Days:
    """A night runs into the next day."""
    night = "daypart" in got and value(got, "daypart")
    return Days(when.first, when.last + timedelta(days=1)) if night else when


def named_day(got: Got, now: Now) -> Days:
    """Yesterday, dün akşam, today, yarın."""
    return with_night(days.single(now.today - timedelta(days=value(got, "day"))), got)


def part_of_day(got: Got, now: Now) -> Days | None:
    """Last night, bu sabah, tonight."""
    rel = value(got, "rel") if "rel" in got else 0
    return None if rel > 0 else with_night(days.single(now.today + timedelta(days=rel)), got)


def a_while(got: Got, now: Now) -> Days | None:
    """The other day, geçenlerde."""
    if "unit" in got and unit_of(got) != "day":
        return None
    return Days(now.today - timedelta(days=A_WHILE), now.today)


def weekday_named(got: Got, now: Now) -> Days | None:
    """Geçen salı (before today), bu salı (this week's), next Tuesday; salı günü, on Tuesday: the last one, today too."""
    number = value(got, "weekday")
    if "rel" not in got:
        return with_night(days.single(days.weekday_before(now.today, number, on=True)), got)
    match value(got, "rel"):
        case -1:
            day = days.weekday_before(now.today, number, on=False)
        case 0:
            day = days.week(now.today).first + timedelta(days=number)
        case _:
            day = days.weekday_after(now.today, number)
    return with_night(days.single(day), got)


def bare_weekday(got: Got, now: Now) -> Days | None:
    """A weekday's name alone; pazar is a market too."""
    word = folded(got["weekday"])
    if word.startswith("pazar") and not word.startswith("pazartesi") and "'" not in word.replace("’", "'"):
        return None
    return weekday_named(got, now)


def weekend_named(got: Got, now: Now) -> Days | None:
    """Last weekend, geçen hafta sonu; without a word of which, the last one that has begun."""
    if "birim" in got and (unit_of(got) != "week" or got["birim"].suffix):
        return None
    if "rel" in got:
        rel = value(got, "rel")
        this = days.weekend(now.today)
        if rel < 0 and this.last < now.today:
            return this
        return days.weekend(now.today + timedelta(days=7 * rel))
    this = days.weekend(now.today)
    return this if this.first <= now.today else days.weekend(now.today - timedelta(days=7))
