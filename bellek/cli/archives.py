"""``export`` and ``import``: everything leaves as JSON lines and markdown, and comes in again, from here or from elsewhere."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from bellek import gate
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.context import readable
from bellek.curator.foreign import bring, detect
from bellek.kg import archive, archive_load, archive_parts, archive_read, paths
from bellek.kg.archive_load import Loaded
from bellek.kg.home import open_to_read
from bellek.kg.ids import mint
from bellek.schemas.errors import UsageFault


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(export)
    app.command("import")(import_)


def export(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A folder that does not exist yet.")],
    markdown: Annotated[bool, typer.Option("--markdown/--no-markdown", help="Also as markdown, to be read without any program.")] = True,
    read_only: Annotated[bool, typer.Option("--read-only", help="Change no byte of the home, also where a newer bellek wrote it; without markdown.")] = False,
    space: Annotated[str, typer.Option("--space", metavar="NAME", help="Only what this home holds of a hub's space, in bytes that are equal on every node that holds the same.")] = "",
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Write everything that is kept: each table as JSON lines, your own files, and all of it as markdown."""
    if space:
        _export_space(space, folder, home, json=json)
        return
    if read_only:
        with open_to_read(paths.find_home(home)) as store:
            _tell_export(archive.write(store, folder), json)
        return
    with opened(home) as store:
        also = (lambda work: readable.write(store, f"{work}/markdown")) if markdown else None
        done = archive.write(store, folder, also)
        archive.note(store.memory, "export", actor="cli", batch=mint("b"), what={"lines": sum(done.lines.values())})
    _tell_export(done, json)


def _export_space(name: str, folder: str, home: str | None, *, json: bool) -> None:
    from bellek.kg import hub_export, hub_spaces

    with opened(home) as store:
        lines = hub_export.write(store.memory, hub_spaces.one(store.memory, name), folder)
    path = str(Path(folder).expanduser().absolute())
    say_json({"path": path, "lines": lines}) if json else say(f"{sum(lines.values())} lines of {name}: {visible(path)}")


def _tell_export(done: archive.Written, json: bool) -> None:
    if json:
        say_json({"path": done.path, "lines": done.lines, "files": done.files, "markdown": done.also})
        return
    say(
        f"{sum(done.lines.values())} lines in {len(done.lines)} tables, {done.files} files of yours, {done.also} markdown files: {visible(done.path)}"
    )
    say(f"{archive.KEY_FILE} in it is as secret as the store: it lets refusals and forgets hold where this is imported")


def import_(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A folder that `bellek export` wrote, or another program's: ChatGPT, Claude, mem0, claude-mem, server-memory, markdown folders.")],
    confirm: Annotated[bool, typer.Option("--confirm", help="What a person had made permanent there is permanent here too; only a person may say so.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and verify, say what would happen, write nothing.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Bring an archive in. What is newer here stays, what was refused or forgotten does not come back, nothing becomes permanent."""
    if not (Path(path).expanduser() / archive.INDEX).exists():
        if confirm:
            raise UsageFault("--confirm goes with bellek's own archive", why="no other export tells of promotions here")
        _foreign(Path(path).expanduser(), home, project, dry_run=dry_run, json=json)
        return
    found = archive_read.read(path)
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


def _foreign(path: Path, home: str | None, project: str | None, *, dry_run: bool, json: bool) -> None:
    found = detect.read(path)
    if dry_run:
        told = {
            "format": found.format,
            "rows": len(found.rows),
            "messages": len(found.said),
            "unread": found.unread,
            "notes": found.notes,
        }
        say_json(told) if json else say(
            *map(one_line, found.notes),
            f"{found.format}: {len(found.rows)} rows, {len(found.said)} messages; nothing was written",
        )
        return
    with opened(home) as store:
        done = bring.bring(store, found, project_id(store, project))
        archive.note(
            store.memory,
            "import",
            actor="cli",
            batch=done.batch,
            what={"format": done.format, "written": done.written, "messages": done.messages},
        )
    if json:
        say_json(asdict(done))
        return
    say(*(one_line(note) for note in done.notes))
    say(
        f"{done.format}: {done.written} rows written as provisional, {done.known} known, {done.blocked} refused or forgotten before, {done.messages} messages stored"
        + (f"; {done.apart} of the rows wait in quarantine" if done.apart else "")
    )
    say(f"`bellek undo {done.batch}` takes the rows back") if done.written else None


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
