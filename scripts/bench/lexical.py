"""What both benchmarks share: an in-memory FTS5 table with the product's columns, filled and asked through its own rooms.

It must never fold, quote or weigh anything itself: a figure is worth something only if the product's code made it.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

import apsw

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bellek.kg import fold, fts_query, search

__all__ = ["Message", "ask", "build", "search"]

SCOPE = "p1"
_RANKED = f"""
SELECT row, -score FROM (
    SELECT rowid AS row, bm25(messages_fts, {", ".join(map(str, search.WEIGHTS))}) AS score
    FROM messages_fts WHERE messages_fts MATCH ?
) ORDER BY score, row LIMIT ?
"""


class Message:
    """One text to be indexed; ``day`` is YYYY-MM-DD or "", neighbours lie in the same ``session``."""

    __slots__ = ("author", "day", "name", "session", "text")

    def __init__(self, name: str, text: str, *, session: str, author: str = "", day: str = "") -> None:
        self.name = name
        self.text = text
        self.session = session
        self.author = author
        self.day = day


def build(messages: list[Message], neighbours: int = search.NEIGHBOURS) -> apsw.Connection:
    """A filled table; row ids are positions in ``messages``, which are in order of time."""
    db = apsw.Connection(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE messages_fts USING fts5(scope, own, author, day, prev, next,"
        " tokenize='unicode61 remove_diacritics 0')"
    )
    folded = [fold.index_text(message.text) for message in messages]

    def near(at: int, steps: Iterable[int]) -> str:
        inside = (at + step for step in steps if 0 <= at + step < len(messages))
        return " ".join(folded[i] for i in inside if messages[i].session == messages[at].session)

    rows = (
        (
            at,
            SCOPE,
            folded[at],
            fold.index_text(message.author),
            fold.index_text(search.day_text(message.day)),
            near(at, range(-neighbours, 0)),
            near(at, range(1, neighbours + 1)),
        )
        for at, message in enumerate(messages)
    )
    with db:
        db.executemany(
            "INSERT INTO messages_fts(rowid, scope, own, author, day, prev, next) VALUES (?, ?, ?, ?, ?, ?, ?)", rows
        )
    return db


def ask(db: apsw.Connection, text: str, limit: int) -> list[tuple[int, float]]:
    """Positions and BM25 (higher is better) of the best rows; none where the text has no word."""
    expression = fts_query.match(text, scope=SCOPE)
    if expression is None:
        return []
    return [(int(row), float(value)) for row, value in db.execute(_RANKED, (expression, limit))]
