"""The best messages of a project by their own words alone: where the windows around them are looked at.

What it is for: choosing thirty of hundreds of thousands. BM25 inside FTS5 takes a microsecond for every message that holds any
form; a form's list of messages alone takes a third of that. So the lists are read, rarest form first, and added up here::

    score(m) = norm(length class of m) x sum over the forms p that m holds of  log((N - n + 1/2) / (n + 1/2))
    norm     = 1 / (1 + K1 (1 - B + B length / mean length of the project's newest messages))

How often a form stands in a message is not in its list: the window's BM25 counts that, for those that are chosen here.
What it must never do: answer, rank what is shown, or look into another project's part of the index.
"""

import heapq
import math

from bellek.kg import fts_query, lookup, parts, window
from bellek.kg.db import Database
from bellek.kg.lookup import Bounds
from bellek.kg.parts import LENGTHS, Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SEEDS = 30  # best messages by their own words whose surroundings are looked at: 50 and 100 find no more
FEW = 300  # messages holding a form that are read at once; where there are more, it is first estimated how many
SAMPLED = 20_000  # newest messages in which that is counted, at least; a tenth of them where there are more
# Messages that a question's forms may match together, the rarest forms first, or this share of those looked at where that is more.
# What is left out is what begins with the same three letters (docs/decisions/0015-neighbours-when-asked.md).
MATCHED = 15_000
SHARE = 0.15
LOOKED_AT = 200  # messages of a list by whose lengths the mean is told
MASK = LENGTHS - 1


def best(
    db: Database, words: str, bounds: Bounds, *, wide: Bounds | None = None, limit: int = SEEDS
) -> tuple[window.Forms, list[int]]:
    """The forms of a question's words, weighed, and the numbers of the best messages within bounds, and within `wide` too, as
    somebody else may have said the words that one answered.
    """
    forms = window.Forms(fts_query.forms(words))
    part = parts.part(db, bounds.project)
    if part is None:
        return forms, []
    rare = weigh(db, forms, part)
    found = _scored(db, forms, part, lookup.stretch(db, bounds, part), rare)
    return forms, [n for where in (bounds, wide) if where for n in _first(db, found, where, limit)]


def weigh(db: Database, forms: window.Forms, part: Part) -> dict[str, list[int]]:
    """Set what each form weighs by how many of the project's messages hold it; the whole lists of those that few hold."""
    rare: dict[str, list[int]] = {}
    held: dict[str, int] = {}
    all_ = part.newest(part.messages)
    sample = min(part.messages, max(SAMPLED, part.messages // 10))
    cap = int(sample / window.SPREAD) + 1  # more windows than there are rows weigh nothing
    for form in forms:
        spots = lookup.holders(db, form, all_, limit=FEW)
        held[form] = len(spots)
        if len(spots) < FEW:
            rare[form] = spots
        else:
            inside = lookup.holding(db, form, part.newest(sample), cap=cap)
            held[form] = max(FEW, inside * part.messages // sample)
    forms.weigh(part.messages, held)
    return rare


def rarest(forms: window.Forms, *, most: float) -> list[str]:
    """The forms that are looked for: the rarest, as long as they match no more than so many messages together; one at least."""
    found: list[str] = []
    for form, many in sorted(forms.held.items(), key=lambda pair: pair[1]):
        most -= many
        if found and most < 0:
            break
        if many:
            found.append(form)
    return found


def _scored(
    db: Database, forms: window.Forms, part: Part, within: tuple[int, int], rare: dict[str, list[int]]
) -> dict[int, float]:
    """What each message that holds a form is worth, by its number in the index."""
    rows = part.messages
    chosen = rarest(forms, most=max(MATCHED, SHARE * rows))
    low, high = within
    whole = within == part.newest(rows)
    lists = []
    for form in chosen:
        spots = rare.get(form)
        if spots is None:
            spots = lookup.holders(db, form, within)
        elif not whole:
            spots = [spot for spot in spots if low <= spot <= high]
        lists.append((forms.held[form], spots))
    norms = _norms(spots for _, spots in lists)
    found: dict[int, float] = {}
    for n, spots in lists:
        rarity = max(1e-6, math.log((rows - n + 0.5) / (n + 0.5)))
        worth = [rarity * norm for norm in norms]
        for spot in spots:
            found[spot] = found.get(spot, 0.0) + worth[spot & MASK]
    return found


def _norms(lists: "Iterable[list[int]]") -> list[float]:
    """What a match counts by length class."""
    lengths = [1.5 * 2.0 ** (kind - 1) for kind in range(LENGTHS)]
    kinds = [spot & MASK for spots in lists for spot in spots[:LOOKED_AT]]
    mean = sum(map(lengths.__getitem__, kinds)) / len(kinds) if kinds else 1.0
    return [1 / (1 + window.K1 * (1 - window.B + window.B * length / mean)) for length in lengths]


def _first(db: Database, found: dict[int, float], bounds: Bounds, limit: int) -> list[int]:
    """The best so many that lie within bounds; asked in pieces that grow, since bounds of time and speaker may leave out most."""
    most = limit if not bounds.where else 4 * limit
    while True:
        chosen = lookup.inside(db, heapq.nlargest(most, found, key=found.__getitem__), bounds)
        if len(chosen) >= limit or most >= len(found):
            return chosen[:limit]
        most *= 8
