"""A question → the messages that answer it: both arms' candidates, scored and ranked by `kg.search`.

What it is for: the one way in for every caller that looks for what was said. Words are looked up here; an arm of meaning
may hand in its scores; bounds of time and speaker are filters. The formula and its constants are `kg.search`'s alone.

What it must never do: answer from another project, decide what is good enough for a packet, or load anything heavy: it
may be one of the prompt hook's rooms.

How an arm of meaning joins (`dense`): either a mapping, message number → score, or a function ``(question, numbers)``:
called with no numbers it returns its own best within the scope, called with some it returns exactly theirs (one that
has no vector is left out). Scores are 0 .. 1, already centred, clipped at 0 and divided by the best. `weight` is the
recipe's w of that model. What to embed is ``question.search``: the names of those who spoke are left out of it.
"""

from bellek.kg import clock, fts_query, lookup, scope, search
from bellek.kg.db import Database, Row

TYPE_CHECKING = False  # typing itself is not loaded here
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import TypeAlias

    Dense: TypeAlias = Mapping[int, float] | Callable[[search.Question, Collection[int]], Mapping[int, float]] | None


STANDING_LETTERS = 4_000  # of a message that its standing is worked out of: a paste says nothing more


class Hit:
    """A found message: `n` its number (`conversations.around` takes it), `score` the rank's value, `lexical` and `dense`
    what each arm gave (BM25, higher is better; 0 .. 1; 0 where the arm does not know it). `at` is UTC milliseconds.
    """

    __slots__ = ("at", "author", "conversation", "dense", "lexical", "n", "offset_minutes", "score")

    def __init__(self, row: Row, turn: search.Turn, score: float) -> None:
        self.n = turn.id
        self.conversation = turn.session
        self.author = turn.author
        self.at = int(str(row[4]))
        self.offset_minutes = int(str(row[5]))
        self.score = score
        self.lexical = turn.lexical
        self.dense = turn.dense


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
    about = asked(db, question, project)
    bounds = lookup.Bounds(project, since=since, until=until, speaker=speaker, skip=skip)
    near = dict(_scores(dense, about, ()))
    match = fts_query.match(about.search, scope=scope.talk_word(project))
    rows = lookup.turns(db, match, bounds, also=list(near))
    numbers = {int(str(row[0])) for row in rows}
    if callable(dense):
        near.update(dense(about, [n for n in numbers if n not in near]))
    turns = {n: _turn(row, near) for row in rows if (n := int(str(row[0]))) in numbers}
    row_of = {int(str(row[0])): row for row in rows}
    ranked = search.rank(about, turns.values(), w=weight if near else 0.0)
    return [Hit(row_of[turn.id], turn, score) for score, turn in ranked[:limit]]


def _scores(dense: "Dense", about: search.Question, numbers: "Collection[int]") -> "Mapping[int, float]":
    if dense is None:
        return {}
    return dense(about, numbers) if callable(dense) else dense


def _turn(row: Row, near: "Mapping[int, float]") -> search.Turn:
    n, lexical, talk, author, at, offset, text, shadow = row
    return search.Turn(
        int(str(n)),
        session=str(talk),
        author=str(author),
        day=clock.day(int(str(at)), int(str(offset))),
        lexical=float(str(lexical)),
        standing=search.standing(str(text)[:STANDING_LETTERS], str(shadow)[:STANDING_LETTERS]),
        dense=near.get(int(str(n)), 0.0),
    )
