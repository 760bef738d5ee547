"""``doctor``."""

import typer

from bellek import doctor as checks
from bellek.cli.place import HomeOption, JsonOption
from bellek.cli.screen import say, say_json, visible
from bellek.cli.setup import target
from bellek.kg import paths


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(doctor)


def doctor(home: HomeOption = None, json: JsonOption = False) -> int:
    """Look at hooks, store, queue and transcripts; exit 1 only where something fails."""
    found = checks.examine(paths.find_home(home), target(home))
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
