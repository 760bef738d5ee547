"""A person's question about what was said → the messages that answer it, in the time that the question names.

What it is for: the one way in for the verbs that search conversations. A phrase that counts from now ("three months ago",
"geçen salı") narrows: what was said then comes, and only where nothing was, what was said at other times, which is told.
A date by its name ("14 Mart") may as well be what was talked about: what was said then comes first, the rest after it.

What it must never do: hide that it looked elsewhere, or answer a fault of the store with "nothing".
"""

from dataclasses import dataclass, replace
from datetime import tzinfo

from bellek.kg import dates, fts_query
from bellek.kg.dates import Span
from bellek.kg.db import Database
from bellek.kg.find import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from bellek.kg.find import Dense

    # An arm of meaning: a text and where to look → what `kg.find` takes as `dense`, and its weight.
    Meaning: TypeAlias = Callable[[str, "Where"], tuple[Dense, float]]

# Folded beginnings of words that only say that there was talk: "what were we saying last Tuesday" asks for the day.
_TALK = (
    "say", "said", "talk", "discuss", "speak", "spoke", "chat", "conversation", "mention", "happen", "konus", "soyle", "soyli", "dedi", "demis", "diyor",
    "bahset", "sohbet", "oldu", "yapt", "neydi",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hit:
    """A found message: its row number, its score (larger is better), whether it was said in the time asked for."""

    n: int
    score: float
    inside: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """Hits, best first, and the dates that were read in the question. `elsewhere`: nothing was found in that time."""

    hits: tuple[Hit, ...]
    spans: tuple[Span, ...]
    elsewhere: bool


@dataclass(frozen=True, slots=True)
class Where:
    """Where to look: a project, bounds in UTC milliseconds (`since` ≤ t < `until`), an author ("" for any), how many."""

    project: str
    since: int | None = None
    until: int | None = None
    speaker: str = ""
    limit: int = 10

    @property
    def values(self) -> tuple[str, int, int, str, int]:
        """For a statement's ?1 to ?5: project, since, until, speaker, limit; an open end is the end of all time."""
        return self.project, self.since or 0, 2**62 if self.until is None else self.until, self.speaker, self.limit

    def within(self, since: int, until: int) -> "Where":
        """The same, in no more than this time."""
        low = since if self.since is None else max(self.since, since)
        high = until if self.until is None else min(self.until, until)
        return replace(self, since=low, until=high)


def answer(
    db: Database, question: str, where: Where, *, now: int, zone: tzinfo | None = None, read_dates: bool = True,
    meaning: "Meaning | None" = None,
) -> Answer:  # fmt: skip
    """The messages that answer a question. `now` is UTC milliseconds; a zone of None is the machine's."""
    spans = tuple(dates.find(question, now=now, zone=zone)) if read_dates else ()
    if not spans:
        return Answer(_hits(db, question, where, meaning), (), elsewhere=False)
    counted = tuple(span for span in spans if span.narrows)
    then = counted or spans
    when = where.within(min(span.start for span in then), max(span.end for span in then))
    rest = without(question, then)
    content = rest if tells(rest) else ""
    if counted:
        found = _hits(db, content, when, meaning)
        words = rest if content else question  # "14'ünde" may have been meant as a word after all
        return Answer(found or _hits(db, words, where, meaning, inside=False), spans, elsewhere=not found)
    first = _hits(db, content and question, when, meaning)
    taken = {hit.n for hit in first}
    others = [hit for hit in _hits(db, question, where, meaning, inside=False) if hit.n not in taken]
    kept = first[: max(where.limit - len(others), (where.limit + 1) // 2)]
    return Answer((*kept, *others)[: where.limit], spans, elsewhere=not first)


def _hits(db: Database, text: str, where: Where, meaning: "Meaning | None", *, inside: bool = True) -> tuple[Hit, ...]:
    """The search itself: in one place. Without a word it is what was said within the bounds, a message a conversation."""
    if not text.strip():
        return tuple(Hit(n, 0.0, inside) for n in _said(db, where)) if where.since is not None else ()
    dense, weight = meaning(text, where) if meaning else (None, 0.0)
    rows = find(
        db, text, project=where.project, since=where.since, until=where.until, speaker=where.speaker, limit=where.limit,
        dense=dense, weight=weight,
    )  # fmt: skip
    return tuple(Hit(row.n, row.score, inside) for row in rows)


def _said(db: Database, where: Where) -> list[int]:
    """Of each conversation that was held within the bounds the first message there, a person's if there is one; newest first.

    What is set apart (orders that nobody typed) answers no question about a day; who looks for its words finds it.
    """
    rows = db.rows(
        "SELECT n, conversation, max(last_at) FROM (SELECT n, conversation, max(at) OVER (PARTITION BY conversation) AS last_at,"
        " row_number() OVER (PARTITION BY conversation ORDER BY author <> 'user', seq) AS place FROM messages"
        " WHERE project = ?1 AND apart = '' AND at >= ?2 AND at < ?3 AND (?4 = '' OR author = ?4)) WHERE place = 1 GROUP BY n ORDER BY 3 DESC, n LIMIT ?5",
        where.values,
    )
    return [int(str(row[0])) for row in rows]


def without(text: str, spans: tuple[Span, ...]) -> str:
    """The text without the phrases."""
    for span in reversed(spans):
        text = f"{text[: span.at[0]]} {text[span.at[1] :]}"
    return text


def tells(text: str) -> bool:
    """Whether a text says what to look for, besides that there was talk."""
    words = fts_query.words(f"{text} {_FILLER}")  # with it a text of small words alone keeps none of them
    return any(word != _FILLER and not word.startswith(_TALK) for word in words)


_FILLER = "xqzw"
