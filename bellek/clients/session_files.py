"""Lists a client's session files below one folder, and reads the few lines at their head that every later line needs.

What it is for: clients whose lines do not repeat session and folder. It must never follow a link below the folder, and
never raise because one entry cannot be read.
"""

import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bellek.schemas.conversation import TranscriptFile, Unreadable, storable

HEAD = 1 << 18  # bytes: some clients write their own instructions into the first line
HEAD_LINES = 3


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
