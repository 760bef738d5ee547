"""The person's ``config/config.toml`` → rows of `settings`, where everything else reads them.

A file that cannot be used sets nothing: what was compiled from the last good one stays, and the fault is told with its
line. It must never write the file, never quote it (it may hold anything), and never be read by the prompt hook.
"""

import json
import os
import re
import stat
import tomllib

from bellek.kg import paths
from bellek.kg.db import Database
from bellek.schemas.channel import Fault
from bellek.schemas.settings import Settings, Wrong, flat, parse

FILE = "config.toml"
SIZE_CAP = 50_000  # bytes; a person's file of a dozen keys
ROW = "config:"  # the prefix of a compiled row in `settings`: dotted key → JSON value
AFTER_ROWS = "config;"
_PLACE = re.compile(r" ?\(at (?:line (\d+), column \d+|end of document)\)")


def load(home: str) -> dict[str, object] | Fault:
    """The dotted keys of the file as they stand ({} where there is none), or why it cannot be used."""
    path = f"{home}/{paths.CONFIG}/{FILE}"
    text = _read(path)
    if not isinstance(text, str):
        return text or {}
    try:
        dotted = flat(tomllib.loads(text))
    except tomllib.TOMLDecodeError as exc:
        place = _PLACE.search(str(exc))
        line = int(place[1]) if place and place[1] else max(1, len(text.splitlines()))
        return Fault(path, line, f"broken TOML: {_PLACE.sub('', str(exc))}")
    except RecursionError:
        return Fault(path, 1, "broken TOML: nested too deep")
    made = parse(dotted)
    return Fault(path, _line_of(text, made.key), f"{made.key}: {made.what}") if isinstance(made, Wrong) else dotted


def _read(path: str) -> str | Fault | None:
    """The file's text, None where there is none, or why it cannot be had. Never waits for a pipe."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as exc:
        return Fault(path, 1, f"cannot be read: {exc.strerror}")
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return Fault(path, 1, "not a regular file")
        raw = os.read(handle, SIZE_CAP + 1)
    except OSError as exc:
        return Fault(path, 1, f"cannot be read: {exc.strerror}")
    finally:
        os.close(handle)
    if len(raw) > SIZE_CAP:
        return Fault(path, 1, f"longer than {SIZE_CAP} bytes")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        return Fault(path, 1 + raw[: exc.start].count(b"\n"), "not UTF-8")


def _line_of(text: str, key: str) -> int:
    """The line that sets the last part of a dotted key, else 1."""
    setter = re.compile(rf"""\s*["']?{re.escape(key.rpartition(".")[2])}["']?\s*=""")
    return next((n for n, line in enumerate(text.split("\n"), start=1) if setter.match(line)), 1)


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


def as_written(db: Database, home: str) -> Settings:
    """What the file says now, for a verb that may lay nothing down; what was compiled last where it cannot be used."""
    dotted = load(home)
    made = None if isinstance(dotted, Fault) else parse(dotted)
    return made if isinstance(made, Settings) else read(db)
