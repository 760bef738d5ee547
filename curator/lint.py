"""What a person would want changed in an assistant's markers: no reason, no visible line beside it, two topics in one.

Pure: one message in, warnings out. Cue words decide, in Turkish and English alike; they are a habit's reminder, so what
they cannot judge passes. It must never look into code, quotations or a channel that is not drained as a learning.
"""

import re
from dataclasses import dataclass
from typing import Literal

from bellek.curator import markers
from bellek.curator.comments import stretches
from bellek.kg import fold
from bellek.schemas.channel import Channels
from bellek.schemas.marker import Marker

Rule = Literal["no-reason", "no-visible-line", "no-marker", "two-topics"]

_REASONS = (
    "because", "since", "so that", "in order to", "due to", "reason", "otherwise", "to avoid", "caused by", "thanks to", "therefore",
    "hence", "as a result", "the cause", "root cause", "or else", "so we", "so it", "so the", "why", "prevents", "to keep", "to prevent",
    "cunku", "zira", "yuzunden", "sayesinde", "nedeniyle", "sebebiyle", "sebep", "sebebi", "neden", "nedeni", "icin", "diye", "boylece",
    "bu yuzden", "bundan dolayi", "dolayi", "aksi halde", "aksi takdirde", "yoksa", "amaciyla", "kok neden",
)  # fmt: skip
_REASON_ENDING = re.compile(r"[dt][iu]g[iu](m|n|miz|niz)?[iu]?(nda|nde)n\b")  # olduğundan, tutmadığından
_MORE = (
    "also", "additionally", "secondly", "second", "unrelated", "separately", "on top of that", "another thing", "another learning",
    "ayrica", "bir de", "bunun yaninda", "ikinci", "ikincisi", "ikinci olarak", "baska bir", "ote yandan", "bununla ilgisiz",
)  # fmt: skip
_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+\S", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_VISIBLE = re.compile(r"[ \t*_-]*(?:📝\s*)?[*_]*(?:[Öö]ğrenildi|ogrenildi|learned)[*_]*\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to change. `line` counts from 1 in the message; `what` says it without repeating the text."""

    rule: Rule
    line: int
    what: str


def lint(text: str, channels: Channels) -> list[Finding]:
    """The warnings of one assistant message, in the order of its lines."""
    watched = channels.with_drain("learning")
    found = [m for m in markers.scan(text, channels.names).markers if m.channel in watched]
    warnings = [warning for marker in found for warning in _of_marker(text, marker)]
    return sorted([*warnings, *_unpaired(text, found)], key=lambda w: (w.line, w.rule))


def _of_marker(text: str, marker: Marker) -> list[Finding]:
    line = _line(text, marker.position)
    warnings = []
    if not has_reason(marker.payload):
        warnings.append(Finding("no-reason", line, "the marker does not say why: add `because …` or `çünkü …`"))
    if has_two_topics(marker.payload):
        warnings.append(
            Finding("two-topics", line, "the marker seems to hold two learnings: give each a marker of its own")
        )
    return warnings


def has_reason(payload: str) -> bool:
    """Whether a payload has a reason clause, by its cue words."""
    words = fold.fold(payload)
    return _has(words, _REASONS) or _REASON_ENDING.search(words) is not None


def has_two_topics(payload: str) -> bool:
    """Whether a payload holds more than one learning: a list of several, a word that begins another, or two reasoned sentences."""
    if len(_ITEM.findall(payload)) > 1:
        return True
    sentences = [part for part in _SENTENCE.split(payload) if fold.fold(part)]
    if any(_begins(fold.fold(part)) for part in sentences[1:]):
        return True
    return sum(has_reason(part) for part in sentences) > 1


def _begins(sentence: str) -> bool:
    return any(f"{sentence} ".startswith(cue + " ") for cue in _MORE)


def _has(words: str, cues: tuple[str, ...]) -> bool:
    line = f" {words} "
    return any(f" {cue} " in line for cue in cues)


def _unpaired(text: str, found: list[Marker]) -> list[Finding]:
    """Markers and visible lines of a message belong together one to one; the nearest are paired first."""
    marks = [_line(text, marker.position) for marker in found]
    shown = [_line(text, at) for at in visible_lines(text)]
    for _, mark, line in sorted((abs(mark - line), mark, line) for mark in marks for line in shown):
        if mark in marks and line in shown:
            marks.remove(mark)
            shown.remove(line)
    return [
        *(
            Finding(
                "no-visible-line", line, "no visible line goes with the marker: `📝 Learned: …` or `📝 Öğrenildi: …`"
            )
            for line in marks
        ),
        *(Finding("no-marker", line, "no marker goes with the visible line: nobody will hear it") for line in shown),
    ]


def visible_lines(text: str) -> list[int]:
    """Offsets of the lines that show a learning to a person, outside code and quotations."""
    return [
        piece.start
        for piece in stretches(text)
        if piece.code is None
        and (piece.start == 0 or text[piece.start - 1] == "\n")
        and _VISIBLE.match(text, piece.start, piece.end)
    ]


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
