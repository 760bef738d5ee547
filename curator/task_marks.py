"""Hear the task marks of one assistant message: ``[SELF_TASK: …]``, ``[TASK_DONE: …]``, ``[TASK_DELETE: …]``.

Pure and total. A mark is closed by the bracket that matches its own, on its line. Where code and quotations are is what
`comments` says for hidden markers too. It must never hear a mark in code, in a block quote, in a comment or between
quotation marks, and never drop one in code or an unclosed one without a report.
"""

import re

from bellek.curator.comments import stretches
from bellek.curator.markers import Scan
from bellek.schemas.marker import InCode, Marker, OpenBracket, Report, TooLong

MAX_TASK = 1_000  # characters; a verdict's task has the same limit

_MARK = re.compile(r"\[(SELF_TASK|TASK_DONE|TASK_DELETE)[ \t]*:")
_SIGN = re.compile(r"[\[\]\n]")
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“"}


def scan(text: str, channel: str) -> Scan:
    """The marks of a message as markers of ``channel``: payload ``SELF_TASK: text``, position that of the ``[``."""
    markers: list[Marker] = []
    reports: list[Report] = []
    if _MARK.search(text) is None:
        return Scan((), ())
    closings = _closings(text)
    heard_to = 0  # a mark inside another's words is a part of them
    for piece in stretches(text):
        for found in _MARK.finditer(text, piece.start, piece.end):
            if found.start() < heard_to:
                continue
            if piece.code is not None:
                reports.append(InCode(channel, piece.code, found.start()))
                continue
            end = closings.get(found.start(), -1)
            heard_to = end
            heard = _heard(text, found, end, channel)
            if isinstance(heard, Marker):
                markers.append(heard)
            elif heard is not None:
                reports.append(heard)
    return Scan(tuple(markers), tuple(reports))


def _heard(text: str, found: re.Match[str], end: int, channel: str) -> Marker | Report | None:
    if end < 0:
        return OpenBracket(found[1], found.start())
    closer = _QUOTES.get(text[found.start() - 1 : found.start()])
    if closer is not None and text.startswith(closer, end + 1):
        return None
    words = text[found.end() : end].strip()
    if len(words) > MAX_TASK:
        return TooLong(channel, len(words), found.start())
    return Marker(channel, f"{found[1]}: {words}", found.start()) if words else None


def _closings(text: str) -> dict[int, int]:
    """Offset of each opening bracket → that of the one that closes it on its line. One pass, whatever stands there."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for sign in _SIGN.finditer(text):
        if sign[0] == "[":
            opened.append(sign.start())
        elif sign[0] == "\n":
            opened.clear()
        elif opened:
            closing[opened.pop()] = sign.start()
    return closing
