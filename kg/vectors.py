"""The vector arm: which messages mean what a question means, as scores that `kg.search` adds to the words'.

What it is for (RETRIEVAL's recipe): with q' the question without the names in it and m the mean of a space's vectors,

    D_j(i) = max(0, cos(q' - c m_j, v_j(i) - c m_j)) / best over the pool        D = mean over the kinds j

Taking the shared direction out makes 0 mean "unrelated", so clipping is all the scaling there is. The pool is the best
of the first kind, and within it, and for whatever ids the words add, every score is exact. Where even the best is not above
the embedder's floor the question may be about something else: then meaning orders what the words found and finds nothing by itself.

What it must never do: answer from a space that is not whole or of another embedder, take the nearest first and the
project afterwards, raise where words alone would do, or be imported on the prompt hook's path.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bellek.kg import embedders, find, fold, scope, spaces
from bellek.kg.answers import Where
from bellek.kg.db import Database, Value
from bellek.kg.embedders import Embedder, EmbedderFault
from bellek.kg.home import Home
from bellek.kg.spaces import Space
from bellek.schemas.embedding import Unfit, Vector
from bellek.schemas.errors import UsageFault

if TYPE_CHECKING:
    from bellek.kg.answers import Meaning

POOL = 100  # messages of the pool; 50 do nearly as well
PROBES = 20  # cells that are looked into where a project has some


@dataclass(frozen=True, slots=True)
class Off:
    """There is no vector arm for this question, and why; `wanted` where a person expects one, so that it is said."""

    why: str
    wanted: bool = False


class Arm:
    """The scores of one question, 0..1: what `kg.find` takes as `dense`, with the recipe's w as `weight`.

    Called without numbers it gives its pool; called with some, exactly theirs on the same scale; one that has no
    vector is left out. `faint`: nothing is near enough to be an answer that no word points to.
    """

    __slots__ = ("_asked", "_best", "_db", "faint", "pool", "weight")

    def __init__(
        self, db: Database, asked: list[tuple[Space, bytes]], pool: Collection[int], *, weight: float, floor: float
    ) -> None:
        self.weight = weight
        self._db = db
        self._asked = asked
        cosines = self._cosines(pool)
        self._best = [max(of_kind.values(), default=0.0) for of_kind in cosines]
        self.pool = self._scaled(cosines, pool)
        self.faint = max(self._best[:1], default=0.0) <= floor

    def __call__(self, _question: object, numbers: Collection[int]) -> dict[int, float]:
        """The scores of the pool, or of the given messages; none where the pool is empty."""
        if not numbers or not self.pool:
            return self.pool
        known = {n: self.pool[n] for n in numbers if n in self.pool}
        rest = [n for n in numbers if n not in known]
        return known | self._scaled(self._cosines(rest), rest)

    def _cosines(self, numbers: Collection[int]) -> list[dict[int, float]]:
        return [_exact(self._db, space, question, numbers) for space, question in self._asked]

    def _scaled(self, cosines: list[dict[int, float]], numbers: Collection[int]) -> dict[int, float]:
        kinds = [(of_kind, best) for of_kind, best in zip(cosines, self._best, strict=True) if best > 0]
        return {
            n: sum(min(1.0, max(0.0, of_kind.get(n, 0.0)) / best) for of_kind, best in kinds) / len(cosines)
            for n in numbers
            if any(n in of_kind for of_kind in cosines)
        }


def ask(home: Home, question: str, where: Where) -> Arm | Off:
    """The arm for one question; loads the embedder, so it is for who can wait a second. How many are wanted is no matter here.

    Never raises for want of an embedder, an extension or an answer: Off says what is missing.
    """
    if not spaces.ready(home.conversations):
        return Off("no message has a vector yet")
    try:
        current = embedders.current(home.memory)
        if not current:
            return Off("no embedder is chosen or installed")
        if not spaces.whole(home.conversations, current):
            return Off(f"the vectors of {current} are not whole yet: run `bellek index`", wanted=True)
        embedder = embedders.load(home.memory)
    except (EmbedderFault, UsageFault) as exc:
        return Off(str(exc), wanted=True)
    return Off("no embedder") if embedder is None else asked(home.conversations, embedder, question, where)


def beside(home: Home, lacking: Callable[[Off], None] = lambda _: None) -> "Meaning":
    """The arm of meaning as `kg.answers` takes it, beside the words; `lacking` is told each time that there is none."""

    def arm(text: str, where: Where) -> tuple[Arm | None, float]:
        near = ask(home, text, where)
        if isinstance(near, Off):
            lacking(near)
            return None, 0.0
        return near, near.weight

    return arm


def asked(db: Database, embedder: Embedder, question: str, where: Where, *, pool: int = POOL) -> Arm | Off:
    """`ask` with an embedder that is loaded already."""
    where = replace(where, project=scope.base(where.project))  # as in `kg.find`
    whole = spaces.whole(db, embedder.identity)
    if not whole:
        return Off(f"the vectors of {embedder.identity} are not whole yet: run `bellek index`", wanted=True)
    if not spaces.extension(db):
        return Off(f"the SQLite extension for vectors cannot be loaded: {embedders.INSTALL}", wanted=True)
    text = without_names(question, find.asked(db, question, where.project).named)
    if not text:
        return Off("the question is empty")
    try:
        vector = embedder.embed([text], question=True)[0]
    except EmbedderFault as exc:
        return Off(str(exc), wanted=True)
    if isinstance(vector, Unfit):
        return Off(f"the embedder made no vector of the question: {vector.why}", wanted=True)
    questions = [(space, packed) for space in whole if (packed := _question(vector, space, embedder.centre))]
    if len(questions) < len(whole):
        return Off("the question is nothing but what all texts share")
    first, packed = questions[0]
    found = nearest(db, first, packed, where, limit=pool)
    return Arm(db, questions, found, weight=embedder.weight, floor=embedder.floor)


def without_names(question: str, names: Collection[str]) -> str:
    """The question without the participants' first names, with their suffixes; all of it where nothing would be left."""
    first = {words[0] for name in names if (words := fold.heads(name))}
    kept = [word for word in question.split() if not first.intersection(fold.heads(word)[:1])]
    return " ".join(kept or question.split())


def _question(vector: Vector, space: Space, share: float) -> bytes | None:
    if len(vector) != space.dimension:
        return None
    vector_ = spaces.centred(vector, space.mean, share)
    return None if vector_ is None else spaces.packed(vector_)


def nearest(db: Database, space: Space, question: bytes, where: Where, *, limit: int) -> list[int]:
    """The numbers of the nearest messages, best first: exact in what it looks at, which is the whole project or its nearest cells.

    A message's parts count once: the limit is raised until there are enough messages or nothing is left.
    """
    cells = _probed(db, space, question, where.project)
    rows = limit
    while True:
        found = _rows(db, space, question, where, cells, rows)
        messages = list(dict.fromkeys(found))
        if len(messages) >= limit or len(found) < rows:
            if cells and len(messages) < limit:  # the cells hold too few: look everywhere
                cells, rows = [], limit
                continue
            return messages[:limit]
        rows *= 4


def _probed(db: Database, space: Space, question: bytes, project: str) -> list[int]:
    """The cells to look into: the nearest, and 0, where newcomers wait; none where the project has no cells."""
    rows = db.rows(
        "SELECT cell FROM vector_cells WHERE space = ? AND project = ? ORDER BY vec_distance_l2(vec_int8(v), vec_int8(?)) LIMIT ?",
        (space.id, project, question, PROBES),
    )
    return [0, *(int(str(cell)) for (cell,) in rows)] if rows else []


def _rows(db: Database, space: Space, question: bytes, where: Where, cells: list[int], limit: int) -> list[int]:
    values: list[Value] = [space.id, where.project, *cells]
    cell = f" AND cell IN ({', '.join('?' * len(cells))})" if cells else ""
    narrow = ""
    if (where.since, where.until, where.speaker) != (None, None, ""):
        narrow = " AND n IN (SELECT n FROM messages WHERE project = ? AND at >= ? AND at < ? AND ? IN ('', author))"
        values += where.values[:-1]
    rows = db.rows(
        f"SELECT n, vec_distance_l2(vec_int8(v), vec_int8(?)) AS far FROM vectors WHERE space = ? AND project = ?{cell}{narrow}"
        " ORDER BY far, n LIMIT ?",
        (question, *values, limit),
    )
    return [int(str(row[0])) for row in rows]


def _exact(db: Database, space: Space, question: bytes, ids: Collection[int]) -> dict[int, float]:
    """The best cosine of each message's parts; a message without a vector is left out."""
    found: dict[int, float] = {}
    listed = list(ids)
    for start in range(0, len(listed), 500):
        part = listed[start : start + 500]
        rows = db.rows(
            "SELECT n, min(vec_distance_l2(vec_int8(v), vec_int8(?))) FROM vectors INDEXED BY vectors_by_message"
            f" WHERE n IN ({', '.join('?' * len(part))}) AND space = ? GROUP BY n",
            (question, *part, space.id),
        )
        found.update({int(str(n)): spaces.cosine(float(str(far)), space.dimension) for n, far in rows})
    return found
