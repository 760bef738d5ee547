"""A question → the messages that answer it: both arms' candidates, scored and ranked by `kg.search`.

What it is for: the one way in for every caller that looks for what was said. Words are looked up here; an arm of meaning
may hand in its scores; bounds of time and speaker are filters. The formula and its constants are `kg.search`'s alone.

What it must never do: answer from another project, decide what is good enough for a packet, or load anything heavy: it
may be one of the prompt hook's rooms.

How an arm of meaning joins (`dense`): either a mapping, message number → score, or a function ``(question, numbers)``:
called with no numbers it returns its own best within the scope, called with some it returns exactly theirs (one that
has no vector is left out). Where it says of itself that it is `faint`, it is asked only beside words. Scores are 0 .. 1, already centred, clipped at 0 and divided by the best. `weight` is the
recipe's w of that model. What to embed is ``question.search``: the names of those who spoke are left out of it.
"""

from bellek.kg import clock, fts_query, lookup, scope, search, seeds, window
from bellek.kg.db import Database, Row

TYPE_CHECKING = False  # typing itself is not loaded here
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import TypeAlias

    Dense: TypeAlias = Mapping[int, float] | Callable[[search.Question, Collection[int]], Mapping[int, float]] | None


STANDING_LETTERS = 4_000  # of a message that its standing is worked out of: a paste says nothing more
TRIED = 10  # best messages by words that are asked how many of the question's words they hold


class Hit:
    """A found message: `n` its number (`conversations.around` takes it), `score` the rank's value, `lexical` and `dense`
    what each arm gave (BM25, higher is better; 0 .. 1; 0 where the arm does not know it). `at` is UTC milliseconds.
    """

    __slots__ = ("at", "author", "conversation", "dense", "lexical", "n", "offset_minutes", "score")

    def __init__(self, turn: window.Turn, scored: search.Turn, score: float) -> None:
        self.n = turn.n
        self.conversation = turn.talk
        self.author = turn.author
        self.at = turn.at
        self.offset_minutes = turn.offset_minutes
        self.score = score
        self.lexical = scored.lexical
        self.dense = scored.dense


def asked(db: Database, text: str, project: str) -> search.Question:
    """What a question says besides its content, given who speaks in the project's conversations."""
    return search.Question(text, lookup.speakers(db, project))


def find(
    db: Database,
    question: str,
    *,
    project: str,
    dense: "Dense" = None,
    weight: float = 0.5,
    since: int | None = None,
    until: int | None = None,
    speaker: str = "",
    skip: str = "",
    limit: int = 10,
) -> list[Hit]:
    """The best messages of one project, best first; empty where no word matches and no vector is near.

    `since` (inclusive) and `until` (exclusive) are UTC milliseconds; `speaker` is the author as it is stored; `skip` leaves one
    conversation out. A question without a word, within bounds, finds what was said there. Raises what the store raises,
    never for a text.
    """
    project = scope.base(project)  # a message was said in a project, whosever bank it is asked from
    about = asked(db, question, project)
    bounds = lookup.Bounds(project, since=since, until=until, speaker=speaker, skip=skip)
    forms, first = seeds.best(db, about.search, bounds, wide=lookup.Bounds(project, skip=skip) if speaker else None)
    if not first and getattr(dense, "faint", False):
        dense = None  # no word points anywhere, and no meaning is near: ranking needs no floor, an answer does
    near = dict(_scores(dense, about, ()))
    named = list(near) if forms.idf or near or not bounds.narrow else lookup.newest_within(db, bounds)
    rows = lookup.around(db, [*first, *named], bounds, reach=2 * window.REACH)
    turns = {turn.n: turn for turn in (_seen(row, forms) for row in rows)}
    lexical = _pool(window.scores(turns.values(), forms, {*first, *named}), [n for n in named if n in turns], turns)
    if callable(dense):
        near.update(dense(about, [n for n in lexical if n not in near]))
    texts = lookup.texts(db, lexical, letters=STANDING_LETTERS)
    pool = [_turn(turns[n], score, texts[n], near.get(n, 0.0)) for n, score in lexical.items()]
    share = _held(about.search, pool, turns) if near else 1.0  # with no arm of meaning there is nothing better
    ranked = search.rank(about, pool, w=weight if near else 0.0, share=share)
    return [Hit(turns[turn.id], turn, score) for score, turn in ranked[:limit]]


def _pool(scores: dict[int, float], named: list[int], turns: dict[int, window.Turn]) -> dict[int, float]:
    """What is ranked: the best by words, and those that were named by their number, with what the words give them."""
    best = sorted(scores, key=lambda n: (-scores[n], n))[: search.POOL]
    return {n: scores.get(n, 0.0) for n in dict.fromkeys([*best, *(n for n in named if turns[n].inside)])}


def _scores(dense: "Dense", about: search.Question, numbers: "Collection[int]") -> "Mapping[int, float]":
    if dense is None:
        return {}
    return dense(about, numbers) if callable(dense) else dense


def _held(text: str, pool: list[search.Turn], turns: dict[int, window.Turn]) -> float:
    """The largest share of a question's words that one of the best messages by words holds itself, 0 to 1."""
    words = fts_query.words(text)
    best = sorted((turn for turn in pool if turn.lexical), key=lambda turn: -turn.lexical)[:TRIED]
    owns = [frozenset(turns[turn.id].shadow.split()) for turn in best]
    return max((sum(fts_query.same(word, own) for word in words) / len(words) for own in owns), default=0.0)


def _seen(row: Row, forms: window.Forms) -> window.Turn:
    n, talk, place, author, at, offset, day, shadow, inside = row
    return window.Turn(
        forms, n, talk=talk, place=place, author=author, at=at, offset_minutes=offset, day=day, shadow=shadow, inside=bool(inside),  # type: ignore[arg-type]
    )  # fmt: skip


def _turn(turn: window.Turn, lexical: float, text: str, dense: float) -> search.Turn:
    return search.Turn(
        turn.n,
        session=turn.talk,
        author=turn.author,
        day=clock.day(turn.at, turn.offset_minutes),
        lexical=lexical,
        standing=search.standing(text, turn.shadow),
        dense=dense,
    )
