"""The same learning again: found by search before anything is written. A near twin is absorbed, not stored beside.

Two texts are the same when their folded words nearly agree and nothing that turns the meaning differs: numbers,
negations and the signs of code must be equal. It must never merge "use port 8080" with "use port 9090", nor "use tabs"
with "never use tabs".
"""

import re
from dataclasses import dataclass

from rapidfuzz import fuzz

from bellek.kg import fold, fts_query, lookup, scope
from bellek.kg.db import Database
from bellek.schemas.memory import Memory

CANDIDATES = 20
SAME = 93.0  # rapidfuzz token_sort_ratio of folded words, 0..100: one changed ending passes, one changed word of six does not
NEAR = 70  # the same measure, for a person's eye: it shows, and merges nothing
_NEGATION_WORDS = (
    "not no never none without cannot dont doesnt isnt arent cant wont t instead"  # "t" is what the fold leaves of "doesn't"
    " asla degil hic hicbir yok olmaz sakin yerine"
)
NEGATIONS = frozenset(_NEGATION_WORDS.split())
# A negated Turkish verb, folded: -ma/-me at the end or before what follows it in one (yapma, yapılmamalı, denenmedi,
# yapılmaz, çalışmıyor). Nouns in -me are met too; since both texts must hold the very same such words, that merges less.
_NEGATED = re.compile(r".m[ae](?:m[ae]|y|z|d[iu]|d[ae]n|m[iu]s|s[iu]n|s[ae]|m?$)|.m[iu]yor")
PUNCTUATION = frozenset(".,;:!?…'\"’‘“”()-–—")  # of sentences; any other sign may be what the learning is about


def twin(db: Database, kind: str, project: str, text: str) -> str:
    """The id of a current memory of this kind and scope that says the same, or ''."""
    match = fts_query.nearly(text, column="own", scope=scope.words(project))
    if match is None:
        return ""
    found = lookup.newest(db, match, kind=kind, limit=CANDIDATES)
    return next((str(id_) for id_, known in found if same(str(known), text)), "")


@dataclass(frozen=True, slots=True)
class Near:
    """A row that says nearly the same; `likeness` is 0 to 100."""

    id: str
    kind: str
    tier: str
    status: str
    likeness: int
    text: str


def near(db: Database, memory: Memory, *, limit: int = 5) -> list[Near]:
    """Rows of any kind and status that a person should see beside this one, the likest first."""
    match = fts_query.match(_longer_half(memory.text), scope=scope.words(memory.project))
    words = " ".join(fold.tokens(memory.text))
    found = []
    for row in lookup.memories(db, match) if match else []:
        likeness = round(fuzz.token_sort_ratio(" ".join(fold.tokens(str(row[9]))), words))
        if row[0] != memory.id and row[2] != "conflict" and row[6] != "hidden" and likeness >= NEAR:
            found.append(Near(str(row[0]), str(row[2]), str(row[4]), str(row[6]), likeness, str(row[9])))
    return sorted(found, key=lambda n: (-n.likeness, n.id))[:limit]


def _longer_half(text: str) -> str:
    """The longer half of a text's words, in their order: they hold most of its letters, so what has none of them is not near,
    and the short words that everything shares are not looked up.
    """
    told = list(dict.fromkeys(text.split()))
    kept = set(sorted(told, key=len, reverse=True)[: (len(told) + 1) // 2])
    return " ".join(word for word in told if word in kept)


def same(one: str, other: str) -> bool:
    """Whether two texts say the same in nearly the same words."""
    a, b = fold.tokens(one), fold.tokens(other)
    if _turning(a) != _turning(b) or signs(one) != signs(other):
        return False
    return fuzz.token_sort_ratio(" ".join(a), " ".join(b)) >= SAME


def signs(text: str) -> frozenset[str]:
    """Signs that are words of their own in code: ``%`` and ``_`` are two things, and folding leaves neither."""
    return frozenset(c for c in text if not c.isalnum() and not c.isspace() and c not in PUNCTUATION)


def _turning(words: list[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Words that turn a meaning: numbers and names with digits in their order (1 before 2 is not 2 before 1), and which
    negations and negated Turkish verbs there are.
    """
    numbers = tuple(w for w in words if any(c.isdigit() for c in w))
    return numbers, frozenset(w for w in words if w in NEGATIONS or _NEGATED.search(w))
