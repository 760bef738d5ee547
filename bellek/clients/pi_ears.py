"""Pi's and Oh My Pi's ears: where their sessions lie, and what one line of them says (recorded: 0.73.1, 1.6.0, 18.2.3).

A session is a tree of entries in one file; its folder stands in the first line alone. Pi marks no line as typed, but tells its
extensions: ours leaves a hash of what came in by hand in the terminal, and a message with these very words behind it is
typed, once. Oh My Pi does not tell. It must never raise on a line's content, and never take thinking, tool output or injected
messages for speech.
"""

import hashlib
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
TYPED = "bellek-typed"  # the custom entry that our extension leaves
WORTH = (b'"message"', b'"custom_message"', b'"compaction"', b'"bellek-typed"')
PLACES = {"pi": ".pi/agent", "omp": ".omp/agent"}


def agent_folder(client: str) -> Path:
    """The client's own folder: as PI_CODING_AGENT_DIR says, which both read, else below the home folder."""
    return Path(os.environ.get("PI_CODING_AGENT_DIR") or Path.home() / PLACES[client])


class PiEars:
    """Of `name`, pi or omp."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._folder = folder
        self._typed: tuple[str, list[str]] = (
            "",
            [],
        )  # hashes left in the file that is read, whose message did not come yet

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
                yield from self._message(data, session, as_string(head.get("cwd")), at, self._left_in(file.path))
            case "custom" if data.get("customType") == TYPED:
                self._left_in(file.path).append(as_string(as_dict(data.get("data")).get("sha256")))
            case "custom_message":
                found = dict.fromkeys(id_ for text in texts(data.get("content")) for id_ in fence.find(text))
                yield from (PacketSeen(id_, session, at) for id_ in found)
            case "compaction":
                yield Compacted(session, at)
            case _:
                return

    def _left_in(self, path: str) -> list[str]:
        if self._typed[0] != path:
            self._typed = (path, [])
        return self._typed[1]

    def _message(self, data: dict[str, Any], session: str, cwd: str, at: int, left: list[str]) -> Iterator[Event]:
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
        typed = author == "user" and (mark := _hash("\n".join(blocks))) in left
        if typed:
            left.remove(mark)
        if text.strip():
            yield self._said(data, author, text, session, cwd, at, uses, typed=typed)
        yield from uses

    def _said(
        self, data: dict[str, Any], author: Author, text: str, session: str, cwd: str, at: int, uses: tuple[ToolUse, ...], *, typed: bool
    ) -> Said:  # fmt: skip
        return Said(
            id=_id(data, at), session=session, parent=as_string(data.get("parentId")) or None, author=author,
            origin="user" if typed else "agent", typed=typed, machine=False, text=text, at=at, offset_minutes=None, cwd=cwd, agent=self.name, sidechain=False,
            paths=tuple(ToolPath(use.tool, use.path) for use in uses if use.path),
        )  # fmt: skip


def _hash(text: str) -> str:
    return hashlib.sha256(text.strip().encode("utf-8", "replace")).hexdigest()


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
