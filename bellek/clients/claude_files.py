"""Finds Claude Code's transcripts on disk: sessions and the subagents beside or below them.

What it is for: the list that a sweep compares with its cursors. It must never follow a link below ``projects/``, never
raise because one entry cannot be read, and never take a project's path from a folder's name: several paths share one
name there, so only the ``cwd`` of each line tells.

Layouts: ``projects/<folder>/<session>.jsonl``; subagents of 2.1.332 in ``<session>/subagents/agent-<id>.jsonl`` with an
``agent-<id>.meta.json``; those of 2.0.77 in ``agent-<id>.jsonl`` beside the session; 1.0.128 has none.
"""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from bellek.schemas.conversation import TranscriptFile, Unreadable, storable

Found: TypeAlias = TranscriptFile | Unreadable

_META_LIMIT = 65536  # bytes; the recorded ones have about 300


def of_session(path: str) -> Iterator[Found]:
    """Yield one session's file by its path, wherever it lies, and its subagents'; nothing where it does not exist."""
    try:
        state = Path(path).stat()
    except FileNotFoundError:
        return
    except OSError as fault:
        yield Unreadable(path, fault.strerror or type(fault).__name__)
        return
    session = Path(path).with_suffix("")
    yield TranscriptFile(path, storable(session.name), None, state.st_size, state.st_ctime_ns)
    yield from _subagents(session)


def transcripts(config_dir: str | Path) -> Iterator[Found]:
    """Yield every transcript below ``config_dir`` (CLAUDE_CONFIG_DIR) in a fixed order, and what could not be read.

    ``config_dir`` and its ``projects`` may be links of a person's making; links below are reported, not followed.
    A folder that does not exist holds nothing.
    """
    for folder in _entries(Path(config_dir) / "projects"):
        match folder:
            case Unreadable():
                yield folder
            case os.DirEntry() if folder.is_dir(follow_symlinks=False):
                yield from _project(Path(folder.path))
            case os.DirEntry() if folder.is_symlink():
                yield Unreadable(folder.path, "a symbolic link, not followed")


def _project(folder: Path) -> Iterator[Found]:
    for entry in _entries(folder):
        match entry:
            case Unreadable():
                yield entry
            case os.DirEntry() if entry.name.endswith(".jsonl"):
                name = entry.name.removesuffix(".jsonl")
                if name.startswith("agent-"):
                    yield _file(entry, session="", agent=_agent(Path(entry.path)))
                else:
                    yield _file(entry, session=storable(name), agent=None)
            case os.DirEntry() if entry.is_dir(follow_symlinks=False):
                yield from _subagents(Path(entry.path))


def _subagents(session: Path) -> Iterator[Found]:
    for entry in _entries(session / "subagents"):
        match entry:
            case Unreadable():
                yield entry
            case os.DirEntry() if entry.name.startswith("agent-") and entry.name.endswith(".jsonl"):
                yield _file(entry, session=storable(session.name), agent=_agent(Path(entry.path)))


def _entries(folder: Path) -> list[os.DirEntry[str] | Unreadable]:
    try:
        with os.scandir(folder) as found:
            return [*sorted(found, key=_name)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as fault:
        return [Unreadable(str(folder), fault.strerror or type(fault).__name__)]


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _file(entry: os.DirEntry[str], *, session: str, agent: str | None) -> Found:
    try:
        state = entry.stat(follow_symlinks=False)
    except OSError as fault:
        return Unreadable(entry.path, fault.strerror or type(fault).__name__)
    if stat.S_ISLNK(state.st_mode):
        return Unreadable(entry.path, "a symbolic link, not followed")
    if not stat.S_ISREG(state.st_mode):
        return Unreadable(entry.path, "not a regular file")
    return TranscriptFile(entry.path, session, agent, state.st_size, state.st_ctime_ns)


def _agent(transcript: Path) -> str:
    """The subagent's type as its ``.meta.json`` gives it; else the id in the file's name."""
    fallback = storable(transcript.stem.removeprefix("agent-"))
    try:
        descriptor = os.open(transcript.with_suffix(".meta.json"), os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return fallback
    try:
        meta = json.loads(os.read(descriptor, _META_LIMIT))
    except (OSError, ValueError, RecursionError):
        return fallback
    finally:
        os.close(descriptor)
    kind = meta.get("agentType") if isinstance(meta, dict) else None
    return storable(kind) if isinstance(kind, str) and kind else fallback
