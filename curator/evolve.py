"""`evolve`: once a week, what the weeks show becomes worldview, with its evidence; and the self-audit is told.

A plan is a value and writes nothing; the applier writes it in one transaction, under the weekly guard. By rule, unless a
person declared a model. It must never write anything but worldview, twice in a week, over a row that a person refused, or
from a row that no turn may be told.
"""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from typing import Literal

from pydantic import ValidationError

from bellek.curator import patterns, self_audit, spend
from bellek.curator.answers import object_with
from bellek.curator.context_of import Place, stamp
from bellek.curator.models import Model
from bellek.curator.patterns import Row
from bellek.curator.self_audit import Finding
from bellek.kg import clock, failpoints, locks, memories, registry, worldview
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.schemas.errors import BellekError, Busy, NeverAgain, Refused
from bellek.schemas.inference import Inference, Inferences
from bellek.schemas.memory import Memory
from bellek.schemas.trust import lowest
from bellek.schemas.vocab import MAY_BE_TOLD
from bellek.schemas.worldview import Worldview

LOCK = "evolve"
DAYS = 7  # between two reflections, in the person's local days
READ_DAYS = 84  # what is older is no pattern of these weeks
ROWS = 2_000  # of a project
SHOWN_LETTERS = 24_000  # that one model call is shown
MAX_TOKENS = 2_000


@dataclass(frozen=True, slots=True)
class Change:
    """One row of worldview: new, in other words, or as before; `id` is "" for a new one, `before` its words until now."""

    how: Literal["new", "changed", "same"]
    project: str
    inference: Inference
    origin: str
    id: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What this week's reflection would write, the report, and what a model did not answer. `waits` says why it is not time yet; `answers` are kept ones."""

    week: str
    changes: tuple[Change, ...]
    report: tuple[Finding, ...]
    waits: str = ""
    notes: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


@dataclass(slots=True)
class Evolved:
    """What an applied plan wrote: rows by id, and what was left out with its reason."""

    batch: str
    ids: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Heard:
    """What a model said while a plan was made: notes for the person, and the answers that are kept until it is written."""

    notes: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)


def week_of(at: int) -> str:
    """The ISO week of an instant in the person's zone, YYYY-Www."""
    local = datetime.fromtimestamp((at + clock.offset_minutes(at) * clock.MINUTE_MS) / 1000, UTC)
    return local.strftime("%G-W%V")


def waits(db: Database) -> str:
    """Why it is not time for a reflection; "" where it is."""
    last = db.value("SELECT max(at) FROM evolved")
    if not isinstance(last, int):
        return ""
    passed = _local_day(clock.now()) - _local_day(last)
    return "" if passed >= DAYS else f"the last reflection was {passed} days ago; it is due after {DAYS}"


def _local_day(at: int) -> int:
    return clock.local_day(at, clock.offset_minutes(at))


def plan(home: Home, *, model: Model | None = None, run: spend.Run | None = None) -> Plan:
    """What the weeks show, project by project. Writes nothing but what the ledger notes of a model's calls."""
    now = clock.now()
    changes: list[Change] = []
    heard = _Heard()
    why = waits(home.memory)
    for project in [] if why else [one.id for one in registry.listed(home.memory)]:
        rows = _rows(home.memory, project, now - READ_DAYS * clock.DAY_MS)
        inferred = _by_model(home, rows, model, run, heard) if model and run else None
        if inferred is None:
            inferred = patterns.found(rows, _disputed(home.memory, project))
        changes += _changes(home.memory, project, inferred)
    return Plan(
        week_of(now), tuple(changes), tuple(self_audit.report(home)), why, tuple(heard.notes), tuple(heard.answers)
    )


_SEEN = f"m.project = ? AND m.status = 'current' AND {MAY_BE_TOLD}"
_COLUMNS = "m.text, m.origin, m.said_at, m.offset_minutes"


def _rows(db: Database, project: str, since: int) -> list[Row]:
    """The project's own lessons and journal rows since an instant, the newest of them, in the order of saying."""
    found = db.rows(
        f"SELECT m.id, m.kind, coalesce(l.learning, e.mood), {_COLUMNS} FROM memories m LEFT JOIN lessons l USING (id) LEFT JOIN events e USING (id)"
        f" WHERE m.kind IN ('lesson', 'event') AND {_SEEN} AND m.said_at >= ? ORDER BY m.said_at DESC, m.id LIMIT ?",
        (project, since, ROWS),
    )
    return [Row(*row) for row in reversed(found)]  # type: ignore[arg-type]


def _disputed(db: Database, project: str) -> list[Row]:
    """The sides of the project's contradictions, open or settled."""
    found = db.rows(
        f"SELECT DISTINCT m.id, 'claim', c.subject, {_COLUMNS} FROM conflicts x JOIN claims c ON c.id IN (x.strong, x.weak) JOIN memories m ON m.id = c.id"
        f" WHERE m.project = ? AND m.status NOT IN ('hidden', 'quarantined', 'refused') AND {MAY_BE_TOLD} ORDER BY m.said_at, m.id LIMIT ?",
        (project, ROWS),
    )
    return [Row(*row) for row in found]  # type: ignore[arg-type]


def _by_model(home: Home, rows: list[Row], model: Model, run: spend.Run, heard: _Heard) -> list[Inference] | None:
    """What a model infers from rows that it was shown; None where it was not asked or answered in another form."""
    shown, left = [], SHOWN_LETTERS
    for row in reversed(rows):
        left -= len(row.text)
        if left < 0:
            break
        shown.append({"id": row.id, "kind": row.kind, "day": row.day, "text": row.text})
    if len(shown) < 2:
        return []
    ours = files("bellek.curator").joinpath("prompts/evolve.md").read_text(encoding="utf-8")
    prompt = f"{ours}\n{json.dumps(shown, ensure_ascii=False)}\n"
    match spend.ask(
        home.memory, model, run, prompt, schema=Inferences.model_json_schema(), max_tokens=MAX_TOKENS, keep=True
    ):
        case spend.Answered(answer=answer, asked=asked):
            heard.answers.append(asked)
            text = answer.text
        case spend.Declined(reason=reason) | spend.Failed(reason=reason):
            heard.notes.append(f"by rule: {reason}")
            return None
    try:
        found = Inferences.model_validate(object_with(text, "inferences"))
    except ValidationError:
        heard.notes.append(f"by rule: {model.name} answered with something else than inferences")
        return None
    ids = {one["id"] for one in shown}
    return [one for one in found.inferences if ids.issuperset(one.evidence)]


def _changes(db: Database, project: str, inferred: list[Inference]) -> list[Change]:
    found = []
    for one in inferred:
        row = db.one(
            "SELECT m.id, m.status, m.text FROM worldviews w JOIN memories m USING (id) WHERE m.project = ? AND w.topic = ? ORDER BY m.n LIMIT 1",
            (project, one.topic),
        )
        origins = [str(db.value("SELECT origin FROM memories WHERE id = ?", (id_,))) for id_ in one.evidence]
        origin = lowest(["inferred", *origins])
        if row is None:
            found.append(Change("new", project, one, origin))
        elif row[1] == "current":  # refused, set apart or forgotten: not said again
            how: Literal["same", "changed"] = "same" if row[2] == one.text else "changed"
            found.append(Change(how, project, one, origin, str(row[0]), str(row[2])))
    return found


def evolve(home: Home, *, model: Model | None = None, run: spend.Run | None = None) -> tuple[Plan, Evolved | None]:
    """Plan and apply; nothing is applied before its time. Raises Busy where another reflection is at work."""
    with locks.held(home.path, LOCK) as mine:
        if not mine:
            raise Busy("another reflection is at work", why="its lock is held by a living process")
        planned = plan(home, model=model, run=run)
        failpoints.reach("evolve-planned")
        return planned, None if planned.waits else carry_out(home, planned)


def carry_out(home: Home, planned: Plan) -> Evolved:
    """Write a plan in one transaction, once a week: rows, and the note that this week was reflected on. Raises Refused."""
    done = Evolved(mint("b"))
    with home.memory.transaction():
        if why := waits(home.memory):
            raise Refused("worldview was not written", why=why)
        for change in planned.changes:
            _write(home, planned.week, change, done)
        home.memory.run(
            "INSERT INTO evolved (week, at, batch, wisdom) VALUES (?, ?, ?, ?)",
            (planned.week, clock.now(), done.batch, json.dumps(self_audit.wisdom_now(home.memory))),
        )
        spend.let_go(home.memory, planned.answers)
        failpoints.reach("evolve-written")
    return done


def _write(home: Home, week: str, change: Change, done: Evolved) -> None:
    body = Worldview(topic=change.inference.topic, week=week, evidence=tuple(change.inference.evidence))
    try:
        with home.memory.savepoint():
            row = _row(home, change, body, done.batch)
            done.ids.append(memories.write(home.memory, row, actor=worldview.WRITER, act="reflect").id)
    except (NeverAgain, Refused) as exc:
        done.left_out.append(f"{change.inference.topic}: {_reason(exc)}")


def _row(home: Home, change: Change, body: Worldview, batch: str) -> Memory:
    if change.id:
        old = memories.read(home.memory, change.id)
        update = {"body": body, "text": change.inference.text, "origin": change.origin, "batch": batch}
        return old.model_copy(update=update)
    place = Place(home, change.project, worldview.WRITER, batch)
    return stamp(place, mint("v"), body, change.inference.text, origin=change.origin)


def _reason(exc: BellekError) -> str:
    return exc.what + (f" ({exc.why})" if exc.why else "")
