"""What a home forgot after a copy was made, read out of the file that a restore replaces, so that it is forgotten in the copy too.

Orders by the ids of what they took, the marks of forgotten messages, and tombstones with the keys they were made under. Reads
only. It must never hold a word: the home has none of them any more.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from bellek.kg import stones
from bellek.kg.db import Database, open_database
from bellek.kg.home import Home
from bellek.schemas.errors import BellekError


@dataclass(frozen=True, slots=True)
class Order:
    """One order to forget: who gave it, and the ids of the rows and messages that it took."""

    id: str
    actor: str
    memories: tuple[str, ...]
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Since:
    """What the copy does not know to be forgotten. `marks` are (sort, id, until in UTC ms), `tombstones` id → body in the trail."""

    orders: tuple[Order, ...] = ()
    marks: tuple[tuple[str, str, int], ...] = ()
    tombstones: dict[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.orders or self.marks or self.tombstones)


# Forgets in a home what is told of; how many orders took something there.
Again = Callable[[Home, Since], int]


def look(here: str, copied: str) -> Since:
    """What the store at `here` knows to be forgotten and the one at `copied` does not; nothing of a file that cannot be asked."""
    try:
        mine, theirs = open_database(here, writable=False), open_database(copied, writable=False)
    except BellekError:
        return Since()
    try:
        return Since(_orders(mine, theirs), _marks(mine, theirs), _tombstones(mine, theirs), tuple(_keys(mine)))
    except (BellekError, ValueError):
        return Since()
    finally:
        mine.close()
        theirs.close()


def _orders(mine: Database, theirs: Database) -> tuple[Order, ...]:
    known = {id_ for (id_,) in theirs.rows("SELECT id FROM forgettings")}
    return tuple(
        Order(str(id_), str(actor), tuple(json.loads(str(rows))), tuple(json.loads(str(said))))
        for id_, actor, rows, said in mine.rows("SELECT id, actor, memories, messages FROM forgettings ORDER BY at, id")
        if id_ not in known
    )


def _marks(mine: Database, theirs: Database) -> tuple[tuple[str, str, int], ...]:
    asked = "SELECT sort, id, until_at FROM forgotten ORDER BY sort, id"
    known = set(theirs.rows(asked))
    return tuple((str(row[0]), str(row[1]), int(str(row[2]))) for row in mine.rows(asked) if row not in known)


def _tombstones(mine: Database, theirs: Database) -> dict[str, str]:
    known = {id_ for (id_,) in theirs.rows("SELECT id FROM tombstones")}
    asked = (
        "SELECT t.id, r.body FROM tombstones t JOIN revisions r ON r.id = t.id WHERE t.why = 'forgotten' ORDER BY t.id"
    )
    return {str(id_): str(body) for id_, body in mine.rows(asked) if id_ not in known}


def _keys(db: Database) -> list[str]:
    return [key.hex() for key in stones.keys_of(db)]
