"""``sleep``, ``mine``: what memory makes of what it heard, by itself and never permanently."""

from typing import Annotated

import typer

from bellek import runners
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, as_it_is, known_project, opened, project_id
from bellek.cli.screen import one_line, say, say_json
from bellek.curator import config, consolidate, gate, spend
from bellek.curator import mine as mining
from bellek.curator.consolidate import Slept, Unanswered
from bellek.kg import observations
from bellek.kg.home import Home
from bellek.schemas.errors import Refused
from bellek.schemas.settings import MICROS, Profile

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done and what it may cost; write nothing.")]
NO_MODEL = 'set sleep.model to "" in config/config.toml to go by rule'


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(sleep)
    app.command()(mine)


def sleep(
    dry_run: DryRun = False,
    force: Annotated[bool, typer.Option("--force", help="Do not wait for three records and six hours.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Make what you typed since the last time into provisional rows (T1): by the configured model, else by rule."""
    if dry_run:
        _dry_sleep(home, project, force=force, json=json)
        return
    with opened(home) as store:
        here = project_id(store, project)
        settings = config.read(store.memory)
        shut = None if force else _shut(store, here, settings.profile)
        if shut is not None:
            say_json({"project": here, "state": "waits", "why": shut}) if json else say(f"not yet: {shut}")
            return
        model = runners.model_of(store, settings, settings.sleep_model)
        done = consolidate.sleep(store, here, model=model, run=spend.run_of(store.memory, "sleep"))
        rows = consolidate.texts(store, done.ids) if isinstance(done, Slept) else []
    _tell(done, rows, json=json)


def mine(home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Find what you ordered in two sessions or corrected twice, and keep it as provisional rows (T1). No model, no network."""
    with opened(home) as store:
        done = mining.mine(store, project_id(store, project))
        rows = consolidate.texts(store, done.ids)
    if json:
        say_json(shown(done, rows))
        return
    say(f"{len(rows)} rows out of {done.read} sentences" if done.read else "nothing new was said twice")
    say(*(f"{id_}  {one_line(text)}" for id_, text in rows))
    say(*(f"not written: {one_line(reason)}" for reason in done.refused))


def _shut(store: Home, project: str, profile: Profile) -> str | None:
    """Why the project's gate is shut; None where it is open."""
    seen = next((one for one in gate.look(store.memory, profile) if one.project == project), None)
    if seen is not None and seen.is_open:
        return None
    records, waited = (seen.records, seen.waited_ms) if seen else (0, 0)
    since = f"{waited // gate.HOUR_MS} h {waited % gate.HOUR_MS // 60_000} min"
    return f"{records} of {gate.RECORDS} records, {since} of {gate.HOURS} h; `bellek sleep --force` does not wait"


def _dry_sleep(home: str | None, project: str | None, *, force: bool, json: bool) -> None:
    with as_it_is(home) as store:
        here = known_project(store, project) if store else ""
        if store is None or not here:
            say_json({"project": here, "state": "planned", "rows": []}) if json else say("nothing was heard here")
            return
        settings = config.as_written(store.memory, store.path)
        shut = None if force else _shut(store, here, settings.profile)
        model = runners.model_of(store, settings, settings.sleep_model)
        planned = consolidate.by_rule(store, here, observations.waiting(store.memory, here, limit=consolidate.READ))
        price = consolidate.most(store, here, model) if model else 0
    rows = [] if model else [step.verdict for step in planned.steps]
    if json:
        say_json({
            "project": here, "state": "planned", "why_not": shut or "", "how": model.name if model else "rules",
            "reads": len(planned.pointers), "usd_at_most": price / MICROS, "rows": rows,
        })  # fmt: skip
        return
    say(f"not yet: {shut}" if shut else f"{len(planned.pointers)} records would be read")
    if model:
        say(f"{model.name} would be asked, for {price / MICROS:.4f} USD at most")
    say(*(f"would write: {one_line(_words(row))}" for row in rows))


def _words(verdict: dict[str, object]) -> str:
    memory = verdict["memory"]
    assert isinstance(memory, dict)
    return f"{memory['kind']}: {memory.get('object') or memory.get('text')}"


def _tell(done: Slept | Unanswered, rows: list[tuple[str, str]], *, json: bool) -> None:
    if isinstance(done, Unanswered):
        raise Refused(
            "the model was not asked, or did not answer", why=done.reason, hint="what was to be read waits; " + NO_MODEL
        )
    if json:
        say_json(shown(done, rows))
        return
    say(f"{done.read} records read by {done.how}, {len(rows)} rows" + (f", batch {done.batch}" if rows else ""))
    say(*(f"{id_}  {one_line(text)}" for id_, text in rows))
    say(*(f"not written: {one_line(reason)}" for reason in done.refused))


def shown(done: Slept, rows: list[tuple[str, str]]) -> dict[str, object]:
    """What became of a consolidation or a mining, as JSON."""
    return {
        "project": done.project, "state": "done", "how": done.how, "batch": done.batch, "reads": done.read,
        "rows": [{"id": id_, "tier": "T1", "text": text} for id_, text in rows], "states": done.states, "refused": done.refused,
    }  # fmt: skip
