"""Dates as people say them, Turkish and English → local days → UTC instants. A small grammar; pure.

What it is for: "geçen salı", "üç ay önce", "ayın 14'ünde", "last spring" in a question become a range that a search can
be held against. The clock and the zone are handed in. Past is meant: a memory is asked, so "Mart" is the last one.

What it must never do: raise on any text, look at a clock, or take an ordinary word for a date ("may", "march on", "ocak",
"yaz"): a word that is also something else counts only beside words that make it a date.

The rules: a rule is a line of tags (``kg.date_words``; "?" may be absent) and what the tagged words resolve to. Of the
rules that fit at a word, the one that takes most words wins. "So many units ago" means the day so far back and half a
unit on each side (`days.HALF`): three months ago is a month, two weeks ago a week; a day is itself, "exactly" too.
"""

from dataclasses import dataclass
from datetime import date, timedelta, tzinfo
from typing import TypeAlias

from bellek.kg import days
from bellek.kg.date_rules import LOOSE, RULES
from bellek.kg.date_sense import Got, Now, Rule
from bellek.kg.date_words import Token, adjacent, tokens
from bellek.kg.days import Days


@dataclass(frozen=True, slots=True)
class Span:
    """A phrase that says when. Days are the person's own, both ends included; `start` ≤ t < `end` in UTC milliseconds.

    `narrows`: the phrase counts from now ("three weeks ago"), so it says when something was said. A date by name ("14
    March") may as well be what was talked about. `at` is the phrase's place in the text.
    """

    first: date
    last: date
    start: int
    end: int
    narrows: bool
    phrase: str
    at: tuple[int, int]


def find(text: str, *, now: int, zone: tzinfo | None = None) -> list[Span]:
    """The phrases of a text that say when, in order. `now` is UTC milliseconds; a zone of None is the machine's."""
    clock, words = Now(now, zone), tokens(text)
    found: list[Span] = []
    i = 0
    while i < len(words):
        phrase = _phrase(text, words, i, clock)
        if phrase is None:
            i += 1
            continue
        end, when, narrows = phrase
        found.append(_span(text, words[i].start, words[end - 1].end, when, clock, narrows=narrows))
        i = end
    return found


def one(text: str, *, now: int, zone: tzinfo | None = None) -> Span | None:
    """The span of a text that is one date and nothing else, a bare name too ("mart", "2025"); None for any other text."""
    clock, words = Now(now, zone), tokens(text)
    phrase = _phrase(text, words, 0, clock) if words else None
    if phrase is None or phrase[0] != len(words):
        bare = _simple(text, words, 0, clock, loose=True) if words else None
        phrase = bare if bare and bare[0] == len(words) else None
    if phrase is None:
        return None
    return _span(text, words[0].start, words[-1].end, phrase[1], clock, narrows=phrase[2])


def _span(text: str, start: int, end: int, when: Days, clock: Now, *, narrows: bool) -> Span:
    low, high = days.instants(when, clock.zone)
    return Span(when.first, when.last, low, high, narrows, text[start:end], (start, end))


_Found: TypeAlias = tuple[int, Days, bool]  # end token, days, narrows


def _phrase(text: str, words: list[Token], i: int, clock: Now) -> _Found | None:
    """The longest phrase that begins at a word: a range of two dates, a date with since or until, or a date."""
    for form in (_between, _open_end, _open_start_en):
        if found := form(text, words, i, clock):
            return found
    return _simple(text, words, i, clock, loose=False)


def _next(text: str, words: list[Token], i: int, tag: str) -> bool:
    """Whether word i stands in the same phrase as the one before and carries a tag."""
    return i < len(words) and tag in words[i].tags and (i == 0 or adjacent(text, words[i - 1], words[i]))


def _between(text: str, words: list[Token], i: int, clock: Now) -> _Found | None:
    """Between D and D, from D to D, D ile D arasında, D'den D'ye kadar."""
    start, joint = i, "ile"
    if "between" in words[i].tags or "from" in words[i].tags:
        start, joint = i + 1, "and" if "between" in words[i].tags else "to"
    left = _simple(text, words, start, clock, loose=True) if start < len(words) else None
    if left is None:
        return None
    middle = left[0]
    if _next(text, words, middle, joint):
        middle += 1
    elif start > i or words[middle - 1].suffix != "abl":
        return None
    right = _simple(text, words, middle, clock, loose=True) if middle < len(words) else None
    if right is None or not adjacent(text, words[middle - 1], words[middle]):
        return None
    end = right[0]
    if start == i:
        closing = "arasi" if middle > left[0] else "kadar"
        if not _next(text, words, end, closing):
            return None
        end += 1
    when = _ordered(left[1], right[1])
    return (end, when, left[2] and right[2]) if when else None


def _ordered(left: Days, right: Days) -> Days | None:
    """The range from one to another; the first is the last such one before the second (November to February, Friday to Monday)."""
    first = left.first
    if first > right.last:
        weekday = (left.last - left.first).days == 0 and (first - right.last).days < 7
        first = first - timedelta(days=7) if weekday else days.back(first, 1, "year")
    return Days(first, right.last) if first <= right.last else None


def _open_end(text: str, words: list[Token], i: int, clock: Now) -> _Found | None:
    """Marttan beri, marttan önce, marttan sonra, cumaya kadar: the ending is part of the form."""
    found = _simple(text, words, i, clock, loose=True)
    if found is None:
        return None
    end, when, narrows = found
    case = words[end - 1].suffix
    if case == "abl":
        for tag in ("beri", "sonra", "once"):
            if _next(text, words, end, tag):
                return _opened(end + 1, when, tag, clock, narrows=narrows)
    if case == "dat" and _next(text, words, end, "kadar"):
        return _opened(end + 1, when, "until", clock, narrows=narrows)
    return None


def _open_start_en(text: str, words: list[Token], i: int, clock: Now) -> _Found | None:
    """Since D, until D, before D, after D."""
    tag = next((name for name in ("since", "until", "before", "after") if name in words[i].tags), "")
    if not tag or i + 1 >= len(words) or not adjacent(text, words[i], words[i + 1]):
        return None
    found = _simple(text, words, i + 1, clock, loose=True)
    return _opened(found[0], found[1], tag, clock, narrows=found[2]) if found else None


def _opened(end: int, when: Days, side: str, clock: Now, *, narrows: bool) -> _Found | None:
    """A date with one side open: up to today, or from the beginning."""
    match side:
        case "since" | "beri":
            low, high = when.first, max(clock.today, when.first)
        case "after" | "sonra":
            low, high = when.last + timedelta(days=1), max(clock.today, when.last + timedelta(days=1))
        case "before" | "once":
            low, high = days.FIRST, when.first - timedelta(days=1)
        case _:
            low, high = days.FIRST, when.last
    return (end, Days(low, high), narrows) if _told(Days(low, high)) else None


def _told(when: Days) -> bool:
    return days.FIRST <= when.first <= when.last <= days.LAST


def _simple(text: str, words: list[Token], i: int, clock: Now, *, loose: bool) -> _Found | None:
    """The longest rule that fits at a word; `loose` also takes a bare name, beside words that say it is a date."""
    best: _Found | None = None
    for items, rule, narrows in (*RULES, *LOOSE) if loose else RULES:
        fit = _fit(text, words, i, items)
        if fit is None or (best and fit[0] <= best[0]):
            continue
        when = _resolved(rule, fit[1], clock)
        if when:
            best = (fit[0], when, narrows)
    return best


def _resolved(rule: Rule, got: Got, clock: Now) -> Days | None:
    """What a rule makes of its words; None where the calendar has no such day (30 February, 900 years ago)."""
    try:
        when = rule(got, clock)
    except (ValueError, OverflowError):
        return None
    return when if when and _told(when) else None


def _fit(text: str, words: list[Token], i: int, items: tuple[str, ...]) -> tuple[int, Got] | None:
    """The words from i on that carry a rule's tags in order, as many as can be; each by its tag."""
    if not items:
        return i, {}
    tag = items[0].removesuffix("?")
    if i < len(words) and tag in words[i].tags:
        rest = _fit_rest(text, words, i + 1, items[1:])
        if rest:
            return rest[0], {tag: words[i], **rest[1]}
    return _fit(text, words, i, items[1:]) if items[0].endswith("?") else None


def _fit_rest(text: str, words: list[Token], i: int, items: tuple[str, ...]) -> tuple[int, Got] | None:
    if i >= len(words) or adjacent(text, words[i - 1], words[i]):
        return _fit(text, words, i, items)
    return (i, {}) if all(item.endswith("?") for item in items) else None
