"""``doctor``."""

from typing import Annotated

import typer

from bellek import doctor as checks
from bellek import doctor_secrets as secret_check
from bellek.cli.place import HomeOption, JsonOption
from bellek.cli.screen import say, say_json, visible
from bellek.cli.setup import target
from bellek.kg import paths
from bellek.schemas.errors import UsageFault


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(doctor)


def doctor(
    scan: Annotated[bool, typer.Option("--scan-secrets", help="Look through all that is stored for secrets that older rules let through.")] = False,
    fix: Annotated[bool, typer.Option("--fix", help="With --scan-secrets: take out what may be taken out.")] = False,
    home: HomeOption = None, json: JsonOption = False,
) -> int:  # fmt: skip
    """Look at hooks, store, queue and transcripts; exit 1 only where something fails."""
    if fix and not scan:
        raise UsageFault(
            "nothing was named to fix",
            why="--fix goes with --scan-secrets",
            hint="run `bellek doctor --scan-secrets --fix`",
        )
    found = (
        secret_check.secrets(paths.find_home(home), fix=fix)
        if scan
        else checks.examine(paths.find_home(home), target(home))
    )
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
