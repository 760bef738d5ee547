"""Where the HTML comments of a message start and end, and which of them stand in code.

A text is cut once into tokens (comment signs, backtick runs, quotation marks, line breaks). Everything that needs a look
ahead is then answered for all tokens by passes from the last to the first, so the whole is linear in the text whatever
stands in it. It must never use a regular expression that can retry over the text, and never know a channel: where a
comment ends may not depend on what is declared.

**The end of a comment.** A ``-->`` between backticks or quotation marks on one line is part of the text, and so is a
``<!--`` there; any other ``<!--`` ends the search. Of the ``-->`` that are left:

1. where the text starts on the line after the name, the first one that has a line to itself is the end;
2. else the first one, unless a later one before the next blank line ends its line (only blanks and closing markup
   ``* _ ~ |`` follow): then that. So ``a --> b because c -->`` stays whole, and prose behind a marker stays outside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bellek.curator.markdown import Blocks, Place, starts_block
from bellek.schemas.marker import CodePlace

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

OPEN, CLOSE, LINE = "<!--", "-->", "\n"
NONE = -1

_TOKEN = re.compile(r"<!--|-->|`++|[\"'“”«»]|\n")
_NAME = re.compile(r"<!--\s*+([\w-]++)\s*+:")
_REST_OF_LINE = re.compile(r"[ \t\r*_~|]*+(?:\n|\Z)")
_CLOSING_QUOTE = {'"': '"', "'": "'", "“": "”", "«": "»"}


@dataclass(frozen=True, slots=True)
class Comment:
    """One ``<!--`` of a message that is not quoted from somebody else.

    Offsets in characters: ``start`` of ``<!--``, ``body`` of what follows it and the name, ``end`` of ``-->``
    (``NONE`` where nothing ends it). ``name`` is the word before the first colon, "" where there is none. ``code``
    is the place of a comment that stands in code; such a one has no end.
    """

    start: int
    body: int
    end: int
    name: str
    code: CodePlace | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of a message, ``start`` to ``end`` in characters, that is no comment and stands in no block quote.

    ``code`` is the kind of code that it is, None for prose. Pieces that touch are not joined.
    """

    start: int
    end: int
    code: CodePlace | None = None


def comments(text: str) -> Iterator[Comment]:
    """The comments of ``text`` in order, those in block quotes left out. An unclosed one hides nothing behind it."""
    if OPEN not in text:
        return
    for piece in _walk(text):
        if isinstance(piece, Comment):
            yield piece


def stretches(text: str) -> Iterator[Stretch]:
    """The prose and the code of ``text`` in order: everything but comments and block quotes."""
    for piece in _walk(text):
        if isinstance(piece, Stretch) and piece.start < piece.end:
            yield piece


def _walk(text: str) -> Iterator[Comment | Stretch]:
    tokens = _Tokens(text)
    blocks = Blocks()
    fenced: list[Comment | Stretch] = []  # of the fence that is open now: whether it is ever closed decides their place
    index = 0
    while index < len(tokens.what):
        start = tokens.at[index - 1] + 1 if index else 0
        line_end = tokens.line_end[index]
        place = blocks.enter(text[start : tokens.at[line_end]])
        if place is Place.PROSE:
            index = yield from _prose(tokens, index, blocks)
            continue
        if place is Place.FENCE:
            fenced += _in_code(tokens, index, line_end, CodePlace.FENCE)
        elif place is Place.INDENTED:
            yield from _in_code(tokens, index, line_end, CodePlace.INDENTED)
        if not blocks.fenced:
            yield from fenced
            fenced = []
        index = line_end + 1
    for piece in fenced:
        yield replace(piece, code=CodePlace.OPEN_FENCE)


def _prose(tokens: _Tokens, index: int, blocks: Blocks) -> Generator[Comment | Stretch, None, int]:
    """Walk from a token of a prose line to the first token of the next line that starts outside comments and spans."""
    first_line = tokens.line_end[index]
    since = tokens.at[index - 1] + 1 if index else 0
    while (kind := tokens.what[index]) != LINE:
        if kind == OPEN:
            yield Stretch(since, tokens.at[index])
            comment, index = _resolve(tokens, index)
            since = comment.end + len(CLOSE) if comment.end != NONE else comment.start + len(OPEN)
            yield comment
        elif kind[0] == "`" and tokens.span[index] != NONE:
            closing = tokens.span[index]
            yield Stretch(since, tokens.at[index])
            yield from _in_code(tokens, index, closing, CodePlace.SPAN)
            index, since = closing + 1, tokens.at[closing] + len(kind)
        else:
            index += 1
    yield Stretch(since, tokens.at[index])
    if index != first_line:
        blocks.prose_went_on()
    return index + 1


def _in_code(tokens: _Tokens, first: int, last: int, place: CodePlace) -> Iterator[Comment | Stretch]:
    """A piece of code from one token to another, and the comments that stand in it."""
    line_start = tokens.at[first - 1] + 1 if first else 0
    yield Stretch(tokens.at[first] if place is CodePlace.SPAN else line_start, tokens.at[last], place)
    for index in range(first, last):
        if tokens.what[index] == OPEN:
            start = tokens.at[index]
            name, body = _named(tokens.text, start)
            yield Comment(start, body, NONE, name, place)


def _resolve(tokens: _Tokens, opening: int) -> tuple[Comment, int]:
    """The comment at a ``<!--`` of prose, and the index of the token to go on with."""
    start = tokens.at[opening]
    name, body = _named(tokens.text, start)
    first = opening + 1
    while tokens.at[first] < body:
        first += 1
    end = _end(tokens, first, body)
    if end == NONE:
        return Comment(start, body, NONE, name), opening + 1
    return Comment(start, body, tokens.at[end], name), end + 1


def _end(tokens: _Tokens, first: int, body: int) -> int:
    """Index of the ``-->`` that ends a comment whose text starts at offset ``body``, before or at token ``first``."""
    stop = tokens.stop[first]
    if stop == NONE or tokens.what[stop] == OPEN:
        return NONE
    starts_on_next_line = tokens.what[first] == LINE and not tokens.text[body : tokens.at[first]].strip()
    if starts_on_next_line and tokens.alone[first] != NONE:
        return tokens.alone[first]
    return stop if tokens.ends_line[stop] == NONE else tokens.ends_line[stop]


def _named(text: str, start: int) -> tuple[str, int]:
    """Name of the comment at ``start`` and the offset behind its colon; "" and the offset behind ``<!--`` if unnamed."""
    name = _NAME.match(text, start)
    return (name[1], name.end()) if name else ("", start + len(OPEN))


class _Tokens:
    """The tokens of a text and, for each of them, what lies ahead. Lists run in parallel; entries are token indices.

    ``span``: for a backtick run, the run that closes its code span. ``stop``: the next ``<!--`` or ``-->`` that is not
    in backticks or quotation marks. ``alone``: the next such ``-->`` with a line to itself, before any such ``<!--``.
    ``ends_line``: the next such ``-->`` that ends its line, before any such ``<!--`` and any blank line.
    ``line_end``: the line break that ends the token's line. The end of the text counts as a line break, so each line has
    one; ``stop``, ``alone`` and ``ends_line`` hold one entry more, for the place behind it.
    """

    __slots__ = ("alone", "at", "ends_line", "line_end", "span", "stop", "text", "what")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at: list[int] = []
        self.what: list[str] = []
        for token in _TOKEN.finditer(text):
            self.at.append(token.start())
            self.what.append(token[0])
        self.at.append(len(text))
        self.what.append(LINE)
        count = len(self.what)
        self.line_end = [count - 1] * count
        self.span = [NONE] * count
        partner = self._pair()
        self.stop = [NONE] * (count + 1)
        self.alone = [NONE] * (count + 1)
        self.ends_line = [NONE] * (count + 1)
        self._look_ahead(partner)

    def _pair(self) -> list[int]:
        """Fill ``span``; answers the partner of each run and opening quotation mark on its own line."""
        partner = [NONE] * len(self.what)
        on_line: dict[str, int] = {}
        in_paragraph: dict[str, int] = {}
        line_end = len(self.what) - 1
        for index in range(len(self.what) - 1, -1, -1):
            kind = self.what[index]
            line_end = index if kind == LINE else line_end
            self.line_end[index] = line_end
            if kind == LINE:
                on_line.clear()
                if in_paragraph and self._ends_paragraph(index):
                    in_paragraph.clear()
            elif kind[0] == "`":
                if not self._escaped(index):
                    partner[index] = on_line.get(kind, NONE)
                    self.span[index] = in_paragraph.get(kind, NONE)
                on_line[kind] = in_paragraph[kind] = index
            elif kind not in {OPEN, CLOSE}:
                partner[index] = self._pair_quote(index, on_line)
        return partner

    def _pair_quote(self, index: int, on_line: dict[str, int]) -> int:
        """A mark opens where no letter or digit stands before it and closes where none follows: 5" and Ayşe'nin do neither."""
        kind, at, text = self.what[index], self.at[index], self.text
        if self._escaped(index):
            return NONE
        opens = kind in _CLOSING_QUOTE and not text[at - 1 : at].isalnum()
        partner = on_line.get(_CLOSING_QUOTE[kind], NONE) if opens else NONE
        if not text[at + 1 : at + 2].isalnum():
            on_line[kind] = index
        return partner

    def _look_ahead(self, partner: list[int]) -> None:
        """Fill ``stop``, ``alone`` and ``ends_line`` from those of the token that a reader would come to next."""
        for index in range(len(self.what) - 1, -1, -1):
            kind = self.what[index]
            if kind == OPEN:
                self.stop[index] = index
                continue
            following = index + 1 if partner[index] == NONE else partner[index] + 1
            self.stop[index] = self.stop[following]
            self.alone[index] = self.alone[following]
            self.ends_line[index] = self.ends_line[following]
            if kind == LINE and self.ends_line[following] != NONE and self._blank_follows(index):
                self.ends_line[index] = NONE
            elif kind == CLOSE:
                self._close(index)

    def _close(self, index: int) -> None:
        self.stop[index] = index
        if not _REST_OF_LINE.match(self.text, self.at[index] + len(CLOSE)):
            return
        self.ends_line[index] = index
        line_start = self.at[index - 1] + 1 if index else 0
        starts_line = index == 0 or self.what[index - 1] == LINE
        if starts_line and not self.text[line_start : self.at[index]].strip():
            self.alone[index] = index

    def _escaped(self, index: int) -> bool:
        return self.text[self.at[index] - 1 : self.at[index]] == "\\"

    def _blank_follows(self, index: int) -> bool:
        """True where the line after the line break ``index`` holds nothing."""
        if index + 1 == len(self.what):
            return True
        line = self.text[self.at[index] + 1 : self.at[index + 1]]
        return self.what[index + 1] == LINE and not line.strip()

    def _ends_paragraph(self, index: int) -> bool:
        return self._blank_follows(index) or starts_block(self.text, self.at[index] + 1)
