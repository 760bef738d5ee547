"""``drain``: write what waits."""

from typing import Annotated

import typer

from bellek import runners
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id
from bellek.cli.screen import one_line, say, say_json
from bellek.curator import config, drain_model, spend
from bellek.curator.drain import drain_offline
from bellek.curator.drain_model import Curated
from bellek.kg.home import Home
from bellek.schemas.errors import UsageFault


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(drain)


def drain(
    offline: Annotated[bool, typer.Option("--offline", help="By rule, with no model: a learning → journal and lesson, a task mark → task, a profile fact → entity, fields and claims.")] = False,
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="By a model of config/config.toml (default: curator.model).")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most so many items by rule.")] = 1000,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Write the waiting items of this project into typed rows and acknowledge each in the same transaction."""
    if offline and model:
        raise UsageFault("two ways to drain were named", why="--offline asks no model", hint="give one of them")
    with opened(home) as store:
        here = project_id(store, project)
        if not offline:
            _tell_curated(_by_model(store, here, model), json=json)
            return
        done = drain_offline(store, here, limit=limit)
    if json:
        say_json({
            "batch": done.batch, "written": done.written, "acknowledged": done.acknowledged, "repeated": done.repeated,
            "absorbed": done.absorbed, "dropped": done.dropped, "quarantined": done.quarantined, "waiting": done.waiting,
            "notes": [{"id": id_, "note": note} for id_, note in done.notes],
            "failed": [{"id": id_, "reason": reason} for id_, reason in done.failed],
        })  # fmt: skip
    elif not (done.acknowledged or done.repeated or done.failed or done.waiting):
        say("nothing waited")
    else:
        rows = ", ".join(f"{count} {kind}" for kind, count in sorted(done.written.items()))
        counts = (
            (done.absorbed, "absorbed"),
            (done.dropped, "dropped"),
            (done.quarantined, "in quarantine"),
            (done.waiting, "left waiting"),
        )
        more = "".join(f", {count} {word}" for count, word in counts if count)
        say(
            f"{done.acknowledged} acknowledged ({rows or 'no rows'}), {done.repeated} said before{more}, batch {done.batch}"
        )
        say(*(f"{id_} {one_line(note)}" for id_, note in done.notes))
        say(*(f"{id_} not written: {one_line(reason)}" for id_, reason in done.failed))


def _by_model(store: Home, project: str, name: str) -> Curated:
    settings = config.read(store.memory)
    asked = runners.model_of(store, settings, name or settings.curator_model)
    if asked is None:
        raise UsageFault(
            "no way to drain was named",
            why="curator.model is not set",
            hint="run `bellek drain --offline`, or declare a model in config/config.toml",
        )
    return drain_model.drain_by_model(store, project, asked, spend.run_of(store.memory, "drain"))


def _tell_curated(done: Curated, *, json: bool) -> None:
    if json:
        say_json({
            "acknowledged": done.acknowledged, "states": done.states, "ids": done.ids, "steps": done.steps, "stopped": done.stopped,
            "failed": [{"id": id_, "reason": reason} for id_, reason in done.failed],
        })  # fmt: skip
        return
    states = ", ".join(f"{count} {state}" for state, count in sorted(done.states.items()))
    say(f"{done.acknowledged} acknowledged ({states or 'no verdicts'}) in {done.steps} steps" if done.steps else "nothing waited")  # fmt: skip
    say(*(f"{id_} not written: {one_line(reason)}" for id_, reason in done.failed))
    say(*([f"stopped, the rest waits: {one_line(done.stopped)}"] if done.stopped else []))
