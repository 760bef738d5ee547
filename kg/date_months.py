"""What months, seasons, years and written dates resolve to. See `kg.date_sense`; the same holds here."""

from datetime import date

from bellek.kg import days
from bellek.kg.date_sense import Got, Now, folded, unit_of, value
from bellek.kg.date_words import Token
from bellek.kg.days import Days


def year_told(got: Got) -> int | None:
    """The year that was told, if one was."""
    return value(got, "y") if "y" in got else None


def month_days(number: int, now: Now, year: int | None, rel: int | None = None) -> Days:
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


def is_modal(token: Token) -> bool:
    """Whether a month's name is written like the verb."""
    return token.raw in _MODAL


def month_named(got: Got, now: Now) -> Days | None:
    """Mart ayında, in March, last March, March 2025, geçen mart."""
    token = got["month"]
    rel = value(got, "rel") if "rel" in got else None
    if is_modal(token) and not {"in", "y"} & set(got) and (token.raw == "may" or rel != -1):
        return None
    return month_days(value(got, "month"), now, year_told(got), rel)


def part_of_month(got: Got, now: Now) -> Days | None:
    """Mart başında, early March, end of March 2025. "Ocak başında" may be beside the hearth, "late may" a verb."""
    token = got["month"]
    hearth = folded(token) == "ocak" and not token.proper and not {"ayi", "y"} & set(got)
    if hearth or (is_modal(token) and "in" not in got and "y" not in got and "of" not in got):
        return None
    part = value(got, "part")
    when = days.third(month_days(value(got, "month"), now, year_told(got)), part)
    return (
        when
        if when.first <= now.today or "y" in got
        else days.third(month_days(value(got, "month"), now, now.today.year - 1), part)
    )


def bare_month(got: Got, now: Now) -> Days | None:
    """A month's name alone: one that is nothing else, in the English form or with the ending that says when (nisanda)."""
    token = got["month"]
    word = folded(token)
    if word in ("may", "march", "april", "june", "august"):  # verbs, an adjective, people
        return None
    if "month" in token.tags and word.isascii() and word in _ENGLISH_MONTHS:
        return month_days(value(got, "month"), now, None)
    if token.suffix not in ("loc", "abl"):
        return None
    marked = "'" in word or "’" in word
    if word.startswith(("oca", "aral", "ekim", "kas")) and not marked:  # hearth, gap, sowing, a man's name
        return None
    return month_days(value(got, "month"), now, None)


_ENGLISH_MONTHS = ("january", "february", "july", "september", "october", "november", "december")


def day_month(got: Got, now: Now) -> Days | None:
    """14 Mart, Mart'ın 3'ü, March 3rd 2026, the 3rd of March; without a year the last such day."""
    token = got.get("month") or got["short"]
    number = int(token.tags["month" if "month" in got else "short"])
    if "short" in got and not token.proper:
        return None
    if is_modal(token) and not {"nth", "ord", "y", "of", "on", "in"} & set(got):
        return None
    day = next(value(got, tag) for tag in ("inde", "nth", "ord", "dom") if tag in got)
    for year in (value(got, "y"),) if "y" in got else range(now.today.year, now.today.year - 9, -1):  # 29 February
        if day <= days.month(year, number).last.day and ("y" in got or date(year, number, day) <= now.today):
            return days.single(date(year, number, day))
    return None


def days_of_month(got: Got, now: Now) -> Days | None:
    """14-16 Mart, March 14-16 2025."""
    low, high = (int(part) for part in str(got["doms"].tags["doms"]).split("-"))
    if low > high or (is_modal(got["month"]) and "y" not in got):
        return None
    when = month_days(value(got, "month"), now, year_told(got))
    return Days(when.first.replace(day=low), when.first.replace(day=high))


def season_named(got: Got, now: Now) -> Days | None:
    """Last spring (over), bu yaz, 2025 yazında, spring of 2024, in the spring (the last one begun)."""
    begins = value(got, "season")
    if "y" in got:
        return days.season(value(got, "y"), begins)
    rel = value(got, "rel") if "rel" in got else None
    year = now.today.year + 1  # winter of a year begins in the one before
    if rel == 1:
        coming = [s for y in (year - 1, year, year + 1) if (s := days.season(y, begins)).first > now.today]
        return coming[0]
    if rel == 0:
        held = [s for y in (year, year - 1) if (s := days.season(y, begins)).first <= now.today <= s.last]
        return held[0] if held else days.season(now.today.year, begins)
    seasons = [days.season(y, begins) for y in range(year, year - 4, -1)]
    return next((s for s in seasons if (s.last < now.today if rel == -1 else s.first <= now.today)), None)


def bare_season(got: Got, now: Now) -> Days | None:
    """İlkbaharda, sonbaharda: the long names with the ending that says when; bahar and yaz are other words too."""
    token = got["season"]
    long = token.suffix == "loc" and folded(token).startswith(("ilkbahar", "sonbahar", "i̇lkbahar"))
    return season_named(got, now) if long else None


def in_year(got: Got, now: Now) -> Days | None:
    """Last year in May, geçen yılın mayıs ayında, the spring of last year."""
    if unit_of(got) != "year":
        return None
    year = now.today.year + value(got, "rel")
    return days.month(year, value(got, "month")) if "month" in got else days.season(year, value(got, "season"))


def year_named(got: Got, _now: Now) -> Days | None:
    """In 2025, 2025'te, 2025 yılında; the number alone is only a number."""
    if {"in", "yili"} & set(got) or got["y"].suffix in (
        "te",
        "ta",
        "de",
        "da",
        "ten",
        "tan",
        "den",
        "dan",
        "teki",
        "taki",
        "deki",
        "daki",
    ):
        return days.year(value(got, "y"))
    return None


def loose_month(got: Got, now: Now) -> Days:
    """Any month's name, where words beside it say that it is a date."""
    return month_days(value(got, "month"), now, None)


def loose_year(got: Got, _now: Now) -> Days:
    """The number of a year, where words beside it say that it is one."""
    return days.year(value(got, "y"))


def iso(got: Got, _now: Now) -> Days:
    """2026-03-14, 2026/3/14, 2026-03."""
    parts = [int(part) for part in str(got["iso"].tags["iso"]).replace("/", "-").split("-")]
    return days.single(date(*parts)) if len(parts) == 3 else days.month_strict(*parts)


def dmy(got: Got, _now: Now) -> Days:
    """14.03.2026, 14/3/2026; 03/14/2026 only fits the other way round."""
    day, month, year = (
        int(part) for part in str(got["dmy"].tags["dmy"]).replace("/", ".").replace("-", ".").split(".")
    )
    return days.single(date(year, day, month) if month > 12 else date(year, month, day))
