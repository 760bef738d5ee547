"""Hear the hidden markers of one assistant message: text and declared channels in, markers and reports out.

Pure and total: any text is allowed, lone surrogates and NUL included, and nothing is raised. A payload is prose, JSON or
YAML to somebody else and is never interpreted here. It must never hear a marker in code or in a block quote, and must
never drop a declared one without a report; only an empty payload is nothing at all.
"""

import textwrap
from collections.abc import Collection
from dataclasses import dataclass

from bellek.curator.comments import CLOSE, NONE, Comment, comments
from bellek.schemas.marker import MAX_PAYLOAD, InCode, Marker, NearMiss, Report, TooLong, Unclosed, clip


@dataclass(frozen=True, slots=True)
class Scan:
    """What one message holds, both in the order of the text."""

    markers: tuple[Marker, ...]
    reports: tuple[Report, ...]


def scan(text: str, channels: Collection[str]) -> Scan:
    """The markers of the declared ``channels`` (kebab-case, any case) in ``text``, and what was seen but not taken.

    A comment of another name is nobody's business, unless the name is one edit away from a declared one.
    """
    declared = sorted({channel.lower() for channel in channels})
    markers: list[Marker] = []
    reports: list[Report] = []
    for comment in comments(text):
        channel = comment.name.lower()
        if channel in declared:
            heard = _heard(text, comment, channel)
            if isinstance(heard, Marker):
                markers.append(heard)
            elif heard is not None:
                reports.append(heard)
        elif (intended := _intended(text, comment, declared)) is not None:
            reports.append(NearMiss(clip(comment.name), intended, comment.start))
    return Scan(tuple(markers), tuple(reports))


def without_markers(text: str, channels: Collection[str]) -> str:
    """``text`` as a screen or a search shows it: minus the closed comments of the declared ``channels``.

    Markup around it and a line that held nothing else go too. Comments in code and unclosed ones stay: they are part of what was written.
    """
    declared = {channel.lower() for channel in channels}
    kept: list[str] = []
    shown = 0
    for comment in comments(text):
        if comment.end != NONE and comment.name.lower() in declared:
            start, end = _cut(text, shown, comment.start, comment.end + len(CLOSE))
            kept.append(text[shown:start])
            shown = end
    return "".join(kept) + text[shown:] if kept else text


def _heard(text: str, comment: Comment, channel: str) -> Marker | Report | None:
    if comment.code is not None:
        return InCode(channel, comment.code, comment.start)
    if comment.end == NONE:
        return Unclosed(channel, comment.start)
    payload = text[comment.body : comment.end]
    length = len(payload.strip())
    if length > MAX_PAYLOAD:
        return TooLong(channel, length, comment.start)
    if length == 0:
        return None
    first_line, _, rest = payload.partition("\n")
    if not first_line.strip():
        # The block form keeps its shape when the whole comment is indented: a YAML body must not lose its first
        # line's indentation alone.
        payload = textwrap.dedent(rest)
    return Marker(channel, payload.strip(), comment.start)


def _intended(text: str, comment: Comment, declared: list[str]) -> str | None:
    """The channel that a misspelt name means. A comment in code, or a namespace such as ``wiki:index``, means none."""
    name = comment.name.lower()
    if not name or comment.code is not None or not text[comment.body : comment.body + 1].isspace():
        return None
    return next((channel for channel in declared if one_edit_apart(name, channel)), None)


def one_edit_apart(left: str, right: str) -> bool:
    """True at Damerau distance 1: one letter added, left out or replaced, or two neighbours swapped.

    Distance 2 is not reported: short names two edits apart (``task``, ``talk``, ``tags``) are different words.
    """
    if abs(len(left) - len(right)) > 1 or left == right:
        return False
    same = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    left, right = left[same:], right[same:]
    if left[1:] == right[1:] or left[1:] == right or left == right[1:]:
        return True
    return left[:2] == right[1::-1] and left[2:] == right[2:]


def _cut(text: str, shown: int, start: int, end: int) -> tuple[int, int]:
    """The range to leave out for a comment at ``start:end``: with markup that held nothing else, and then with its line."""
    while start > shown and text[start - 1] in "*_~" and text[start - 1] == text[end : end + 1]:
        start, end = start - 1, end + 1
    line_start = text.rfind("\n", shown, start) + 1 or shown
    at_line_start = line_start == 0 or text[line_start - 1] == "\n"
    if not at_line_start or text[line_start:start].strip():
        return start, end
    line_end = text.find("\n", end) + 1 or len(text)
    return (start, end) if text[end:line_end].strip() else (line_start, line_end)
