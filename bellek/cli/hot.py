"""``hook`` and ``tick``: what a client starts, and the same hearing by hand."""

from typing import Annotated

import typer

from bellek import hearing
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id
from bellek.cli.screen import one_line, say, say_json
from bellek.context.sections import signals
from bellek.curator.capture import Heard
from bellek.kg import clock, paths
from bellek.schemas.errors import UsageFault

UNITS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(hook)
    app.command()(tick)


def hook(
    event: Annotated[str, typer.Argument()],
    client: Annotated[str, typer.Option("--client")] = "claude-code",
    home: HomeOption = None,
) -> None:
    """Answer a client's hook event (its JSON on standard input)."""
    from bellek.hook import run

    run([event, "--client", client, *(["--home", home] if home else [])])


def tick(
    throttle: Annotated[str, typer.Option("--throttle", help="Scan nothing if a pass ended less than this ago (10m, 30s).")] = "0s",
    file: Annotated[list[str] | None, typer.Option("--file", help="Hear only this transcript; may be given again.")] = None,
    client: Annotated[str, typer.Option("--client")] = "claude-code",
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Hear what is new in the transcripts, by hand. It neither drains nor sleeps."""
    where = paths.find_home(home)
    rounds: list[Heard] = []
    busy = False
    if not _just_heard(where, throttle):
        busy = not hearing.listen(where, hearing.ears_of(client), file or [], rounds.append)
    with opened(home) as store:
        if rounds:
            hearing.embed(store)
        waiting = signals(store.memory, project_id(store, project), clock.now())
    notes = [note for heard in rounds for note in heard.notes]
    result = {
        "files": sum(h.files for h in rounds), "messages": sum(h.messages for h in rounds),
        "queued": sum(h.queued for h in rounds), "notes": notes, "busy": busy, "throttled": not rounds and not busy,
    }  # fmt: skip
    if json:
        say_json(result)
        return
    say(*(one_line(note) for note in notes))
    say(_summary(result), *(line.text for line in waiting))


def _summary(result: dict[str, object]) -> str:
    if result["busy"]:
        return "another pass is hearing right now; it will look once more"
    if result["throttled"]:
        return "nothing was scanned: a pass ended within the throttle"
    return (
        f"{result['files']} transcripts read, {result['messages']} messages stored, {result['queued']} learnings queued"
    )


def _just_heard(home: str, throttle: str) -> bool:
    amount, unit = throttle[:-1], throttle[-1:]
    if unit not in UNITS or not amount.isdigit():
        raise UsageFault(
            f"--throttle {throttle} is no duration",
            why="it is a whole number and s, m, h or d",
            hint="give for example --throttle 10m",
        )
    if not int(amount):
        return False
    with opened(home) as store:
        heard = store.memory.value("SELECT value FROM meta WHERE key = 'heard_at'")
    return heard is not None and clock.now() - int(str(heard)) < int(amount) * UNITS[unit]
