"""Pi's and Oh My Pi's ears: where their sessions lie, and what one line of them says (recorded: 0.73.1, 1.6.0, 18.2.3).

A session is a tree of entries in one file; its folder stands in the first line alone. Nothing marks a line as typed by a
person, so nothing counts as typed. It must never raise on a line's content, and never take thinking, tool output or
injected messages for speech.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bellek.clients import session_files
from bellek.clients.injected import FOREIGN_TAGS, cut_blocks
from bellek.clients.loose import as_dict, as_string, as_time, texts
from bellek.curator.transcripts import Line
from bellek.schemas import fence
from bellek.schemas.conversation import (
    Author,
    Compacted,
    Event,
    PacketSeen,
    Said,
    ToolPath,
    ToolUse,
    TranscriptFile,
    Unreadable,
    storable,
)  # fmt: skip

PATH_KEYS = ("path", "file_path")
WORTH = (b'"message"', b'"custom_message"', b'"compaction"')
PLACES = {"pi": ".pi/agent", "omp": ".omp/agent"}


def agent_folder(client: str) -> Path:
    """The client's own folder: as PI_CODING_AGENT_DIR says, which both read, else below the home folder."""
    return Path(os.environ.get("PI_CODING_AGENT_DIR") or Path.home() / PLACES[client])


class PiEars:
    """Of `name`, pi or omp."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._folder = folder

    def transcripts(self, only: list[str]) -> Iterator[TranscriptFile | Unreadable]:
        """The given session files, or all of them."""
        return session_files.chosen(self._folder / "sessions", only, _session)

    def events(self, file: TranscriptFile, line: Line) -> tuple[Event, ...]:
        """What one complete line says."""
        return session_files.told(line, WORTH, lambda data: self._told(file, data))

    def _told(self, file: TranscriptFile, data: dict[str, Any]) -> Iterator[Event]:
        head = session_files.head(file.path, "session")
        session = as_string(head.get("id")) or file.session
        at, _ = as_time(data.get("timestamp"))
        match data.get("type"):
            case "message":
                yield from self._message(data, session, as_string(head.get("cwd")), at)
            case "custom_message":
                found = dict.fromkeys(id_ for text in texts(data.get("content")) for id_ in fence.find(text))
                yield from (PacketSeen(id_, session, at) for id_ in found)
            case "compaction":
                yield Compacted(session, at)
            case _:
                return

    def _message(self, data: dict[str, Any], session: str, cwd: str, at: int) -> Iterator[Event]:
        message = as_dict(data.get("message"))
        author = message.get("role")
        if author not in ("user", "assistant"):
            return
        blocks = [storable(text) for text in texts(message.get("content"))]
        yield from (PacketSeen(id_, session, at) for text in blocks for id_ in fence.find(text))
        id_ = _id(data, at)
        uses = tuple(_uses(message.get("content"), id_, session, at, cwd))
        text = fence.strip("\n".join(blocks))
        if author == "user":
            text, _ = cut_blocks(text, FOREIGN_TAGS)
        if text.strip():
            yield self._said(data, author, text, session, cwd, at, uses)
        yield from uses

    def _said(
        self, data: dict[str, Any], author: Author, text: str, session: str, cwd: str, at: int, uses: tuple[ToolUse, ...]
    ) -> Said:  # fmt: skip
        return Said(
            id=_id(data, at), session=session, parent=as_string(data.get("parentId")) or None, author=author, origin="agent",
            typed=False, machine=False, text=text, at=at, offset_minutes=None, cwd=cwd, agent=self.name, sidechain=False,
            paths=tuple(ToolPath(use.tool, use.path) for use in uses if use.path),
        )  # fmt: skip


def _session(stem: str) -> str:
    """A file is named after its time and its session's id."""
    return stem.rpartition("_")[2]


def _id(data: dict[str, Any], at: int) -> str:
    """An entry's id has eight letters and meets another's some day; with its time it is the same only in a fork's copy."""
    return f"{as_string(data.get('id'))}-{at}"


def _uses(content: object, message: str, session: str, at: int, cwd: str) -> Iterator[ToolUse]:
    for place, block in enumerate(content if isinstance(content, list) else ()):
        if not isinstance(block, dict) or block.get("type") != "toolCall":
            continue
        given = as_dict(block.get("arguments"))
        path = next(filter(None, (as_string(given.get(key)) for key in PATH_KEYS)), "")
        call = as_string(block.get("id")) or f"{message}#{place}"
        yield ToolUse(call, message, session, at, cwd, as_string(block.get("name")), path)
