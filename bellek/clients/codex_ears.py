"""Codex's ears: where its rollouts lie, and what one line of them says (recorded: 0.171.0, `exec`).

Both sides stand there several times; only the items that a turn completed are heard. AGENTS.md and the environment come
in the user's role as well and are no item. `exec` is a program's prompt; nothing marks another as typed by a person, so
nothing counts as typed. It must never raise on a line's content.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bellek.clients import session_files
from bellek.clients.injected import FOREIGN_TAGS, cut_blocks
from bellek.clients.loose import as_dict, as_string, as_time
from bellek.curator.transcripts import Line
from bellek.schemas import fence
from bellek.schemas.conversation import (
    Author,
    Compacted,
    Event,
    PacketSeen,
    Said,
    ToolUse,
    TranscriptFile,
    Unreadable,
    storable,
)  # fmt: skip

AUTHORS: dict[str, Author] = {"UserMessage": "user", "AgentMessage": "assistant"}
WORTH = (b'"item_completed"', b'"developer"', b'"compacted"', b'_call"')
_PATCHED = re.compile(
    r"\*\*\* (?:Add|Update|Delete) File: ([^\n\\]+)"
)  # the first file of a patch, as text or inside JSON
STAMP = len("rollout-2026-11-30T12-28-47-")  # before the session's id in a file's name


def codex_folder() -> Path:
    """``CODEX_HOME``, else ``~/.codex``."""
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")


class CodexEars:
    """Of one folder of the client's."""

    name = "codex"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def transcripts(self, only: list[str]) -> Iterator[TranscriptFile | Unreadable]:
        """The given rollouts, or all of them."""
        return session_files.chosen(self._folder / "sessions", only, _session)

    def events(self, file: TranscriptFile, line: Line) -> tuple[Event, ...]:
        """What one complete line says."""
        return session_files.told(line, WORTH, lambda data: self._told(file, data))

    def _told(self, file: TranscriptFile, data: dict[str, Any]) -> Iterator[Event]:
        payload = as_dict(data.get("payload"))
        meta = as_dict(session_files.head(file.path, "session_meta").get("payload"))
        session = as_string(meta.get("id")) or file.session
        at, _ = as_time(data.get("timestamp"))
        match (data.get("type"), payload.get("type")):
            case ("event_msg", "item_completed"):
                yield from self._item(as_dict(payload.get("item")), session, meta, at)
            case ("response_item", "message") if payload.get("role") == "developer":
                found = dict.fromkeys(id_ for text in _texts(payload.get("content")) for id_ in fence.find(text))
                yield from (PacketSeen(id_, session, at) for id_ in found)
            case ("response_item", "function_call" | "custom_tool_call"):
                call = as_string(payload.get("call_id")) or f"{session}-{at}"
                path = _PATCHED.search(f"{payload.get('arguments') or ''}{payload.get('input') or ''}")
                cwd = as_string(meta.get("cwd"))
                yield ToolUse(
                    call, call, session, at, cwd, as_string(payload.get("name")), storable(path[1]) if path else ""
                )
            case ("compacted", _):
                yield Compacted(session, at)
            case _:
                return

    def _item(self, item: dict[str, Any], session: str, meta: dict[str, Any], at: int) -> Iterator[Event]:
        author = AUTHORS.get(as_string(item.get("type")))
        text = fence.strip(storable("\n".join(_texts(item.get("content")))))
        if author == "user":
            text, _ = cut_blocks(text, FOREIGN_TAGS)
        if author is None or not text.strip():
            return
        yield Said(
            id=as_string(item.get("id")) or f"{session}-{at}", session=session, parent=None, author=author, origin="agent", typed=False,
            machine=author == "user" and meta.get("source") == "exec", text=text, at=at, offset_minutes=None, cwd=as_string(meta.get("cwd")),
            agent=self.name, sidechain=False,
        )  # fmt: skip


def _session(stem: str) -> str:
    return stem[STAMP:] if stem.startswith("rollout-") else stem


def _texts(content: object) -> Iterator[str]:
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            yield block["text"]
