"""STATE and DRIVES in the store: a row a message that moved something, in numbers alone.

The rows are the truth: each holds its shifts and the values after it, worked out from the row before. What arrives late is
put in its place and the rows after it are worked out again, so that the order of hearing does not matter. It must never
hold a word of a message.
"""

import json
from dataclasses import dataclass

from bellek.kg import clock
from bellek.kg.db import Database, Row
from bellek.kg.pace import pace_of
from bellek.schemas import drives, state
from bellek.schemas.state import Values

SAME = 1e-9  # values that differ by less are the same: the rest of the rows stands as it is
MOOD_MS = 6 * state.HOUR_MS  # so long a mood that was shown is that of what happens in the same conversation


@dataclass(frozen=True, slots=True)
class Point:
    """What one message moved: eight shifts, the drives it touched. `at` is UTC milliseconds."""

    message: str
    agent: str
    project: str
    conversation: str
    at: int
    offset_minutes: int
    shifts: Values
    drives: tuple[str, ...]


def add(db: Database, point: Point) -> bool:
    """Put a message's point in its place, once; False where it is known. Call it inside a transaction."""
    done = db.run(
        "INSERT OR IGNORE INTO state_points (message, agent, project, conversation, at, offset_minutes, shifts, state, mood, drives)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, '[]', '', ?)",
        (
            point.message, point.agent, point.project, point.conversation, point.at, point.offset_minutes,
            json.dumps([state.bounded(by) for by in point.shifts]), json.dumps(list(point.drives)),
        ),
    )  # fmt: skip
    if done:
        _work_out(db, point.agent, point.at, point.message)
    return bool(done)


def read_again(
    db: Database, message: str, conversation: str, at: int, offset_minutes: int, project: str, shifts: Values
) -> None:
    """Put other shifts in the place of those that the lexicon read in a message; the drives stay. Call it inside a transaction."""
    known = db.one("SELECT agent, drives FROM state_points WHERE message = ?", (message,))
    client = known[0] if known else db.value("SELECT client FROM sessions WHERE id = ?", (conversation,))
    if client is None:
        return  # nobody heard that session: whose state it would be is not known
    drawn = tuple(map(str, json.loads(str(known[1])))) if known else ()
    forget(db, message)
    add(db, Point(message, str(client), project, conversation, at, offset_minutes, shifts, drawn))


def forget(db: Database, message: str) -> None:
    """Take a message's point out and work out what came after it. Call it inside a transaction."""
    row = db.one("SELECT agent, at FROM state_points WHERE message = ?", (message,))
    if row:
        db.run("DELETE FROM state_points WHERE message = ?", (message,))
        _work_out(db, str(row[0]), int(str(row[1])), message)


def _work_out(db: Database, agent: str, at: int, message: str) -> None:
    """The values of a point and of those after it, until one is what it was: what was put in long ago has faded by then."""
    pace = pace_of(db)
    before = db.one(
        "SELECT at, state FROM state_points WHERE agent = ?1 AND (at, message) < (?2, ?3) ORDER BY at DESC, message DESC LIMIT 1",
        (agent, at, message),
    )
    last, values = (int(str(before[0])), _numbers(before[1])) if before else (at, pace.baseline)
    rows = db.rows(
        "SELECT message, at, shifts, state FROM state_points WHERE agent = ?1 AND (at, message) >= (?2, ?3) ORDER BY at, message",
        (agent, at, message),
    )
    for id_, then, shifts, old in rows:
        values = state.shifted(state.decayed(values, int(str(then)) - last, pace), _numbers(shifts))
        last, known = int(str(then)), _numbers(old)
        if known and max(abs(a - b) for a, b in zip(values, known, strict=True)) < SAME:
            return
        db.run(
            "UPDATE state_points SET state = ?, mood = ? WHERE message = ?",
            (json.dumps(list(values)), state.mood(values, pace), id_),
        )


def _numbers(value: object) -> Values:
    return tuple(float(n) for n in json.loads(str(value)))


def at(db: Database, agent: str, when: int) -> Values:
    """The eight values of an agent at an instant (UTC ms)."""
    pace = pace_of(db)
    row = db.one(
        "SELECT at, state FROM state_points WHERE agent = ? AND at <= ? ORDER BY at DESC, message DESC LIMIT 1",
        (agent, when),
    )
    return state.decayed(_numbers(row[1]), when - int(str(row[0])), pace) if row else pace.baseline


def points(db: Database, agent: str, since: int) -> list[tuple[int, Values, str]]:
    """(instant, values after it, mood) of an agent's points from an instant on, in order."""
    rows = db.rows(
        "SELECT at, state, mood FROM state_points WHERE agent = ? AND at >= ? ORDER BY at, message", (agent, since)
    )
    return [(int(str(when)), _numbers(values), str(mood)) for when, values, mood in rows]


def agents(db: Database) -> list[str]:
    """The agents that have a state, in order of their names."""
    return [str(row[0]) for row in db.rows("SELECT DISTINCT agent FROM state_points ORDER BY agent")]


def mood_of(db: Database, conversation: str, project: str, *, until: int) -> str:
    """The mood that the person last showed in a conversation's part in a project, at most six hours before an instant; "" for none."""
    row = db.one(
        "SELECT mood FROM state_points WHERE conversation = ? AND project = ? AND at BETWEEN ? AND ? ORDER BY at DESC, message DESC LIMIT 1",
        (conversation, project, until - MOOD_MS, until),
    )
    return str(row[0]) if row else ""


def mood_by_talk(db: Database, project: str, talk: str = "") -> dict[str, str]:
    """Conversation → the last mood that was shown in its part in a project; of one talk, or of all."""
    rows = db.rows(
        "SELECT conversation, mood FROM state_points WHERE project = ?1 AND mood <> '' AND (?2 = '' OR conversation = ?2)"
        " ORDER BY at, message",
        (project, talk),
    )
    return {str(talk): str(mood) for talk, mood in rows}


def touches(db: Database, agent: str) -> dict[int, dict[str, int]]:
    """The person's local day (days since 1970) → drive → messages that touched it."""
    rows: list[Row] = db.rows(
        "SELECT (p.at + p.offset_minutes * ?2) / ?3, j.value, count(*) FROM state_points p, json_each (p.drives) j"
        " WHERE p.agent = ?1 GROUP BY 1, 2",
        (agent, clock.MINUTE_MS, clock.DAY_MS),
    )
    found: dict[int, dict[str, int]] = {}
    for day, drive, count in rows:
        if drive in drives.DRIVES:
            found.setdefault(int(str(day)), {})[str(drive)] = int(str(count))
    return found
