"""``doctor``."""

from pathlib import Path
from typing import Annotated

import typer

from bellek import doctor as checks
from bellek import doctor_canary as trial
from bellek import doctor_secrets as secret_check
from bellek.cli.place import HomeOption, JsonOption
from bellek.cli.screen import say, say_json, visible
from bellek.cli.setup import target
from bellek.curator import config
from bellek.doctor_finding import Finding
from bellek.kg import mend, paths, shelf
from bellek.kg.home import open_home
from bellek.schemas.errors import UsageFault


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(doctor)


def doctor(
    scan: Annotated[bool, typer.Option("--scan-secrets", help="Look through all that is stored for secrets that older rules let through.")] = False,
    fix: Annotated[bool, typer.Option("--fix", help="Put right what loses nothing: indexes, modes, what a kill left; with --scan-secrets, take out what may be taken out.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --fix: only say what would be put right.")] = False,
    canary: Annotated[bool, typer.Option("--canary", help="Store, recall and forget a row on trial first.")] = False,
    home: HomeOption = None, json: JsonOption = False,
) -> int:  # fmt: skip
    """Look at hooks, store, queue, copies and transcripts; exit 1 only where something fails."""
    if dry_run and (scan or not fix):
        raise UsageFault(
            "nothing was named to plan", why="--dry-run goes with --fix", hint="run `bellek doctor --fix --dry-run`"
        )
    where = paths.find_home(home)
    found = [] if scan else _acted(where, fix=fix, dry_run=dry_run, canary=canary)
    found += secret_check.secrets(where, fix=fix) if scan else checks.examine(where, target(home))
    if json:
        say_json([{"id": f.name, "state": f.state, "what": f.what, "why": f.why, "next": f.next} for f in found])
    else:
        for f in found:
            say(
                f"{f.state:4}  {visible(f.what)}"
                + (f": {visible(f.why)}" if f.why else "")
                + (f"  → {visible(f.next)}" if f.next else "")
            )
    return 1 if any(f.state == "FAIL" for f in found) else 0


def _acted(where: str, *, fix: bool, dry_run: bool, canary: bool) -> list[Finding]:
    """What was put right (or would be), and the trial, before the store is looked at."""
    if not (fix or canary) or not Path(paths.memory_db(where)).exists():
        return []
    with open_home(where) as store:
        steps = mend.plan(store, shelf.folder(where, config.read(store.memory).backup_folder)) if fix else []
        done = [step.what for step in steps] if dry_run else mend.carry_out(steps)
        said = [Finding("fix", "OK", f"{'would ' if dry_run else 'did '}{what}") for what in done]
        if fix and not steps:
            said = [Finding("fix", "OK", "nothing is to be put right that could be without losing anything")]
        return [*said, *([trial.run(store)] if canary else [])]
