"""Claude Code's hook contract: event fields in, output form. Transcript lines are read in `claude_transcript`.

One of the prompt hook's rooms. It must never print anything but one JSON object, and never more than the client's cap:
a longer context is replaced by a path and its first 2,000 characters.
"""

from bellek.schemas.packet import Turn

CAP = 9_800  # UTF-16 units; the client's own cap is 10,000 for the whole context of one hook
EVENTS = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "Stop": "over",
    "SessionEnd": "over",
    "MessageDisplay": "display",
}
NOTICES = (
    "<task-notification>",
    "[SYSTEM NOTIFICATION",
)  # the harness speaks in the user's slot: anchored at the start


def turn(client: str, name: str, fields: "dict[str, object]") -> Turn:
    """The event as the client's standard input tells it; absent or odd fields become empty text."""
    prompt = _text(fields, "prompt")
    return Turn(
        client,
        name,
        EVENTS.get(name, ""),
        _text(fields, "session_id"),
        _text(fields, "cwd"),
        prompt,
        _text(fields, "source"),
        _text(fields, "transcript_path"),
        machine=prompt.lstrip().startswith(NOTICES),
    )


def _text(fields: "dict[str, object]", key: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", "replace").decode()  # a lone surrogate cannot be stored or printed


def answer(name: str, context: str) -> "dict[str, object]":
    """The hook's output object for SessionStart and UserPromptSubmit."""
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}


def piece(fields: "dict[str, object]") -> "tuple[str, int, bool, str] | None":
    """MessageDisplay's fields: the message's id, the piece's number from 0, whether it is the last, its text. None if odd."""
    message, index, final, delta = (fields.get(key) for key in ("message_id", "index", "final", "delta"))
    if isinstance(message, str) and isinstance(index, int) and isinstance(final, bool) and isinstance(delta, str):
        return message, index, final, delta
    return None


def display(name: str, content: str) -> "dict[str, object]":
    """The hook's output object for MessageDisplay: what is shown in place of the piece, "" for nothing."""
    return {"hookSpecificOutput": {"hookEventName": name, "displayContent": content}}
