"""The statements that MATCH, one for each index: the only call sites, so that scope and safety hold in one place.

One of the prompt hook's rooms. It takes expressions from `kg.fts_query` alone, and never decides what is good enough.
"""

from bellek.kg import search
from bellek.kg.db import Database, Row, Value
from bellek.schemas.vocab import MAY_BE_TOLD

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

    __slots__ = ("narrow", "values", "where")

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
        self.narrow = not used.keys().isdisjoint(("since", "until", "speaker"))
        self.where = "".join(f" AND {sql}" for sql, _ in used.values())
        self.values: dict[str, Value] = {"project": project, **{name: value for name, (_, value) in used.items()}}


_TURN = "m.conversation, m.author, m.at, m.offset_minutes, m.text, m.shadow FROM"
_RANKED = f"SELECT f.rowid AS n, -bm25(messages_fts, {MESSAGE_WEIGHTS}) AS r FROM messages_fts f"


def turns(
    db: Database, match: str | None, bounds: Bounds, *, also: "Collection[int]" = (), limit: int = POOL
) -> list[Row]:
    """The best messages by words, and those numbered in `also`, within bounds.

    Rows (n, lexical, conversation, author, at, offset_minutes, text, shadow), lexical 0 where no word matches.
    No expression and nothing else to go by: the newest within a narrow scope.
    """
    values = {**bounds.values, "match": match, "limit": limit, "also": f"[{','.join(map(str, also))}]"}
    found = _by_words(db, bounds, values) if match else []
    if also:
        known = {row[0] for row in found}
        rest = db.rows(
            f"SELECT m.n, 0.0, {_TURN} messages m WHERE m.n IN (SELECT value FROM json_each(:also))"
            f" AND m.project = :project{bounds.where}",
            values,
        )
        found += [row for row in rest if row[0] not in known]
    if match or also or not bounds.narrow:
        return found
    return db.rows(
        f"SELECT m.n, 0.0, {_TURN} messages m WHERE m.project = :project{bounds.where} ORDER BY m.at DESC, m.n DESC LIMIT :limit",
        values,
    )


def _by_words(db: Database, bounds: Bounds, values: dict[str, Value]) -> list[Row]:
    """The expression holds the scope already. BM25 of given rows alone would be worked out anew for each: all, then choose."""
    inner = _RANKED + (
        f" JOIN messages m ON m.n = f.rowid WHERE messages_fts MATCH :match{bounds.where}"
        if bounds.where
        else " WHERE messages_fts MATCH :match"
    )
    best = f"SELECT n, r FROM ({inner}) ORDER BY r DESC LIMIT :limit"
    if values["also"] != "[]":
        best = (
            f"WITH hits AS MATERIALIZED ({inner}) SELECT n, r FROM (SELECT n, r FROM hits ORDER BY r DESC LIMIT :limit)"
            " UNION SELECT n, r FROM hits WHERE n IN (SELECT value FROM json_each(:also))"
        )
    return db.rows(f"SELECT m.n, b.r, {_TURN} ({best}) b JOIN messages m ON m.n = b.n ORDER BY b.r DESC, m.n", values)


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
