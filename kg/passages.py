"""Which texts stand for a message in vector space: pure functions from what was said to what is embedded.

A person sees no hidden comment, so none is embedded: a mark's words would make all messages that carry one alike. A long
message is cut, since a vector of everything is near to nothing. It must never be handed unredacted text, and never put
a date or a role in front of it. A name stands only before the words of a pair, in talk among people: it says who of
them is meant, as the question's own name is left out (with both, the cosine would be a detector of speakers).
"""

from typing import Literal, NamedTuple

from bellek.kg.search import ROLES

Kind = Literal["turn", "pair", "window"]

PART = 1_000  # characters of one part; a paragraph of prose has 500 to 900
PARTS = 16  # of one message: what is pasted beyond 16,000 characters is found by its words
BESIDE = 300  # characters that a neighbour lends: its end before, its beginning after
_OPEN, _CLOSE = "<!--", "-->"


def bare(text: str) -> str:
    """The text without HTML comments; one that is never closed hides the rest, as on a screen. Linear in the text."""
    if _OPEN not in text:
        return text.strip()
    kept: list[str] = []
    place = 0
    while (start := text.find(_OPEN, place)) >= 0:
        kept.append(text[place:start])
        end = text.find(_CLOSE, start + len(_OPEN))
        if end < 0:
            place = len(text)
            break
        place = end + len(_CLOSE)
    kept.append(text[place:])
    return "".join(kept).strip()


def parts(text: str) -> list[str]:
    """A text in parts of at most PART characters, cut where a line, a sentence or a word ends; none of an empty one."""
    found: list[str] = []
    place = 0
    while place < len(text) and len(found) < PARTS:
        piece = text[place : place + PART]
        cut = len(piece)
        if place + PART < len(text):
            ends = (piece.rfind("\n"), *(piece.rfind(mark) for mark in (". ", "! ", "? ", "。")), piece.rfind(" "))
            cut = next((end + 1 for end in (*ends[:1], max(ends[1:5]), ends[5]) if end >= PART // 2), cut)
        if piece[:cut].strip():
            found.append(piece[:cut].strip())
        place += cut
    return found


class Said(NamedTuple):
    """The bare words of a message and who said them; "" and "" where there is no such message."""

    author: str
    text: str


def passages(kind: Kind, before: Said, said: Said, after: Said) -> list[str]:
    """The texts to embed for one message, by kind; none where it says nothing.

    turn: its own parts. pair: each behind the end of what was said before. window: one, between its neighbours.
    """
    match kind:
        case "turn":
            return parts(said.text)
        case "pair":
            last = _named(before.author, before.text[-BESIDE:])
            return [_joined(last, _named(said.author, part)) for part in parts(said.text)]
        case "window":
            return [_joined(before.text[-BESIDE:], said.text[:PART], after.text[:BESIDE])] if said.text else []


def _named(author: str, text: str) -> str:
    return f"{author}: {text}" if text and author and author not in ROLES else text


def _joined(*texts: str) -> str:
    return "\n".join(stripped for text in texts if (stripped := text.strip()))
