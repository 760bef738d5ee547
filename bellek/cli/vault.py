"""Memory as files: ``vault export|sync|status|index``, ``identity show|propose``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from bellek import gate
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, sight, typed
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.cli.secret import confirmed, passphrase
from bellek.context import vault
from bellek.curator import identity, vault_disk, vault_taken, vaulted
from bellek.curator.vaulted import Edit, Exported, Found, Gone
from bellek.kg import paths, signing, vault_files
from bellek.kg.home import Home
from bellek.schemas.errors import NotFound, Refused, UsageFault

vault_group = typer.Typer(no_args_is_help=True, help="Memory as plain files, for `ls`, `cat`, `grep` and Obsidian.")
identity_group = typer.Typer(no_args_is_help=True, help="The file in which you say who you are; read at every start.")
Folder = Annotated[
    str | None,
    typer.Argument(metavar="[DIR]", help="The vault (default: this project's last one, else one in the data home)."),
]
BAR_FROM = 500  # files: below it a bar is gone before it is seen


def add_to(app: typer.Typer) -> None:
    """Add the groups."""
    app.add_typer(vault_group, name="vault")
    app.add_typer(identity_group, name="identity")


@vault_group.command("export")
def vault_export(
    folder: Folder = None,
    into: Annotated[bool, typer.Option("--into", help="Into a folder that holds other files already.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Write what this project remembers as files; those that did not change are left untouched, edits wait in the inbox."""
    with opened(home) as store:
        here = sight(store, project)
        root = _root(store, here, folder)
        known = bool(vault_files.of(store.memory, root))
        if not known and not into and Path(root).is_dir() and any(Path(root).iterdir()):
            raise Refused(
                f"{one_line(root)} holds files already",
                why="it is no vault of this home",
                hint="give another folder, or --into",
            )
        root = vault_disk.make(root)
        done = _with_bar(store, root, here, json=json)
    if json:
        say_json(_exported(done))
        return
    _say_exported(done)


def _with_bar(store: Home, root: str, here: str, *, json: bool) -> Exported:
    total = len(vault_files.of(store.memory, root)) or int(str(store.memory.value("SELECT count(*) FROM memories")))
    if json or total < BAR_FROM or not sys.stderr.isatty():
        return vaulted.export(store, root, here)
    with typer.progressbar(length=total, label="files", file=sys.stderr) as bar:
        return vaulted.export(store, root, here, progress=lambda seen: bar.update(seen - bar.pos))


def _root(store: Home, here: str, folder: str | None) -> str:
    if folder:
        return str(Path(folder).expanduser().resolve())
    known = vault_files.roots(store.memory, here)
    return known[-1][0] if known else f"{Path(store.path).resolve()}/{paths.VAULT}/{here}"


def _exported(done: Exported) -> dict[str, object]:
    return {
        "root": done.root, "written": done.written, "unchanged": done.unchanged, "removed": done.removed, "waiting": done.waiting,
        "kept_beside": [{"path": path, "as": kept} for path, kept in done.beside], "asked": done.asked, "not_taken_in": _odd(done),
    }  # fmt: skip


def _odd(found: Found | Exported) -> list[dict[str, str]]:
    return [{"path": odd.path, "why": odd.why} for odd in found.odd]


def _say_exported(done: Exported) -> None:
    lines = [
        f"{visible(done.root)}: {len(done.written)} files written, {done.unchanged} unchanged, {len(done.removed)} removed"
    ]
    lines += [f"not taken in: {visible(odd.path)}: {visible(odd.why)}" for odd in done.odd]
    lines += [f"kept beside: {visible(path)} as {visible(kept)}" for path, kept in done.beside]
    lines += [f"left as you edited it: {visible(path)}" for path in done.waiting]
    if done.asked:
        lines.append(
            f"{len(done.asked)} new in the inbox: `bellek proposals list`, or `bellek vault sync` in a terminal"
        )
    say(*lines)


@vault_group.command("status")
def vault_status(
    folder: Folder = None, home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False
) -> None:
    """Say what was edited, deleted or added in a vault since it was written. Changes nothing."""
    with opened(home) as store:
        here = sight(store, project)
        root = _known_root(store, here, folder)
        found = vaulted.look(store, root, here)
    if json:
        say_json({
            "root": root, "edited": [{"path": one.path, "id": one.row.id, "tier": one.row.tier} for one in found.edits],
            "deleted": [{"path": one.path, "id": one.row.id} for one in found.gone],
            "notes": [{"path": one.path, "title": one.title} for one in found.notes], "not_taken_in": _odd(found),
        })  # fmt: skip
        return
    lines = [f"edited: {visible(one.path)} ({one.row.id}, {one.row.tier})" for one in found.edits]
    lines += [f"deleted: {visible(one.path)} ({one.row.id}, {one.row.tier})" for one in found.gone]
    lines += [f"new: {visible(one.path)}" for one in found.notes]
    lines += [f"not taken in: {visible(odd.path)}: {visible(odd.why)}" for odd in found.odd]
    say(*(lines or [f"{visible(root)}: nothing differs"]))


def _known_root(store: Home, here: str, folder: str | None) -> str:
    root = _root(store, here, folder)
    if not vault_files.of(store.memory, root):
        raise NotFound(
            f"{one_line(root)} is no vault of this home",
            why="no export wrote into it",
            hint="run `bellek vault export`",
        )
    return root


@vault_group.command("sync")
def vault_sync(
    folder: Folder = None,
    yes: Annotated[bool, typer.Option("--yes", help="Take in every edit and note after printing it; deletions are still asked about.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Take in what was edited in the files. A person sees each difference and decides; for an agent it goes to the inbox."""
    with opened(home) as store:
        here = sight(store, project)
        root = _known_root(store, here, folder)
        found = vaulted.look(store, root, here)
        actor, why = gate.look()
        if why:
            with store.memory.transaction():
                asked = vaulted.ask(store, root, here, found)
            _tell_inbox(found, asked, f"{actor}: {why}", json=json)
            return
        if json and not yes:
            raise UsageFault(
                "--json decides nothing", why="each difference is shown and asked about", hint="give --yes with it"
            )
        gate.require_person(store, verb="vault sync")
        taken = _decide(store, root, here, found, yes=yes, quiet=json)
        done = vaulted.export(store, root, here)
    if json:
        say_json({"taken_in": taken, **_exported(done)})
        return
    say(f"{len(taken)} taken in: {', '.join(taken)}" if taken else "nothing was taken in")
    _say_exported(done)


def _tell_inbox(found: Found, asked: list[str], why: str, *, json: bool) -> None:
    if json:
        say_json({"taken_in": [], "asked": asked, "not_taken_in": _odd(found), "why": why})
        return
    told = f"{len(asked)} new in the inbox; nothing was taken in, only a person does ({one_line(why)})"
    say(told, *(f"not taken in: {visible(odd.path)}: {visible(odd.why)}" for odd in found.odd))


def _decide(store: Home, root: str, here: str, found: Found, *, yes: bool, quiet: bool) -> list[str]:
    """Show each difference and carry out the person's decision; what was taken in, by id."""
    secret = passphrase(store) if any(edit.row.tier == "T2" for edit in found.edits) else ""
    key = signing.key(store.memory, secret) if secret else b""
    taken = []
    for edit in found.edits:
        _show(edit, quiet=quiet)
        if yes or confirmed("take it in?"):
            taken.append(vault_taken.take_in(store, edit, actor=gate.TERMINAL, key=key))
    if found.notes:
        with store.memory.transaction():
            vaulted.ask(store, root, here, Found(notes=found.notes))
        if not quiet:
            say(*(f"offered as a page, in the inbox: {visible(note.path)}" for note in found.notes))
    taken += [gone.row.id for gone in found.gone if _forget(store, root, gone)]
    return taken


def _show(edit: Edit, *, quiet: bool) -> None:
    if not quiet:
        say(f"{visible(edit.path)}: {edit.row.id}, {edit.row.body.kind}, {edit.row.tier}")
        say(
            *(
                visible(line)
                for line in vaulted.changed_lines(vault.body(edit.row), vault.written_body(edit.row, edit.text))
            )
        )


def _forget(store: Home, root: str, gone: Gone) -> bool:
    say(f"{visible(gone.path)} was deleted: {gone.row.id}, {gone.row.tier}: {one_line(gone.row.text)}")
    if not confirmed("forget it for good?"):
        vault_taken.keep(store, root, gone, actor=gate.TERMINAL)
        return False
    vault_taken.forget(store, gone, actor=gate.TERMINAL)
    return True


@vault_group.command("index")
def vault_index(home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List what is permanent here: name, description, path of its file. A link whose file is gone is reported."""
    with opened(home) as store:
        here = sight(store, project)
        rows = [
            {
                "id": file.memory,
                "name": str(file.front["name"]),
                "description": str(file.front["description"]),
                "path": vault_files.path_of(store.memory, file.memory),
            }
            for file in vault.permanent(vault.files(store.memory, here))
        ]
        dead = {path for _, path in vaulted.dead_links(store.memory, here)}
    if json:
        say_json([{**row, "dead": row["path"] in dead} for row in rows])
        return
    if not rows:
        say("nothing is permanent here yet: `bellek review`")
    for row in rows:
        gone = " (dead link: run `bellek vault export`)" if row["path"] in dead else ""
        say(
            f"{row['id']}  {one_line(row['name'], 60)}: {one_line(row['description'], 80)}  {visible(row['path'])}{gone}"
        )


@identity_group.command("show")
def identity_show(home: HomeOption = None, json: JsonOption = False) -> None:
    """Print the identity file."""
    place = paths.find_home(home)
    text = identity.text(place)
    if json:
        say_json({"path": paths.identity_file(place), "text": text})
        return
    say(
        visible(text.rstrip("\n"))
        if text.strip()
        else f"{visible(paths.identity_file(place))} is empty; write into it who you are"
    )


@identity_group.command("propose")
def identity_propose(
    text: Annotated[list[str] | None, typer.Argument(metavar="[TEXT]", help="The whole new text; `-` or nothing: standard input.")] = None,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Propose the whole new text of the identity file; it is written when the person answers yes."""
    given = typed(" ".join(text)) if text and text != ["-"] else sys.stdin.buffer.read().decode("utf-8", "replace")
    if not given.strip() or len(given.encode()) > identity.SIZE_CAP:
        raise UsageFault("nothing was proposed", why=f"the text is empty or has more than {identity.SIZE_CAP} bytes")
    with opened(home) as store:
        here = sight(store, project)
        with store.memory.transaction():
            written = identity.propose(store, here, given, actor="cli")
        old = identity.text(store.path)
    if json:
        say_json({"id": written.id, "status": written.status, "note": written.note})
        return
    say(*(visible(line) for line in vaulted.changed_lines(old, given)))
    say(
        f"{written.id} {'waits for an answer' if written.status == 'current' else f'is set apart: {visible(written.note)}'}: `bellek proposals answer {written.id} yes`"
    )
