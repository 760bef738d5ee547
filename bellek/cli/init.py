"""``init``: a person's first questions, each with a default; then hooks and timer as `install` writes them.

It must never write over a file of the person's, bind a client that is not here, or ask where nobody can answer.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from bellek.cli import setup
from bellek.cli.place import HomeOption, opened
from bellek.cli.screen import say, visible
from bellek.curator import config
from bellek.install import files, others
from bellek.install.target import claude_config_dir
from bellek.kg import paths
from bellek.schemas.errors import UsageFault

Ask = Callable[[str, str], str]  # (question, default) → the answer


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(init)


def init(
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing: take every default.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")] = False,
    home: HomeOption = None,
) -> None:  # fmt: skip
    """Set bellek up: which clients it is bound to, who you are, how it drains, and whether it works at night."""
    if not yes and not sys.stdin.isatty():
        raise UsageFault(
            "nobody is there to answer", why="standard input is no terminal", hint="run `bellek init --yes`"
        )
    ask: Ask = (lambda _, default: default) if yes else _asked
    where = paths.find_home(home)
    if not dry_run:
        with opened(home) as store:
            say(f"the data home is {visible(store.path)}; nothing of it leaves this machine")
    for client in found():
        if ask(f"bind {client}? (yes/no)", "yes") == "yes":
            setup.install(client, dry_run=dry_run, nightly=False, hide_markers=False, home=home, json=False)
    _write(
        paths.identity_file(where),
        ask("a line about you that every session is told (empty: none)", ""),
        dry_run=dry_run,
    )
    profile = ask("profile: work (your session's subagent writes) or companion (after each reply)", "work")
    if profile not in ("work", "companion"):
        raise UsageFault(
            "no such profile",
            why="it is work or companion",
            hint="run `bellek init` again: it goes on where it stopped",
        )
    line = f'profile = "{profile}"' if profile != "work" else ""
    _write(f"{where}/{paths.CONFIG}/{config.FILE}", line, dry_run=dry_run)
    if ask("write a timer that sleeps and copies at night? (yes/no)", "yes") == "yes":
        setup.install("", dry_run=dry_run, nightly=True, hide_markers=False, home=home, json=False)
    say(
        "",
        "whether all is well: bellek doctor",
        "what one learning's road looks like: bellek demo",
        "what waits for you: bellek review, or bellek web",
    )


def found() -> list[str]:
    """The clients whose folders are here, in the order in which they are offered."""
    folders = {"claude-code": claude_config_dir(os.environ)} | {
        name: one.folder(os.environ) for name, one in others.CLIENTS.items()
    }
    return [name for name, folder in folders.items() if Path(folder).is_dir()]


def _asked(question: str, default: str) -> str:
    sys.stdout.write(f"{question} [{default or '-'}] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip() or default


def _write(path: str, line: str, *, dry_run: bool) -> None:
    """A new file of the person's with one line; a file that is there is left as it is, and said so."""
    if not line:
        return
    if Path(path).exists():
        say(f"{visible(path)} is there already and was left as it is; it could hold: {visible(line)}")
    elif dry_run:
        say(f"would write {visible(path)}: {visible(line)}")
    else:
        files.replace(Path(path), f"{line}\n".encode(), expected=None)
        say(f"{visible(path)} written")
