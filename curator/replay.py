"""`replay`: the same tasks with and without the candidates that they cover, so that a person sees what a promotion would do.

Tasks are a person's TOML files. The plan with its prices is a value; only `carry_out` spends, through the one ledger, and
stops at the first ceiling. It must never change a tier or a row, and never give a model a tool that writes.

The comparison is paired: each task is answered in both arms. Of the n tasks on which the arms differ, k are better with the
candidates; under "no difference" k is binomial(n, 1/2), so the exact two-sided p of the sign test is
min(1, 2 · Σ_{i ≤ min(k, n − k)} C(n, i) / 2^n) (Dixon and Mood, 1946; McNemar's exact test is the same sum).
"""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from bellek.context import packet
from bellek.curator import checking, person_files, spend
from bellek.curator.apply import why_invalid
from bellek.curator.models import Model
from bellek.kg import clock, failpoints, locks, memories, paths, replays, scope
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.kg.replays import Cell, Replay
from bellek.schemas.channel import Fault
from bellek.schemas.errors import BellekError, Busy, NotFound
from bellek.schemas.memory import Memory
from bellek.schemas.packet import Line
from bellek.schemas.replay import TASK, Arm, Task
from bellek.schemas.settings import MICROS
from bellek.schemas.vocab import ANY, ORIGINS_KEPT_OUT

LOCK = "replay"
FOLDER = "replay"  # under the home's config/
SIZE_CAP = 100_000  # bytes of a task's file
PERMANENT_ROWS = 200  # at most in an arm; the packet's own cap cuts further
CAP, TOKEN_CAP = 9_800, 4_000  # of the memory that an arm is given: what a turn would be told
ARMS: tuple[Arm, ...] = ("permanent", "covered")


@dataclass(frozen=True, slots=True)
class Declared:
    """A task by its file's name."""

    name: str
    task: Task
    covers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """One priced call of a plan: the most that it can cost, in micro-dollars."""

    task: str
    arm: Arm
    prompt: str
    max_tokens: int
    micros: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What a replay would ask, task by task; tasks that a budget or a limit left out are counted in `cut`."""

    project: str
    tasks: tuple[Declared, ...]
    calls: tuple[Call, ...]
    cut: int
    faults: tuple[Fault, ...] = ()

    @property
    def micros(self) -> int:
        """What all of it costs at most."""
        return sum(call.micros for call in self.calls)


@dataclass(frozen=True, slots=True)
class Compared:
    """Both arms over the same tasks: how many passed without and with the candidates, better, worse (harm) and the sign test's p."""

    tasks: int
    without: int
    with_: int
    better: tuple[str, ...]
    harm: tuple[str, ...]
    p: float


@dataclass(frozen=True, slots=True)
class Delta:
    """The latest replay about one candidate, for `show`."""

    replay: Replay
    compared: Compared


def declared(home: Home, project: str) -> tuple[list[Declared], list[Fault]]:
    """The tasks under ``config/replay/`` whose candidates all belong here, in the order of their names, and what cannot be used."""
    found: list[Declared] = []
    faults: list[Fault] = []
    folder = Path(home.path) / paths.CONFIG / FOLDER
    for path in sorted(folder.glob("*.toml")):
        one = _declared(home, project, str(path))
        if isinstance(one, Fault):
            faults.append(replace(one, file=path.stem))
        elif one is not None:
            found.append(one)
    return found, faults


def _declared(home: Home, project: str, path: str) -> Declared | Fault | None:
    text = person_files.read(path, cap=SIZE_CAP)
    values = person_files.toml(path, text) if isinstance(text, str) else text
    if values is None or isinstance(values, Fault):
        return values  # None: taken away meanwhile
    try:
        task = TASK.validate_python(values)
        rows = [memories.read(home.memory, memories.find_id(home.memory, given)) for given in task.covers]
    except ValidationError as exc:
        return Fault(path, 1, why_invalid(exc))
    except NotFound as exc:
        return Fault(path, 1, exc.what)
    except BellekError as exc:
        return Fault(path, 1, exc.why or exc.what)
    if any(row.project not in (project, ANY) for row in rows):
        return None  # another project's task
    if away := [row.id for row in rows if row.status not in ("current", "contested") or row.tier == "T2"]:
        return Fault(path, 1, f"{', '.join(away)} is no candidate (any more)")
    return Declared(Path(path).stem, task, tuple(row.id for row in rows))


def plan(
    home: Home,
    project: str,
    model: Model | None,
    *,
    limit: int = 0,
    budget_usd: float | None = None,
    none: bool = False,
) -> Plan:
    """What would be asked and its price. Whole tasks are left out where a limit or a budget ends; without a model it is free."""
    tasks, faults = declared(home, project)
    arms: tuple[Arm, ...] = ("none", *ARMS) if none else ARMS
    kept: list[Declared] = []
    calls: list[Call] = []
    left = math.inf if budget_usd is None else round(budget_usd * MICROS)
    for one in tasks[: limit or None]:
        priced = [_priced(home, project, one, arm, model) for arm in arms]
        cost = sum(call.micros for call in priced)
        if cost > left:
            continue
        left -= cost
        kept.append(one)
        calls += priced
    return Plan(project, tuple(kept), tuple(calls), len(tasks) - len(kept), tuple(faults))


def _priced(home: Home, project: str, one: Declared, arm: Arm, model: Model | None) -> Call:
    memory = memory_of(home.memory, project, arm, one.covers)
    prompt = f"{memory}\n\n{one.task.prompt}" if memory else one.task.prompt
    most = model.price.most(prompt, one.task.max_tokens) if model else 0
    return Call(one.name, arm, prompt, one.task.max_tokens, most)


def memory_of(db: Database, project: str, arm: Arm, covers: tuple[str, ...]) -> str:
    """The packet of an arm: nothing; what is permanent here; that and the covered candidates, labelled unverified."""
    if arm == "none":
        return ""
    ids = db.rows(
        f"SELECT id FROM memories m WHERE tier = 'T2' AND status = 'current' AND {scope.sees('?')}"
        f" AND shadow <> '' AND kind IN ('lesson', 'claim', 'page') ORDER BY updated DESC LIMIT {PERMANENT_ROWS}",
        (project,),
    )
    rows = [memories.read(db, str(id_)) for (id_,) in ids]
    lines = [Line("rules", row.id, 1, row.text, row.body.kind) for row in rows]
    if arm == "covered":
        lines += [Line("lessons", row.id, 1, row.text, f"{row.body.kind}, unverified") for row in _told(db, covers)]
    return packet.build("k_replay", lines, {}, cap=CAP, token_cap=TOKEN_CAP).text


def _told(db: Database, covers: tuple[str, ...]) -> list[Memory]:
    """The candidates that a turn could be told: of an origin that is not kept out, or let in."""
    rows = [memories.read(db, id_) for id_ in covers]
    return [memories.shown(row) for row in rows if row.let_in or row.origin not in ORIGINS_KEPT_OUT]


def carry_out(
    home: Home, planned: Plan, model: Model, run: spend.Run, say: Callable[[Cell], None] = lambda _: None
) -> Replay:
    """Ask, check and store, cell by cell; the first refused or failed call ends the run as "cut". The run as it ended.

    Raises Busy where another replay is at work.
    """
    with locks.held(home.path, LOCK) as mine:
        if not mine:
            raise Busy("another replay is at work", why="its lock is held by a living process")
        return _ask_all(home, planned, model, run, say)


def _ask_all(home: Home, planned: Plan, model: Model, run: spend.Run, say: Callable[[Cell], None]) -> Replay:
    begun = Replay(mint("y"), planned.project, model.name, clock.now(), "running")
    with home.memory.transaction():
        replays.cut_off(home.memory)  # what a kill left running
        replays.begin(home.memory, begun, {one.name: one.covers for one in planned.tasks})
    tasks = {one.name: one.task for one in planned.tasks}
    state = "done"
    for call in planned.calls:
        done = spend.ask(home.memory, model, run, call.prompt, max_tokens=call.max_tokens)
        if not isinstance(done, spend.Answered):
            state = "cut"
            break
        note = checking.passes(tasks[call.task].check, done.answer.text)
        cell = Cell(call.task, call.arm, not note, done.micros, done.answer.tokens_in + done.answer.tokens_out, note)
        with home.memory.transaction():
            replays.add(home.memory, begun.id, cell)
        failpoints.reach("replay-cell")
        say(cell)
    with home.memory.transaction():
        replays.end(home.memory, begun.id, state)
    return Replay(begun.id, begun.project, begun.model, begun.at, state)


def compare(cells: list[Cell], *, base: Arm = "permanent") -> Compared:
    """The covered arm against another, over the tasks that both have answered."""
    by_arm = {arm: {cell.task: cell.passed for cell in cells if cell.arm == arm} for arm in get_args(Arm)}
    both = sorted(by_arm[base].keys() & by_arm["covered"].keys())
    better = tuple(task for task in both if by_arm["covered"][task] and not by_arm[base][task])
    harm = tuple(task for task in both if by_arm[base][task] and not by_arm["covered"][task])
    return Compared(
        len(both), sum(by_arm[base][task] for task in both), sum(by_arm["covered"][task] for task in both), better, harm,
        sign_test(len(better), len(harm)),
    )  # fmt: skip


def sign_test(better: int, worse: int) -> float:
    """The exact two-sided p of the sign test; 1.0 where nothing differs."""
    n = better + worse
    tail = sum(math.comb(n, i) for i in range(min(better, worse) + 1))
    return min(1.0, float(2 * tail / 2**n))


def latest(db: Database, memory: str) -> Delta | None:
    """The latest replay about a candidate: what `show` tells. None where there was none."""
    found = replays.latest(db, memory)
    return Delta(found, compare(replays.cells(db, found.id, memory))) if found else None


def folder(home: Home) -> str:
    """Where a person's tasks lie."""
    return os.path.join(home.path, paths.CONFIG, FOLDER)  # noqa: PTH118  a text for a message
