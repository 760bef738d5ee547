"""Task marks → tasks: opened, done or deleted, and which open task a few words mean.

An id or the very words always win. Else the search arm finds the candidates and a score ranks them: one is closed only
where it is good enough and clearly ahead of the second. It must never close a task by a guess: what is ambiguous closes
nothing and names the candidates.
"""

import re
from dataclasses import dataclass

from rapidfuzz import fuzz

from bellek.curator import route, writers
from bellek.curator.context_of import Place
from bellek.curator.writers import Kept
from bellek.kg import clock, fts_query, lookup, memories, names, tasks
from bellek.kg.db import Database
from bellek.kg.tasks import TaskRow
from bellek.schemas.errors import Refused
from bellek.schemas.task import Task, TaskState

POOL = 1_000  # tasks that a search may bring, closed ones among them
GOOD = 70.0  # least score, 0..100: all words of the mark are found, or most of them in a task that holds little else
AHEAD = 15.0  # least distance to the second; "rapor" is equally far from three reports
ALIKE = 80.0  # rapidfuzz ratio of two folded words that may be one: test/testi 89, test/text 75
STEM = 4  # letters of a common beginning; all but one of the shorter word's make it the same word (rapor, raporunu)
NEAR = 0.5  # what a shorter common beginning is worth (kapat, kapandı): a hint, never a match by itself
OF_MARK = 0.7  # how much the mark's own words weigh against the rest of the task's

_ID = re.compile(r"(t_[0-9a-z]{4,12})(?=\W|\Z)")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An open task and how well a few words fit it, 0 to 100."""

    task: TaskRow
    score: float


def take(place: Place, payload: str, *, origin: str) -> Kept:
    """Carry out a task mark in the caller's transaction. Raises Refused where no single task is meant."""
    mark, text = route.task_mark(payload)
    if not text:
        raise Refused("a task mark without words", why=f"{mark} names no task")
    match mark:
        case "TASK_DONE":
            return _close(place, text, "done")
        case "TASK_DELETE":
            return _close(place, text, "deleted")
        case _:
            return _open(place, text, origin)


def _open(place: Place, text: str, origin: str) -> Kept:
    """A task that is open already in the very same words is not opened twice."""
    same = _in_words(tasks.listed(place.home.memory, place.project), text)
    return Kept("absorbed", (same[0].id,)) if same else writers.task(place, text, origin=origin)


def _close(place: Place, text: str, state: TaskState) -> Kept:
    db = place.home.memory
    found = choose(db, place.project, text)
    if isinstance(found, TaskRow):
        old = memories.read(db, found.id)
        closed = {
            "body": Task(state=state, closed_at=clock.now()),
            "status": "closed",
            "batch": place.batch,
            "sources": (*old.sources, *(s for s in place.sources() if s not in old.sources)),
        }
        return Kept("written", (memories.write(db, old.model_copy(update=closed), actor=place.actor, act="close").id,))
    done = [row for row in tasks.listed(db, place.project, closed=True) if row.state == state]
    said_before = [row for row in done if row.id == text] or _in_words(done, text)
    if said_before:  # the mark was repeated: what it asks for is so
        return Kept("absorbed", (said_before[-1].id,))
    raise _refusal(text, found)


def choose(db: Database, project: str, text: str) -> TaskRow | list[Candidate]:
    """The one open task that is meant, or the candidates (none, or too near each other), best first."""
    rows = tasks.listed(db, project)
    named = _ID.match(text.strip())
    by_id = [row for row in rows if row.id.startswith(named[1])] if named else []
    exact = by_id or _in_words(rows, text)
    if len(exact) == 1:
        return exact[0]
    if exact:
        return [Candidate(row, 100.0) for row in exact]
    ranked = _ranked(db, project, text, {row.id: row for row in rows})
    if ranked and ranked[0].score >= GOOD and (len(ranked) == 1 or ranked[0].score - ranked[1].score >= AHEAD):
        return ranked[0].task
    return ranked


def _in_words(rows: list[TaskRow], text: str) -> list[TaskRow]:
    """Tasks with these very words: case, accents and punctuation apart."""
    wanted = names.words(text)
    return [row for row in rows if names.words(row.text) == wanted]


def _ranked(db: Database, project: str, text: str, rows: dict[str, TaskRow]) -> list[Candidate]:
    match = fts_query.match(text, column="own")
    if match is None:
        return []
    near = lookup.in_sight(db, match, project, kinds=("task",), limit=POOL)
    found = [rows[str(row[0])] for row in near if str(row[0]) in rows]
    scored = [Candidate(row, score(text, row.text)) for row in found]
    return sorted(scored, key=lambda c: (-c.score, c.task.id))


def score(mark: str, task: str) -> float:
    """How well a mark's words fit a task, 0 to 100: OF_MARK x the share of the mark found + the rest x that of the task.

    Shares are counted in letters, so that small words decide little. Two words meet where their beginnings do (Turkish
    endings: raporu, raporun) or where they are nearly spelled alike.
    """
    wanted, there = fts_query.words(mark), fts_query.words(task)
    if any(any(c.isdigit() for c in word) and word not in there for word in wanted):
        return 0.0  # issue 12 is not issue 13, however alike the rest is
    return 100.0 * (OF_MARK * _share(wanted, there) + (1 - OF_MARK) * _share(there, wanted))


def _share(words: list[str], others: list[str]) -> float:
    total = sum(len(word) for word in words)
    found = sum(len(word) * max((_alike(word, other) for other in others), default=0.0) for word in words)
    return found / total if total else 0.0


def _alike(one: str, other: str) -> float:
    """1 for the same word or stem, the ratio of two spellings if it is high, less for a short beginning."""
    if one == other:
        return 1.0
    common = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    if common >= max(STEM, min(len(one), len(other)) - 1):
        return 1.0
    ratio = fuzz.ratio(one, other)
    if ratio >= ALIKE:
        return ratio / 100.0
    return NEAR if common >= STEM else 0.0


def _refusal(text: str, candidates: list[Candidate]) -> Refused:
    near = "; ".join(f"{c.task.id} {c.task.text[:60]} ({c.score:.0f})" for c in candidates[:5])
    if not near:
        return Refused(
            "no open task has these words", why=f"searched for {text[:60]!r}", hint="run `bellek tasks list`"
        )
    return Refused(
        "no single open task is meant, nothing was closed",
        why=f"candidates: {near}",
        hint="close it by its id: [TASK_DONE: ID]",
    )
