"""``evolve``: what the weeks show becomes worldview, and the weekly self-audit."""

import typer

from bellek import runners
from bellek.cli.dream import DryRun
from bellek.cli.place import HomeOption, JsonOption, as_it_is, opened
from bellek.cli.screen import one_line, say, say_json
from bellek.curator import config, spend
from bellek.curator import evolve as reflecting
from bellek.curator.evolve import Change, Evolved, Plan


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(evolve)


def evolve(dry_run: DryRun = False, home: HomeOption = None, json: JsonOption = False) -> None:
    """Reflect on the last weeks, once a week: patterns become worldview with their evidence; the self-audit is reported."""
    if dry_run:
        with as_it_is(home) as store:
            planned = reflecting.plan(store) if store else None
        if planned is None:
            say_json({"state": "planned", "changes": [], "audit": []}) if json else say("nothing was heard yet")
            return
        done = None
    else:
        with opened(home) as store:
            settings = config.read(store.memory)
            model = runners.model_of(store, settings, settings.evolve_model)
            planned, done = reflecting.evolve(store, model=model, run=spend.run_of(store.memory, "evolve"))
    if json:
        say_json(_json(planned, done))
        return
    _tell(planned, done)


def _json(planned: Plan, done: Evolved | None) -> dict[str, object]:
    return {
        "state": "written" if done else "waits" if planned.waits else "planned", "week": planned.week, "why": planned.waits,
        "ids": done.ids if done else [], "left_out": done.left_out if done else [], "notes": planned.notes,
        "changes": [
            {"id": one.id, "how": one.how, "project": one.project, "topic": one.inference.topic, "before": one.before,
             "text": one.inference.text, "evidence": one.inference.evidence}
            for one in planned.changes
        ],
        "audit": [{"name": one.name, "count": one.count, "what": one.what, "ids": one.ids} for one in planned.report],
    }  # fmt: skip


def _tell(planned: Plan, done: Evolved | None) -> None:
    for change in planned.changes:
        say(*_diff(change))
    if planned.waits:
        say(f"not yet: {planned.waits}")
    elif done is None:
        say(f"{planned.week}: {len(planned.changes)} patterns by rule; nothing was written")
    else:
        say(f"{planned.week}: {len(done.ids)} patterns written, batch {done.batch}")
        say(*(f"left out: {one_line(why)}" for why in done.left_out))
    say(*(one_line(note) for note in planned.notes))
    for one in planned.report:
        about = f" ({', '.join(one_line(id_, 60) for id_ in one.ids)})" if one.ids else ""
        say(f"{one.name}: {one.count} {one.what}{about}")


def _diff(change: Change) -> list[str]:
    """A row as a diff: what is taken away, what comes, what stays."""
    head = f"{change.id or 'new'} {change.inference.topic}, {len(change.inference.evidence)} rows of evidence"
    match change.how:
        case "new":
            return [head, f"+ {one_line(change.inference.text)}"]
        case "changed":
            return [head, f"- {one_line(change.before)}", f"+ {one_line(change.inference.text)}"]
        case "same":
            return [head, f"  {one_line(change.inference.text)}"]
