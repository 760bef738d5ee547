"""``entities list|show|consent``: who and what is spoken of."""

from dataclasses import asdict
from typing import Annotated

import typer

from bellek import gate
from bellek.cli.lists import show_rows
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, sight
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.kg import claims, clock, consent, entities, memories

group = typer.Typer(no_args_is_help=True, help="People, projects and things, with fields and relations.")


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="entities")


@group.command("list")
def list_(
    type_: Annotated[str, typer.Option("--type", help="Only entities of this type.")] = "",
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List entities by name."""
    with opened(home) as store:
        rows = entities.listed(store.memory, sight(store, project), type=type_)
    show_rows(
        rows,
        lambda r: f"{r.tier} {one_line(r.type, 30)} {one_line(', '.join(r.aliases), 60)}".strip(),
        json=json,
        empty="no entity yet",
    )


@group.command()
def show(
    id_: Annotated[str, typer.Argument(metavar="ID", help="An entity's id, name or alias.")],
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Show an entity with its fields and the claims about it; a sensitive value without consent is withheld."""
    with opened(home) as store:
        memory = memories.read(store.memory, entities.find(store.memory, id_))
        name = str(getattr(memory.body, "name", ""))
        fields = entities.fields(store.memory, memory.id)
        held = claims.listed(store.memory, sight(store, project), subject=name)
        aliases = entities.aliases(store.memory, memory.id)
    if json:
        say_json({
            "id": memory.id, "tier": memory.tier, "name": name, "type": getattr(memory.body, "type", ""), "aliases": list(aliases),
            "fields": [{**asdict(f), "said_at": clock.stamp(f.said_at, f.offset_minutes)} for f in fields], "claims": [asdict(c) for c in held],
        })  # fmt: skip
        return
    say(f"{memory.id}  {visible(memory.text)}  {visible(', '.join(aliases))}".rstrip())
    say(
        *(
            f"  {visible(f.name)}: {visible(f.value) or f'withheld, about {f.sensitivity} (`bellek entities consent {memory.id} {f.key}`)'}"
            for f in fields
        )
    )
    say(*(f"  {c.id}  {c.tier} {c.status}  {one_line(c.text)}" for c in held))


@group.command("consent")
def consent_(
    id_: Annotated[str, typer.Argument(metavar="ID", help="An entity's id, name or alias.")],
    field: Annotated[str, typer.Argument(metavar="FIELD", help="The sensitive field's name.")],
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Take the consent back: the value is hidden.")] = False,
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Record or withdraw consent to keep and show one sensitive field. Only a person can, at a terminal."""
    with opened(home) as store:
        actor = gate.require_person(store, verb="entities consent", target=id_)
        changed = consent.record(store.memory, id_, field, given=not withdraw, actor=actor)
    if json:
        say_json({"id": changed.id, "field": changed.name, "consent": changed.consent})
        return
    say(f"{visible(changed.name)}: consent {'recorded' if changed.consent else 'withdrawn, the value is hidden'}")
