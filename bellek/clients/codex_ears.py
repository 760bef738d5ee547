"""Codex's ears: where its rollouts lie, and what one line of them says (recorded: 0.171.0, `exec` and its terminal).

Both sides stand there several times; only the items that a turn completed are heard. AGENTS.md and the environment come
in the user's role as well and are no item. `exec` is a program's prompt. A line is typed by a person where three marks agree: the
session is the terminal's own, its turn was begun by the user, and the item holds no element that the terminal put in (a
paste, a picture). It must never raise on a line's content, nor take a missing mark for a person's.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bellek.clients import session_files
from bellek.clients.injected import FOREIGN_TAGS, cut_blocks
from bellek.clients.loose import as_dict, as_string, as_time
from bellek.curator.capture import OWN_AGENTS
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
BY_TERMINAL, BY_USER = "codex-tui", "user"
# What the terminal's own command /init sends in the person's name.
WRITTEN_BY_CODEX = "Generate a file named AGENTS.md that serves as a contributor guide"
WORTH = (b'"item_completed"', b'"task_started"', b'"developer"', b'"compacted"', b'_call"')
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
        self._begun = ("", "")  # the turn that the user began last, and the file that said so

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
            case ("event_msg", "task_started"):
                by = as_dict(payload.get("turn_attribution")).get("turn_trigger")
                self._begun = (file.path, as_string(payload.get("turn_id"))) if by == BY_USER else ("", "")
            case ("event_msg", "item_completed"):
                begun = self._begun == (file.path, payload.get("turn_id"))
                yield from self._item(as_dict(payload.get("item")), session, meta, at, begun=begun)
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

    def _item(
        self, item: dict[str, Any], session: str, meta: dict[str, Any], at: int, *, begun: bool
    ) -> Iterator[Event]:
        author = AUTHORS.get(as_string(item.get("type")))
        text = fence.strip(storable("\n".join(_texts(item.get("content")))))
        if author == "user":
            text, _ = cut_blocks(text, FOREIGN_TAGS)
        side, role = isinstance(meta.get("source"), dict), _role(meta)
        if author is None or not text.strip() or role in OWN_AGENTS:
            return
        typed = author == "user" and begun and not side and _by_hand(meta, item)
        yield Said(
            id=as_string(item.get("id")) or f"{session}-{at}", session=session, parent=None, author=author,
            origin="user" if typed else "agent", typed=typed,
            machine=author == "user" and (side or meta.get("source") == "exec"), text=text, at=at, offset_minutes=None,
            cwd=as_string(meta.get("cwd")), agent=role or self.name, sidechain=side,
        )  # fmt: skip


def _by_hand(meta: dict[str, Any], item: dict[str, Any]) -> bool:
    """Whether the terminal's own session says so, and nothing but plain text was handed over."""
    content = item.get("content")
    blocks = [as_dict(block) for block in content] if isinstance(content, list) else []
    plain = all(block.get("type") == "text" and block.get("text_elements") == [] for block in blocks)
    by_person = (meta.get("originator"), meta.get("thread_source")) == (BY_TERMINAL, BY_USER)
    return (
        by_person and plain and not any(as_string(block.get("text")).startswith(WRITTEN_BY_CODEX) for block in blocks)
    )


def _role(meta: dict[str, Any]) -> str:
    """What kind of subagent a rollout is of, "" where it is a session's own."""
    spawned = as_dict(as_dict(as_dict(meta.get("source")).get("subagent")).get("thread_spawn"))
    return as_string(meta.get("agent_role")) or as_string(spawned.get("agent_role"))


def _session(stem: str) -> str:
    return stem[STAMP:] if stem.startswith("rollout-") else stem


def _texts(content: object) -> Iterator[str]:
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            yield block["text"]
