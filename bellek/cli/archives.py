"""``export`` and ``import``: everything leaves as JSON lines and markdown, and comes in again, from here or from elsewhere."""

from dataclasses import asdict
from typing import Annotated

import typer

from bellek import gate
from bellek.cli.place import HomeOption, JsonOption, opened
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.context import readable
from bellek.kg import archive, archive_load, archive_parts
from bellek.kg.archive_load import Loaded
from bellek.kg.ids import mint


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(export)
    app.command("import")(import_)


def export(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A folder that does not exist yet.")],
    markdown: Annotated[bool, typer.Option("--markdown/--no-markdown", help="Also as markdown, to be read without any program.")] = True,
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Write everything that is kept: each table as JSON lines, your own files, and all of it as markdown."""
    with opened(home) as store:
        also = (lambda work: readable.write(store, f"{work}/markdown")) if markdown else None
        done = archive.write(store, folder, also)
        archive.note(store.memory, "export", actor="cli", batch=mint("b"), what={"lines": sum(done.lines.values())})
    if json:
        say_json({"path": done.path, "lines": done.lines, "files": done.files, "markdown": done.also})
        return
    say(
        f"{sum(done.lines.values())} lines in {len(done.lines)} tables, {done.files} files of yours, {done.also} markdown files: {visible(done.path)}"
    )
    say(f"{archive.KEY_FILE} in it is as secret as the store: it lets refusals and forgets hold where this is imported")


def import_(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A folder that `bellek export` wrote.")],
    confirm: Annotated[bool, typer.Option("--confirm", help="What a person had made permanent there is permanent here too; only a person may say so.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and verify, say what would happen, write nothing.")] = False,
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Bring an archive in. What is newer here stays, what was refused or forgotten does not come back, nothing becomes permanent."""
    found = archive_load.read(path)
    with opened(home) as store:
        if dry_run:
            _tell(archive_load.plan(store, found), [], json, dry=True)
            return
        actor = gate.require_person(store, verb="import") if confirm else ""
        loaded = archive_load.load(store, found)
        confirmed = archive_load.confirm(store, found, actor=actor) if actor else []
        taken, differ = archive_parts.take_config(store, found) if actor else ([], [])
    loaded.notes += tuple(f"config/{name} was taken over" for name in taken)
    loaded.notes += tuple(f"config/{name} is another one here and stays" for name in differ)
    _tell(loaded, confirmed, json, dry=False)


def _tell(loaded: Loaded, confirmed: list[str], json: bool, *, dry: bool) -> None:
    if json:
        say_json({**asdict(loaded), "confirmed": confirmed, "dry_run": dry})
        return
    lies = {
        "forward": "it goes on where this home ends",
        "known": "this home has all of its trail",
        "apart": "both went their own way: rows are merged",
    }
    say(lies[loaded.how])
    say(*(one_line(note) for note in loaded.notes))
    if dry:
        say(f"{loaded.entries} entries of its trail would be replayed; nothing was written")
        return
    say(
        f"{loaded.written} rows written, {loaded.known} known or newer here, {loaded.blocked} refused or forgotten here, {loaded.messages} messages stored"
    )
    if confirmed:
        say(f"{len(confirmed)} rows are permanent again, with the promotions that they had")
    elif loaded.unconfirmed:
        say(
            f"{loaded.unconfirmed} permanent rows came in as provisional; `bellek import DIR --confirm` in a terminal of your own makes them permanent"
        )
