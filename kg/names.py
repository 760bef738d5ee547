"""Normal forms of names: what makes two spellings of one subject, entity or field meet. Pure.

Folding names too hard merges C with C++ and .NET with Net; too soft splits Node.js and nodejs. Signs that tell names
apart (+, #, a leading dot) are spelled out; blanks, inner dots, hyphens and underscores are not part of a name. So are
the signs that tell values apart, which a search must not trip over: 5 is not -5, nor 5 %, nor $5.
"""

import re

from bellek.kg import fold

SELF = "user"  # the person, whatever they are called
SELF_WORDS = frozenset(("user", "theuser", "kullanici", "i", "me", "myself", "person", "kisi", "human", "owner"))
SELF_AS_WRITTEN = frozenset(("ben",))  # "ben" is Turkish for "I"; Ben is somebody's name
_SIGNS = {"+": "plus", "#": "sharp"}
_VALUE_SIGNS = {
    "-": " minus ",
    "−": " minus ",
    "%": " percent ",
    "$": " dollar ",
    "<": " less ",
    ">": " more ",
    "=": " equals ",
}
_TELLING_SIGN = re.compile(r"[%$<>=]|(?<![\w.])[-−](?=[\d.])")  # a hyphen only where it makes a number negative


def key(name: str) -> str:
    """The normal form of a name; the person's own names for themselves all become "user"."""
    text = name.strip()
    spelled = "".join(_SIGNS.get(c, c) for c in text)
    plain = "".join(
        fold.fold(
            " ".join(part for part in spelled.replace(".", " ").replace("-", " ").replace("_", " ").split())
        ).split()
    )
    if text.startswith(".") and plain:
        plain = "dot" + plain
    return SELF if plain in SELF_WORDS or text in SELF_AS_WRITTEN else plain or text.casefold()


def snake(name: str) -> str:
    """A field's name in folded snake case: "Sevdiği Editör" → sevdigi_editor."""
    return "_".join(fold.fold(name.replace(".", " ").replace("-", " ").replace("_", " ")).split())


def words(text: str) -> str:
    """The normal form of an object or a sentence: its folded words, and the signs that make it another value."""
    return fold.fold(spelled(text)) or text.strip().casefold()


def spelled(text: str) -> str:
    """The text with those signs written out that make a value another one."""
    return _TELLING_SIGN.sub(lambda sign: _VALUE_SIGNS[sign[0]], text)
