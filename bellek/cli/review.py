"""``show``, ``review``, ``promote``, ``refuse``: what asks for a person's word, and the word itself."""

from typing import Annotated

import typer

from bellek import gate
from bellek.cli import review_by_key, shown
from bellek.cli.lists import show_rows
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, sight, typed
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.cli.secret import passphrase
from bellek.curator import review as decisions
from bellek.curator import shown as looking
from bellek.kg import candidates, memories
from bellek.schemas.memory import Memory

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="A memory's id, or the letters it starts with.")]


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(show)
    app.command()(review)
    app.command()(promote)
    app.command()(refuse)


def show(id_: IdArgument, home: HomeOption = None, json: JsonOption = False) -> None:
    """Show one memory with its evidence, near duplicates, hidden characters and revisions; a sensitive value without consent is withheld."""
    with opened(home) as store:
        seen = looking.of(store, memories.find_id(store.memory, id_))
    if json:
        say_json(shown.as_json(seen))
    else:
        say(*shown.as_lines(seen))


def review(
    keys: Annotated[bool, typer.Option("--keys/--list", help="At a terminal: go through it by keys, or only list it.")] = True,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List what asks for your word here, or at a terminal go through it: one row after the other, one key an act."""
    with opened(home) as store:
        if not json and keys and review_by_key.at_a_terminal():
            review_by_key.walk(store, sight(store, project))
            return
        rows = candidates.listed(store.memory, sight(store, project))
    show_rows(
        rows, lambda r: f"{r.tier} {r.kind} by {r.origin}: {r.why}.", json=json, empty="nothing asks for your word"
    )


def promote(
    id_: IdArgument,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the row that would become permanent.")] = False,
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Make one memory permanent (T2), in the words it has now. Only a person can, at a terminal."""
    with opened(home) as store:
        if dry_run:
            row = decisions.may_promote(store.memory, id_)
            _tell(row, row, json, "would become permanent; nothing was changed", dry_run=True)
            return
        actor = gate.require_person(store, verb="promote", target=id_)
        decisions.may_promote(store.memory, id_)  # before anybody is asked for a passphrase
        secret = passphrase(store)
        with store.memory.transaction():
            done = decisions.promote(store, id_, actor=actor, passphrase=secret)
    word = "is permanent now, signed" if done.signed else "is permanent now"
    _tell(done.before, done.after, json, word, also=done.also)


def refuse(
    id_: IdArgument,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Why; it is kept with the row.")] = "",
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Refuse one memory: it is told to nobody, keeps your note, and does not come back. Only a person can, at a terminal."""
    with opened(home) as store:
        actor = gate.require_person(store, verb="refuse", target=id_)
        with store.memory.transaction():
            done = decisions.refuse(store, id_, note=typed(note), actor=actor)
    _tell(done.before, done.after, json, f"is refused: {one_line(done.after.note)}", also=done.also)


def _tell(
    before: Memory, after: Memory, json: bool, word: str, *, also: tuple[str, ...] = (), dry_run: bool = False
) -> None:
    after = memories.shown(after)
    if json:
        say_json({
            "id": after.id, "kind": after.body.kind, "was": {"tier": before.tier, "status": before.status}, "tier": after.tier,
            "status": after.status, "note": after.note, "text": after.text, "also": list(also), "dry_run": dry_run,
        })  # fmt: skip
        return
    say(f"{after.id}  {after.body.kind} {after.tier} {after.status}, origin {after.origin}", visible(after.text))
    say(f"{after.id} {word}")
    say(*(f"{other} changed with it: `bellek show {other}`" for other in also))
