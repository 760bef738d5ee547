"""The person's ``config/config.toml`` → rows of `settings`, where everything else reads them.

A file that cannot be used sets nothing: what was compiled from the last good one stays, and the fault is told with its
line. It must never write the file, never quote it (it may hold anything), and never be read by the prompt hook.
"""

import json

from bellek.curator import person_files
from bellek.kg import paths
from bellek.kg.db import Database
from bellek.schemas.channel import Fault
from bellek.schemas.settings import Settings, Wrong, flat, parse

FILE = "config.toml"
SIZE_CAP = 50_000  # bytes; a person's file of a dozen keys
ROW = "config:"  # the prefix of a compiled row in `settings`: dotted key → JSON value
AFTER_ROWS = "config;"


def load(home: str) -> dict[str, object] | Fault:
    """The dotted keys of the file as they stand ({} where there is none), or why it cannot be used."""
    path = f"{home}/{paths.CONFIG}/{FILE}"
    text = person_files.read(path, cap=SIZE_CAP)
    if not isinstance(text, str):
        return text or {}
    values = person_files.toml(path, text)
    if isinstance(values, Fault):
        return values
    dotted = flat(values)
    made = parse(dotted)
    if isinstance(made, Wrong):
        return Fault(path, person_files.line_of(text, made.key.rpartition(".")[2]), f"{made.key}: {made.what}")
    return dotted


def compile_into(db: Database, home: str) -> Fault | None:
    """Lay down what the file sets where it differs from what is laid down; its fault, with nothing changed, where it has one.

    Opens its own transaction.
    """
    dotted = load(home)
    if isinstance(dotted, Fault):
        return dotted
    wanted = {ROW + key: json.dumps(value, ensure_ascii=False) for key, value in dotted.items()}
    if _compiled(db) != wanted:
        with db.transaction():
            db.run("DELETE FROM settings WHERE key >= ? AND key < ?", (ROW, AFTER_ROWS))
            db.run_many("INSERT INTO settings (key, value) VALUES (?, ?)", list(wanted.items()))
    return None


def _compiled(db: Database) -> dict[str, str]:
    rows = db.rows("SELECT key, value FROM settings WHERE key >= ? AND key < ?", (ROW, AFTER_ROWS))
    return {str(key): str(value) for key, value in rows}


def read(db: Database) -> Settings:
    """The settings as compiled; all defaults where nothing was, or where another version compiled what this one refuses."""
    made = parse({key.removeprefix(ROW): json.loads(value) for key, value in _compiled(db).items()})
    return Settings() if isinstance(made, Wrong) else made


def from_file(home: str) -> Settings:
    """What the file of a home sets, for a verb that opens no store; all defaults where it cannot be used."""
    dotted = load(home)
    made = None if isinstance(dotted, Fault) else parse(dotted)
    return made if isinstance(made, Settings) else Settings()


def as_written(db: Database, home: str) -> Settings:
    """What the file says now, for a verb that may lay nothing down; what was compiled last where it cannot be used."""
    dotted = load(home)
    made = None if isinstance(dotted, Fault) else parse(dotted)
    return made if isinstance(made, Settings) else read(db)
