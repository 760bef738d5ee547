"""``quarantine list|show|put|release|drop``: what was set apart, why, and a person's word on it."""

from typing import Annotated

import typer

from bellek import gate
from bellek.cli.lists import show_rows
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id, typed
from bellek.cli.screen import say, say_json, visible
from bellek.curator import apart as deciding
from bellek.curator.apart import Decision
from bellek.kg import apart, clock, disguise, memories

quarantine_group = typer.Typer(no_args_is_help=True, help="What was set apart before anyone could be told it.")
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="A memory's id, or the letters it starts with.")]


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(quarantine_group, name="quarantine")


@quarantine_group.command("list")
def list_(
    kept_out: Annotated[bool, typer.Option("--kept-out", help="Also rows of tools, pages and pastes that no turn is told.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List what is in quarantine, oldest first, with the reason."""
    with opened(home) as store:
        rows = apart.listed(store.memory, project_id(store, project), kept_out=kept_out)
    show_rows(
        rows,
        lambda r: f"{r.kind} {r.tier} origin {r.origin}, {r.status}{f': {r.note}' if r.note else ''}",
        json=json,
        empty="nothing is in quarantine",
    )


@quarantine_group.command("show")
def show(id_: IdArgument, home: HomeOption = None, json: JsonOption = False) -> None:
    """Show one row with its reason; what invisible letters say is written out."""
    with opened(home) as store:
        row = memories.shown(memories.read(store.memory, memories.find_id(store.memory, id_)))
    hidden = [{"how": how, "text": text} for how, text in disguise.copies(row.text) if how]
    if json:
        say_json({"id": row.id, "kind": row.body.kind, "tier": row.tier, "origin": row.origin, "status": row.status, "note": row.note,
                  "let_in": row.let_in, "said_at": clock.stamp(row.said_at, row.offset_minutes), "text": row.text, "hidden": hidden,
                  "sources": [source.model_dump() for source in row.sources]})  # fmt: skip
        return
    say(
        f"{row.id}  {row.body.kind} {row.tier} {row.status}, origin {row.origin}, said {clock.stamp(row.said_at, row.offset_minutes)}"
    )
    say(*([f"reason: {visible(row.note)}"] if row.note else []), visible(row.text))
    say(*(f"hidden in it ({part['how']}): {visible(part['text'])}" for part in hidden))
    say(*(f"from message {visible(s.message)}, conversation {visible(s.conversation)}" for s in row.sources))


@quarantine_group.command("put")
def put(
    id_: IdArgument,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Why; it is kept with the row.")] = "",
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Set a provisional row apart by hand: no turn is told it until it is released. A person's act."""
    words = typed(note)
    _decide("put", lambda db, row, *, actor: deciding.set_apart(db, row, note=words, actor=actor), id_, home, json=json)


@quarantine_group.command("release")
def release(id_: IdArgument, home: HomeOption = None, json: JsonOption = False) -> None:
    """Let a row stand again, or into packets where its origin kept it out. It stays unverified. A person's act."""
    _decide("release", deciding.release, id_, home, json=json)


@quarantine_group.command("drop")
def drop(id_: IdArgument, home: HomeOption = None, json: JsonOption = False) -> None:
    """Put a row in quarantine away for good. A person's act."""
    _decide("drop", deciding.drop, id_, home, json=json)


def _decide(verb: str, act: Decision, id_: str, home: str | None, *, json: bool) -> None:
    with opened(home) as store:
        actor = gate.require_person(store, verb=f"quarantine {verb}", target=id_)
        target = memories.find_id(store.memory, id_)
        with store.memory.transaction():
            done = act(store.memory, target, actor=actor)
    if json:
        say_json({"id": done.id, "status": done.status, "let_in": done.let_in})
    else:
        say(f"{done.id} is {done.status}{', and may be told' if done.let_in else ''}")
