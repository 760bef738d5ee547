"""``backup`` and ``restore``: copies of the whole home, and the way back."""

import sys
from pathlib import Path
from typing import Annotated, get_args

import typer

import bellek
from bellek import gate
from bellek.cli.place import HomeOption, JsonOption, opened
from bellek.cli.screen import complain, one_line, say, say_json, visible
from bellek.cli.when import bounds
from bellek.curator import config, forgetting
from bellek.kg import backups, clock, forget, paths, restore, rewind, shelf
from bellek.kg.home import open_home
from bellek.kg.restore import Restored
from bellek.kg.shelf import Copy
from bellek.schemas.backup import STORES, Store
from bellek.schemas.errors import BellekError, PersonNeeded, Refused, UsageFault

FromOption = Annotated[str, typer.Option("--from", metavar="DIR", help="Where the copies lie (default: backup.folder of config.toml, else HOME/backups).")]  # fmt: skip
IdentityOption = Annotated[
    str, typer.Option("--identity", metavar="FILE", help="The age identity file of an encrypted copy.")
]


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(backup)
    app.command("restore")(restore_)


def backup(
    to: Annotated[str, typer.Option("--to", metavar="DIR", help="Where copies lie (default: backup.folder of config.toml, else HOME/backups).")] = "",
    list_: Annotated[bool, typer.Option("--list", help="Only list the copies.")] = False,
    drill: Annotated[bool, typer.Option("--drill", help="Only unpack the newest copy, open it and check everything; nightly does so each week.")] = False,
    weekly: Annotated[bool, typer.Option("--weekly-drill", help="Drill the new copy too, where the last drill is a week old.")] = False,
    identity: IdentityOption = "", home: HomeOption = None, json: JsonOption = False,
) -> int:  # fmt: skip
    """Copy memory, conversations and config under a pinned read, verified before it counts; keep 7 days and 4 weeks of copies."""
    with opened(home) as store:
        settings = config.read(store.memory)
        place = shelf.folder(store.path, to or settings.backup_folder)
        if list_:
            return _list(place, json)
        if drill:
            why = backups.drill(store, place, identity or settings.backup_identity)
            return _tell_drill(backups.drilled(store), why, json)
        progress = None if json or not sys.stderr.isatty() else _progress
        made = backups.make(store, place, program=bellek.__version__, recipients=settings.recipients, told=progress)
        drilled = weekly and backups.drill_due(store)
        why = backups.drill(store, place, identity or settings.backup_identity) if drilled else ""
    if json:
        say_json({**_as_json(made.copy), "rotated": made.rotated, "drill": (why or "good") if drilled else None})
        return 1 if why else 0
    for part in made.copy.manifest.parts:
        say(
            f"{part.store}: {sum(part.rows.values())} {'files' if part.store == 'config' else 'rows'}, {part.size} bytes"
        )
    say(*(f"WARN the store has this fault: {one_line(fault)}" for fault in made.copy.manifest.faults))
    say(*(f"its place was taken: {id_}" for id_ in made.rotated))
    say(f"verified and kept: {visible(made.copy.path)}")
    if drilled:
        say(f"FAIL it does not restore: {visible(why)}" if why else "restored on trial: every count compared")
    return 1 if why else 0


def _progress(store: str, done: int, whole: int) -> None:
    width = 30
    filled = width * done // max(whole, 1)
    end = "\n" if done >= whole else ""
    sys.stderr.write(f"\r{store:14}[{'#' * filled}{'.' * (width - filled)}] {100 * done // max(whole, 1):3}%{end}")
    sys.stderr.flush()


def _as_json(copy: Copy) -> dict[str, object]:
    m = copy.manifest
    return {
        "path": copy.path, "id": m.id, "at": clock.stamp(m.made_at, m.offset_minutes), "program": m.program, "encrypted": m.encrypted,
        "entries": m.entries, "head": m.head, "faults": m.faults,
        "stores": [{"id": p.store, "bytes": p.size, "version": p.version, "rows": p.rows} for p in m.parts],
    }  # fmt: skip


def _list(place: str, json: bool) -> int:
    copies, broken = shelf.listed(place)
    if json:
        say_json([*map(_as_json, copies), *({"path": b.path, "broken": b.why} for b in broken)])
        return 0
    if not copies and not broken:
        say(f"no copy in {visible(place)}; `bellek backup` makes one")
    for copy in copies:
        m = copy.manifest
        held = {table: n for part in m.parts for table, n in part.rows.items()}
        say(
            f"{m.id}  {clock.stamp(m.made_at, m.offset_minutes)}  {held.get('memories', 0)} memories, {held.get('messages', 0)} messages"
            + (", encrypted" if m.encrypted else "") + (", empty" if m.empty else "")
        )  # fmt: skip
    say(*(f"no copy: {visible(b.path)} ({one_line(b.why)})" for b in broken))
    return 0


def _tell_drill(noted: dict[str, object], why: str, json: bool) -> int:
    if json:
        say_json({"path": noted["copy"], "good": not why, "why": why})
    else:
        say(
            f"FAIL {visible(str(noted['copy']))}: {visible(why)}"
            if why
            else f"{visible(str(noted['copy']))} restores: unpacked, opened, every count compared"
        )
    return 1 if why else 0


def restore_(
    copy: Annotated[str, typer.Argument(metavar="[COPY]", help="A copy's id or folder (default: the newest that holds something).")] = "",
    from_: FromOption = "",
    only: Annotated[list[str] | None, typer.Option("--only", metavar="STORE", help="memory, conversations or config; again for a second one.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there; only a person may, and it is kept under HOME/replaced.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Verify the copy and say what is in the way. Nothing is written to the home.")] = False,
    at: Annotated[str, typer.Option("--at", metavar="TIME", help="Instead of a copy: take typed memory back to an instant, from the trail; a person only.")] = "",
    identity: IdentityOption = "", home: HomeOption = None, json: JsonOption = False,
) -> int:  # fmt: skip
    """Bring a copy back: verified first, free into an empty home. What a person made permanent stays so where the copy proves it."""
    if at:
        return _rewind(at, home, dry_run=dry_run, json=json)
    where = paths.find_home(home)
    paths.check_owner(where)
    stores = _stores(only)
    settings = config.from_file(where)
    found = shelf.find(shelf.folder(where, from_ or settings.backup_folder), copy)
    in_the_way = restore.obstacles(where, found, stores)
    identity = identity or settings.backup_identity
    if dry_run:
        return _tell_plan(where, found, restore.verified(found, stores, identity), in_the_way, json)
    if force:
        person(where)
    elif in_the_way:
        words = "bellek restore " + " ".join(filter(None, (visible(copy), "--force")))
        raise Refused(
            f"{where} was not touched", why="; ".join(in_the_way), hint=f"run `{words}` in a terminal of your own: what is there is kept, not deleted"
        )  # fmt: skip
    done = restore.carry_out(where, found, stores, identity=identity, force=force, again=forgetting.again)
    _tell(done, found, json)
    return 0 if _finished(where) else 4


def _finished(where: str) -> bool:
    """Scrub what was forgotten again; whether nothing of it is left. What is left is hidden, and the next run goes on."""
    with open_home(where) as store:
        waiting = [one for one in forget.finish(store) if one.state != "proven"]
    for one in waiting:
        complain(f"hidden and not proven to be gone yet: {one_line(one.why)}; `bellek forget` goes on")
    return not waiting


def _stores(only: list[str] | None) -> tuple[Store, ...]:
    for word in only or []:
        if word not in get_args(Store):
            raise UsageFault(f"--only {one_line(word, 40)!r} is no store", why=f"it is one of {', '.join(STORES)}")
    return tuple(store for store in STORES if not only or store in only)


def person(where: str) -> str:
    """The gate, also before a home that cannot be opened. Raises PersonNeeded."""
    if Path(paths.memory_db(where)).exists():
        try:
            store = open_home(where)
        except BellekError:
            pass
        else:
            with store:
                return gate.require_person(store, verb="restore")
    _, why = gate.look()
    if why:
        raise PersonNeeded("`bellek restore` needs a person", why=why)
    return gate.TERMINAL


def _tell_plan(where: str, copy: Copy, faults: list[str], in_the_way: list[str], json: bool) -> int:
    if json:
        say_json({**_as_json(copy), "home": where, "good": not faults, "faults": faults, "in_the_way": in_the_way})
    else:
        say(*(f"FAIL {visible(fault)}" for fault in faults), *(f"in the way: {visible(one)}" for one in in_the_way))
        if not faults:
            say(
                f"{visible(copy.path)} is good; "
                + ("--force would replace what is there" if in_the_way else "nothing is in the way")
                + "; nothing was written"
            )
    return 1 if faults else 0


def _tell(done: Restored, copy: Copy, json: bool) -> None:
    if json:
        say_json({
            "path": done.copy, "home": done.home, "stores": done.stores, "unproven": done.unproven, "replaced": done.replaced or None, "notes": done.notes,
        })  # fmt: skip
        return
    say(*(visible(note) for note in done.notes))
    if done.unproven:
        say(
            f"{len(done.unproven)} permanent rows came back as provisional, since the copy does not prove a person's promotion of them:"
        )
        say(*(f"  {id_}" for id_ in done.unproven))
    if done.replaced:
        say(f"what was there is kept in {visible(done.replaced)}")
    say(
        f"restored {', '.join(done.stores)} of {clock.stamp(copy.manifest.made_at, copy.manifest.offset_minutes)} into {visible(done.home)}"
    )


def _rewind(at: str, home: str | None, *, dry_run: bool, json: bool) -> int:
    """Typed memory as it stood: from the trail, as one batch that `undo` takes back."""
    with opened(home) as store:
        instant = bounds(at, "").since
        assert instant is not None
        if dry_run:
            ids = rewind.touched(store.memory, instant)
            say_json({"at": clock.stamp(instant), "rows": ids}) if json else say(
                f"{len(ids)} rows were written since {clock.stamp(instant)}; nothing was changed"
            )
            return 0
        actor = gate.require_person(store, verb="restore")
        done = rewind.to(store.memory, instant, actor=actor)
    if json:
        say_json(
            {
                "id": done.batch,
                "at": clock.stamp(instant),
                "hidden": done.hidden,
                "restored": done.restored,
                "lifted": done.lifted,
                "notes": done.notes,
            }
        )
        return 0
    say(*(one_line(note) for note in done.notes))
    say(
        f"memory stands as on {clock.stamp(instant)}: {len(done.hidden)} rows hidden, {len(done.restored)} as they were, {done.lifted} refusals taken back"
    )
    say(f"`bellek undo {done.batch}` brings the later state again; conversations were not touched")
    return 0
