"""The other clients' wires: OpenAI's chat completions and responses, and Gemini's, taken down to the messages that rules read.

Pure functions. A request becomes ``{"messages": […]}`` in the Messages API's shape, so that one kind of rule serves every
client; a reply becomes the server-sent events of its own wire. It must never hold protocol detail that a client does not read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lab.rules import Text, Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lab.rules import Block

Json = dict[str, Any]
CREATED = 1_796_000_000


def kind_of(path: str) -> str:
    """Which wire a path speaks; "" for none of these."""
    if path.endswith("/chat/completions"):
        return "chat"
    if path.endswith("/responses"):
        return "responses"
    return "gemini" if "enerateContent" in path else ""


def taken_down(kind: str, body: Json) -> Json:
    """A request's body with `messages` as the rules read them."""
    match kind:
        case "chat":
            messages = [_chat(message) for message in body.get("messages") or []]
        case "responses":
            given = body.get("input") or []
            items = [{"role": "user", "content": given}] if isinstance(given, str) else given
            messages = [_item(item) for item in items]
        case _:
            messages = [_content(content) for content in body.get("contents") or []]
    return {"messages": messages, "wire": body}


def _chat(message: Json) -> Json:
    if message.get("role") == "tool":
        return {"role": "user", "content": [{"type": "tool_result", "content": message.get("content")}]}
    return {"role": message.get("role"), "content": message.get("content")}


def _item(item: Json) -> Json:
    kind = str(item.get("type", ""))
    if kind.endswith("_output"):
        return {"role": "user", "content": [{"type": "tool_result", "content": item.get("output")}]}
    if kind.endswith("_call") or kind == "reasoning":
        return {"role": "assistant", "content": [item]}
    return {"role": item.get("role"), "content": item.get("content")}


def _content(content: Json) -> Json:
    parts = content.get("parts") or []
    if any("functionResponse" in part for part in parts):
        return {"role": "user", "content": [{"type": "tool_result", "content": parts}]}
    return {"role": "assistant" if content.get("role") == "model" else "user", "content": parts}


def events(kind: str, says: Sequence[Block], ident: str) -> Iterator[bytes]:
    """A reply as the server-sent events of its wire; `ident` must differ in every reply."""
    wires: dict[str, Callable[[Sequence[Block], str], Iterator[tuple[str, Json | str]]]] = {"chat": _chat_events, "responses": _response_events, "gemini": _gemini_events}  # fmt: skip
    for name, data in wires[kind](says, ident):
        head = f"event: {name}\n" if name else ""
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        yield f"{head}data: {text}\n\n".encode()


def _text(says: Sequence[Block]) -> str:
    return "".join(block.text for block in says if isinstance(block, Text))


def _tools(says: Sequence[Block]) -> list[Tool]:
    return [block for block in says if isinstance(block, Tool)]


def _chat_events(says: Sequence[Block], ident: str) -> Iterator[tuple[str, Json | str]]:
    calls = [
        {"index": at, "id": f"call_{ident}_{at}", "type": "function", "function": {"name": tool.tool, "arguments": json.dumps(dict(tool.input))}}
        for at, tool in enumerate(_tools(says))
    ]  # fmt: skip
    base = {"id": f"chatcmpl-{ident}", "object": "chat.completion.chunk", "created": CREATED, "model": "fake-model"}
    deltas: list[Json] = [
        {"role": "assistant", "content": ""},
        {"content": _text(says)},
        *({"tool_calls": [call]} for call in calls),
    ]
    for delta in deltas:
        yield "", {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield "", {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}]}
    yield "", {**base, "choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}}
    yield "", "[DONE]"


def _response_events(says: Sequence[Block], ident: str) -> Iterator[tuple[str, Json | str]]:
    items: list[Json] = []
    for at, block in enumerate(says):
        if isinstance(block, Text):
            content = [{"type": "output_text", "text": block.text, "annotations": []}]
            items.append(
                {
                    "type": "message",
                    "id": f"msg_{ident}_{at}",
                    "status": "completed",
                    "role": "assistant",
                    "content": content,
                }
            )
        elif isinstance(block, Tool):
            items.append(
                {"type": "function_call", "id": f"fc_{ident}_{at}", "status": "completed", "call_id": f"call_{ident}_{at}", "name": block.tool, "arguments": json.dumps(dict(block.input))}
            )  # fmt: skip
    usage = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 120}  # fmt: skip
    whole = {"id": f"resp_{ident}", "object": "response", "created_at": CREATED, "status": "completed", "model": "fake-model", "output": items, "usage": usage, "error": None, "incomplete_details": None}  # fmt: skip
    told: list[tuple[str, Json]] = [
        ("response.created", {"response": {**whole, "status": "in_progress", "output": [], "usage": None}})
    ]
    for at, item in enumerate(items):
        told.append(("response.output_item.added", {"output_index": at, "item": item}))
        if item["type"] == "message":
            text = item["content"][0]["text"]
            told.append(
                (
                    "response.output_text.delta",
                    {"item_id": item["id"], "output_index": at, "content_index": 0, "delta": text},
                )
            )
            told.append(
                (
                    "response.output_text.done",
                    {"item_id": item["id"], "output_index": at, "content_index": 0, "text": text},
                )
            )
        told.append(("response.output_item.done", {"output_index": at, "item": item}))
    told.append(("response.completed", {"response": whole}))
    for number, (name, data) in enumerate(told):
        yield name, {"type": name, "sequence_number": number, **data}


def _gemini_events(says: Sequence[Block], ident: str) -> Iterator[tuple[str, Json | str]]:
    parts = [
        {"text": _text(says)},
        *({"functionCall": {"name": tool.tool, "args": dict(tool.input)}} for tool in _tools(says)),
    ]
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    yield (
        "",
        {
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": usage,
            "modelVersion": "fake",
        },
    )
