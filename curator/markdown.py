"""Which lines of a message are prose, code or quotation: as much of Markdown as hearing a marker needs.

It reads one line at a time and keeps only what the next line depends on. It leans to what models write rather than to
the letter of CommonMark: a fence inside a list item ends only at its closing line, however that is indented, and a list
item nested below another is never an indented code block. It must never look ahead, and never keep text.
"""

from __future__ import annotations

import re
from enum import Enum, auto

CODE_INDENT = 4  # columns, also the width of a tab stop (CommonMark 0.31, 2.2 and 4.4)

_ITEM = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t\r]|\Z)")
# A backtick fence has no backtick in its info string: with one it is a code span that opens a line.
_FENCE = re.compile(r"(`{3,}+)[^`]*+\Z|(~{3,}+)")
_NEW_BLOCK = re.compile(r"[ \t]*+(?:<!--|>|#|`{3}|~{3}|[-+*][ \t]|[0-9]{1,9}[.)][ \t])")


class Place(Enum):
    """What a line is."""

    PROSE = auto()
    QUOTE = auto()
    FENCE = auto()
    INDENTED = auto()


def starts_block(text: str, position: int) -> bool:
    """True where the line that starts at ``position`` cannot go on with a paragraph, so no code span reaches it."""
    return _NEW_BLOCK.match(text, position) is not None


class Blocks:
    """The state that one line hands to the next. Feed it the lines in order; ``prose_went_on`` where lines were skipped."""

    __slots__ = ("_after_blank", "_fence", "_indented", "_items")

    def __init__(self) -> None:
        self._after_blank = True  # the start of a message counts as a blank line before it
        self._indented = False
        self._fence = ""  # the run that opened the fence, "" outside
        self._items: list[int] = []  # the column where the text of each open list item starts, outermost first

    @property
    def fenced(self) -> bool:
        """True inside a fence that has not been closed by the lines so far."""
        return bool(self._fence)

    def state(self) -> tuple[bool, bool, str, list[int]]:
        """All that the next line depends on; ``resumed`` is its inverse."""
        return self._after_blank, self._indented, self._fence, list(self._items)

    @classmethod
    def resumed(cls, after_blank: bool, indented: bool, fence: str, items: list[int]) -> Blocks:
        """Blocks that go on where ``state`` was taken."""
        blocks = cls()
        blocks._after_blank, blocks._indented, blocks._fence, blocks._items = after_blank, indented, fence, list(items)
        return blocks

    def prose_went_on(self) -> None:
        """Lines were part of something longer (a comment, a code span): what follows them is not after a blank line."""
        self._after_blank = False
        self._indented = False

    def enter(self, line: str) -> Place:
        """The place of ``line`` (without its line break)."""
        column, start = _indent(line, 0, 0)
        blank = start == len(line)
        if self._fence:
            self._after_blank = blank
            self._fence = "" if _closes(line, self._fence) else self._fence
            return Place.FENCE
        if blank:
            self._after_blank = True
            return Place.PROSE
        place = self._enter_unfenced(line, column, start)
        self._after_blank = False
        self._indented = place is Place.INDENTED
        return place

    def _enter_unfenced(self, line: str, column: int, start: int) -> Place:
        if self._after_blank or starts_block(line, 0):
            self._leave_items(column)
        base = self._items[-1] if self._items else 0
        nested = bool(self._items) and _ITEM.match(line, start) is not None
        if (self._after_blank or self._indented) and column - base >= CODE_INDENT and not nested:
            return Place.INDENTED
        start = self._open_items(line, column, start)
        if line.startswith(">", start):
            return Place.QUOTE
        if fence := _FENCE.match(line, start):
            self._fence = fence[1] or fence[2]
            return Place.FENCE
        return Place.PROSE

    def _open_items(self, line: str, column: int, start: int) -> int:
        """Note the list items that ``line`` opens; answers where its own text starts."""
        while item := _ITEM.match(line, start):
            self._leave_items(column)
            column, start = _indent(line, item.end(), column + item.end() - start)
            self._items.append(column)
        return start

    def _leave_items(self, column: int) -> None:
        while self._items and self._items[-1] > column:
            self._items.pop()


def _indent(line: str, start: int, column: int) -> tuple[int, int]:
    """Column and offset of the first character from ``start`` that is not blank; ``column`` is that of ``start``."""
    while start < len(line) and line[start] in " \t\r":
        column += CODE_INDENT - column % CODE_INDENT if line[start] == "\t" else 1
        start += 1
    return column, start


def _closes(line: str, fence: str) -> bool:
    run = line.strip(" \t\r")
    return len(run) >= len(fence) and run == fence[0] * len(run)
