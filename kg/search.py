"""From matching turns to a ranking: the pure scoring core of conversation search.

What it is for: the formula, each term with its reason, over values that the store's query hands in::

    S(turn) = (1-w) L + w D + speaker + prior + time + day
    rank by   S(turn) + SESSION x (best S of the turn's session)

L is BM25 over own text, author, day and neighbours (`kg.window`), divided by the best (0..1); D a vector score (0..1), w its
weight. Where few of the question's words stand in the best lexical turns, L is noise beside D, and counts by their share.
The constants were chosen on three English conversations of LoCoMo (383 questions, standard error .02) and hold the same
form for Turkish; what each gave stands beside it and in docs/decisions/0005-fold-and-stems.md.

What it must never do: open a database, look at a clock, or load anything heavy: it is one of the prompt hook's rooms.
"""

from bellek.kg import fold

TYPE_CHECKING = False  # typing itself is not loaded here
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

# Columns own, author, day of the index. What was said around a turn: `kg.window`.
WEIGHTS = (1.0, 1.0, 0.5)
POOL = 100  # best turns by L that are scored; 50 do nearly as well

SPEAKER = 0.30  # one participant is named and said this; above .3 it hurts questions that name the wrong person
ASKED = -0.20  # per share of sentences that ask: evidence is told, not asked
FIRST_PERSON = 0.05  # people tell of themselves
MOMENT = 0.20  # the question asks when, and the turn names times (half for one, all for two)
DAY = 0.10  # the question names the turn's month; half as much more for its day, less for its year
SESSION = 0.35  # the session's best turn says which episode it is; a mean would punish short hits

_MONTHS = (
    "january ocak", "february subat", "march mart", "april nisan", "may mayis", "june haziran", "july temmuz",
    "august agustos", "september eylul", "october ekim", "november kasim", "december aralik",
)  # fmt: skip
_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_TIMES = frozenset(
    (
        "yesterday today tomorrow tonight ago last next week weekend weeks month months year years day days recently since "
        "monday tuesday wednesday thursday friday saturday sunday spring summer autumn fall winter "
        "dun bugun yarin gecen onceki gelecek once hafta haftalar haftasonu ay aylar yil yillar sene gun gunler gecenlerde "
        "pazartesi sali carsamba persembe cuma cumartesi pazar bahar yaz sonbahar kis sabah aksam " + " ".join(_MONTHS)
    ).split()
)
_SELF = frozenset(
    [
        "i",
        "me",
        "my",
        "mine",
        "we",
        "us",
        "our",
        "ben",
        "beni",
        "benim",
        "bana",
        "bende",
        "bizim",
        "bize",
        "ich",
        "mich",
        "je",
        "moi",
        "yo",
        "mi",
        "я",
        "мне",
        "мы",
    ]
)
# Turkish says who by the verb's ending: gittim, gidiyorum, gideceğiz (folded).
_SELF_ENDINGS = (
    "dim",
    "dum",
    "tim",
    "tum",
    "dik",
    "duk",
    "tik",
    "tuk",
    "yorum",
    "yoruz",
    "cagim",
    "cegim",
    "cagiz",
    "cegiz",
)
# In a question, "we" may be both sides of the talk, and the plural's endings are those of nouns (plastik).
_ME = _SELF - {"we", "us", "our", "bizim", "bize", "мы", "mi"}
_MY_ENDINGS = ("dim", "dum", "tim", "tum", "yorum", "cagim", "cegim")
_WHEN = (
    "when", "how long", "what date", "which year", "what year", "which month", "what month", "which day", "what day",
    "ne zaman", "hangi gun", "hangi ay", "hangi yil", "hangi tarih", "kac gun", "kac ay", "kac yil", "kac hafta",
    "ne kadar sure", "wann", "wie lange", "quand", "cuando", "quando", "когда",
)  # fmt: skip
ROLES = frozenset(("user", "assistant"))  # authors of talk with an agent: what they are called is no name
_ENDS = ".!?…。！？؟"
_CLOSERS = "\"'”’»)]}"


class Turn:
    """One matching turn.

    ``lexical``: BM25, higher is better (FTS5 gives it negated). ``dense``: vector score, 0..1. ``day``: YYYY-MM-DD.
    ``standing``: ``standing(text)``, which never changes and may be stored beside the turn.
    """

    __slots__ = ("author", "day", "dense", "id", "lexical", "session", "standing")

    def __init__(
        self,
        id: int,
        *,
        session: str,
        author: str,
        day: str,
        lexical: float,
        standing: tuple[float, float],
        dense: float = 0.0,
    ) -> None:
        self.id = id
        self.session = session
        self.author = author
        self.day = day
        self.lexical = lexical
        self.standing = standing
        self.dense = dense


class Question:
    """What a question's words say besides their content: who is named, whether it asks when, which dates it names."""

    __slots__ = ("asks_when", "days", "months", "named", "search", "years")

    def __init__(self, text: str, authors: "Collection[str]") -> None:
        words = fold.heads(text)
        first_names = {name[0]: author for author in authors if author not in ROLES and (name := fold.tokens(author))}
        named = {first_names[word] for word in words if word in first_names}
        if "user" in authors and any(word in _ME or (len(word) > 4 and word.endswith(_MY_ENDINGS)) for word in words):
            named.add("user")  # "I" and "my" in talk with an agent are the person's
        self.named = frozenset(named)
        # A name on both sides turns content search into a speaker detector; as an exact term it costs less and helps more.
        rest = [word for word in words if word not in first_names]
        self.search = " ".join(rest or words)
        folded = f" {' '.join(words)}"
        self.asks_when = any(f" {phrase}" in folded for phrase in _WHEN)
        numbers = {int(word) for word in words if word.isdecimal() and word.isascii() and len(word) <= 4}
        self.months = frozenset(_MONTH_OF[word] for word in words if word in _MONTH_OF)
        self.days = frozenset(number for number in numbers if number <= 31)
        self.years = frozenset(number for number in numbers if 1900 <= number <= 2100)


def day_text(day: str) -> str:
    """What the column ``day`` says of a day YYYY-MM-DD, in words of both languages; "" for what is no day."""
    parts = day.split("-")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts) or not 1 <= int(parts[1]) <= 12:
        return ""
    return f"{day} {int(parts[2])} {_MONTHS[int(parts[1]) - 1]}"


def standing(text: str, shadow: str | None = None) -> tuple[float, float]:
    """What a turn's text says before any question: its prior (-.20 .. .05) and its share of time words (0, .5 or 1).

    `shadow` is its `fold.index_text` where that is at hand, which saves folding it again.
    """
    words = fold.tokens(text) if shadow is None else shadow.partition(f" {fold.CUT_MARK}")[0].split()
    said = sum(map(_SAID.__getitem__, words))
    return ASKED * _asked(text) + FIRST_PERSON * (said >= _OF_SELF), min(2, said % _OF_SELF) / 2


def _asked(text: str) -> float:
    """The share of a text's sentences that ask."""
    if not ("?" in text or "？" in text or "؟" in text):
        return 0.0  # most texts, at a fiftieth of the time
    told = asked = 0
    open_end = False
    for word in text.split():
        if word[-1].isalnum():  # most words: they end nothing
            open_end = True
            continue
        bare = word.rstrip(_CLOSERS)
        end = bare[len(bare.rstrip(_ENDS)) :]
        open_end = not end
        told += bool(end)
        asked += "?" in end or "？" in end or "؟" in end
    return asked / (told + open_end)


_OF_SELF = 1 << 32  # more than a text has words


class _Said(dict[str, int]):
    """Folded word → 1 where it names a time, _OF_SELF more where it says "I". Emptied when it is full."""

    __slots__ = ()

    def __missing__(self, word: str) -> int:
        if len(self) >= _SAID_KEPT:
            self.clear()
        times = word in _TIMES or (len(word) == 4 and word.isdecimal() and word[:2] in {"19", "20"})
        of_self = word in _SELF or (len(word) > 4 and word.endswith(_SELF_ENDINGS))
        self[word] = value = times + _OF_SELF * of_self
        return value


_SAID_KEPT = 1 << 14  # words; a few megabytes
_SAID = _Said()


def _day_share(question: Question, day: str) -> float:
    """How well a turn's day fits the dates that the question names: 0 .. 1.8 (month 1, day .5, year .3; year alone .5)."""
    if not question.months and not question.years:
        return 0.0
    parts = day.split("-")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        return 0.0
    year, month, date = map(int, parts)
    if month in question.months:
        return 1.0 + 0.5 * (date in question.days) + 0.3 * (year in question.years)
    return 0.5 * (year in question.years and not question.months)


def score(question: Question, turn: Turn, *, best: float, w: float = 0.0, share: float = 1.0) -> float:
    """S(turn) of the module's formula; ``best`` is the highest ``lexical`` of the pool (not above 0: L is 0).

    ``share`` is what L is worth beside D: the share of the question's words that the best turns by words hold. To divide by
    the best makes a full 1 of it even where it has one word of five, as across languages, where that is noise.
    """
    prior, moments = turn.standing
    lexical = share * turn.lexical / best if best > 0 else 0.0
    return (
        (1 - w) * lexical
        + w * turn.dense
        + SPEAKER * (len(question.named) == 1 and turn.author in question.named)
        + prior
        + MOMENT * moments * question.asks_when
        + DAY * _day_share(question, turn.day)
    )


def rank(question: Question, pool: "Iterable[Turn]", *, w: float = 0.0, share: float = 1.0) -> list[tuple[float, Turn]]:
    """The pool's turns with their final scores, best first; equal scores keep the order of their ids. ``share`` as in `score`."""
    turns = list(pool)
    best = max((turn.lexical for turn in turns), default=0.0)
    scores = [score(question, turn, best=best, w=w, share=share) for turn in turns]
    sessions: dict[str, float] = {}
    for turn, value in zip(turns, scores, strict=True):
        sessions[turn.session] = max(value, sessions.get(turn.session, value))
    final = [(value + SESSION * sessions[turn.session], turn) for turn, value in zip(turns, scores, strict=True)]
    return sorted(final, key=lambda pair: (-pair[0], pair[1].id))
