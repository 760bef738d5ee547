"""A person's question over typed memory: which table it names, which time, which words → rows with their sources.

What it is for: the verbs `search` and `recall`. A question that names a table ("ne öğrendim") gets rows of that table; a
time that counts from now narrows by the content's own time; and where nothing fits, the other rows are told as such.

What it must never do: show a row of another project, one that is hidden or in quarantine, or a sensitive value without
consent: those are in no index.
"""

from dataclasses import dataclass, replace
from datetime import tzinfo

from bellek.kg import answers, clock, dates, fts_query, graph, graph_arm, lookup, names, routes, scope
from bellek.kg.dates import Span
from bellek.kg.db import Database
from bellek.kg.routes import Table
from bellek.schemas.vocab import MAY_BE_TOLD, STATUSES_OUT

POOL = 400  # matching rows that table and time are held against
GRAPH_CAP = 20_000  # claims and fields beyond which no graph is loaded for a search


@dataclass(frozen=True, slots=True)
class Source:
    """The message that a row comes from, its conversation, the queue item; "" where there is none."""

    item: str
    conversation: str
    message: str


@dataclass(frozen=True, slots=True)
class Found:
    """A row: `score` is larger for better (0 where no word was asked for), `day` the content's own local day."""

    id: str
    kind: str
    tier: str
    origin: str
    status: str
    score: float
    said_at: int
    offset_minutes: int
    day: str
    text: str
    shadow: str
    sources: tuple[Source, ...]
    may_be_told: bool  # not where its origin is kept out and no person promoted it or let it in
    related: bool = False  # found beside the words, by the graph


@dataclass(frozen=True, slots=True)
class Typed:
    """What was found and how the question was read. `elsewhere`: nothing fits table and time; the rows are other ones."""

    rows: tuple[Found, ...]
    table: Table
    spans: tuple[Span, ...]
    words: str
    elsewhere: bool


def find(
    db: Database, question: str, project: str, *, now: int, zone: tzinfo | None = None, limit: int = 20, related: bool = True, apart: bool = False,
) -> Typed:  # fmt: skip
    """The rows that answer a question, best first. `now` is UTC milliseconds; a zone of None is the machine's.

    `related` adds rows that are one or two facts away from what a question of several words is about; `apart` those in
    quarantine that have its words.
    """
    here = scope.words_with_apart(project) if apart else scope.words(project)
    spans = tuple(span for span in dates.find(question, now=now, zone=zone) if span.narrows)
    rest = answers.without(question, spans)
    asked = routes.route(rest)
    if not asked.table and not spans:
        rows = _with_related(db, question, project, here, limit) if related else _matching(db, question, here, limit)
        return Typed(rows, "", (), question, elsewhere=False)
    words = asked.rest if answers.tells(asked.rest) else ""
    if words:
        rows = tuple(row for row in _matching(db, words, here, POOL) if _fits(row, asked.table, spans))
    else:
        rows = tuple(row for row in _standing(db, project, asked.table) if _fits(row, asked.table, spans))
    # Where neither table nor time has a row, the question's words may have been meant as words; those of the date were not,
    # unless there are no others.
    others = () if rows else _matching(db, words or rest.strip() or question, here, limit)
    return Typed((rows or others)[:limit], asked.table, spans, words, elsewhere=not rows)


def _fits(row: Found, table: Table, spans: tuple[Span, ...]) -> bool:
    if table and row.kind != table:
        return False
    return not spans or any(str(span.first) <= row.day <= str(span.last) for span in spans)


def _matching(db: Database, words: str, here: str, limit: int) -> tuple[Found, ...]:
    """The rows with these words; `here` are scope words, and of quarantine only what they name is found at all."""
    match = fts_query.match(words, scope=here)
    if match is None:
        return ()
    out = set(STATUSES_OUT) - {"quarantined"}  # those have scope words of their own
    return _rows(
        db, {str(row[0]): float(str(row[1])) for row in lookup.memories(db, match, limit=limit) if row[6] not in out}
    )


def _with_related(db: Database, question: str, project: str, here: str, limit: int) -> tuple[Found, ...]:
    """Matching rows, and those beside them in the graph of claims and fields; one word is a look-up and gets no more."""
    rows = _matching(db, question, here, max(limit, POOL))
    size = int(str(db.value("SELECT (SELECT count(*) FROM claims) + (SELECT count(*) FROM fields)")))
    if len(fts_query.words(question)) < 2 or not 0 < size <= GRAPH_CAP:
        return rows[:limit]
    best = max((row.score for row in rows), default=0.0)
    lexical = {row.id: row.score / best for row in rows} if best else {}
    found = {row.id: row for row in rows}
    beside = graph_arm.near(graph.load(db, project), question, lexical)
    order = graph_arm.fused(lexical, beside)[:limit]
    new = _rows(db, {id_: 0.0 for id_ in order if id_ not in found})
    found |= {row.id: replace(row, related=True) for row in new}
    return tuple(found[id_] for id_ in order if id_ in found)


# The rows of a table in the order in which a person wants them: the most important lessons, the newest events, what is surest.
_ORDER = {
    "lesson": "(SELECT importance FROM lessons b WHERE b.id = m.id) DESC, m.updated DESC",
    "event": "(SELECT day FROM events b WHERE b.id = m.id) DESC, m.said_at DESC",
    "claim": "m.tier DESC, (SELECT confidence FROM claims b WHERE b.id = m.id) DESC, m.updated DESC",
    "worldview": "m.updated DESC",
    "": "m.said_at DESC",
}


def _standing(db: Database, project: str, table: Table) -> tuple[Found, ...]:
    """The current rows of a table, or of all; of claims only those about the person."""
    rows = db.rows(
        f"SELECT m.id FROM memories m WHERE {scope.sees('?1')} AND m.status IN ('current', 'contested') AND (?2 = '' OR m.kind = ?2)"
        " AND (m.kind <> 'field' OR EXISTS (SELECT 1 FROM fields f WHERE f.id = m.id AND (f.sensitivity = '' OR f.consent)))"
        " AND (?2 <> 'claim' OR EXISTS (SELECT 1 FROM claims c WHERE c.id = m.id AND c.subject_key = ?3))"
        f" ORDER BY {_ORDER[table]}, m.id LIMIT ?4",
        (project, table, names.SELF, POOL),
    )
    return _rows(db, {str(row[0]): 0.0 for row in rows})


def _rows(db: Database, scores: dict[str, float]) -> tuple[Found, ...]:
    """The rows with these ids, in this order, each with its sources."""
    marks = ", ".join("?" * len(scores))
    sources: dict[str, list[Source]] = {}
    for memory, item, conversation, message in db.rows(
        f"SELECT memory, item, conversation, message FROM sources WHERE memory IN ({marks}) ORDER BY memory, item, message", tuple(scores)
    ):  # fmt: skip
        sources.setdefault(str(memory), []).append(Source(str(item), str(conversation), str(message)))
    found = {
        str(row[0]): Found(
            str(row[0]), str(row[1]), str(row[2]), str(row[3]), str(row[4]), scores[str(row[0])], int(str(row[5])), int(str(row[6])),
            str(row[9] or clock.day(int(str(row[5])), int(str(row[6])))), str(row[7]), str(row[8]), tuple(sources.get(str(row[0]), ())), bool(row[10]),
        )
        for row in db.rows(
            f"SELECT m.id, m.kind, m.tier, m.origin, m.status, m.said_at, m.offset_minutes, m.text, m.shadow, e.day, {MAY_BE_TOLD}"
            f" FROM memories m LEFT JOIN events e ON e.id = m.id WHERE m.id IN ({marks})", tuple(scores)
        )
    }  # fmt: skip
    return tuple(found[id_] for id_ in scores if id_ in found)
