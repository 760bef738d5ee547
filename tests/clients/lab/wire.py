"""The Anthropic Messages wire: scripted blocks → a message object → the events of its stream.

Pure functions. The shapes are those the Messages API documents (a message object, and the server-sent events
message_start, content_block_start / _delta / _stop, message_delta, message_stop). It must never hold protocol detail
that a client does not read: this is a stand-in, not a model.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, assert_never

from lab.rules import FEW_TOKENS, PIECE, Block, Text, Thinking, Tool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Json = dict[str, Any]

SIGNATURE = "c2lnbmVk"  # base64 of "signed": clients keep a thinking block's signature without checking it
USAGE: Json = {
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    "output_tokens": 20,
    "service_tier": "standard",
}


def content_block(block: Block, tool_id: str) -> Json:
    """One finished content block; ``tool_id`` names it when it is a tool call."""
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(thinking):
            return {"type": "thinking", "thinking": thinking, "signature": SIGNATURE}
        case Tool(tool, given):
            return {"type": "tool_use", "id": tool_id, "name": tool, "input": dict(given)}
        case _:
            assert_never(block)


def message(blocks: Sequence[Block], *, model: str, ident: str, input_tokens: int = FEW_TOKENS) -> Json:
    """The whole message object. ``ident`` must differ in every reply: clients and our reader de-duplicate by id."""
    content = [content_block(block, f"toolu_{ident}_{at}") for at, block in enumerate(blocks)]
    calls_tool = any(block["type"] == "tool_use" for block in content)
    return {
        "id": f"msg_{ident}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if calls_tool else "end_turn",
        "stop_sequence": None,
        "usage": {**USAGE, "input_tokens": input_tokens},
    }


def stream(whole: Mapping[str, Any], piece: int = PIECE) -> Iterator[Json]:
    """The events whose assembly gives ``whole`` again; ``piece``: characters a text delta."""
    opening = {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
    yield {"type": "message_start", "message": opening}
    for index, block in enumerate(whole["content"]):
        empty, deltas = _pieces(block, piece)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": whole["usage"]}
    yield {"type": "message_stop"}


def _pieces(block: Mapping[str, Any], piece: int) -> tuple[Json, list[Json]]:
    """A block's empty opening form and the deltas that fill it."""
    match block["type"]:
        case "text":
            text: str = block["text"]
            parts = [text[at : at + piece] for at in range(0, len(text), piece)]
            return {"type": "text", "text": ""}, [{"type": "text_delta", "text": part} for part in parts]
        case "thinking":
            filling = [
                {"type": "thinking_delta", "thinking": block["thinking"]},
                {"type": "signature_delta", "signature": block["signature"]},
            ]
            return {"type": "thinking", "thinking": "", "signature": ""}, filling
        case _:
            given = json.dumps(block["input"], ensure_ascii=False)
            return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": given}]


def encode_event(event: Mapping[str, Any]) -> bytes:
    """One server-sent event as bytes."""
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()
