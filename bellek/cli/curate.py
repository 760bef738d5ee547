"""``drain``: write what waits."""

from typing import Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id
from bellek.cli.screen import one_line, say, say_json
from bellek.curator.drain import drain_offline
from bellek.schemas.errors import UsageFault


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(drain)


def drain(
    offline: Annotated[bool, typer.Option("--offline", help="By rule, with no model: a learning → journal and lesson, a task mark → task, a profile fact → entity, fields and claims.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1)] = 1000,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Write the waiting items of this project into typed rows and acknowledge each in the same transaction."""
    if not offline:
        raise UsageFault(
            "no way to drain was named",
            why="draining with a model is not part of this version",
            hint="run `bellek drain --offline`",
        )
    with opened(home) as store:
        done = drain_offline(store, project_id(store, project), limit=limit)
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
