"""The hidden marker, as data: what was heard, what was not heard and why.

A marker is an HTML comment in an assistant's message, ``<!-- channel: payload -->``; a task may also be marked in
brackets, ``[SELF_TASK: text]``. The payload is prose for a later
reader and is never interpreted here. What was seen but not taken is a ``Report``: a closed union, so that no loss is
silent. It must never hold more of a message than a clipped name: a report ends up on screens and in logs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import assert_never

# A learning is a paragraph; a profile record is a page. 20,000 characters is far above both and far below what a lost
# end could swallow: a payload of this size is an accident, and a queue row of megabytes would be one too.
MAX_PAYLOAD = 20_000
# The part of a message that a report may repeat: enough to recognise a misspelt name, too little to carry a secret.
MAX_QUOTED = 40


class CodePlace(Enum):
    """Where in a message's code a marker stood. The value is how a sentence calls it."""

    FENCE = "a code fence"
    OPEN_FENCE = "a code fence that is never closed"
    SPAN = "a code span"
    INDENTED = "an indented code block"


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker. ``position`` is the character offset of its ``<!--`` in the message text.

    The position depends on the text alone, not on which channels are declared, so it can stand in a seen mark.
    ``channel`` is lower case; ``payload`` is trimmed, not empty, at most ``MAX_PAYLOAD`` characters.
    """

    channel: str
    payload: str
    position: int


@dataclass(frozen=True, slots=True)
class Unclosed:
    """A declared marker that no ``-->`` ends before the next comment or the end of the message."""

    channel: str
    position: int


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A name one edit away from the declared ``channel``; ``name`` is clipped to ``MAX_QUOTED`` characters."""

    name: str
    channel: str
    position: int


@dataclass(frozen=True, slots=True)
class InCode:
    """A declared marker inside code: an example, or a directive that somebody wrapped by mistake."""

    channel: str
    place: CodePlace
    position: int


@dataclass(frozen=True, slots=True)
class TooLong:
    """A declared marker whose payload has ``length`` characters, more than ``MAX_PAYLOAD``."""

    channel: str
    length: int
    position: int


@dataclass(frozen=True, slots=True)
class OpenBracket:
    """A task mark, such as ``[SELF_TASK: …``, that no ``]`` ends on its line; ``name`` is the mark's word."""

    name: str
    position: int


Report = Unclosed | NearMiss | InCode | TooLong | OpenBracket


def clip(text: str) -> str:
    """``text`` cut to ``MAX_QUOTED`` characters, the last of which is an ellipsis where something was cut."""
    return text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 1] + "…"


def describe(report: Report) -> str:
    """One line that says what was skipped, where (offset in characters), and what to do about it."""
    match report:
        case Unclosed(channel, position):
            return f"{clip(channel)} marker at {position} is never closed: end it with -->"
        case NearMiss(name, channel, position):
            return f"marker at {position} names {clip(name)!r}, which is not a channel: did you mean {clip(channel)!r}?"
        case InCode(channel, place, position):
            return f"{clip(channel)} marker at {position} was seen in code, skipped: it stands in {place.value}"
        case TooLong(channel, length, position):
            return f"{clip(channel)} marker at {position} was skipped: {length} characters, the limit is {MAX_PAYLOAD}"
        case OpenBracket(name, position):
            return f"{name} mark at {position} is never closed: end it with ] on the same line"
        case _:
            assert_never(report)
