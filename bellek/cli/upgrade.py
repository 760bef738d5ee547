"""``migrate``: bring a home to this version's shape, or try it on a copy first. Every other verb does the same by itself."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption
from bellek.cli.screen import say, say_json, visible
from bellek.kg import check, migrate, paths
from bellek.kg.db import open_database
from bellek.kg.home import open_home

FILES = {"memory": paths.memory_db, "conversations": paths.conversations_db}


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("migrate")(migrate_)


def migrate_(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Go the way on a copy, check the result, and leave the home as it is.")] = False,
    home: HomeOption = None, json: JsonOption = False,
) -> int:  # fmt: skip
    """Bring both databases up to date in one transaction each; a verified copy of the old file is laid beside it first."""
    where = paths.find_home(home)
    if not Path(paths.memory_db(where)).exists():
        return _tell({}, [], json, f"no store in {where} yet")
    if dry_run:
        with tempfile.TemporaryDirectory(prefix="bellek-migrate-") as work:
            made = {
                kind: migrate.tried(file(where), kind, work)
                for kind, file in FILES.items()
                if Path(file(where)).exists()
            }
            with open_home(work) as store:
                faults = check.check_home(store)
        return _tell(made, faults, json, "tried on a copy; nothing was changed")
    before = {kind: _version(file(where)) for kind, file in FILES.items() if Path(file(where)).exists()}
    with open_home(where) as store:
        faults = check.check_home(store)
        now = {"memory": migrate.version(store.memory), "conversations": migrate.version(store.conversations)}
    return _tell(
        {kind: (number, now[kind]) for kind, number in before.items()},
        faults,
        json,
        "both databases are of this version's shape",
    )


def _version(path: str) -> int:
    db = open_database(path, writable=False)
    try:
        return migrate.version(db)
    finally:
        db.close()


def _tell(made: dict[str, tuple[int, int]], faults: list[str], json: bool, said: str) -> int:
    if json:
        say_json(
            {
                "databases": {kind: {"from": old, "to": new} for kind, (old, new) in made.items()},
                "faults": faults,
                "said": said,
            }
        )
    else:
        say(
            *(
                f"{kind}: version {old}" + (f" to {new}" if old != new else ", as it is")
                for kind, (old, new) in made.items()
            )
        )
        say(*(f"FAIL {visible(fault)}" for fault in faults), visible(said))
    return 1 if faults else 0
