"""``project list|link|move``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption, opened
from bellek.cli.screen import say, say_json, visible
from bellek.kg import registry

group = typer.Typer(no_args_is_help=True, help="Which folders are one project.")


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="project")


@group.command("list")
def list_(home: HomeOption = None, json: JsonOption = False) -> None:
    """List all projects, last used first, and folders that seem to have moved."""
    with opened(home) as store:
        found, moved = registry.listed(store.memory), registry.offers(store.memory)
    if json:
        offered = {id_: new for id_, _, new in moved}
        say_json([{**asdict(p), "moved_to": offered.get(p.id)} for p in found])
        return
    say(
        *(
            f"{p.id}  {visible(p.path)}{'' if p.exists else '  (gone)'}  {p.memories} memories, {p.waiting} waiting"
            for p in found
        )
        if found
        else ["no project yet"]
    )
    say(
        *(
            f"{visible(old)} seems to be {visible(new)} now: run `bellek project move {visible(old)} {visible(new)}`"
            for _, old, new in moved
        )
    )


@group.command()
def link(
    path: Annotated[str, typer.Argument(help="A folder.")],
    to: Annotated[str, typer.Argument(help="The project it belongs to: an id or a registered path.")],
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Say that a folder belongs to a known project."""
    with opened(home) as store:
        known = registry.link(store.memory, str(Path(path).absolute()), to)
    say_json({"id": known, "path": path}) if json else say(f"{visible(path)} belongs to {known}")


@group.command()
def move(
    old: Annotated[str, typer.Argument(help="Where the project was: an id or a registered path.")],
    new: Annotated[str, typer.Argument(help="Where it is now.")],
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Say that a project's folder is now elsewhere; its memory follows."""
    with opened(home) as store:
        known = registry.move(store.memory, old, str(Path(new).absolute()))
    say_json({"id": known, "path": new}) if json else say(f"{known} is now {visible(new)}")
