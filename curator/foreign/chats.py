"""Conversations as ChatGPT and Claude hand them out: one JSON list, a conversation each.

ChatGPT keeps a tree, of which the branch that ends at `current_node` is what the person saw; Claude keeps a list. It must
never take what a system or a tool said for somebody's words.
"""

from typing import Any

from bellek.curator.foreign.values import Found, Said, instant, items, text_of

CHATGPT, CLAUDE = "chatgpt", "claude"
AUTHORS: dict[str, Any] = {"user": "user", "human": "user", "assistant": "assistant"}


def is_chatgpt(value: Any) -> bool:
    """Whether a JSON value is ChatGPT's list of conversations."""
    return bool(items(value)) and "mapping" in items(value)[0]


def is_claude(value: Any) -> bool:
    """Whether a JSON value is Claude's list of conversations."""
    return bool(items(value)) and "chat_messages" in items(value)[0]


def chatgpt(value: Any) -> Found:
    """Messages of the branch that the person saw, in order."""
    found = Found(CHATGPT)
    for number, talk in enumerate(items(value), start=1):
        id_ = text_of(talk.get("conversation_id") or talk.get("id"))
        nodes = talk.get("mapping")
        if not id_ or not isinstance(nodes, dict):
            found.skip(f"conversation {number}")
            continue
        for node in _branch(nodes, talk.get("current_node")):
            _node(found, id_, node, instant(talk.get("create_time")))
    return found


def _branch(nodes: dict[str, Any], leaf: Any) -> list[dict[str, Any]]:
    """The nodes from the root to the leaf; each once, whatever their parents say. Without a leaf: all, in the file's order."""
    path: list[dict[str, Any]] = []
    seen: set[str] = set()
    while isinstance(leaf, str) and leaf in nodes and leaf not in seen and isinstance(nodes[leaf], dict):
        seen.add(leaf)
        path.append(nodes[leaf])
        leaf = nodes[leaf].get("parent")
    return path[::-1] or items(list(nodes.values()))


def _node(found: Found, talk: str, node: dict[str, Any], begun: int) -> None:
    message = node.get("message")
    if not isinstance(message, dict):
        return
    author, content = message.get("author"), message.get("content")
    role = AUTHORS.get(str(author.get("role"))) if isinstance(author, dict) else None
    if (
        role is None
        or not isinstance(content, dict)
        or content.get("content_type") not in ("text", "multimodal_text", None)
    ):
        return
    parts = content.get("parts")
    text = "\n".join(filter(None, map(_part, parts))) if isinstance(parts, list) else ""
    id_ = text_of(message.get("id"))
    if id_ and text:
        found.said.append(Said(id_, talk, role, text, instant(message.get("create_time")) or begun))


def _part(part: Any) -> str:
    """A part's words: a text, or what was understood of speech; pictures and files have none."""
    if isinstance(part, dict) and part.get("content_type") == "audio_transcription":
        return text_of(part.get("text"))
    return text_of(part)


def claude(value: Any) -> Found:
    """Messages in their order; their text blocks where `text` is empty."""
    found = Found(CLAUDE)
    for number, talk in enumerate(items(value), start=1):
        id_ = text_of(talk.get("uuid"))
        if not id_:
            found.skip(f"conversation {number}")
            continue
        for message in items(talk.get("chat_messages")):
            role = AUTHORS.get(str(message.get("sender")))
            blocks = (
                text_of(block.get("text")) for block in items(message.get("content")) if block.get("type") == "text"
            )
            text = text_of(message.get("text")) or "\n".join(filter(None, blocks))
            key = text_of(message.get("uuid"))
            if role and key and text:
                found.said.append(
                    Said(key, id_, role, text, instant(message.get("created_at")) or instant(talk.get("created_at")))
                )
    return found
