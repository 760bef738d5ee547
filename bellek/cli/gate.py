"""``gate list|passphrase|typed-promote``: who may do what, and the two things a person may set about it."""

from typing import Annotated

import typer

from bellek import gate as door
from bellek.cli.place import HomeOption, JsonOption, opened
from bellek.cli.screen import say, say_json
from bellek.cli.secret import new_passphrase
from bellek.curator import review, typed
from bellek.kg import signing
from bellek.schemas.errors import Refused, UsageFault
from bellek.schemas.gate import GATE

group = typer.Typer(no_args_is_help=True, help="What only a person may do. A filter and a gate, not a sandbox.")


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="gate")


@group.command("list")
def list_(home: HomeOption = None, json: JsonOption = False) -> None:
    """List each verb with who may run it on a provisional and on a permanent row."""
    with opened(home) as store:
        signs, lines = signing.is_set(store.memory), typed.may_promote(store.memory)
    if json:
        say_json(
            [{"id": verb, "provisional": rule.provisional, "permanent": rule.permanent} for verb, rule in GATE.items()]
        )
        return
    say(
        *(
            f"{verb:22} {rule.provisional:9} {rule.permanent}"
            for verb, rule in sorted(GATE.items())
            if "person" in (rule.provisional, rule.permanent)
        )
    )
    say("everything else may be run by anybody, and leaves what is permanent as it is")
    say(f"promotions are {'signed' if signs else 'not signed'}; a typed line {'may' if lines else 'may not'} promote")


@group.command()
def passphrase(home: HomeOption = None) -> None:
    """Set a passphrase that signs what you promote from now on. Only a person can, at a terminal; it cannot be changed."""
    with opened(home) as store:
        actor = door.require_person(store, verb="gate passphrase")
        if signing.is_set(store.memory):
            raise Refused(
                "a passphrase is set already",
                why="what it signed could not be checked under another one",
                hint="keep it",
            )
        secret = new_passphrase()
        with store.memory.transaction():
            review.set_passphrase(store, secret, actor=actor)
    say(
        "promotions are signed from now on; `bellek promote` asks for the passphrase",
        "it is stored nowhere: a lost one cannot be found again",
    )


@group.command("typed-promote")
def typed_promote(
    switch: Annotated[str, typer.Argument(metavar="on|off")], home: HomeOption = None, json: JsonOption = False
) -> None:
    """Let a line `bellek: promote ID` that you type as a prompt promote a row. Only a person can, at a terminal."""
    if switch not in ("on", "off"):
        raise UsageFault(f"{switch[:20]!r} is neither on nor off", why="the switch has two states")
    with opened(home) as store:
        actor = door.require_person(store, verb="gate typed-promote")
        with store.memory.transaction():
            typed.let_promote(store, switch == "on", actor=actor)
    say_json({"typed_promote": switch == "on"}) if json else say(f"typed-promote is {switch}")
