"""A file under ``config/`` that a person writes: its text, its TOML, and the line of what is wrong with it.

It must never raise for what a file holds, never wait for a pipe, and never quote the file: it may hold anything.
"""

import os
import re
import stat
import tomllib
from typing import Any

from bellek.schemas.channel import Fault

_PLACE = re.compile(r" ?\(at (?:line (\d+), column \d+|end of document)\)")


def read(path: str, *, cap: int, follow: bool = True) -> str | Fault | None:
    """The text of a file of at most `cap` bytes, None where there is none, or why it cannot be had.

    Without `follow` a symbolic link is not one of the person's files.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))
    except FileNotFoundError:
        return None
    except OSError as exc:
        return Fault(path, 1, f"cannot be read: {exc.strerror}")
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return Fault(path, 1, "not a regular file")
        raw = os.read(handle, cap + 1)
    except OSError as exc:
        return Fault(path, 1, f"cannot be read: {exc.strerror}")
    finally:
        os.close(handle)
    if len(raw) > cap:
        return Fault(path, 1, f"longer than {cap} bytes")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        return Fault(path, 1 + raw[: exc.start].count(b"\n"), "not UTF-8")


def toml(path: str, text: str) -> dict[str, Any] | Fault:
    """The values of a TOML text, or where it breaks."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        place = _PLACE.search(str(exc))
        line = int(place[1]) if place and place[1] else max(1, len(text.splitlines()))
        return Fault(path, line, f"broken TOML: {_PLACE.sub('', str(exc))}")
    except RecursionError:
        return Fault(path, 1, "broken TOML: nested too deep")


def line_of(text: str, key: str) -> int:
    """The line that sets a key or opens a table of its name, else 1."""
    setter = re.compile(rf"""\s*\[*\s*["']?{re.escape(key)}["']?\s*[=.\]]""")
    return next((n for n, line in enumerate(text.split("\n"), start=1) if setter.match(line)), 1)
