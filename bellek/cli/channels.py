"""``channels list|check``: what is heard, by whose manifest, and what is wrong with a manifest that declares nothing."""

import typer

from bellek.cli.place import HomeOption, JsonOption, opened
from bellek.cli.screen import one_line, say, say_json
from bellek.curator import channels
from bellek.schemas.channel import Channels

group = typer.Typer(no_args_is_help=True, help="What kinds of markers are heard; one manifest declares one.")


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="channels")


def _load(home: str | None) -> Channels:
    with opened(home) as store:
        return channels.load(store.path)


@group.command("list")
def list_(home: HomeOption = None, json: JsonOption = False) -> None:
    """List the declared channels."""
    found = _load(home)
    if json:
        say_json([{"id": c.name, **c.model_dump(), "manifest": found.places[c.name]} for c in found.declared])
        return
    say(
        *(
            f"{c.name}  drained as {c.drain}  {one_line(c.describes)}  ({one_line(found.places[c.name])})"
            for c in found.declared
        )
    )
    say(*(f"refused: {one_line(str(fault))}" for fault in found.faults))


@group.command()
def check(home: HomeOption = None, json: JsonOption = False) -> int:
    """Read every manifest again; exit 1 where one is refused, with its file and line."""
    found = _load(home)
    if json:
        say_json([{"id": f"{f.file}:{f.line}", "file": f.file, "line": f.line, "what": f.what} for f in found.faults])
    else:
        say(*(one_line(str(fault), 400) for fault in found.faults))
        say(f"{len(found.declared)} channels are heard, {len(found.faults)} manifests are refused")
    return 1 if found.faults else 0
