"""Dates as people say them. The clock stands on Wednesday, 18 March 2026, 15:00 in Istanbul unless a test says otherwise."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bellek.kg import dates

ISTANBUL, BERLIN, DENVER = (ZoneInfo(name) for name in ("Europe/Istanbul", "Europe/Berlin", "America/Phoenix"))


def clock(text, zone=ISTANBUL):
    """UTC milliseconds of a local ISO time."""
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1000)


NOW = clock("2026-03-18T15:00")


def read(text, now=NOW, zone=ISTANBUL):
    """The phrases of a text as (phrase, first day, last day)."""
    return [(s.phrase, str(s.first), str(s.last)) for s in dates.find(text, now=now, zone=zone)]


def only(text, now=NOW):
    """First and last day of the one date in a text."""
    ((_, first, last),) = read(text, now)
    return first, last


TURKISH = {
    "geçen salı bunu söylemiştin": ("2026-03-17", "2026-03-17"), "GEÇEN SALI": ("2026-03-17", "2026-03-17"), "gecen sali": ("2026-03-17", "2026-03-17"),
    "geçen çarşamba": ("2026-03-11", "2026-03-11"), "bu cuma": ("2026-03-20", "2026-03-20"), "önümüzdeki pazartesi": ("2026-03-23", "2026-03-23"),
    "salı günü": ("2026-03-17", "2026-03-17"), "Salı'yı anlat": ("2026-03-17", "2026-03-17"), "geçen hafta salı günü": ("2026-03-10", "2026-03-10"),
    "programım pazartesiden farklı": ("2026-03-16", "2026-03-16"), "pazar günü": ("2026-03-15", "2026-03-15"), "cuma akşamı": ("2026-03-13", "2026-03-13"),
    "üç ay önce büyükannenden": ("2025-12-03", "2026-01-02"), "uc ay once": ("2025-12-03", "2026-01-02"), "3 ay önceki konuşma": ("2025-12-03", "2026-01-02"),
    "iki hafta önce": ("2026-03-01", "2026-03-07"), "tam üç hafta önce": ("2026-02-25", "2026-02-25"), "yirmi bir gün önce": ("2026-02-25", "2026-02-25"),
    "on iki gün önce": ("2026-03-06", "2026-03-06"), "yüz gün önce": ("2025-12-08", "2025-12-08"), "yarım saat önce": ("2026-03-18", "2026-03-18"),
    "birkaç gün önce": ("2026-03-13", "2026-03-16"), "bir yıl önce": ("2024-09-17", "2025-09-16"), "iki sene evvel": ("2023-09-18", "2024-09-16"),
    "ayın 14'ünde": ("2026-03-14", "2026-03-14"), "14'ünde bitirdik": ("2026-03-14", "2026-03-14"), "ayın 20’sinde": ("2026-02-20", "2026-02-20"),
    "ayın on dördünde": ("2026-03-14", "2026-03-14"), "geçen ayın 14'ünde": ("2026-02-14", "2026-02-14"), "ayın 31'inde": ("2026-01-31", "2026-01-31"),
    "geçen hafta": ("2026-03-09", "2026-03-15"), "bu hafta": ("2026-03-16", "2026-03-22"), "geçen ay": ("2026-02-01", "2026-02-28"), "geçen haftaki": ("2026-03-09", "2026-03-15"),
    "geçen yıl": ("2025-01-01", "2025-12-31"), "son üç haftada": ("2026-02-25", "2026-03-18"), "geçen hafta sonu": ("2026-03-14", "2026-03-15"),
    "hafta sonu": ("2026-03-14", "2026-03-15"), "dün": ("2026-03-17", "2026-03-17"), "dün akşam": ("2026-03-17", "2026-03-17"), "dünkü konuşma": ("2026-03-17", "2026-03-17"),
    "dün gece": ("2026-03-17", "2026-03-18"), "bugün": ("2026-03-18", "2026-03-18"), "bu sabah": ("2026-03-18", "2026-03-18"), "önceki gün": ("2026-03-16", "2026-03-16"),
    "evvelsi gün": ("2026-03-16", "2026-03-16"), "dünden önceki gün": ("2026-03-16", "2026-03-16"), "geçen gün": ("2026-03-04", "2026-03-18"),
    "2025 yazında": ("2025-06-01", "2025-08-31"), "geçen kış": ("2025-12-01", "2026-02-28"), "bu yaz": ("2026-06-01", "2026-08-31"), "geçen sonbahar": ("2025-09-01", "2025-11-30"),
    "14 Mart": ("2026-03-14", "2026-03-14"), "14 mart 2025": ("2025-03-14", "2025-03-14"), "Mart'ın 3'ü": ("2026-03-03", "2026-03-03"), "martın üçünde": ("2026-03-03", "2026-03-03"),
    "24 Mart": ("2025-03-24", "2025-03-24"), "29 Şubat": ("2024-02-29", "2024-02-29"), "14-16 Mart": ("2026-03-14", "2026-03-16"), "geçen mart": ("2025-03-01", "2025-03-31"),
    "mart ayında": ("2026-03-01", "2026-03-31"), "ocak ayında": ("2026-01-01", "2026-01-31"), "Ocak'ta": ("2026-01-01", "2026-01-31"), "nisanda": ("2025-04-01", "2025-04-30"),
    "bu ayın başında": ("2026-03-01", "2026-03-10"), "ayın sonunda": ("2026-02-19", "2026-02-28"), "geçen yılın sonunda": ("2025-09-01", "2025-12-31"), "mart sonunda": ("2025-03-21", "2025-03-31"),
    "2025'te": ("2025-01-01", "2025-12-31"), "2025 yılında": ("2025-01-01", "2025-12-31"), "mart ile mayıs arasında": ("2025-03-01", "2025-05-31"),
    "marttan mayısa kadar": ("2025-03-01", "2025-05-31"), "kasım ile şubat arasında": ("2025-11-01", "2026-02-28"), "marttan beri": ("2026-03-01", "2026-03-18"),
    "geçen haftadan beri": ("2026-03-09", "2026-03-18"), "cumaya kadar": ("1970-01-01", "2026-03-13"), "marttan önce": ("1970-01-01", "2026-02-28"),
}  # fmt: skip
ENGLISH = {
    "last Tuesday": ("2026-03-17", "2026-03-17"), "on Monday": ("2026-03-16", "2026-03-16"), "this Friday": ("2026-03-20", "2026-03-20"), "next Monday": ("2026-03-23", "2026-03-23"),
    "Tuesday last week": ("2026-03-10", "2026-03-10"), "last week's Tuesday": ("2026-03-10", "2026-03-10"), "last Friday night": ("2026-03-13", "2026-03-14"),
    "three weeks ago": ("2026-02-22", "2026-02-28"), "three months ago": ("2025-12-03", "2026-01-02"), "a week ago": ("2026-03-08", "2026-03-14"), "two days ago": ("2026-03-16", "2026-03-16"),
    "exactly three weeks ago": ("2026-02-25", "2026-02-25"), "twenty-one days ago": ("2026-02-25", "2026-02-25"), "a couple of weeks ago": ("2026-02-11", "2026-03-04"),
    "a few months ago": ("2025-10-18", "2026-01-18"), "half a year ago": ("2025-09-03", "2025-10-03"), "half an hour ago": ("2026-03-18", "2026-03-18"),
    "the day before yesterday": ("2026-03-16", "2026-03-16"), "yesterday evening": ("2026-03-17", "2026-03-17"), "last night": ("2026-03-17", "2026-03-18"), "today": ("2026-03-18", "2026-03-18"),
    "last week": ("2026-03-09", "2026-03-15"), "last month": ("2026-02-01", "2026-02-28"), "this year": ("2026-01-01", "2026-12-31"), "last weekend": ("2026-03-14", "2026-03-15"),
    "in the last three weeks": ("2026-02-25", "2026-03-18"), "the past month": ("2026-02-18", "2026-03-18"), "the other day": ("2026-03-04", "2026-03-18"),
    "last spring": ("2025-03-01", "2025-05-31"), "last winter": ("2025-12-01", "2026-02-28"), "in the summer of 2024": ("2024-06-01", "2024-08-31"), "fall 2025": ("2025-09-01", "2025-11-30"),
    "in early March": ("2026-03-01", "2026-03-10"), "mid-March": ("2026-03-11", "2026-03-20"), "at the end of last month": ("2026-02-19", "2026-02-28"), "in May": ("2025-05-01", "2025-05-31"),
    "in may": ("2025-05-01", "2025-05-31"), "last March": ("2025-03-01", "2025-03-31"), "May 2025": ("2025-05-01", "2025-05-31"), "January": ("2026-01-01", "2026-01-31"),
    "March 3": ("2026-03-03", "2026-03-03"), "March 3rd, 2025": ("2025-03-03", "2025-03-03"), "the 3rd of March": ("2026-03-03", "2026-03-03"), "3 May 2025": ("2025-05-03", "2025-05-03"),
    "14 Mar 2025": ("2025-03-14", "2025-03-14"), "on the 14th": ("2026-03-14", "2026-03-14"), "the 14th of last month": ("2026-02-14", "2026-02-14"),
    "last year in May": ("2025-05-01", "2025-05-31"), "in the spring of last year": ("2025-03-01", "2025-05-31"), "the first of March": ("2026-03-01", "2026-03-01"),
    "around May": ("2025-05-01", "2025-05-31"), "14.03.2026": ("2026-03-14", "2026-03-14"), "14/03/2026": ("2026-03-14", "2026-03-14"), "03/14/2026": ("2026-03-14", "2026-03-14"), "2026-03-14": ("2026-03-14", "2026-03-14"),
    "2026-03": ("2026-03-01", "2026-03-31"), "in 2025": ("2025-01-01", "2025-12-31"), "between March and May": ("2025-03-01", "2025-05-31"), "from Monday to Wednesday": ("2026-03-16", "2026-03-18"),
    "between Friday and Monday": ("2026-03-13", "2026-03-16"), "since March": ("2026-03-01", "2026-03-18"), "since last Tuesday": ("2026-03-17", "2026-03-18"), "until Friday": ("1970-01-01", "2026-03-13"),
}  # fmt: skip
ORDINARY = (
    "do you have a car", "v2.10.3 may break sat builds", "salına salına yürüdü", "march on Rome", "the sun sat on the second row", "it may fall back", "May I ask?", "this may be wrong",
    "Salı Pazarı kuruldu", "çay ocakta kaynıyor", "bin kere yaz, yüz kere sil", "pazara gittim", "Martin came", "martılar uçtu", "Kasım Bey aradı", "ekimde buğday", "30 Şubat", "900 yıl önce", "2026-13-45",
    "the last Spring Boot release", "last time", "geçen konuşma", "bu ara", "3 cars and 5 boxes", "log-2026-03-14-x.txt", "10:30", "100M", "an error on line 14", "on kişi", "the 404 page", "on the first page", "second of all", "bahar temizliği", "2024 kişi geldi", "son gün",
    "a hundred times", "she may 3 times", "ayla geldi", "yazı yaz", "once upon a time", "two of them", "", "önce bunu yap", "for 3 weeks", "ago", "since then",
)  # fmt: skip


@pytest.mark.parametrize("text", {**TURKISH, **ENGLISH})
def test_a_date_is_read(text):
    """R104, B163: each phrase, relative or absolute, with Turkish endings and apostrophes and number words of both languages, is its days."""
    assert only(text) == {**TURKISH, **ENGLISH}[text]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_words_are_no_dates(text):
    """B164, B165: words that only look like dates (may, march on, salına, ocakta, v2.10, Salı Pazarı) are none."""
    assert read(text) == []


def test_what_counts_from_now_narrows_and_a_name_does_not():
    """B164: "geçen salı" says when something was said; "14 Mart" may be what was talked about."""
    narrows = {
        s.phrase: s.narrows for s in dates.find("geçen salı ve 14 Mart kararı, salı toplantısı", now=NOW, zone=ISTANBUL)
    }
    assert narrows == {"geçen salı": True, "14 Mart": False, "salı": False}


def test_days_begin_and_end_in_the_persons_zone():
    """B162: today's borders are local midnights, west of UTC and east of it."""
    evening = clock("2026-05-01T17:30", DENVER)
    (span,) = dates.find("bugün", now=evening, zone=DENVER)
    assert (str(span.first), span.start, span.end) == (
        "2026-05-01",
        clock("2026-05-01T00:00", DENVER),
        clock("2026-05-02T00:00", DENVER),
    )
    late = int(datetime.fromisoformat("2026-05-01T23:30:00+00:00").timestamp() * 1000)
    assert read("today", late, ISTANBUL) == [("today", "2026-05-02", "2026-05-02")]


def test_a_day_of_the_clock_change_is_as_long_as_it_is():
    """B148: the night on which an hour is missing or doubled makes a day of 23 or 25 hours, never a loop or a gap."""
    hours = []
    for when in ("2026-03-30T12:00", "2026-10-26T12:00"):
        (span,) = dates.find("yesterday", now=clock(when, BERLIN), zone=BERLIN)
        hours.append((span.end - span.start) // 3_600_000)
    assert hours == [23, 25]


def test_years_turn():
    """In the first days of a year the last month, week, Tuesday and winter lie in the year before."""
    now = clock("2026-01-02T09:00")
    assert only("geçen ay", now) == ("2025-12-01", "2025-12-31")
    assert only("geçen hafta", now) == ("2025-12-22", "2025-12-28")
    assert only("geçen salı", now) == ("2025-12-30", "2025-12-30")
    assert only("aralık ayında", now) == ("2025-12-01", "2025-12-31")
    assert only("31 Aralık", now) == ("2025-12-31", "2025-12-31")
    assert only("üç gün önce", now) == ("2025-12-30", "2025-12-30")
    assert only("bu kış", now) == ("2025-12-01", "2026-02-28")


def test_one_takes_a_whole_date_and_nothing_else():
    """A filter's value is one date, a bare name too; with other words beside it, it is none."""
    one = {
        text: dates.one(text, now=NOW, zone=ISTANBUL)
        for text in ("mart", "2025", "geçen salı", "pazar", "14.03.2026", "geçen salı dedim", "zürafa", "")
    }
    days = {text: span and str(span.first) for text, span in one.items()}
    assert days == {
        "mart": "2026-03-01", "2025": "2025-01-01", "geçen salı": "2026-03-17", "pazar": "2026-03-15", "14.03.2026": "2026-03-14",
        "geçen salı dedim": None, "zürafa": None, "": None,
    }  # fmt: skip


WORDS = st.sampled_from(
    [
        "geçen",
        "bu",
        "son",
        "last",
        "this",
        "next",
        "salı",
        "tuesday",
        "mart",
        "may",
        "march",
        "hafta",
        "week",
        "ay",
        "ayın",
        "month",
        "14'ünde",
        "3rd",
        "31",
        "2025",
        "9999",
        "önce",
        "ago",
        "beri",
        "since",
        "between",
        "and",
        "ile",
        "arasında",
        "kadar",
        "bir",
        "iki",
        "yüz",
        "hundred",
        "yarım",
        "half",
        "dün",
        "gece",
        "night",
        "başında",
        "early",
        "yaz",
        "spring",
        "2026-02-30",
        "29",
        "şubat",
        ",",
        "'",
        "on",
        "the",
        "of",
    ]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=9).map(" ".join))
DAYS = st.dates(date(1990, 1, 1), date(2150, 1, 1))


@given(TEXTS, DAYS)
def test_every_text_is_read_without_a_fault(text, day):
    """No text raises, and what is read is a range: its start lies before its end, its phrase stands in the text."""
    for span in dates.find(text, now=clock(f"{day}T12:00"), zone=ISTANBUL):
        assert span.first <= span.last
        assert span.start < span.end
        assert text[span.at[0] : span.at[1]] == span.phrase
    dates.one(text, now=clock(f"{day}T12:00"), zone=ISTANBUL)


WEEKLY = ("geçen salı", "bu cuma", "geçen hafta", "geçen hafta çarşamba", "last Monday", "Tuesday last week", "dün", "hafta sonu", "on Sunday", "iki hafta önce", "pazar günü", "between Friday and Monday")  # fmt: skip


@given(st.sampled_from(WEEKLY), DAYS, st.integers(1, 200))
def test_a_later_week_moves_weekdays_by_whole_weeks(text, day, weeks):
    """A phrase of weekdays and weeks, asked whole weeks later, means days that are as many weeks later."""
    later = day + timedelta(weeks=weeks)
    before, after = (dates.find(text, now=clock(f"{d}T12:00"), zone=ISTANBUL) for d in (day, later))
    assert [(s.first + timedelta(weeks=weeks), s.last + timedelta(weeks=weeks)) for s in before] == [
        (s.first, s.last) for s in after
    ]
    assert len(before) == 1
