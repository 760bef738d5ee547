"""``nightly``, ``replay``: what runs while nobody waits, and what a person asks before they promote."""

import math
from dataclasses import asdict
from typing import Annotated

import typer

from bellek import nightly as nights
from bellek import runners
from bellek.cli.dream import DryRun
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, as_it_is, opened, project_id
from bellek.cli.screen import one_line, say, say_json
from bellek.curator import config, spend
from bellek.curator import replay as replaying
from bellek.curator.replay import Compared
from bellek.curator.replay import Plan as ReplayPlan
from bellek.kg import registry, replays
from bellek.kg.replays import Cell
from bellek.nightly import Step
from bellek.schemas.errors import UsageFault
from bellek.schemas.settings import MICROS


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(nightly)
    app.command()(replay)


def nightly(dry_run: DryRun = False, home: HomeOption = None, json: JsonOption = False) -> int:
    """Mine, consolidate, replay and snapshot, for every project. Never permanent; killed anywhere, run it again."""
    if dry_run:
        with as_it_is(home) as store:
            steps = nights.plan(store, config.as_written(store.memory, store.path)) if store else []
        if json:
            say_json([{**asdict(step), "usd_at_most": step.micros / MICROS} for step in steps])
        else:
            say(*(_night_line(step) for step in steps) if steps else ["nothing was heard yet"])
            say(f"{sum(step.micros for step in steps if step.due) / MICROS:.4f} USD at most; nothing was written")
        return 0
    with opened(home) as store:
        done = nights.carry_out(store, nights.plan(store, config.read(store.memory)))
    if json:
        say_json([
            {"name": one.step.name, "project": one.step.project, "did": one.step.due, "what": one.what, "rows": one.rows, "usd": one.micros / MICROS,
             "failed": one.failed}
            for one in done
        ])  # fmt: skip
    else:
        say(*(f"{one.step.name} {one.step.project or 'home'}: {one_line(one.what)}" for one in done))
    return 1 if any(one.failed for one in done) else 0


def _night_line(step: Step) -> str:
    price = f", {step.micros / MICROS:.4f} USD at most" if step.micros and step.due else ""
    return f"{step.name} {step.project or 'home'}: {'' if step.due else 'nothing to do: '}{one_line(step.what)}{price}"


def replay(
    run: Annotated[bool, typer.Option("--run", help="Ask the model. Without it only the plan with its prices is told.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=0, help="At most so many tasks (0: all).")] = 0,
    budget: Annotated[float | None, typer.Option("--budget", metavar="USD", min=0, help="Tasks beyond it are left out before anything is spent.")] = None,
    none: Annotated[bool, typer.Option("--none", help="A third arm, without any memory.")] = False,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="A model of config/config.toml (default: replay.model).")] = None,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Answer your tasks with and without the candidates that they cover, and compare. Changes no row and no tier."""
    if budget is not None and not math.isfinite(budget):
        raise UsageFault(
            "--budget is no amount", why="it is a number of US dollars", hint="give one like --budget 0.50"
        )
    with opened(home) as store:
        here = project_id(store, project)
        settings = config.read(store.memory)
        folder = registry.path_of(store.memory, here)
        asked = runners.model_of(
            store, settings, settings.replay_model if model is None else model, folder=folder, reads=True
        )
        ledger = spend.run_of(store.memory, "replay", budget_usd=budget)
        reach = min(ledger.ceilings.command_usd, ledger.ceilings.day_usd)
        planned = replaying.plan(store, here, asked, limit=limit, budget_usd=reach if asked else budget, none=none)
        if not run:
            _tell_plan(planned, replaying.folder(store), json=json)
            return
        if asked is None:
            raise UsageFault(
                "no model to ask",
                why="replay.model is not set",
                hint="declare one in config/config.toml, or give --model NAME",
            )
        ended = replaying.carry_out(store, planned, asked, ledger)
        cells = replays.cells(store.memory, ended.id)
        compared = replaying.compare(cells)
        cost = spend.spent(store.memory, ledger)
    if json:
        say_json({
            "id": ended.id, "state": ended.state, "model": ended.model, "usd": cost / MICROS, **_compared(compared),
            "cells": [{**asdict(cell), "usd": cell.micros / MICROS} for cell in cells],
        })  # fmt: skip
        return
    _tell_replay(ended.state, cells, compared, cost)


def _tell_plan(planned: ReplayPlan, folder: str, *, json: bool) -> None:
    if json:
        say_json({
            "state": "planned", "usd_at_most": planned.micros / MICROS, "cut": planned.cut,
            "calls": [{"task": call.task, "arm": call.arm, "usd_at_most": call.micros / MICROS} for call in planned.calls],
            "faults": [{"id": fault.file, "what": fault.what} for fault in planned.faults],
        })  # fmt: skip
        return
    if not planned.tasks and not planned.cut:
        say(f"no task covers a candidate of this project; tasks lie in {one_line(folder)}")
    say(*(f"{one_line(call.task)}, {call.arm}: {call.micros / MICROS:.4f} USD at most" for call in planned.calls))
    say(*(f"{one_line(fault.file)} cannot be used: {one_line(fault.what)}" for fault in planned.faults))
    cut = f", {planned.cut} tasks left out" if planned.cut else ""
    say(f"{len(planned.calls)} calls, {planned.micros / MICROS:.4f} USD at most{cut}; nothing was asked (give --run)")


def _compared(compared: Compared) -> dict[str, object]:
    return {
        "tasks": compared.tasks, "without": compared.without, "with": compared.with_, "better": compared.better, "harm": compared.harm,
        "p": compared.p,
    }  # fmt: skip


def _tell_replay(state: str, cells: list[Cell], compared: Compared, cost: int) -> None:
    for arm in ("none", "permanent", "covered"):
        mine_ = [cell for cell in cells if cell.arm == arm]
        if mine_:
            paid = sum(cell.micros for cell in mine_) / MICROS
            say(f"{arm}: {sum(cell.passed for cell in mine_)} of {len(mine_)} passed, {paid:.4f} USD")
    say(*(f"harm: {one_line(task)} passes without the candidates and fails with them" for task in compared.harm))
    say(
        f"{len(compared.better)} better, {len(compared.harm)} worse of {compared.tasks}; sign test p = {compared.p:.3f}"
    )
    say(f"{cost / MICROS:.4f} USD, run {state}; no row was changed")
