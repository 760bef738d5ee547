"""``stats``: whether what memory told was of use."""

from dataclasses import asdict
from typing import Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id
from bellek.cli.screen import say, say_json
from bellek.context import measured


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(stats)


def stats(
    every: Annotated[bool, typer.Option("--all", help="Of every project.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Count for how many prompts memory had something to tell (fired) or nothing (silent), what arrived (seen) and what a reply took up (cited)."""
    with opened(home) as store:
        found = measured.measure(store, "" if every else project_id(store, project))
    if json:
        say_json(asdict(found))
        return
    say(
        f"prompts  {found.prompts}",
        f"fired    {found.fired}  ({found.rows} rows told)",
        f"silent   {found.silent}",
        f"seen     {found.seen}  of those that fired: the client's transcript holds the packet",
        f"cited    {found.cited}  of those seen: the reply names a row ({found.named}) or holds its words ({found.echoed})",
    )
