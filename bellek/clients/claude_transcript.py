"""Reads one line of a Claude Code transcript: bytes in, what was said out.

What it is for: the only place that knows the JSON of Claude Code's session files (recorded: 1.0.128, 2.0.77, 2.1.112,
2.1.332; unknown types and missing keys are passed over without noise). It must never raise on a line's content, never
take thinking, tool output, injected context or copies of messages for speech, and never keep image bytes.

Most bytes of a transcript are attachments, tool results and blobs. A line is parsed only when its bytes hold a word
that a line worth hearing cannot lack, wherever its keys stand; what is not parsed is looked at from both ends only.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bellek.clients.claude_marks import HOOK_ECHOES, NOTICES, is_machine, is_not_the_user, is_typed
from bellek.clients.injected import FOREIGN_TAGS, REMINDER, cut_blocks
from bellek.clients.loose import as_dict, as_string, as_time, texts
from bellek.schemas.conversation import (
    Author,
    Compacted,
    Damaged,
    Event,
    Origin,
    PacketSeen,
    Said,
    ToolPath,
    ToolUse,
    storable,
)

MAIN_AGENT = "claude-code"
UNNAMED_SUBAGENT = "subagent"

_PATH_KEYS = ("file_path", "notebook_path", "path")

# A quote inside a JSON string is escaped, so byte strings with bare quotes are real keys and values, in any order.
_WORTH = re.compile(rb'"(?:user|assistant|hook_additional_context|hook_success|compact_boundary)"')
_OTHER_KIND_FIRST = re.compile(rb'\s*\{\s*"type"\s*:\s*"(?!user"|assistant"|attachment"|system")[^"\\]*"')
_REMINDER = f"<{REMINDER}".encode()
_PLAIN_CONTENT = re.compile(rb'"content"\s*:\s*"')


@dataclass(frozen=True, slots=True)
class LineRules:
    """What the reader of one file has to know from outside.

    ``find_packets`` lists the ids of our packets in a text, ``strip`` takes our packets out of one. ``session`` and
    ``agent`` are the file's own and stand in where a line does not tell; ``foreign`` are tags of other memories.
    """

    find_packets: Callable[[str], Iterable[str]]
    strip: Callable[[str], str]
    session: str = ""
    agent: str | None = None
    foreign: tuple[str, ...] = FOREIGN_TAGS


@dataclass(slots=True)  # not frozen: one is made for every line that speaks
class _Line:
    """The keys that every conversation line shares, made safe to store."""

    id: str
    session: str
    at: int
    offset_minutes: int | None
    cwd: str
    sidechain: bool
    agent: str


def read_line(raw: bytes, *, number: int, offset: int, rules: LineRules) -> tuple[Event, ...]:
    """Give the events of one complete line (with or without its newline), in the line's order; mostly none.

    ``number`` and ``offset`` are said again in a Damaged. A broken line in which nothing could have been heard and
    which still begins and ends like an object is not noticed.
    """
    if not may_speak(raw):
        return _shape(raw, number, offset)
    try:
        data = json.loads(raw.decode("utf-8", "replace"))
    except RecursionError:
        return (Damaged(number, offset, "nested too deeply"),)
    except ValueError:
        return (Damaged(number, offset, "not one JSON value"),)
    if not isinstance(data, dict):
        return (Damaged(number, offset, "not a JSON object"),)
    return tuple(_events(data, raw, rules))


def may_speak(raw: bytes) -> bool:
    """Say whether the line could hold anything worth hearing; False is certain, True is not.

    Not certain for a writer that escapes plain letters of a key or a type's name, which no JSON writer does.
    """
    if _WORTH.search(raw) is None:
        return False
    lines = raw.count(b'"parentUuid"')
    if lines > 1 or b'"hook_' in raw or b'"compact_boundary"' in raw:
        return True  # two lines in one are damage, and have to be told
    if not lines and _OTHER_KIND_FIRST.match(raw) is not None:
        return False  # a blob that copies messages names speakers too
    if b'"tool_result"' in raw and b'"assistant"' not in raw:
        return _REMINDER in raw  # nobody speaks beside a tool's result, but a packet may stand there
    # Text blocks, calls, a plain string.
    return b'"text"' in raw or b'"tool_use"' in raw or _PLAIN_CONTENT.search(raw) is not None


def _shape(raw: bytes, number: int, offset: int) -> tuple[Event, ...]:
    line = raw if raw.endswith(b"}") else raw.strip()
    if not line or (line.startswith(b"{") and line.endswith(b"}")):
        return ()
    return (Damaged(number, offset, "not one JSON value"),)


def _events(data: dict[str, Any], raw: bytes, rules: LineRules) -> Iterator[Event]:
    match data.get("type"):
        case "assistant":
            yield from _assistant(data, _common(data, raw, rules), rules)
        case "user":
            yield from _user(data, _common(data, raw, rules), rules)
        case "attachment":
            line = _common(data, raw, rules)
            if not line.sidechain:  # what a subagent was shown, the session's own model has not seen
                yield from _seen(_shown_by_hook(data.get("attachment")), line, rules)
        case "system" if data.get("subtype") == "compact_boundary":
            line = _common(data, raw, rules)
            yield Compacted(line.session, line.at)
        case _:
            return


def _assistant(data: dict[str, Any], line: _Line, rules: LineRules) -> Iterator[Event]:
    message = as_dict(data.get("message"))
    if data.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
        return
    uses = tuple(_tool_uses(message.get("content"), line))
    text = rules.strip(storable("\n".join(texts(message.get("content")))))
    if text.strip():
        paths = tuple(ToolPath(use.tool, use.path) for use in uses if use.path)
        yield _said(data, line, "assistant", "agent", text, paths=paths)
    yield from uses


def _user(data: dict[str, Any], line: _Line, rules: LineRules) -> Iterator[Event]:
    if line.sidechain:  # the parent agent's prompt
        return
    blocks = [storable(text) for text in texts(as_dict(data.get("message")).get("content"))]
    yield from _seen(_shown_as_user(blocks), line, rules)
    if is_not_the_user(data):
        return
    text = "\n".join(filter(None, (_own_words(block, rules) for block in blocks)))
    if not text.strip():
        return
    typed = is_typed(data)
    yield _said(data, line, "user", "user" if typed else "agent", text, typed=typed, machine=is_machine(data))


def _said(
    data: dict[str, Any],
    line: _Line,
    author: Author,
    origin: Origin,
    text: str,
    *,
    typed: bool = False,
    machine: bool = False,
    paths: tuple[ToolPath, ...] = (),
) -> Said:
    return Said(
        id=line.id,
        session=line.session,
        parent=as_string(data.get("parentUuid")) or None,
        author=author,
        origin=origin,
        typed=typed,
        machine=machine,
        text=text,
        at=line.at,
        offset_minutes=line.offset_minutes,
        cwd=line.cwd,
        agent=line.agent,
        sidechain=line.sidechain,
        paths=paths,
    )


# Whose words


def _own_words(block: str, rules: LineRules) -> str:
    kept, _ = cut_blocks(rules.strip(block), rules.foreign)
    return "" if kept.lstrip().startswith(NOTICES) else kept


# What the model was shown


def _seen(shown: Iterable[str], line: _Line, rules: LineRules) -> Iterator[Event]:
    packets = dict.fromkeys(packet for text in shown for packet in rules.find_packets(text))
    for packet in packets:
        yield PacketSeen(packet, line.session, line.at)


def _shown_as_user(blocks: Iterable[str]) -> Iterator[str]:
    for block in blocks:
        if block.startswith(HOOK_ECHOES):
            yield block
        else:
            yield from cut_blocks(block, (REMINDER,))[1]


def _shown_by_hook(attachment: object) -> Iterator[str]:
    hook = as_dict(attachment)
    if hook.get("type") == "hook_additional_context":
        content = hook.get("content")
        for text in content if isinstance(content, list) else [content]:
            yield as_string(text)
    elif hook.get("type") == "hook_success":
        yield _context_of(as_string(hook.get("stdout")))


def _context_of(stdout: str) -> str:
    """What a hook's output gives to the model: its additionalContext where it answered in JSON, else all of it."""
    if not stdout.lstrip().startswith("{"):
        return stdout
    try:
        answer = json.loads(stdout)
    except (ValueError, RecursionError):
        return stdout  # the client, too, hands broken JSON on as plain text
    return as_string(as_dict(as_dict(answer).get("hookSpecificOutput")).get("additionalContext"))


# Keys and blocks


def _common(data: dict[str, Any], raw: bytes, rules: LineRules) -> _Line:
    session = as_string(data.get("sessionId")) or rules.session
    sidechain = data.get("isSidechain") is True
    at, offset_minutes = as_time(data.get("timestamp"))
    return _Line(
        id=as_string(data.get("uuid")) or _stable_id(session, raw),
        session=session,
        at=at,
        offset_minutes=offset_minutes,
        cwd=as_string(data.get("cwd")),
        sidechain=sidechain,
        agent=_agent(data, rules) if sidechain else MAIN_AGENT,
    )


def _agent(data: dict[str, Any], rules: LineRules) -> str:
    return rules.agent or as_string(data.get("attributionAgent")) or as_string(data.get("agentId")) or UNNAMED_SUBAGENT


def _stable_id(session: str, raw: bytes) -> str:
    return "line-" + hashlib.blake2b(session.encode() + b"\0" + raw.strip(), digest_size=16).hexdigest()


def _tool_uses(content: object, line: _Line) -> Iterator[ToolUse]:
    for place, block in enumerate(content if isinstance(content, list) else ()):
        if not isinstance(block, dict) or block.get("type") != "tool_use":
            continue
        given = as_dict(block.get("input"))
        path = next(filter(None, (as_string(given.get(key)) for key in _PATH_KEYS)), "")
        call = as_string(block.get("id")) or f"{line.id}#{place}"
        yield ToolUse(call, line.id, line.session, line.at, line.cwd, as_string(block.get("name")), path)
