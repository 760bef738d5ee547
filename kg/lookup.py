"""The statements that MATCH, one for each index: the only call sites, so that scope and safety hold in one place.

One of the prompt hook's rooms. It takes expressions from `kg.fts_query` alone, and never decides what is good enough.
"""

from bellek.kg import fts_query, scope, search
from bellek.kg.db import Database, Row, Value
from bellek.kg.parts import NOWHERE, Part
from bellek.schemas.vocab import MAY_BE_TOLD, STATUSES_OUT

TYPE_CHECKING = False  # typing itself is not loaded here
if TYPE_CHECKING:
    from collections.abc import Collection

MESSAGE_WEIGHTS = ", ".join(map(str, search.WEIGHTS))  # bm25's, by column
MEMORY_WEIGHTS = "0.0, 1.0"
POOL = search.POOL


class Bounds:
    """Where to look: one project; `since` (inclusive) and `until` (exclusive) in UTC milliseconds; one author; a conversation
    to leave out ("" for none).
    """

    __slots__ = ("narrow", "project", "timed", "values", "where")

    def __init__(
        self, project: str, *, since: int | None = None, until: int | None = None, speaker: str = "", skip: str = ""
    ) -> None:
        given: dict[str, tuple[str, Value]] = {
            "since": ("m.at >= :since", since),
            "until": ("m.at < :until", until),
            "speaker": ("m.author = :speaker", speaker or None),
            "skip": ("m.conversation <> :skip", skip or None),
        }
        used = {name: pair for name, pair in given.items() if pair[1] is not None}
        self.project = project
        self.narrow = not used.keys().isdisjoint(("since", "until", "speaker"))
        self.timed = not used.keys().isdisjoint(("since", "until"))
        self.where = "".join(f" AND {sql}" for sql, _ in used.values())
        self.values: dict[str, Value] = {"project": project, **{name: value for name, (_, value) in used.items()}}


def holders(db: Database, form: str, within: "tuple[int, int]", *, limit: int = -1) -> list[int]:
    """The numbers in the index of the messages that hold one of `fts_query.forms`, oldest first; all where `limit` is -1."""
    rows = db.rows(
        "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?",
        (fts_query.one_of([form]), *within, limit),
    )
    return [row[0] for row in rows]  # type: ignore[misc]  # rowids are whole numbers, and 15,000 are not looked at twice


def holding(db: Database, form: str, within: "tuple[int, int]", *, cap: int) -> int:
    """How many messages in a part of the index hold a form, counted up to `cap`."""
    return counted(db, fts_query.one_of([form]), within, cap)


def inside(db: Database, spots: "Collection[int]", bounds: Bounds) -> list[int]:
    """The messages' numbers of those in the index (`spots`) that lie within bounds, in the given order."""
    rows = db.rows(
        "SELECT m.n FROM json_each(:spots) j JOIN messages m ON m.spot = j.value"
        f" WHERE +m.project = :project{bounds.where} ORDER BY j.key",
        {**bounds.values, "spots": _listed(spots)},
    )
    return [int(str(n)) for (n,) in rows]


def stretch(db: Database, bounds: Bounds, own: Part) -> "tuple[int, int]":
    """Between which numbers in the index what was said within bounds of time stands: read from the index by time, which has no text."""
    if not bounds.timed:
        return own.newest(own.messages)
    row = db.one(
        "SELECT (SELECT spot FROM messages WHERE n = low), (SELECT spot FROM messages WHERE n = high) FROM"
        " (SELECT min(n) AS low, max(n) AS high FROM messages WHERE project = :project"
        " AND at >= coalesce(:since, 0) AND at < coalesce(:until, 9223372036854775807))",
        {"project": bounds.project, "since": bounds.values.get("since"), "until": bounds.values.get("until")},
    )
    return NOWHERE if row is None or row[0] is None else (int(str(row[0])), int(str(row[1])))


def newest_within(db: Database, bounds: Bounds, *, limit: int = POOL) -> list[int]:
    """The numbers of the newest messages of a project within bounds."""
    rows = db.rows(
        f"SELECT m.n FROM messages m WHERE m.project = :project{bounds.where} ORDER BY m.at DESC, m.n DESC LIMIT :limit",
        {**bounds.values, "limit": limit},
    )
    return [int(str(n)) for (n,) in rows]


def around(db: Database, numbers: "Collection[int]", bounds: Bounds, *, reach: int) -> list[Row]:
    """Numbered messages and those up to `reach` places from them in their conversations, of the bounds' project alone.

    Rows (n, conversation, seq, author, at, offset_minutes, day, shadow, inside); `inside` is 1 for what lies within the bounds.
    """
    return db.rows(
        f"SELECT m.n, m.conversation, m.seq, m.author, m.at, m.offset_minutes, m.day, m.shadow, (1{bounds.where})"
        " FROM messages m WHERE +m.project = :project AND m.n IN"  # + : by number, not by walking through the project
        " (SELECT y.n FROM json_each(:numbers) j JOIN messages x ON x.n = j.value"
        " JOIN messages y ON y.conversation = x.conversation AND y.seq BETWEEN x.seq - :reach AND x.seq + :reach)",
        {**bounds.values, "numbers": _listed(numbers), "reach": reach},
    )


def texts(db: Database, numbers: "Collection[int]", *, letters: int) -> dict[int, str]:
    """The first letters of what was said in numbered messages."""
    rows = db.rows(
        "SELECT n, substr(text, 1, ?) FROM messages WHERE n IN (SELECT value FROM json_each(?))",
        (letters, _listed(numbers)),
    )
    return {int(str(n)): str(text) for n, text in rows}


def _listed(numbers: "Collection[int]") -> str:
    """Numbers as a JSON list, which a statement takes as one value."""
    return f"[{','.join(map(str, numbers))}]"


def speakers(db: Database, project: str) -> set[str]:
    """Who speaks in a project's conversations: user and assistant, the names in talk among people, or all of them."""
    rows = db.rows("SELECT DISTINCT named FROM conversations WHERE named <> '' AND project = ?", (project,))
    names = {name for row in rows for name in str(row[0]).split("\n")}
    if names and not db.value(
        "SELECT EXISTS (SELECT 1 FROM conversations WHERE named = '' AND project = ?)", (project,)
    ):
        return names
    return names | search.ROLES


def messages(db: Database, match: str, within: "tuple[int, int]", *, skip: str = "", limit: int = POOL) -> list[Row]:
    """Best messages: (n, score, id, conversation, author, at, offset_minutes, text, shadow, origin, apart), best first.

    `within`: the numbers in the index between which to look (`all_of` a project, `Part.newest`); `skip` leaves one conversation out.
    """
    return db.rows(
        "SELECT m.n, -f.r, m.id, m.conversation, m.author, m.at, m.offset_minutes, m.text, m.shadow, m.origin, m.apart FROM"
        f" (SELECT rowid AS spot, bm25(messages_fts, {MESSAGE_WEIGHTS}) AS r FROM messages_fts WHERE messages_fts MATCH ?1"
        " AND rowid BETWEEN ?2 AND ?3 ORDER BY r LIMIT ?5) f JOIN messages m ON m.spot = f.spot WHERE m.conversation <> ?4 ORDER BY f.r, m.n",
        (match, *within, skip, limit),
    )


def memories(db: Database, match: str, *, limit: int = POOL, hidden: bool = False) -> list[Row]:
    """Best typed memories: (id, score, kind, revision, tier, origin, status, said_at, offset_minutes, text, shadow, may_be_told),
    best first. `may_be_told` is 0 where the row's origin is kept out and no person promoted it or let it in.

    Hidden ones (undone, or waiting to be scrubbed) are found by nobody but who is about to forget (`hidden`).
    """
    return db.rows(
        "SELECT m.id, -f.r, m.kind, m.revision, m.tier, m.origin, m.status, m.said_at, m.offset_minutes, m.text, m.shadow,"
        f" {MAY_BE_TOLD} FROM (SELECT rowid AS n, bm25(memories_fts, {MEMORY_WEIGHTS}) AS r FROM memories_fts WHERE memories_fts MATCH ?1"
        " ORDER BY r LIMIT ?2) f JOIN memories m ON m.n = f.n WHERE m.status <> 'hidden' OR ?3 ORDER BY f.r",
        (match, limit, int(hidden)),
    )


def in_sight(
    db: Database, match: str, project: str, *, kinds: tuple[str, ...], limit: int, ranked: bool = True
) -> list[Row]:
    """The best memories of these kinds that a turn of the project may be told: (id, kind, tier, text), best first; the newest
    where they are not `ranked`.

    The expression has no scope words, since bm25 counts every row that has one (5 ms at 100,000): the scope is asked of the
    rows. For words that few rows hold, and off the hook's path.
    """
    among = ", ".join(f"?{n}" for n in range(4, 4 + len(kinds)))
    return db.rows(
        "SELECT m.id, m.kind, m.tier, m.text FROM memories_fts f JOIN memories m ON m.n = f.rowid"
        f" WHERE memories_fts MATCH ?1 AND {scope.sees('?2')} AND m.kind IN ({among}) AND m.status NOT IN {STATUSES_OUT} AND {MAY_BE_TOLD}"
        f" ORDER BY {f'bm25(memories_fts, {MEMORY_WEIGHTS}), m.id' if ranked else 'f.rowid DESC'} LIMIT ?3",
        (match, project, limit, *kinds),
    )


def newest(db: Database, match: str, *, kind: str, limit: int) -> list[Row]:
    """The newest current memories of a kind that match: (id, text). Unranked: bm25 would first count every row of every word."""
    return db.rows(
        "SELECT m.id, m.text FROM memories_fts f JOIN memories m ON m.n = f.rowid WHERE memories_fts MATCH ? AND m.kind = ?"
        " AND m.status = 'current' ORDER BY f.rowid DESC LIMIT ?",
        (match, kind, limit),
    )


def frequency(db: Database, match: str, cap: int) -> int:
    """How many typed memories match, counted up to `cap`: matching costs 0.07 µs a row, so a cap keeps it far below 1 ms."""
    return int(
        str(
            db.value(
                "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)", (match, cap)
            )
        )
    )


def counted(db: Database, match: str, within: "tuple[int, int]", cap: int) -> int:
    """The same of the messages in a part of the index."""
    found = "SELECT 1 FROM messages_fts WHERE messages_fts MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?"
    return int(str(db.value(f"SELECT count(*) FROM ({found})", (match, *within, cap))))
