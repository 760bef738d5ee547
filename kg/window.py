"""BM25 of a message together with what was said around it, worked out when a question is asked.

What it is for: in a dialogue the words of an answer often stand in the turns around it. They count for less than the
message's own, and are added to them *before* BM25 saturates: adding the finished scores of neighbours finds less. The
index knows a message's own words alone, so nothing of it changes when a neighbour comes or goes (decision 0015)::

    tf(p)  = own + author + DAY day + PREV (turns -1, -2) + NEXT (turns +1, +2)      how often a form p of a word is there
    L(m)   = sum over p of  idf(p) tf (K1 + 1) / (tf + K1 (1 - B + B length / mean length of the windows looked at))
    idf(p) = log(1 + (N - n + 1/2) / (n + 1/2)),   n of the store's N windows hold p

The constants were chosen as those of `kg.search`; what each gave is in docs/decisions/0015-neighbours-when-asked.md.
What it must never do: open a database or load anything heavy; it may be one of the prompt hook's rooms.
"""

import math

from bellek.kg import fold

TYPE_CHECKING = False  # typing itself is not loaded here
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

REACH = 2  # turns a side: none R@10 .696, one .789, two .817, three .795
PREV = 0.35
NEXT = 0.3
DAY = 0.5
K1, B = 1.2, 0.75  # those of FTS5, and of most who use BM25
# Windows that hold a form, for each message that does: its own, and those of the four around it that no other such message
# has. Counted in LoCoMo: 3.5 (4.6 for a form of one message, 3.0 for one of more than sixty); with 1 R@10 is .807.
SPREAD = 1 + 0.6 * 2 * REACH


class Forms:
    """The forms of a question's words (`fts_query.forms`), and what each one weighs once `weigh` was told."""

    __slots__ = ("_exact", "_known", "_starts", "held", "idf")

    def __init__(self, forms: "Iterable[str]") -> None:
        every = dict.fromkeys(forms)
        self._starts = [form for form in every if fold.is_lone(form)]  # a lone letter of a paired script begins words
        self._exact = frozenset(every).difference(self._starts)
        self._known: dict[str, dict[str, float]] = {}
        self.held: dict[str, int] = {}
        self.idf: dict[str, float] = {}

    def __iter__(self) -> "Iterator[str]":
        yield from sorted(self._exact)
        yield from self._starts

    def counted(self, shadow: str) -> "tuple[dict[str, float], int]":
        """How often each form stands among a text's search words, and how many those are."""
        words = shadow.split()
        found: dict[str, float] = {}
        if not self._starts and self._exact.isdisjoint(words):  # most of what stands around
            return found, len(words)
        for word in filter(self._exact.__contains__, words):
            found[word] = found.get(word, 0.0) + 1
        for start in self._starts:
            if many := sum(word.startswith(start) or word == fold.LAST_MARK + start for word in words):
                found[start] = float(many)
        return found, len(words)

    def known(self, text: str) -> "dict[str, float]":
        """`counted` for texts that many messages share: an author, the words of a day."""
        if text not in self._known:
            self._known[text] = self.counted(fold.fold(text))[0]
        return self._known[text]

    def weigh(self, rows: int, holding: "Mapping[str, int]") -> None:
        """Set what each form weighs: `holding` says how many messages of `rows` hold it."""
        self.held.update(holding)
        for form, n in holding.items():
            windows = min(float(rows), n * SPREAD)
            self.idf[form] = math.log(1 + (rows - windows + 0.5) / (windows + 0.5))


class Turn:
    """A stored message as the windows see it: `place` in its `talk`; `inside` says whether it may be an answer itself.

    `day` and `shadow` are folded search words, `at` UTC milliseconds.
    """

    __slots__ = ("around", "at", "author", "inside", "length", "n", "offset_minutes", "own", "place", "shadow", "talk")

    def __init__(
        self, forms: Forms, n: int, *, talk: str, place: int, author: str, at: int, offset_minutes: int, day: str, shadow: str,
        inside: bool,
    ) -> None:  # fmt: skip
        self.n = n
        self.talk = talk
        self.place = place
        self.author = author
        self.at = at
        self.offset_minutes = offset_minutes
        self.inside = inside
        self.shadow = shadow
        self.around, self.length = forms.counted(shadow)
        self.own = self.around
        named, dated = forms.known(author), forms.known(day)
        if named or dated:  # few questions name either
            self.own = dict(self.around)
            _add(self.own, named, 1.0)
            _add(self.own, dated, DAY)


def scores(turns: "Collection[Turn]", forms: Forms, seeds: "Collection[int]") -> "dict[int, float]":
    """L of each turn that may be an answer and is a seed or REACH turns from one; a window that holds no form is left out.

    `turns` hold the seeds and what lies within twice REACH of them: the windows of those around a seed are whole as well.
    """
    at = {(turn.talk, turn.place): turn for turn in turns}
    near = range(-REACH, REACH + 1)
    asked = dict.fromkeys((turn.talk, turn.place + step) for turn in turns if turn.n in seeds for step in near)
    windows = [_window(turn, at) for key in asked if (turn := at.get(key)) and turn.inside]
    whole = sum(length for _, _, length in windows)
    mean = whole / len(windows) if whole else 1.0
    return {n: _bm25(tf, forms.idf, K1 * (1 - B + B * length / mean)) for n, tf, length in windows if tf}


def _window(turn: Turn, at: "Mapping[tuple[str, int], Turn]") -> "tuple[int, dict[str, float], int]":
    """A turn's number, how often each form stands in its window, and how many words that has."""
    tf = dict(turn.own)
    length = turn.length
    for step in range(1, REACH + 1):
        for place, weight in ((turn.place - step, PREV), (turn.place + step, NEXT)):
            if near := at.get((turn.talk, place)):
                length += near.length
                _add(tf, near.around, weight)
    return turn.n, tf, length


def _add(tf: "dict[str, float]", more: "Mapping[str, float]", weight: float) -> None:
    for form, many in more.items():
        tf[form] = tf.get(form, 0.0) + weight * many


def _bm25(tf: "Mapping[str, float]", idf: "Mapping[str, float]", k: float) -> float:
    return sum(idf[form] * many * (K1 + 1) / (many + k) for form, many in tf.items())
