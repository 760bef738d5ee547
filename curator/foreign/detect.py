"""What a path holds: which program's export it is, told from its content, not from its name; archives (.zip) are looked into.

It must never unpack anything to disk, nor read more than a bound of it into memory.
"""

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bellek.curator.foreign import chats, notes, stores
from bellek.curator.foreign.values import Found
from bellek.schemas.errors import Refused, UsageFault

CAP = 600_000_000  # bytes of one file
NAMES = re.compile(
    r"conversations(-\d+)?\.json"
)  # of a zip or its folder, what there is to be read; large ones come in numbered parts

JSON_FORMS: tuple[tuple[str, Callable[[Any], object], Callable[[Any], Found]], ...] = (
    (chats.CHATGPT, chats.is_chatgpt, chats.chatgpt),
    (chats.CLAUDE, chats.is_claude, chats.claude),
    (stores.CLAUDE_MEM, stores.is_claude_mem, stores.claude_mem),
    (stores.MEM0, stores.mem0_list, stores.mem0),
)
FORMATS = (*(name for name, _, _ in JSON_FORMS), stores.SERVER, notes.CLAUDE_CODE, notes.MARKDOWN)


def read(path: Path) -> Found:
    """What an export holds. Raises UsageFault where there is none, Refused where its form is nobody's that is known here."""
    if path.is_dir():
        parts = sorted(inner for inner in path.iterdir() if NAMES.fullmatch(inner.name) and inner.is_file())
        if parts:
            return _joined([read(part) for part in parts])
        found = notes.read(path)
        if not found.rows and not found.unread:
            raise _unknown(path, "no markdown file and no conversations.json is in it")
        return found
    if not path.is_file():
        raise UsageFault(f"{path} cannot be read", why="there is no such file or folder", hint="name an export")
    return _joined([of_bytes(raw, path) for raw in _raw(path)])


def _joined(parts: list[Found]) -> Found:
    """The parts of one export as one."""
    whole = parts[0]
    for part in parts[1:]:
        whole.rows += part.rows
        whole.said += part.said
        whole.notes += part.notes
        whole.unread += part.unread
    return whole


def of_bytes(raw: bytes, path: Path) -> Found:
    """What the bytes of an export hold; `path` is only named. Raises Refused where its form is nobody's that is known here."""
    if stores.is_server(raw):
        return stores.server(raw)
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as exc:
        raise _unknown(path, "it is no JSON") from exc
    for _, fits, reader in JSON_FORMS:
        if fits(value):
            return reader(value)
    raise _unknown(path, "its JSON is of a form that is not known here")


def _raw(path: Path) -> list[bytes]:
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as file:
                names = sorted(name for name in file.namelist() if NAMES.fullmatch(name.rpartition("/")[2]))
                if not names or sum(file.getinfo(name).file_size for name in names) > CAP:
                    raise _unknown(path, "no conversations.json of a size that can be read is in it")
                return [_inner(file, name) for name in names]
        if path.stat().st_size > CAP:
            raise _unknown(path, f"it is longer than {CAP} bytes")
        return [path.read_bytes()]
    except (OSError, zipfile.BadZipFile, RuntimeError) as exc:
        raise UsageFault(f"{path} cannot be read", why=type(exc).__name__, hint="name an export") from exc


def _inner(file: zipfile.ZipFile, name: str) -> bytes:
    with file.open(name) as inner:
        return inner.read(CAP)


def _unknown(path: Path, why: str) -> Refused:
    return Refused(f"{path} was not imported", why=why, hint=f"known are: bellek's own archive, {', '.join(FORMATS)}")
