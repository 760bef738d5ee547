"""The rules of the date grammar: which tags in which order, what they resolve to, and whether they count from now. Data and arithmetic.

What it is for: `kg.dates` takes the longest rule that fits. A rule answers None where its words are no date after all.
It must never look at a clock or at the text: words come as tokens, the moment as `Now`.
"""

from collections.abc import Callable
from datetime import date, timedelta, tzinfo
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


def _n(got: Got, tag: str) -> int:
    return int(got[tag].tags[tag])


def _unit(got: Got) -> Unit:
    return cast("Unit", got["unit"].tags["unit"] if "unit" in got else got["birim"].tags["birim"])


def _folded(token: Token) -> str:
    return token.raw.casefold()


def _ago(got: Got, now: Now) -> Days:
    """So many units ago, half a unit on each side."""
    count = float(got["half"].tags["half"]) / 2 if "half" in got else float(_n(got, "num" if "num" in got else "sayi"))
    count += 0.5 * ("bucuk" in got)
    name = _unit(got)
    if count < 1 and name == "year":  # half a year is said of months
        count, name = 12 * count, "month"
    if name == "hour":
        return Days(days.local_day(now.moment - int(count * HOUR_MS), now.zone), now.today)
    middle = days.back(now.today, count, name)
    half = timedelta(days=0 if "exact" in got else days.HALF[name])
    return Days(middle - half, min(middle + half, now.today))


def _few_ago(got: Got, now: Now) -> Days:
    return Days(days.back(now.today, FEW[1], _unit(got)), days.back(now.today, FEW[0], _unit(got)))


def _past(got: Got, now: Now) -> Days | None:
    """The last three weeks, son üç hafta; "past week" without a number."""
    number = next((_n(got, tag) for tag in ("num", "sayi") if tag in got), FEW[1] if "few" in got else 1)
    if not {"num", "sayi", "few"} & set(got) and _folded(got["past"]) != "past":
        return None
    return Days(days.back(now.today, number, _unit(got)), now.today)


def _of_now(got: Got, now: Now) -> Days | None:
    """Last week, bu ay, next year: the calendar's unit; geçen gün is the other day."""
    rel, name = _n(got, "rel"), _unit(got)
    if name == "day" and "birim" in got and rel < 1:
        return Days(now.today - timedelta(days=A_WHILE), now.today) if rel else days.single(now.today)
    if name in ("hour", "day"):
        return None
    return days.unit(days.back(now.today, -rel, name), name)


def _weekday_in_week(got: Got, now: Now) -> Days | None:
    """Last week's Tuesday, geçen hafta salı."""
    week = _of_now(got, now)
    if week is None or _unit(got) != "week":
        return None
    return days.single(week.first + timedelta(days=_n(got, "weekday")))


def _day_in_month(got: Got, now: Now) -> Days | None:
    """Ayın 14'ünde, geçen ayın üçü, the 14th of last month, on the 14th: the last such day unless a month is told."""
    number = next(_n(got, tag) for tag in ("inde", "nth", "dom") if tag in got)
    if ("birim" in got or "unit" in got) and _unit(got) != "month":
        return None
    if "rel" in got:
        first = days.month(now.today.year, now.today.month + _n(got, "rel")).first
        return days.single(first.replace(day=number))
    back = 0 if number <= now.today.day else 1
    for months in range(back, back + 2):  # a 31st may not be in the month before
        first = days.month(now.today.year, now.today.month - months).first
        if number <= days.month(first.year, first.month).last.day:
            return days.single(first.replace(day=number))
    return None


def _bare_day(got: Got, now: Now) -> Days | None:
    """14'ünde, without a month: only a digit with the ending that says when."""
    token = got["inde"]
    says_when = token.suffix.endswith(("nde", "nda", "nden", "ndan", "ndeki", "ndaki"))
    return _day_in_month(got, now) if token.raw[0].isdigit() and says_when else None


def _part_of(got: Got, now: Now) -> Days | None:
    """The beginning, middle or end of a week, month or year: the last one that has begun unless it is told which."""
    name = _unit(got)
    if name in ("hour", "day"):
        return None
    part = _n(got, "part")
    if "rel" in got:
        return days.third(days.unit(days.back(now.today, -_n(got, "rel"), name), name), part)
    this = days.third(days.unit(now.today, name), part)
    return this if this.first <= now.today else days.third(days.unit(days.back(now.today, 1, name), name), part)


def _before_yesterday(got: Got, now: Now) -> Days | None:
    """The day before yesterday, dünden önceki gün, evvelsi gün, önceki gün; önceki hafta is one or two weeks back."""
    name = _unit(got)
    if "bir" in got:
        return days.unit(days.back(now.today, 1, name), name)
    if name == "day":
        wrong = "day" in got and _n(got, "day") < 1
        return None if wrong else days.single(now.today - timedelta(days=2))
    if "day" in got or name == "hour":
        return None
    return Days(days.unit(days.back(now.today, 2, name), name).first, days.unit(days.back(now.today, 1, name), name).last)


def _daypart(when: Days, got: Got) -> Days:
    """A night runs into the next day."""
    night = "daypart" in got and _n(got, "daypart")
    return Days(when.first, when.last + timedelta(days=1)) if night else when


def _named_day(got: Got, now: Now) -> Days:
    """Yesterday, dün akşam, today, yarın."""
    return _daypart(days.single(now.today - timedelta(days=_n(got, "day"))), got)


def _part_of_day(got: Got, now: Now) -> Days | None:
    """Last night, bu sabah, tonight."""
    rel = _n(got, "rel") if "rel" in got else 0
    return None if rel > 0 else _daypart(days.single(now.today + timedelta(days=rel)), got)


def _a_while(got: Got, now: Now) -> Days | None:
    """The other day, geçenlerde."""
    if "unit" in got and _unit(got) != "day":
        return None
    return Days(now.today - timedelta(days=A_WHILE), now.today)


def _weekday(got: Got, now: Now) -> Days | None:
    """Geçen salı (before today), bu salı (this week's), next Tuesday; salı günü, on Tuesday: the last one, today too."""
    number = _n(got, "weekday")
    if "rel" not in got:
        return _daypart(days.single(days.weekday_before(now.today, number, on=True)), got)
    match _n(got, "rel"):
        case -1:
            day = days.weekday_before(now.today, number, on=False)
        case 0:
            day = days.week(now.today).first + timedelta(days=number)
        case _:
            day = days.weekday_after(now.today, number)
    return _daypart(days.single(day), got)


def _bare_weekday(got: Got, now: Now) -> Days | None:
    """A weekday's name alone; pazar is a market too."""
    word = _folded(got["weekday"])
    if word.startswith("pazar") and not word.startswith("pazartesi") and "'" not in word.replace("’", "'"):
        return None
    return _weekday(got, now)


def _weekend(got: Got, now: Now) -> Days | None:
    """Last weekend, geçen hafta sonu; without a word of which, the last one that has begun."""
    if "birim" in got and (_unit(got) != "week" or got["birim"].suffix):
        return None
    if "rel" in got:
        rel = _n(got, "rel")
        this = days.weekend(now.today)
        if rel < 0 and this.last < now.today:
            return this
        return days.weekend(now.today + timedelta(days=7 * rel))
    this = days.weekend(now.today)
    return this if this.first <= now.today else days.weekend(now.today - timedelta(days=7))


def _year_of(got: Got) -> int | None:
    return _n(got, "y") if "y" in got else None


def _month_days(number: int, now: Now, year: int | None, rel: int | None = None) -> Days:
    """A month of a year, or by rel: the last one over (-1), this year's (0), the next one (1), or (None) the last begun."""
    if year is not None:
        return days.month(year, number)
    this = days.month(now.today.year, number)
    match rel:
        case None:
            return this if this.first <= now.today else days.month(now.today.year - 1, number)
        case -1:
            return this if this.last < now.today else days.month(now.today.year - 1, number)
        case 0:
            return this
        case _:
            return this if this.first > now.today else days.month(now.today.year + 1, number)


_MODAL = ("may", "march")  # a verb as often as a month when they begin without a capital


def _is_modal(token: Token) -> bool:
    return token.raw in _MODAL


def _month(got: Got, now: Now) -> Days | None:
    """Mart ayında, in March, last March, March 2025, geçen mart."""
    token = got["month"]
    rel = _n(got, "rel") if "rel" in got else None
    if _is_modal(token) and not {"in", "y"} & set(got) and (token.raw == "may" or rel != -1):
        return None
    return _month_days(_n(got, "month"), now, _year_of(got), rel)


def _part_of_month(got: Got, now: Now) -> Days | None:
    """Mart başında, early March, end of March 2025. "Ocak başında" may be beside the hearth, "late may" a verb."""
    token = got["month"]
    hearth = _folded(token) == "ocak" and not token.proper and not {"ayi", "y"} & set(got)
    if hearth or (_is_modal(token) and "in" not in got and "y" not in got and "of" not in got):
        return None
    part = _n(got, "part")
    when = days.third(_month_days(_n(got, "month"), now, _year_of(got)), part)
    return when if when.first <= now.today or "y" in got else days.third(_month_days(_n(got, "month"), now, now.today.year - 1), part)


def _bare_month(got: Got, now: Now) -> Days | None:
    """A month's name alone: one that is nothing else, in the English form or with the ending that says when (nisanda)."""
    token = got["month"]
    word = _folded(token)
    if word in ("may", "march", "april", "june", "august"):  # verbs, an adjective, people
        return None
    if "month" in token.tags and word.isascii() and word in _ENGLISH_MONTHS:
        return _month_days(_n(got, "month"), now, None)
    if token.suffix not in ("loc", "abl"):
        return None
    marked = "'" in word or "’" in word
    if word.startswith(("oca", "aral", "ekim", "kas")) and not marked:  # hearth, gap, sowing, a man's name
        return None
    return _month_days(_n(got, "month"), now, None)


_ENGLISH_MONTHS = frozenset("january february july september october november december".split())


def _day_month(got: Got, now: Now) -> Days | None:
    """14 Mart, Mart'ın 3'ü, March 3rd 2026, the 3rd of March; without a year the last such day."""
    token = got.get("month") or got["short"]
    number = int(token.tags["month" if "month" in got else "short"])
    if "short" in got and not token.proper:
        return None
    if _is_modal(token) and not {"nth", "y", "of", "on", "in"} & set(got):
        return None
    day = next(_n(got, tag) for tag in ("inde", "nth", "dom") if tag in got)
    for year in (_n(got, "y"),) if "y" in got else range(now.today.year, now.today.year - 9, -1):  # 29 February
        if day <= days.month(year, number).last.day and ("y" in got or date(year, number, day) <= now.today):
            return days.single(date(year, number, day))
    return None


def _days_of_month(got: Got, now: Now) -> Days | None:
    """14-16 Mart, March 14-16 2025."""
    low, high = (int(part) for part in str(got["doms"].tags["doms"]).split("-"))
    if low > high or (_is_modal(got["month"]) and "y" not in got):
        return None
    when = _month_days(_n(got, "month"), now, _year_of(got))
    return Days(when.first.replace(day=low), when.first.replace(day=high))


def _season(got: Got, now: Now) -> Days | None:
    """Last spring (over), bu yaz, 2025 yazında, spring of 2024, in the spring (the last one begun)."""
    begins = _n(got, "season")
    if "y" in got:
        return days.season(_n(got, "y"), begins)
    rel = _n(got, "rel") if "rel" in got else None
    year = now.today.year + 1  # winter of a year begins in the one before
    if rel == 1:
        coming = [s for y in (year - 1, year, year + 1) if (s := days.season(y, begins)).first > now.today]
        return coming[0]
    if rel == 0:
        held = [s for y in (year, year - 1) if (s := days.season(y, begins)).first <= now.today <= s.last]
        return held[0] if held else days.season(now.today.year, begins)
    fit = (lambda s: s.last < now.today) if rel == -1 else (lambda s: s.first <= now.today)
    return next((s for y in range(year, year - 4, -1) if fit(s := days.season(y, begins))), None)


def _year(got: Got, now: Now) -> Days | None:
    """In 2025, 2025'te, 2025 yılında; the number alone is only a number."""
    if {"in", "yili"} & set(got) or got["y"].suffix in ("te", "ta", "de", "da", "ten", "tan", "den", "dan", "teki", "taki", "deki", "daki"):
        return days.year(_n(got, "y"))
    return None


def _loose_year(got: Got, now: Now) -> Days:
    return days.year(_n(got, "y"))


def _iso(got: Got, now: Now) -> Days:
    """2026-03-14, 2026/3/14, 2026-03."""
    parts = [int(part) for part in str(got["iso"].tags["iso"]).replace("/", "-").split("-")]
    return days.single(date(*parts)) if len(parts) == 3 else days.month_strict(*parts)


def _dmy(got: Got, now: Now) -> Days:
    """14.03.2026, 14/3/2026; 03/14/2026 only fits the other way round."""
    day, month, year = (int(part) for part in str(got["dmy"].tags["dmy"]).replace("/", ".").replace("-", ".").split("."))
    return days.single(date(year, day, month) if month > 12 else date(year, month, day))


def _rules(rule: Rule, *forms: str, narrows: bool = False) -> tuple[tuple[tuple[str, ...], Rule, bool], ...]:
    return tuple((tuple(form.split()), rule, narrows) for form in forms)


RULES = (
    *_rules(_ago, "exact? num unit ago", "half num? unit ago", "num unit back", "exact? sayi bucuk? birim once", "half birim once", narrows=True),
    *_rules(_few_ago, "num? few of? unit ago", "few birim once", narrows=True),
    *_rules(_weekend, "rel weekend", "rel birim sonu", "rel hsonu", narrows=True),
    *_rules(_weekend, "on? the weekend", "birim sonu", "hsonu"),
    *_rules(_past, "in? the? past num? few? of? unit", "past sayi birim", "past few birim", narrows=True),
    *_rules(_of_now, "in? the? rel unit", "rel birim", narrows=True),
    *_rules(_weekday_in_week, "rel unit on? weekday", "weekday of? rel unit", "rel birim weekday gunu?", narrows=True),
    *_rules(_day_in_month, "on? the nth of the? rel? unit", "on the? nth", "rel birim inde", "rel birim dom", "birim inde", narrows=True),
    *_rules(_bare_day, "inde", narrows=True),
    *_rules(_part_of, "in? at? the? part of the? rel? unit", "in? part rel unit", "rel? birim part", narrows=True),
    *_rules(_before_yesterday, "the? unit before day", "day birim", "onceki birim", "bir onceki birim", "day onceki birim", narrows=True),
    *_rules(_named_day, "day daypart?", narrows=True),
    *_rules(_part_of_day, "rel daypart", "tonight", narrows=True),
    *_rules(_a_while, "the other unit", "gecenlerde", narrows=True),
    *_rules(_weekday, "on? rel weekday daypart?", "rel weekday gunu? daypart?", "weekday gunu daypart?", "on weekday daypart?", narrows=True),
    *_rules(_bare_weekday, "weekday daypart?"),
    *_rules(_month, "in? rel month", "rel month ayi?", narrows=True),
    *_rules(_month, "month ayi", "in month y?", "month of? y", "y yili? month"),
    *_rules(_part_of_month, "in? at? the? part in? of? month y?", "y? month ayi? part", "month y part"),
    *_rules(_bare_month, "month"),
    *_rules(_day_month, "on? the? nth of? month y?", "on? dom of? month y?", "on? month dom y?", "on? month nth y?", "month inde", "y month inde",
            "on? dom short y?", "on? short dom y?", "on? short nth y?", "on? nth short y?"),
    *_rules(_days_of_month, "doms month y?", "month doms y?"),
    *_rules(_season, "in? rel season", narrows=True),
    *_rules(_season, "in? the? season of? y", "y yili? season", "in the season"),
    *_rules(_year, "in? y yili?"),
    *_rules(_iso, "iso"),
    *_rules(_dmy, "dmy"),
)  # fmt: skip
# Names that are a date only where something beside them says so (since, between, a filter's own value).
LOOSE = (*_rules(_weekday, "weekday"), *_rules(lambda g, n: _month_days(_n(g, "month"), n, None), "month", "month ayi"),
         *_rules(_season, "season"), *_rules(_loose_year, "y"))  # fmt: skip
