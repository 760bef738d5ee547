"""What matches this prompt: lessons and journal rows, and conversations, by words. It may well be nothing.

One of the prompt hook's rooms. A hit must carry enough of what the prompt asks: the words it shares, each weighed by
how rare it is here, must come to the floor. It must never answer from another project, nor repeat the running session.
"""

import math

from bellek.kg import fold, fts_query, lookup
from bellek.kg.db import Database, Overdue, Row
from bellek.schemas.packet import Line

FREQUENCY_CAP = 2_000  # rows counted a word; a word in more rows than that tells next to nothing
MAX_WORDS = 12  # words weighed a prompt: a pasted trace is not a question
FLOOR = 0.45  # share of the prompt's weight that a hit must carry: below it, off-topic prompts drew memories in trials
LONE_WORD = 0.75  # a hit that shares one word only must carry more: a chance meeting of common words is likely
WINDOW = 20_000  # newest messages looked at first; the whole project follows while time is left
LESSON_LINES = 5
TALK_LINES = 3


def weights(db: Database, table: str, prompt: str, scope: str) -> dict[str, float]:
    """Each content word of the prompt with its weight, log(1 + N / n): N rows looked at, n of them holding the word."""
    found: dict[str, float] = {}
    for word in fts_query.words(prompt)[:MAX_WORDS]:
        match = fts_query.match(word, column="own", scope=scope)
        rows = lookup.frequency(db, table, match, FREQUENCY_CAP) if match else 0
        found[word] = math.log(1 + FREQUENCY_CAP / (rows + 1))
    return found


def carried(weighed: "dict[str, float]", shadow: str) -> float:
    """The share of the prompt's weight that a row's own words carry, 0 to 1; a lone shared word counts as far as it is rare."""
    total = sum(weighed.values())
    if not total:
        return 0.0
    own = set(shadow.split())
    shared = [weight for word, weight in weighed.items() if word in own or (own.intersection(fold.cuts(word)[-1:]))]
    share = sum(shared) / total
    return (
        share if len(shared) != 1 or len(weighed) == 1 else min(share, FLOOR * share / LONE_WORD + (share >= LONE_WORD))
    )


def _good(rows: list[Row], weighed: "dict[str, float]", shadow_at: int) -> list[tuple[Row, float]]:
    scored = [(row, carried(weighed, str(row[shadow_at]))) for row in rows]
    return [(row, share) for row, share in scored if share >= FLOOR]


def lessons(db: Database, prompt: str, scope: str) -> list[Line]:
    """Lessons and journal rows that match, best first."""
    match = fts_query.match(prompt, scope=scope)
    if match is None:
        return []
    weighed = weights(db, "memories_fts", prompt, scope)
    found = []
    for row, share in _good(lookup.memories(db, match, limit=30), weighed, 10):
        id_, score, kind, revision, tier, origin, status, _at, _offset, text, _shadow = row
        if kind == "task" or status != "current" or origin in ("tool", "web", "pasted"):
            continue
        found.append(
            Line(
                "lessons",
                str(id_),
                int(str(revision)),
                str(text),
                f"{kind}, {_trust(str(tier))}",
                {"words": _num(score), "share": share},
            )
        )
    return found[:LESSON_LINES]


def _trust(tier: str) -> str:
    return {"T1": "unverified", "T2": "permanent"}.get(tier, "evidence")


def _num(value: object) -> float:
    return round(float(str(value)), 3)


def talks(db: Database, prompt: str, scope: str, session: str) -> list[Line]:
    """Conversations whose best message matches, best first: newest window, then all of the project if time is left."""
    match = fts_query.match(prompt, scope=scope)
    if match is None:
        return []
    weighed = weights(db, "messages_fts", prompt, scope)
    newest = int(str(db.value("SELECT coalesce(max(n), 0) FROM messages")))
    good: list[tuple[Row, float]] = []
    try:
        good = _good(lookup.messages(db, match, after=newest - WINDOW, skip=session), weighed, 8)
        if len(good) < TALK_LINES and newest > WINDOW:
            good = _good(lookup.messages(db, match, skip=session), weighed, 8)
    except Overdue:
        pass  # what the small window gave stands
    best: dict[str, Line] = {}
    for row, share in good:
        _n, score, id_, talk, author, at, offset, text, _shadow = row
        if str(talk) not in best:
            best[str(talk)] = Line(
                "conversations",
                str(id_),
                1,
                str(text),
                f"{author}|{talk}|{at}|{offset}",
                {"words": _num(score), "share": share},
            )
    return list(best.values())[:TALK_LINES]
