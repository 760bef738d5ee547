"""`nightly`: mine → consolidate → replay → snapshot → evolve on the seventh day → sync of hubs, for every project, started by a person, cron or a timer.

The planner reads; its plan is a list of steps with what each may cost. The applier walks it; each step is a transaction of
its own that can be killed and done again. It must never write T2, delete a source, or say that it did what it has not done.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, assert_never

import bellek
from bellek import doctor_canary, runners
from bellek.curator import config, consolidate, evolve, gate, hub_sync, replay, spend
from bellek.curator import mine as mining
from bellek.curator.consolidate import Slept, Unanswered
from bellek.kg import backups, clock, failpoints, hub_spaces, locks, observations, registry, replays, shelf
from bellek.kg.home import Home
from bellek.schemas.errors import BellekError, Busy
from bellek.schemas.settings import Settings

LOCK = "nightly"
DAYS = 7  # the reflection's rhythm
SINCE = "nightly_since"  # meta: when the first night was

Name = Literal["mine", "sleep", "replay", "snapshot", "drill", "evolve", "sync"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step: of which project ("" for the whole home), whether it would do something, what, and its cost at most (micro-dollars)."""

    name: Name
    project: str
    due: bool
    what: str
    micros: int = 0


@dataclass(frozen=True, slots=True)
class Done:
    """A step and what became of it; `rows` were written or counted. `failed` makes the whole night end with status 1."""

    step: Step
    what: str
    rows: tuple[str, ...] = ()
    micros: int = 0
    failed: bool = False


def plan(home: Home, settings: Settings) -> list[Step]:
    """What tonight would do, in order. Writes nothing."""
    projects = [project.id for project in registry.listed(home.memory)]
    gates = {seen.project: seen for seen in gate.look(home.memory, settings.profile)}
    return [
        *(_mine(home, project) for project in projects),
        *(_sleep(home, settings, project, gates.get(project)) for project in projects),
        *(step for project in projects if (step := _replay(home, settings, project))),
        *_copies(home, settings),
        *_evolve(home),
        *_sync(home),
    ]


def _mine(home: Home, project: str) -> Step:
    count = len(mining.plan(home, project).steps)
    return Step("mine", project, count > 0, f"{count} sentences said twice" if count else "nothing new was said twice")


def _sleep(home: Home, settings: Settings, project: str, seen: gate.Gate | None) -> Step:
    if seen is None or not seen.is_open:
        records = seen.records if seen else 0
        return Step("sleep", project, False, f"the gate is shut: {records} records wait")
    model = runners.model_of(home, settings, settings.sleep_model)
    if model is None:
        waiting = observations.waiting(home.memory, project, limit=consolidate.READ)
        count = len(consolidate.by_rule(home, project, waiting).steps)
        return Step("sleep", project, True, f"{seen.records} records by rule, {count} statements")
    most = consolidate.most(home, project, model)
    return Step("sleep", project, True, f"{seen.records} records by {model.name}", most)


def _replay(home: Home, settings: Settings, project: str) -> Step | None:
    """Asked where a nightly budget and a model are set, once a day; else only its plan. None where no task is declared."""
    planned, why = replay_plan(home, settings, project)
    if not planned.tasks and not planned.cut:
        return None
    what = f"{len(planned.tasks)} tasks, {len(planned.calls)} calls" + (
        f", {planned.cut} left out" if planned.cut else ""
    )
    return Step("replay", project, not why, f"{what}; only planned: {why}" if why else what, planned.micros)


def replay_plan(home: Home, settings: Settings, project: str) -> tuple[replay.Plan, str]:
    """Tonight's replay of a project, and why it is only a plan ("" where it is asked)."""
    name = settings.replay_model
    model = runners.model_of(home, settings, name, folder=registry.path_of(home.memory, project), reads=True)
    budget = settings.replay_nightly_usd
    planned = replay.plan(home, project, model, budget_usd=budget or None)
    if model is None:
        return planned, "replay.model is not set"
    if not budget:
        return planned, "replay.nightly_usd is not set"
    if replays.begun_since(home.memory, project, _midnight()):
        return planned, "it was replayed today"
    return planned, "" if planned.calls else "replay.nightly_usd reaches for no task"


def _midnight() -> int:
    """When the person's local day began (UTC ms)."""
    now = clock.now()
    offset = clock.offset_minutes(now) * clock.MINUTE_MS
    return (now + offset) // clock.DAY_MS * clock.DAY_MS - offset


def _copies(home: Home, settings: Settings) -> list[Step]:
    """A copy each night, and each week the newest one brought back on trial."""
    place = shelf.folder(home.path, settings.backup_folder)
    drill = backups.drill_due(home)
    return [
        Step("snapshot", "", True, f"a copy into {place}, kept as {shelf.DAILY} days and {shelf.WEEKLY} weeks"),
        Step("drill", "", drill, "the newest copy is restored on trial" if drill else "drilled within the week"),
    ]


def _evolve(home: Home) -> list[Step]:
    """On the seventh day since the last reflection, or since the first night."""
    since = home.memory.value(
        "SELECT coalesce((SELECT max(at) + ?1 FROM evolved), value + 0) FROM meta WHERE key = ?2", (clock.DAY_MS, SINCE)
    )
    days = (clock.now() - int(str(since))) // clock.DAY_MS + 1 if since else 1
    if days < DAYS:
        return []
    why = evolve.waits(home.memory)
    return [Step("evolve", "", not why, why or "what these weeks show becomes worldview")]


def _sync(home: Home) -> list[Step]:
    """Where a hub's space was joined: what is new goes out and comes in."""
    names = [space.name for space in hub_spaces.listed(home.memory)]
    return [Step("sync", "", True, f"what is new goes to {', '.join(names)} and comes from there")] if names else []


def carry_out(home: Home, steps: list[Step], say: Callable[[Done], None] = lambda _: None) -> list[Done]:
    """Walk a plan. Raises Busy where another night is at work; a step that finds its own lock taken says so and is left."""
    with locks.held(home.path, LOCK) as mine:
        if not mine:
            raise Busy("another nightly run is at work", why="its lock is held by a living process")
        with home.memory.transaction():
            home.memory.run("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", (SINCE, str(clock.now())))
        every = []
        for step in steps:
            every.append(_one(home, step) if step.due else Done(step, step.what))
            say(every[-1])
            failpoints.reach("nightly-step")
    return every


def _one(home: Home, step: Step) -> Done:
    try:
        match step.name:
            case "mine":
                done = mining.mine(home, step.project)
                return Done(step, f"{len(done.ids)} rows", tuple(done.ids))
            case "sleep":
                return _slept(home, step)
            case "replay":
                return _replayed(home, step)
            case "snapshot":
                return _copied(home, step)
            case "drill":
                return _drilled(home, step)
            case "evolve":
                return _evolved(home, step)
            case "sync":
                return _synced(home, step)
            case _:
                assert_never(step.name)
    except Busy as exc:
        return Done(step, exc.what)


def _synced(home: Home, step: Step) -> Done:
    """A hub that does not answer fails its own step alone; what is new waits for the next sync."""
    found = hub_sync.each(home)
    told = [
        f"{name}: {one.what}: {one.why}" if isinstance(one, BellekError) else f"{name}: {one.pushed} entries sent, {one.pulled} taken in"
        for name, one in found
    ]  # fmt: skip
    return Done(step, "; ".join(told), failed=any(isinstance(one, BellekError) and not isinstance(one, Busy) for _, one in found))  # fmt: skip


def _copied(home: Home, step: Step) -> Done:
    """A copy that fails is told, and the night goes on; the copies that there were stay."""
    settings = config.read(home.memory)
    place = shelf.folder(home.path, settings.backup_folder)
    try:
        made = backups.make(home, place, program=bellek.__version__, recipients=settings.recipients)
    except Busy:
        raise
    except BellekError as exc:
        return Done(step, f"no copy was made: {exc}", failed=True)
    gone = f", {len(made.rotated)} gave up their place" if made.rotated else ""
    return Done(step, f"verified and kept: {made.copy.path}{gone}", made.rotated)


def _drilled(home: Home, step: Step) -> Done:
    settings = config.read(home.memory)
    place = shelf.folder(home.path, settings.backup_folder)
    try:
        why = backups.drill(home, place, settings.backup_identity)
    except BellekError as exc:
        why = exc.what
    trial = doctor_canary.run(home)
    if trial.state == "FAIL":
        return Done(step, f"{trial.what}: {trial.why}", failed=True)
    return Done(step, f"the newest copy is not good: {why}" if why else "the newest copy restores", failed=bool(why))


def _slept(home: Home, step: Step) -> Done:
    settings = config.read(home.memory)
    model = runners.model_of(home, settings, settings.sleep_model)
    run = spend.run_of(home.memory, "nightly")
    match consolidate.sleep(home, step.project, model=model, run=run):
        case Slept(ids=ids, read=read):
            return Done(step, f"{read} records read, {len(ids)} rows", tuple(ids), spend.spent(home.memory, run))
        case Unanswered(reason=reason):
            return Done(step, f"not asked or not answered: {reason}", (), spend.spent(home.memory, run))


def _evolved(home: Home, step: Step) -> Done:
    settings = config.read(home.memory)
    run = spend.run_of(home.memory, "nightly")
    planned, done = evolve.evolve(home, model=runners.model_of(home, settings, settings.evolve_model), run=run)
    if done is None:
        return Done(step, planned.waits)
    return Done(step, f"{len(done.ids)} patterns", tuple(done.ids), spend.spent(home.memory, run))


def _replayed(home: Home, step: Step) -> Done:
    settings = config.read(home.memory)
    planned, why = replay_plan(home, settings, step.project)
    folder = registry.path_of(home.memory, step.project)
    model = runners.model_of(home, settings, settings.replay_model, folder=folder, reads=True)
    if why or model is None:
        return Done(step, f"only planned: {why}")
    run = spend.run_of(home.memory, "nightly", budget_usd=settings.replay_nightly_usd)
    ended = replay.carry_out(home, planned, model, run)
    compared = replay.compare(replays.cells(home.memory, ended.id))
    told = f"{compared.without} of {compared.tasks} pass without, {compared.with_} with the candidates ({ended.state})"
    return Done(step, told, (), spend.spent(home.memory, run))
