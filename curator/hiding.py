"""What a person sees of a message that arrives in pieces: the text without the hidden markers of declared channels.

``hide`` says what that is for a whole message, ``Screen`` gives the same text piece by piece, however the pieces are cut:
what it gives for them, joined, is ``hide`` of their join. Two rules make that possible without looking back:

1. A line is given when it is whole (Claude Code 2.1.332 hands over whole lines anyway) or the message is over.
2. From a line with the opener of a marker on, text is held until no later text can change where that marker ends:
   mostly the ``-->`` that ends its line, at the latest the end of the message or ``HOLD_LIMIT`` characters. An opener
   that turns out to be none, or is never closed, is given as it was written.

Where a marker ends, what is quoted inside it and which lines are code is the law by which markers are heard
(`curator.comments`, `curator.markdown`), with what a stream cannot know left out: a code span that runs over a line
break is not seen as one; a comment of another name is text like any other; a payload that starts on the line after its
name and holds a ``-->``, then a blank line, ends before that line. A marker in a fence, an indented block, a code span
or a block quote is an example and is shown.

It runs in a hook process for each piece: it must never import typing, dataclasses or anything that does, and never take
more than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from bellek.curator.markdown import Blocks, Place

OPEN, CLOSE, LINE = "<!--", "-->", "\n"
NONE, UNDECIDED = -1, -2
# Characters from an opener to its end. A payload longer than schemas.marker.MAX_PAYLOAD is not heard, so it need not be
# held: without a bound, one forgotten `-->` would keep the rest of a message off the screen until it is over.
HOLD_LIMIT = 20_000

_SIGN = re.compile(r"<!--|-->|`++|[\"'“”«»]|\n")
_OPEN_OR_RUN = re.compile(r"<!--|`++")
_RUN = re.compile(r"`++")
_NAME = re.compile(r"<!--\s*+([\w-]++)\s*+:")
_NAME_BEGINS = re.compile(r"<!--\s*+(?:[\w-]++\s*+)?\Z")
_REST_OF_LINE = re.compile(r"[ \t\r*_~|]*+(?:\n|\Z)")
_CLOSING_QUOTE = {'"': '"', "'": "'", "“": "”", "«": "»"}


def hide(text: str, channels: Collection[str]) -> str:
    """``text`` minus the closed markers of ``channels`` (lower case), markup around them and lines they had alone."""
    return Screen().show(text, channels, final=True)


def may_hide(text: str) -> bool:
    """False where no channel whatever could have a marker in ``text``."""
    return OPEN in text


class Screen:
    """How far one message was given. ``held`` starts at a line's start; ``blocks`` is the state before that line."""

    __slots__ = ("blocks", "held")

    def __init__(self, held: str = "", blocks: Blocks | None = None) -> None:
        self.held = held
        self.blocks = Blocks() if blocks is None else blocks

    def show(self, piece: str, channels: Collection[str], *, final: bool) -> str:
        """Take the next piece; the text that can be given now. After the ``final`` one nothing is held."""
        text = self.held + piece
        known = text if final else text[: text.rfind(LINE) + 1]
        given: list[str] = []
        at = 0
        while at < len(known):
            found = self._line(known, at, channels, final=final)
            if found is None:
                break
            line, at = found
            given.append(line)
        self.held = text[at:]
        return "".join(given)

    def _line(self, text: str, start: int, channels: Collection[str], *, final: bool) -> tuple[str, int] | None:
        """What is given of the line at ``start`` (and of those that its markers reach into), and where the next starts."""
        line_end = _line_end(text, start)
        line = text[start:line_end]
        following = min(line_end + 1, len(text))
        before = self.blocks.state() if OPEN in line else None
        if self.blocks.enter(line) is not Place.PROSE or before is None:
            return text[start:following], following
        found = _prose(text, start, channels, final=final)
        if found is None:
            self.blocks = Blocks.resumed(*before)
        return found


def _prose(text: str, start: int, channels: Collection[str], *, final: bool) -> tuple[str, int] | None:
    """A prose line without its markers, and the start of the line after it; None while a marker's end is undecided."""
    kept: list[str] = []
    shown = at = start
    line_end = _line_end(text, start)
    while sign := _OPEN_OR_RUN.search(text, at, line_end):
        at = sign.end()
        if sign[0] != OPEN:
            at = max(at, _after_run(text, sign.start(), sign[0], line_end))
            continue
        end = _marker_end(text, sign.start(), channels, final=final)
        if end == UNDECIDED:
            return None
        if end != NONE:
            cut_from, cut_to = _cut(text, shown, sign.start(), end)
            kept.append(text[shown:cut_from])
            shown, at = cut_to, end
            line_end = _line_end(text, end)
    following = min(line_end + 1, len(text))
    return "".join(kept) + text[shown:following], following


def _marker_end(text: str, start: int, channels: Collection[str], *, final: bool) -> int:
    """Offset behind the ``-->`` of the marker at ``start``; ``NONE`` where none is, ``UNDECIDED`` where text is missing."""
    limit = start + HOLD_LIMIT
    name = _NAME.match(text, start)
    if name is None:
        waits = not final and len(text) < limit and _NAME_BEGINS.match(text, start)
        return UNDECIDED if waits else NONE
    if name.end() > limit or name[1].lower() not in channels:
        return NONE
    end = _close(text, name.end(), limit, final=final)
    return end if end < 0 else end + len(CLOSE)


def _close(text: str, body: int, limit: int, *, final: bool) -> int:
    """Offset of the ``-->`` that ends a marker whose payload starts at ``body``.

    A payload that starts on the next line ends at the first ``-->`` with a line to itself; otherwise it ends at the
    first one that ends its line, up to the blank line after the first of all; otherwise at the first of all.
    """
    on_next_line = not text[body : _line_end(text, body)].strip()
    first = ends_line = NONE
    for kind, at in _signs(text, body, limit):
        if kind == OPEN:
            return first if ends_line == NONE else ends_line
        if kind == CLOSE:
            first = at if first == NONE else first
            if not _REST_OF_LINE.match(text, at + len(CLOSE)):
                continue
            if not on_next_line or _starts_line(text, body, at):
                return at
            ends_line = at if ends_line == NONE else ends_line
        elif first != NONE:
            next_end = text.find(LINE, at + 1)
            if next_end == NONE and not final:
                return UNDECIDED
            if not text[at + 1 : _line_end(text, at + 1)].strip():
                return first if ends_line == NONE else ends_line
    if final or len(text) >= limit:
        return first if ends_line == NONE else ends_line
    return UNDECIDED


def _signs(text: str, start: int, limit: int) -> Iterator[tuple[str, int]]:
    """The ``<!--``, ``-->`` and line breaks of ``text[start:limit]`` that no backticks or quotation marks on one line hold."""
    lacking: set[str] = set()  # what nothing closes in the rest of this line: looked for once
    at = start
    line_end = _line_end(text, start)
    while (sign := _SIGN.search(text, at)) and sign.start() < limit:
        kind, at = sign[0], sign.end()
        if kind in {OPEN, CLOSE, LINE}:
            if kind == LINE:
                lacking.clear()
                line_end = _line_end(text, at)
            yield kind, sign.start()
        elif kind not in lacking:
            after = _after_pair(text, sign.start(), kind, line_end)
            if after == NONE:
                lacking.add(kind)
            at = max(at, after)


def _after_pair(text: str, at: int, kind: str, line_end: int) -> int:
    """Offset behind the partner of what opens at ``at``; ``NONE`` if nothing closes it before ``line_end``, 0 if it opens nothing."""
    if kind[0] == "`":
        return 0 if _escaped(text, at) else _after_run(text, at, kind, line_end)
    if kind not in _CLOSING_QUOTE or _escaped(text, at) or text[at - 1 : at].isalnum():
        return 0
    closing = text.find(_CLOSING_QUOTE[kind], at + 1, line_end)
    while closing != NONE and (_escaped(text, closing) or text[closing + 1 : closing + 2].isalnum()):
        closing = text.find(_CLOSING_QUOTE[kind], closing + 1, line_end)
    return closing if closing == NONE else closing + 1


def _after_run(text: str, at: int, run: str, line_end: int) -> int:
    """Offset behind the backtick run that closes the one at ``at`` before ``line_end``; ``NONE`` if it opens no span."""
    if _escaped(text, at):
        return NONE
    runs = _RUN.finditer(text, at + len(run), line_end)
    return next((other.end() for other in runs if len(other[0]) == len(run)), NONE)


def _cut(text: str, shown: int, start: int, end: int) -> tuple[int, int]:
    """The range to leave out for a marker at ``start:end``: with markup that held nothing else, and then with its line."""
    while start > shown and text[start - 1] in "*_~" and text[start - 1] == text[end : end + 1]:
        start, end = start - 1, end + 1
    line_start = text.rfind(LINE, shown, start) + 1 or shown
    whole_line = line_start == 0 or text[line_start - 1] == LINE
    after = min(_line_end(text, end) + 1, len(text))
    alone = whole_line and not text[line_start:start].strip() and not text[end:after].strip()
    return (line_start, after) if alone else (start, end)


def _starts_line(text: str, body: int, at: int) -> bool:
    return not text[text.rfind(LINE, body, at) + 1 : at].strip()


def _escaped(text: str, at: int) -> bool:
    return text[at - 1 : at] == "\\"


def _line_end(text: str, at: int) -> int:
    """Offset of the line break that ends the line of ``at``, or of the end of the text."""
    found = text.find(LINE, at)
    return len(text) if found == NONE else found
