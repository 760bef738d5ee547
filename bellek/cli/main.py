"""The command line's frame: the verbs' groups, and the one place where an error becomes a sentence and an exit status."""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

import bellek
from bellek.cli.place import HomeOption
from bellek.cli.screen import complain, say
from bellek.kg.agents import BANK
from bellek.schemas.errors import BellekError

HELP = Path(__file__).with_name("help.txt")  # written by scripts/gen-cli-docs: to load every verb takes a second

# Room → its verbs, in the order of the help. A command loads its own room: all of them together take several times as long.
ROOMS = {
    "hot": ("hook", "tick"), "capture": ("capture", "lint"), "channels": ("channels",), "queue": ("queue",), "sweep": ("sweep",),
    "curate": ("drain",), "verdicts": ("apply",), "dream": ("sleep", "mine"), "nights": ("nightly", "replay"), "evolve": ("evolve",), "ask": ("search", "recall"), "read": ("packet", "wisdom", "lessons", "journal", "tasks"),
    "conversations": ("conversations",), "claims": ("claims", "conflicts"), "entities": ("entities",), "graph": ("graph",),
    "kinds": ("pages", "worldview", "proposals"), "banks": ("bank",), "vault": ("vault", "identity"), "log": ("log", "decide", "project-state", "checkpoint"), "status": ("status",), "stats": ("stats",), "state": ("state", "drives"),
    "review": ("show", "review", "promote", "refuse"), "quarantine": ("quarantine",), "why": ("why", "why-not"), "gate": ("gate",),
    "forget": ("forget",), "audit": ("audit", "undo"), "projects": ("project",),
    "keep": ("doctor",), "config": ("config",), "index": ("index",), "copies": ("backup", "restore"), "archives": ("export", "import"), "upgrade": ("migrate",), "mcp": ("mcp",), "web": ("web",), "init": ("init",), "setup": ("install", "uninstall", "demo"),
}  # fmt: skip

# Typer brings click along as a part of itself or as a package, by version; the base of its own errors is the right one.
ParserError: type[Exception] = typer.BadParameter.__mro__[2]


def _tell_version(wanted: bool) -> None:
    if wanted:
        say(f"bellek {bellek.__version__}")
        raise typer.Exit


def everywhere(
    home: HomeOption = None,
    bank: Annotated[
        str | None,
        typer.Option("--bank", metavar="AGENT", help="Look into an agent's own bank too. Only a person can."),
    ] = None,
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_tell_version)
    ] = False,
) -> None:
    """A typed, local-first memory for AI agents."""
    if home:
        os.environ["BELLEK_HOME"] = home  # as if it were given behind the verb
    if bank:
        os.environ[BANK] = bank


def build(*rooms: str) -> typer.Typer:
    """The command line with the verbs of some rooms, or of all."""
    app = typer.Typer(
        name="bellek",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        help="A typed, local-first memory for AI agents.",
    )
    app.callback()(everywhere)
    for room in rooms or ROOMS:
        import_module(f"bellek.cli.{room}").add_to(app)
    return app


def rooms_for(words: list[str]) -> list[str]:
    """The room of the verb that a command line names; none where all are needed (help, completion, an unknown word)."""
    verb = next((word for word in words if not word.startswith("-")), "")
    if words[:1] == ["--home"]:
        verb = next((word for word in words[2:] if not word.startswith("-")), "")
    if "_BELLEK_COMPLETE" in os.environ:
        return []
    return [room for room, verbs in ROOMS.items() if verb in verbs]


def main() -> None:
    """Run one verb. Exit statuses: 0 done · 1 failed · 2 usage · 3 a person is needed · 4 busy · 5 store damaged, newer or read-only."""
    if sys.argv[1:] == ["--help"]:
        say(HELP.read_text(encoding="utf-8").rstrip("\n"))
        return
    try:
        status = build(*rooms_for(sys.argv[1:]))(standalone_mode=False)
    except BellekError as exc:
        complain(f"bellek: {exc}")
        sys.exit(exc.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        complain("bellek: stopped")
        sys.exit(130)
    except ParserError as exc:
        _explain(exc)
        sys.exit(2)
    except BrokenPipeError:
        _silence()
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


def _explain(exc: Exception) -> None:
    """Words that the parser does not know; a group without a verb gets its help."""
    words = getattr(exc, "format_message", exc.__str__)()
    complain(
        words if words.lstrip().startswith("Usage:") else f"bellek: {words.rstrip('.')}. Run the command with --help."
    )


def _silence() -> None:
    """The reader went away: nothing is left to be told, and the interpreter's own flush at exit must not complain."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
