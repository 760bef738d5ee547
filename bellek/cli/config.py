"""``config list``: every setting, its value, and where that comes from."""

import typer

from bellek.cli.place import HomeOption, JsonOption
from bellek.cli.screen import one_line, say, say_json
from bellek.curator import config as settings
from bellek.curator import settings_listed
from bellek.kg import paths
from bellek.schemas.channel import Fault
from bellek.schemas.errors import UsageFault

group = typer.Typer(no_args_is_help=True, help="What config/config.toml sets, and what nobody set.")


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="config")


@group.command("list")
def list_(home: HomeOption = None, json: JsonOption = False) -> None:
    """List each setting with its value and its source: the file's line, or the default."""
    where = paths.find_home(home)
    found = settings_listed.listed(where)
    if isinstance(found, Fault):
        raise UsageFault(
            str(found), why="what was set before stays in force", hint=f"correct {where}/{paths.CONFIG}/{settings.FILE}"
        )
    if json:
        say_json([{"id": one.key, "value": one.value, "source": one.source} for one in found])
        return
    say(*(f"{one.key:32} {one_line(str(one.value), 60) or '-':24} {one_line(one.source)}" for one in found))
