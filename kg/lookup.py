"""The statements that MATCH, one for each index: the only call sites, so that scope and safety hold in one place.

One of the prompt hook's rooms. It takes expressions from `kg.fts_query` alone, and never decides what is good enough.
"""

from bellek.kg import fts_query, scope, search
from bellek.kg.db import Database, Row, Value
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

    __slots__ = ("narrow", "project", "values", "where")

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
        self.where = "".join(f" AND {sql}" for sql, _ in used.values())
        self.values: dict[str, Value] = {"project": project, **{name: value for name, (_, value) in used.items()}}


def hits(db: Database, match: str, bounds: Bounds, *, limit: int) -> list[int]:
    """The numbers of the messages whose own words match best, within bounds, best first. The expression holds the scope."""
    rows = db.rows(
        "SELECT f.rowid FROM messages_fts f"
        + (" JOIN messages m ON m.n = f.rowid" if bounds.where else "")
        + f" WHERE messages_fts MATCH :match{bounds.where} ORDER BY bm25(messages_fts, {MESSAGE_WEIGHTS}) LIMIT :limit",
        {**bounds.values, "match": match, "limit": limit},
    )
    return [int(str(n)) for (n,) in rows]


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


def messages(db: Database, match: str, *, after: int = 0, skip: str = "", limit: int = POOL) -> list[Row]:
    """Best messages: (n, score, id, conversation, author, at, offset_minutes, text, shadow, origin, apart), best first.

    `after` bounds the window by row number (newest are largest); `skip` leaves one conversation out.
    """
    return db.rows(
        "SELECT m.n, -f.r, m.id, m.conversation, m.author, m.at, m.offset_minutes, m.text, m.shadow, m.origin, m.apart FROM"
        f" (SELECT rowid AS n, bm25(messages_fts, {MESSAGE_WEIGHTS}) AS r FROM messages_fts WHERE messages_fts MATCH ?1 AND rowid > ?2"
        " ORDER BY r LIMIT ?4) f JOIN messages m ON m.n = f.n WHERE m.conversation <> ?3 ORDER BY f.r",
        (match, after, skip, limit),
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


def frequency(db: Database, table: str, match: str, cap: int) -> int:
    """How many rows of an index match, counted up to `cap`: matching costs 0.07 µs a row, so a cap keeps it far below 1 ms."""
    if table not in ("messages_fts", "memories_fts"):
        raise ValueError(table)
    return int(
        str(db.value(f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ? LIMIT ?)", (match, cap)))
    )


def holding(db: Database, form: str, *, after: int, cap: int) -> int:
    """How many messages numbered above `after` hold one of `fts_query.forms`, in any project, counted up to `cap`."""
    found = "SELECT 1 FROM messages_fts WHERE messages_fts MATCH ? AND rowid > ? LIMIT ?"
    return int(str(db.value(f"SELECT count(*) FROM ({found})", (fts_query.any_of([form]), after, cap))))
