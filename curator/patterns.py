"""Patterns over weeks, by rule: what keeps coming back, what most of it is, what is disputed, when the days go late.

Pure: rows in, inferences out, in Turkish or English as their evidence is. It must never infer from one row, judge a person,
or use a row that no turn may be told.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bellek.kg import clock, fold, fts_query
from bellek.schemas.inference import Inference

DAYS = 3  # on which something must have come back
TOPICS = 3  # of them that are told
LESSONS = 8  # from which on a share means something
SHARE = 0.5
LATE_ROWS = 4
EVIDENCE = 12  # rows that are named
LOW = frozenset(("tired", "sad", "anxious", "frustrated", "angry"))
LATE_FROM, LATE_TO = 22, 5  # hours of the writer's day
_TURKISH = frozenset("çğıöşüÇĞİÖŞÜ")
_TURKISH_WORDS = frozenset(("ve", "bir", "icin", "cunku", "ile", "degil", "gibi", "daha", "olarak", "kadar"))


@dataclass(frozen=True, slots=True)
class Row:
    """A memory as a pattern sees it: `what` is a lesson's learning kind, a claim's subject or an event's mood."""

    id: str
    kind: str
    what: str
    text: str
    origin: str
    said_at: int
    offset_minutes: int

    @property
    def day(self) -> str:
        """The local day it was said on."""
        return clock.day(self.said_at, self.offset_minutes)

    @property
    def hour(self) -> int:
        """The local hour."""
        return (self.said_at // clock.HOUR_MS + self.offset_minutes // 60) % 24


def found(rows: Sequence[Row], disputed: Sequence[Row]) -> list[Inference]:
    """All patterns, by topic. `disputed` are the sides of contradictions, settled ones too."""
    lessons = [row for row in rows if row.kind == "lesson"]
    every = [*_recurring(lessons), *_mostly(lessons), *_disputed(disputed), *_late(rows)]
    return sorted(every, key=lambda one: one.topic)


def _recurring(lessons: Sequence[Row]) -> Iterable[Inference]:
    """Content words that lessons of three days or more share, the most frequent first; what is told once is not told again."""
    by_word: dict[str, list[Row]] = {}
    spelled: dict[str, Counter[str]] = {}
    for row in lessons:
        for word in dict.fromkeys(fts_query.words(row.text)):
            if not word.isascii() or not word.isalpha():
                continue
            stem = (fold.cuts(word) or (word,))[-1]
            by_word.setdefault(stem, []).append(row)
            spelled.setdefault(stem, Counter())[word] += 1
    ranked = sorted(by_word.items(), key=lambda pair: (-len({row.day for row in pair[1]}), -len(pair[1]), pair[0]))
    told: set[str] = set()
    for stem, group in ranked:
        days = sorted({row.day for row in group})
        if len(days) < DAYS or len(told) == TOPICS:
            return
        word = min(spelled[stem], key=lambda one: (len(one), one))
        if {row.id for row in group} in [set(one.split()) for one in told]:
            continue
        told.add(" ".join(row.id for row in group))
        yield _inference(
            f"recurring-{word}",
            group,
            f"“{word}” keeps coming back: {len(group)} lessons on {len(days)} days, from {days[0]} to {days[-1]}.",
            f"“{word}” hep geri geliyor: {days[0]} ile {days[-1]} arasında {len(days)} günde {len(group)} ders.",
        )


def _mostly(lessons: Sequence[Row]) -> Iterable[Inference]:
    if len(lessons) < LESSONS:
        return
    kind, count = Counter(row.what for row in lessons).most_common(1)[0]
    if count >= SHARE * len(lessons):
        yield _inference(
            "learning-kinds",
            [row for row in lessons if row.what == kind],
            f"Most of what is learned here is of the kind {kind}: {count} of {len(lessons)} lessons.",
            f"Burada öğrenilenlerin çoğu {kind} türünden: {len(lessons)} dersin {count} tanesi.",
        )


def _disputed(sides: Sequence[Row]) -> Iterable[Inference]:
    by_subject: dict[str, list[Row]] = {}
    for row in sides:
        by_subject.setdefault(fold.fold(row.what), []).append(row)
    for key, group in sorted(by_subject.items()):
        topic = "-".join(word for word in key.split() if word.isascii() and word.isalnum())[:40].strip("-")
        if len({row.id for row in group}) > DAYS and topic:
            yield _inference(
                f"disputed-{topic}",
                group,
                f"What is said of {group[0].what[:60]} changes often: {len(group)} claims contradicted each other.",
                f"{group[0].what[:60]} hakkında söylenenler sık değişiyor: {len(group)} iddia birbiriyle çelişti.",
            )


def _late(rows: Sequence[Row]) -> Iterable[Inference]:
    low = [row for row in rows if row.kind == "event" and row.what in LOW]
    late = [row for row in low if row.hour >= LATE_FROM or row.hour < LATE_TO]
    if len(late) >= LATE_ROWS and len(late) >= SHARE * len(low):
        yield _inference(
            "late-hours",
            late,
            f"Work after {LATE_FROM}:00 goes with a low mood: {len(late)} of {len(low)} such rows are from late hours.",
            f"Saat {LATE_FROM}.00'den sonraki çalışma keyifsiz geçiyor: böyle {len(low)} kaydın {len(late)} tanesi geç saatten.",
        )


def _inference(topic: str, rows: Sequence[Row], english: str, turkish: str) -> Inference:
    """In the language of most of its evidence; the newest rows are named."""
    newest = sorted({row.id: row for row in rows}.values(), key=lambda row: (-row.said_at, row.id))[:EVIDENCE]
    spoken = sum(_is_turkish(row.text) for row in rows) * 2 >= len(rows)
    return Inference(topic=topic, text=turkish if spoken else english, evidence=sorted(row.id for row in newest))


def _is_turkish(text: str) -> bool:
    return bool(_TURKISH.intersection(text)) or bool(_TURKISH_WORDS.intersection(fold.tokens(text)))
