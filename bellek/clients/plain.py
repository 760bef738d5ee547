"""What the clients' hook adapters share: event fields in, a turn out. One of the prompt hook's rooms.

It must never take a field of another type for text.
"""

from bellek.schemas.packet import Turn


def turn(client: str, events: "dict[str, str]", name: str, fields: "dict[str, str]", prompt: str = "") -> Turn:
    """A client's event with the field names that most of them share; `prompt` stands in for the event's own."""
    return Turn(
        client,
        name,
        events.get(name, ""),
        fields.get("session_id", ""),
        fields.get("cwd", ""),
        prompt or fields.get("prompt", ""),
        fields.get("source", ""),
        fields.get("transcript_path", ""),
    )


def context(event: str, text: str) -> "dict[str, object]":  # noqa: ARG001  one form for all events
    """The answer that our own extensions and the generic form read."""
    return {"context": text}


def hook_specific(event: str, text: str) -> "dict[str, object]":
    """The answer of clients that took over Claude Code's form."""
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
