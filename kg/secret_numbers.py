"""Numbers that belong to a person: cards, IBANs, Turkish identity numbers, phone numbers. Known by their check digits or form.

A number of that length is one only where its checksum holds (Luhn, mod 97, the rule of the TCKN) or where it is written
as a phone number is. What touches a letter, a hyphen or a decimal point is part of something else: UUIDs, hashes,
versions, times and ids stay. It must never judge by a name beside the number, and every pattern is bounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bellek.kg.secret_shapes import Span, compiled
from bellek.kg.sorts import CAPITAL, DIGITS, SMALL, Sorts

if TYPE_CHECKING:
    from collections.abc import Iterator

# Nothing before or behind that would make it a part of a longer thing; the letter of a JSON escape such as \n is none.
_BEFORE = r"(?:(?<![\w.,:/=+-])|(?<=\\[nrt])|(?<=[=:,/](?<![0-9][=:,/]))|(?<=[^\w]\.))"
_AFTER = r"(?![\w-])(?![.,:/][0-9])"

_CARD = (
    _BEFORE
    + r"(?:[2-6][0-9]{3}(?:[ -]?)[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}(?:[ -][0-9]{3})?|9792[ -]?[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}|3[068][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{4})"
    + _AFTER
)
_ISSUERS = ("2", "34", "35", "36", "37", "38", "30", "4", "5", "60", "62", "64", "65", "9792")
# From its check digits on, looking behind at the country: the engine finds digits faster than letters.
_IBAN = r"[0-9](?<=[A-Za-z]{2}[0-9])[0-9](?:(?<![A-Za-z0-9][A-Za-z]{2}[0-9]{2})|(?<=\\[nrt][A-Za-z]{2}[0-9]{2}))(?:[ -]?[A-Za-z0-9]){11,30}"
# ISO 13616: how long an IBAN of each country is.
_IBAN_LENGTHS = {
    country: length
    for length, countries in (
        (15, "NO"), (16, "BE"), (18, "DK FI FO GL NL SD"), (19, "MK SI"), (20, "AT BA EE KZ LT LU MN XK"), (21, "CH HR LI LV"),
        (22, "BG BH CR DE GB GE IE ME RS VA"), (23, "AE GI IL IQ OM SO TL"), (24, "AD CZ ES MD PK RO SA SE SK TN VG"), (25, "LY PT ST"),
        (26, "IS TR"), (27, "BI DJ FR GR IT MC MR SM"), (28, "AL AZ BY CY DO GT HU LB NI PL SV"), (29, "BR EG PS QA UA"),
        (30, "JO KW MU YE"), (31, "MT SC"), (32, "LC"), (33, "RU"),
    )
    for country in countries.split()
}  # fmt: skip
_TCKN = _BEFORE + r"[1-9][0-9]{10}" + _AFTER
_EDGE = r"(?:(?<![\w.+-])|(?<=\\[nrt]))"
_LAST = r"[0-9]{3}[ .-]?[0-9]{2}[ .-]?[0-9]{2}"
# Turkish numbers: with the leading 0 (or 90), or a mobile one grouped 3-3-2-2 that is no part of a row of numbers.
_TR_PHONE = (
    rf"{_EDGE}(?:00 ?90[ .-]?\(?[2-5][0-9]{{2}}\)?|90 [2-5][0-9]{{2}}|0 ?\([2-5][0-9]{{2}}\)|0 ?5[0-9]{{2}}|0[2-4][0-9]{{2}})[ .-]?{_LAST}{_AFTER}"
    rf"|{_EDGE}(?<![0-9][ .])(?:\(5[0-9]{{2}}\)|5[0345][0-9])[ .][0-9]{{3}}[ .][0-9]{{2}}[ .]?[0-9]{{2}}{_AFTER}(?![ .][0-9])"
    r"|(?<=wa\.me/)[0-9]{8,15}(?![0-9])"
)
_ABROAD = r"(?:(?<![\w+])|(?<=\\[nrt]))\+[1-9](?:[ .()-]{0,2}[0-9]){7,14}" + _AFTER
# At a line's start "+" may be a diff's: there a number without gaps must fit the plan of a country.
_PLANS = r"\+(?:90[2-5][0-9]{9}|1[2-9][0-9]{2}[2-9][0-9]{6}|44[1-37][0-9]{8,9}|49[1-9][0-9]{9,10}|33[1-79][0-9]{8}|31[1-7][0-9]{8}|39[03][0-9]{8,9}|34[6-9][0-9]{8}|7[3-9][0-9]{9}|86[1][0-9]{10}|91[6-9][0-9]{9}|994[1-9][0-9]{8})\Z"
_NORTH_AMERICA = _EDGE + r"(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[.-])[2-9][0-9]{2}[.-][0-9]{4}" + _AFTER
# Where such a number can be at all: a run of digits that nearly touch. The patterns are put to such runs alone.
_BETWEEN = " ./()-"
_RUN = rf"[0-9][0-9{_BETWEEN}]{{7,}}[0-9]"
_FEWEST = 9  # digits
_DATE, _DATE_DIGITS = r"[12][0-9]{3}-[01][0-9]-[0-3][0-9](?![0-9])", 8  # what most runs of a log are
# What stands in every such run once its gaps are out, and in every IBAN.
_SORTS = Sorts({"0": DIGITS, "a": SMALL + CAPITAL, "-": _BETWEEN})
_IN_RUN, _IN_IBAN = b"0" * _FEWEST, b"aa00"
_RULES = (("card", _CARD), ("national-id", _TCKN), ("phone", _ABROAD), ("phone", _TR_PHONE), ("phone", _NORTH_AMERICA))


def numbers(text: str) -> Iterator[Span]:
    """Where a person's number stands in ``text``; spans may overlap."""
    if not any(digit in text for digit in DIGITS):
        return
    sorts = _SORTS.of(text)
    for run in compiled(_RUN).finditer(text) if _IN_RUN in sorts.replace(b"-", b"") else ():
        if _has_digits(run[0]):
            for label, pattern in _RULES:
                for m in compiled(pattern).finditer(text, max(0, run.start() - 2), run.end() + 2):
                    if _holds(label, text, m.start(), m[0]):
                        yield (*m.span(), label)
    for m in compiled(_IBAN).finditer(text) if _IN_IBAN in sorts else ():
        begin = m.start() - 2
        length = _iban_length(text[begin : m.end()], text[m.end() : m.end() + 1])
        if length:
            yield begin, begin + length, "iban"


def _has_digits(run: str) -> bool:
    """Whether a run has digits enough, those of a date at its start apart."""
    dated = _DATE_DIGITS if compiled(_DATE).match(run) else 0
    return len(run) >= dated + _FEWEST and len(run) - sum(map(run.count, _BETWEEN)) >= dated + _FEWEST


def _holds(label: str, text: str, start: int, found: str) -> bool:
    match label:
        case "card":
            return _is_card(found)
        case "national-id":
            return is_tckn(found)
        case _:
            return not found.startswith("+") or _is_abroad(text, start, found)


def luhn(digits: str) -> bool:
    """ISO/IEC 7812: from the right every second digit doubled (its digits summed), the sum a multiple of ten."""
    doubled = (sum(divmod(int(digit) * (1 + place % 2), 10)) for place, digit in enumerate(reversed(digits)))
    return sum(doubled) % 10 == 0


def is_tckn(digits: str) -> bool:
    """The Turkish identity number's two check digits: 7·(odd places) − (even places), and the sum of the first ten, mod 10."""
    d = [int(digit) for digit in digits]
    return (7 * sum(d[0:9:2]) - sum(d[1:8:2])) % 10 == d[9] and sum(d[:10]) % 10 == d[10]


def is_iban(plain: str) -> bool:
    """ISO 13616: the first four characters moved to the end, letters as numbers from A = 10, the rest by 97 is one."""
    moved = plain[4:] + plain[:4]
    return int("".join(str(int(c, 36)) for c in moved)) % 97 == 1


def _is_card(text: str) -> bool:
    digits = "".join(c for c in text if c.isdigit())
    return digits.startswith(_ISSUERS) and len(set(digits)) > 1 and luhn(digits)


def _iban_length(text: str, behind: str) -> int:
    """How many characters of ``text`` are an IBAN of its country's length, blanks and hyphens counted; 0 for none."""
    wanted = _IBAN_LENGTHS.get(text[:2].upper(), 0)
    kept = ""
    for place, c in enumerate(text, start=1):
        kept += c if c.isalnum() else ""
        if wanted and len(kept) == wanted:
            return place if is_iban(kept.upper()) and not (text[place : place + 1] or behind).isalnum() else 0
    return 0


def _is_abroad(text: str, start: int, found: str) -> bool:
    begins = start == 0 or text[start - 1] == "\n" or text[max(0, start - 2) : start] == "\\n"
    return not begins or any(c in found for c in " .()-") or compiled(_PLANS).match(found) is not None
