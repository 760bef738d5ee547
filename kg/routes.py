"""Which table a question asks for: what was learned, what happened, who somebody is, how one thinks. Pure.

What it is for: "ne öğrendim" shares no word with any lesson, and yet names the table. It must never guess: a question
without one of these phrases goes to all tables.
"""

from dataclasses import dataclass
from typing import Literal

from bellek.kg import fold

Table = Literal["", "lesson", "event", "claim", "worldview"]

# Folded beginnings of phrases; Turkish endings follow (öğrendiklerimiz, düşünüyorsunuz).
_PHRASES: dict[Table, tuple[str, ...]] = {
    "lesson": (
        "what did i learn", "what did we learn", "what have i learn", "what have we learn", "what i learn", "what we learn", "what was learn", "what lessons", "which lessons",
        "lessons learn", "ne ogrendi", "neler ogrendi", "neyi ogrendi", "ogrendiklerim", "hangi ders", "ne ders", "dersler neler",
    ),
    "event": (
        "what happened", "what has happened", "what did i do", "what did we do", "what have we done", "what have i done", "what was done", "ne oldu", "neler oldu", "ne yaptik",
        "ne yaptim", "neler yapti", "ne yapildi", "neler yapildi", "olan biten", "neler yasandi", "ne yasandi",
    ),
    "claim": (
        "who am i", "what do you know about me", "what do you know of me", "about myself", "tell me about me", "ben kimim", "kimim ben", "beni tani", "beni ne kadar tani",
        "hakkimda ne bili", "hakkimda neler bili", "hakkimda bildik", "benim hakkimda",
    ),
    "worldview": (
        "how do you think", "how you think", "how do you see the world", "what do you believe", "your worldview", "nasil dusunu", "nasil dusunur", "dunya gorus", "neye inani",
        "dunyaya bakis", "dunyayi nasil gor",
    ),
}  # fmt: skip
# What may follow such a phrase without saying what it is about.
_IDLE = frozenset(
    ["lately", "recently", "about", "on", "so", "far", "up", "today", "learned", "learnt", "peki", "dersler", "neler", "about", "tell", "anlat", "soyle", "biliyorsun", "know"]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Route:
    """The table that a question names ("" for none), and its words without the phrase that names it, folded."""

    table: Table
    rest: str


def route(question: str) -> Route:
    """The first of the phrases in a question decides; of two at one place the longer."""
    folded = f" {fold.fold(question)} "
    found = [
        (at, -len(phrase), table, phrase)
        for table, phrases in _PHRASES.items()
        for phrase in phrases
        if (at := folded.find(f" {phrase}")) >= 0
    ]
    if not found:
        return Route("", question)
    at, length, table, _ = min(found)
    end = folded.index(" ", at + 1 - length)
    words = f"{folded[:at]} {folded[end:]}".split()
    return Route(table, " ".join(word for word in words if word not in _IDLE))
