"""The words that dates are said with, Turkish and English, and how a text becomes tokens that carry them. Pure.

What it is for: `kg.dates` matches its rules against tags, never against text, so that suffixes, apostrophes, spelled
numbers and letters without their dots (uc ay once) are dealt with in one place. A word may have several tags: "on" is ten
in Turkish and a preposition in English; the rules' neighbours decide. It must never raise on any text.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from bellek.kg import days, fold

Value: TypeAlias = int | str
READ_CAP = 4_000  # characters that are read: a question, not a pasted trace

_TOKEN = re.compile(
    r"(?<![\w.\-/])(?P<iso>(?:19|20|21)\d\d[-/]\d{1,2}(?:[-/]\d{1,2})?)(?![\w\-/]|\.\d)"
    r"|(?<![\w.\-/])(?P<dmy>\d{1,2}[./-]\d{1,2}[./-](?:19|20|21)\d\d)(?![\w\-/]|\.\d)"
    r"|(?<![\w.\-/])(?P<doms>\d{1,2}[-–]\d{1,2})(?=\s+[^\W\d_]|,?\s+\d{4})(?![\w/]|[.,:]\d)"
    r"|(?<![\w.\-/])(?P<number>\d{1,4})(?P<ordinal>(?:st|nd|rd|th)\b)?(?:['’ʼ](?P<nsuffix>[^\W\d_]{1,6}))?(?![\w/]|[.,:]\d|-\d)"
    r"|(?P<word>[^\W\d_]+)(?:['’ʼ](?P<suffix>[^\W\d_]{1,8}))?"
    r"|(?P<other>[\w./\\:@#$][\w./\\:@#$-]*)"
)
_GAP = re.compile(r"[ \t\n,\u2013-]{0,4}\Z")  # what may stand between the words of one date


@dataclass(frozen=True, slots=True)
class Token:
    """A word or number with what it may mean: tag → value. `suffix` is folded, behind an apostrophe or grown on."""

    raw: str
    start: int
    end: int
    tags: dict[str, Value]
    suffix: str = ""
    proper: bool = False  # it begins with a capital


def _w(words: str) -> list[str]:
    return words.split()


_ENGLISH: dict[str, dict[str, Value]] = {
    "num": {
        "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
        "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
        "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    },
    "unit": {
        name + plural: unit for unit, names in (
            ("hour", "hour minute second"), ("day", "day"), ("week", "week"), ("month", "month"), ("year", "year"),
        ) for name in _w(names) for plural in ("", "s")
    },
    "weekday": {n: i for i, n in enumerate(_w("monday tuesday wednesday thursday friday saturday sunday"))},
    "month": {n: i for i, n in enumerate(_w("january february march april may june july august september october november december"), 1)},
    "short": {"sept": 9, **{n: i for i, n in enumerate(_w("jan feb mar apr may jun jul aug sep oct nov dec"), 1)}},
    "ord": {n: i for i, n in enumerate(_w("first second third fourth fifth sixth seventh eighth ninth tenth"), 1)},
    "season": {"spring": days.SPRING, "summer": days.SUMMER, "autumn": days.AUTUMN, "fall": days.AUTUMN, "winter": days.WINTER},
    "rel": {"last": -1, "previous": -1, "this": 0, "next": 1},
    "part": {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2},
    "day": {"today": 0, "yesterday": 1, "tomorrow": -1},
    "daypart": {"morning": 0, "afternoon": 0, "noon": 0, "evening": 0, "night": 1},
    "few": {"few": 1, "couple": 1, "several": 1}, "half": {"half": 1}, "past": {"past": 1, "last": 1}, "weekend": {"weekend": 1, "weekends": 1},
    **{name: dict.fromkeys(_w(words), 1) for name, words in {
        "ago": "ago", "back": "back", "before": "before", "after": "after", "the": "the", "of": "of", "in": "in during around", "on": "on", "at": "at",
        "since": "since", "until": "until till by", "between": "between", "from": "from", "and": "and", "to": "to through until till",
        "other": "other", "exact": "exactly", "tonight": "tonight", "s": "s",
    }.items()},
}  # fmt: skip
_DOZENS = _w("on yirmi otuz kirk elli altmis yetmis seksen doksan")
# Turkish words that take endings. Keys are folded; the ending is found by `_ended`.
_TURKISH: dict[str, dict[str, Value]] = {
    "birim": {
        "saat": "hour", "dakika": "hour", "saniye": "hour", "gun": "day", "hafta": "week", "ay": "month", "yil": "year", "sene": "year",
    },
    "weekday": {n: i for i, n in enumerate(_w("pazartesi sali carsamba persembe cuma cumartesi pazar"))},
    "month": {n: i for i, n in enumerate(_w("ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik"), 1)},
    "season": {"ilkbahar": days.SPRING, "bahar": days.SPRING, "yaz": days.SUMMER, "sonbahar": days.AUTUMN, "guz": days.AUTUMN, "kis": days.WINTER},
    "hsonu": {"haftasonu": 1},
    "day": {"bugun": 0, "dun": 1, "yarin": -1, "evvelsi": 2},
}  # fmt: skip
# Turkish words that are taken as they stand.
_FIXED: dict[str, dict[str, Value]] = {
    "sayi": {"bir": 1, "iki": 2, "uc": 3, "dort": 4, "bes": 5, "alti": 6, "yedi": 7, "sekiz": 8, "dokuz": 9,
             **{n: 10 * i for i, n in enumerate(_DOZENS, 1)}, "yuz": 100},
    "rel": {**dict.fromkeys(("gecen", "gectigimiz"), -1), "bu": 0,
            **dict.fromkeys(("gelecek", "onumuzdeki", "haftaya"), 1)},
    "part": {**dict.fromkeys(_w("basi basinda basindan basindaki baslari baslarinda"), 0),
             **dict.fromkeys(_w("ortasi ortasinda ortasindaki ortalari ortalarinda"), 1),
             **dict.fromkeys(_w("sonu sonunda sonundan sonundaki sonlari sonlarinda"), 2)},
    "daypart": {**dict.fromkeys(_w("sabah sabahi sabahki ogle ogleden oglen ogleyin aksam aksami aksamki aksamustu"), 0),
                **dict.fromkeys(_w("gece gecesi geceki"), 1)},
    "few": {"birkac": 1}, "half": {"yarim": 1}, "past": {"son": 1},
    **{name: dict.fromkeys(_w(words), 1) for name, words in {
        "once": "once onceki oncesi oncesinde evvel", "sonra": "sonra sonrasi sonrasinda", "onceki": "onceki evvelki", "gunu": "gunu gununde gununden gunune",
        "ayi": "ayi ayinda ayinin ayindaki ayindan", "yili": "yili yilinda yilinin yilindan senesi senesinde", "beri": "beri itibaren", "kadar": "kadar dek",
        "arasi": "arasi arasinda arasindaki", "ile": "ile ve", "exact": "tam", "bucuk": "bucuk", "bir": "bir", "sonu": "sonu sonunda sonundan sonuna sonundaki",
        "gecenlerde": "gecenlerde", "hafta": "hafta",
    }.items()},
}  # fmt: skip

# Endings in folded letters (a/e and i/u harmony fall together). Not every ending of a noun: "salına" is no Tuesday, "martı" a gull.
_LOC, _ABL, _DAT, _GEN, _ACC, _POS = "loc", "abl", "dat", "gen", "acc", "pos"
_BEHIND_VOWEL = {
    _LOC: r"[dt][ae](?:ki(?:l[ae]r)?)?|s[iu]nd[ae](?:ki)?", _ABL: r"[dt][ae]n|s[iu]nd[ae]n", _DAT: r"y[ae]|s[iu]n[ae]", _GEN: r"n[iu]n|s[iu]n[iu]n", _ACC: r"y[iu]|s[iu]n[iu]",
    _POS: r"s[iu]|l[ae]r[iu]?|l[ae]r[dt][ae]n?|k[iu]|yl[ae]",
}  # fmt: skip
_BEHIND_CONSONANT = {
    _LOC: r"[dt][ae](?:ki(?:l[ae]r)?)?|[iu]nd[ae](?:ki)?", _ABL: r"[dt][ae]n|[iu]nd[ae]n", _DAT: r"[ae]|[iu]n[ae]", _GEN: r"[iu]n|[iu]n[iu]n", _ACC: r"[iu]|[iu]n[iu]",
    _POS: r"l[ae]r[iu]?|l[ae]r[dt][ae]n?|[iu]n?ki|k[iu]|l[ae]|[iu]ns[iu]z",
}  # fmt: skip
_CASES = {
    vowel: tuple((case, re.compile(form)) for case, form in forms.items())
    for vowel, forms in ((True, _BEHIND_VOWEL), (False, _BEHIND_CONSONANT))
}
_SOFTENED = {"ocag": "ocak", "aralig": "aralik", "dord": "dort"}  # k → ğ, t → d before a vowel
_OTHER_WORDS = frozenset(
    _w(
        "dune dunes marti martilar salya cumali aya ayla ayni gunah yazi yazilar yaza yazar yila kisi kisa kisin ekime yazla kisla gune aylar"
    )
)
# What makes a name of the weekday or season before it: Salı Pazarı, Spring Boot.
_NAMES = ("pazari", "pazaryeri", "boot", "framework", "cloud", "security", "mvc", "batch", "webflux")
_DAY_OF_MONTH = re.compile(r"s?[iu]n(?:d[ae]n?(?:ki)?|[aeiu]|[iu]n)?|s?[iu]")  # 14'ünde, 3'ü, ikisinde


def case_of(ending: str, base: str) -> str | None:
    """The case that a folded ending makes of a base; "" for no ending, None for letters that are no ending of it."""
    if not ending:
        return ""
    for case, form in _CASES[base[-1:] in "aeiou"]:
        if form.fullmatch(ending):
            return case
    return None


def tokens(text: str) -> list[Token]:
    """The words and numbers of a text (its first READ_CAP characters), spelled numbers joined (yirmi bir, twenty-one)."""
    found = [_token(match) for match in _TOKEN.finditer(text[:READ_CAP])]
    for token, following in pairwise(found):
        if fold.fold(following.raw).startswith(_NAMES) and adjacent(text, token, following):
            for tag in ("weekday", "season"):
                token.tags.pop(tag, None)
    return _joined_numbers(text, found)


def adjacent(text: str, left: Token, right: Token) -> bool:
    """Whether two tokens may belong to one phrase: nothing but blanks, a comma or a dash stands between."""
    return _GAP.match(text[left.end : right.start]) is not None


def _token(match: "re.Match[str]") -> Token:
    raw, start, end = match[0], match.start(), match.end()
    if match["iso"] or match["dmy"]:
        return Token(raw, start, end, {"iso" if match["iso"] else "dmy": raw})
    if match["doms"]:
        return Token(raw, start, end, {"doms": raw.replace("–", "-")})
    if match["number"]:
        return _number(match)
    if match["other"]:
        return Token(raw, start, end, {})
    word, suffix = fold.fold(match["word"]), fold.fold(match["suffix"] or "")
    tags = _english(word, suffix)
    turkish, ending = _turkish(word, suffix)
    return Token(raw, start, end, {**tags, **turkish}, ending, raw[0].isupper())


def _number(match: "re.Match[str]") -> Token:
    value, suffix = int(match["number"]), fold.fold(match["nsuffix"] or "")
    tags: dict[str, Value] = {"num": value, "sayi": value}
    if 1 <= value <= 31:
        tags["dom"] = value
        if match["ordinal"]:
            tags["nth"] = value
        if _DAY_OF_MONTH.fullmatch(suffix):
            tags["inde"] = value
    if 1970 <= value <= 2199:
        tags["y"] = value
    return Token(match[0], match.start(), match.end(), tags, suffix)


def _english(word: str, suffix: str) -> dict[str, Value]:
    if suffix not in ("", "s"):
        return {}
    tags = {tag: words[word] for tag, words in _ENGLISH.items() if word in words}
    if suffix:
        tags = {tag: value for tag, value in tags.items() if tag in ("unit", "weekday", "month", "day")}
    elif word.endswith("s") and word[:-1] in _ENGLISH["weekday"]:
        tags["weekday"] = _ENGLISH["weekday"][word[:-1]]
    return tags


def _turkish(word: str, suffix: str) -> tuple[dict[str, Value], str]:
    """(tags, case) of a Turkish word; the case is "" for a bare one, and the suffix as given for one without tags."""
    tags = {tag: words[word] for tag, words in _FIXED.items() if word in words} if not suffix else {}
    if dom := _spelled_day(word):
        tags["inde"] = tags["dom"] = dom
    case = ""
    for tag, words in _TURKISH.items():
        for base, value in words.items():
            ending = _ended(word, base, suffix)
            if ending is not None:
                tags[tag], case = value, ending
    return tags, case or suffix


def _ended(word: str, base: str, suffix: str) -> str | None:
    """The case of a word that is a base with an ending; None for another word."""
    if word == base:
        return case_of(suffix, base)
    if suffix or word in _OTHER_WORDS:
        return None
    if word.startswith(base):
        return case_of(word[len(base) :], base)
    soft = next((s for s, hard in _SOFTENED.items() if hard == base and word.startswith(s)), "")
    return case_of(word[len(soft) :], base) if soft and len(word) > len(soft) else None


def _spelled_day(word: str) -> int:
    """The number of a day said with its ending (üçünde, dördüne, altısında); 0 for another word."""
    for base, value in _FIXED["sayi"].items():
        for stem in (base, "dord") if base == "dort" else (base,):
            ending = word[len(stem) :]
            if word.startswith(stem) and len(ending) > 3 and _DAY_OF_MONTH.fullmatch(ending):
                return int(value)
    return 0


def _joined_numbers(text: str, found: list[Token]) -> list[Token]:
    """Tens followed by ones become one number, in either language; its day of the month too (on dördünde)."""
    out: list[Token] = []
    for token in found:
        last = out[-1] if out else None
        made = _sum(last, token) if last and adjacent(text, last, token) else None
        if last and made:
            out[-1] = Token(text[last.start : token.end], last.start, token.end, made, token.suffix)
        else:
            out.append(token)
    return out


def _sum(left: Token, right: Token) -> dict[str, Value] | None:
    for tag in ("sayi", "num"):
        tens = left.tags.get(tag)
        ones = right.tags.get(tag, right.tags.get("inde") if tag == "sayi" else None)
        if not isinstance(tens, int) or not isinstance(ones, int) or left.raw[0].isdigit() or right.raw[0].isdigit():
            continue
        value = tens * 100 if ones == 100 and 1 < tens < 10 else tens + ones
        if (
            (ones < 10 and tens >= 20 and tens % 10 == 0)
            or (tag == "sayi" and ones < 10 <= tens)
            or ones == 100
            or tens == 100
        ):
            tags: dict[str, Value] = {tag: value}
            if value <= 31:
                tags["dom"] = value
                if "inde" in right.tags:
                    tags["inde"] = value
            return tags
    return None
