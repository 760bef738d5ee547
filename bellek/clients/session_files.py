"""Lists a client's session files below one folder, opens their lines, and reads the head that every later line needs.

What it is for: clients whose lines do not repeat session and folder. It must never follow a link below the folder, and
never raise because one entry or one line cannot be read.
"""

import json
import os
import stat
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from bellek.curator.transcripts import Line
from bellek.schemas.conversation import Damaged, Event, TranscriptFile, Unreadable, storable

HEAD = 1 << 18  # bytes: some clients write their own instructions into the first line
HEAD_LINES = 3


def chosen(root: Path, only: list[str], named: Callable[[str], str]) -> Iterator[TranscriptFile | Unreadable]:
    """The given session files as far as they exist, or all below a folder when none is given."""
    if only:
        yield from (of_path(path, named) for path in only if Path(path).exists())
    else:
        yield from below(root, named)


def below(root: Path, named: Callable[[str], str]) -> Iterator[TranscriptFile | Unreadable]:
    """Every ``*.jsonl`` below a folder, in a fixed order; `named` gives the session's id by the file's name."""
    for folder, folders, files in os.walk(root, followlinks=False):
        folders.sort()
        for name in sorted(files):
            if name.endswith(".jsonl"):
                yield of_path(str(Path(folder, name)), named, follow=False)


def of_path(path: str, named: Callable[[str], str], *, follow: bool = True) -> TranscriptFile | Unreadable:
    """One session file by its path."""
    try:
        state = os.stat(path, follow_symlinks=follow)  # noqa: PTH116  a link is told apart
    except OSError as fault:
        return Unreadable(path, fault.strerror or type(fault).__name__)
    if not stat.S_ISREG(state.st_mode):
        return Unreadable(
            path, "a symbolic link, not followed" if stat.S_ISLNK(state.st_mode) else "not a regular file"
        )
    return TranscriptFile(path, storable(named(Path(path).stem)), None, state.st_size, state.st_ctime_ns)


def told(line: Line, worth: tuple[bytes, ...], read: Callable[[dict[str, Any]], Iterator[Event]]) -> tuple[Event, ...]:
    """What `read` finds in the object of one complete line; nothing where none of the `worth` words stands in it."""
    if not any(word in line.raw for word in worth):
        return ()
    try:
        data = json.loads(line.raw)
    except (ValueError, RecursionError):
        return (Damaged(line.number, line.offset, "not one JSON value"),)
    if not isinstance(data, dict):
        return (Damaged(line.number, line.offset, "not a JSON object"),)
    return tuple(read(data))


@lru_cache(maxsize=1)  # the lines of a file come one after the other
def head(path: str, wanted: str) -> dict[str, Any]:
    """The first object of type `wanted` in a file's first lines; {} where there is none."""
    try:
        with Path(path).open("rb") as file:
            lines = [file.readline(HEAD) for _ in range(HEAD_LINES)]
    except OSError:
        return {}
    for line in lines:
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict) and data.get("type") == wanted:
            return data
    return {}
