"""Codex's hook contract: Claude Code's form under a cap in bytes. Its rollouts are read in `codex_ears`.

One of the prompt hook's rooms. A longer answer is cut in the middle by the client.
"""

from bellek.clients import plain
from bellek.schemas.packet import Turn

CAP = 9_800  # bytes; the client's own cap is 10,000
IN_BYTES = True
EVENTS = {"SessionStart": "start", "UserPromptSubmit": "prompt", "Stop": "over", "SessionEnd": "over"}


def turn(client: str, name: str, fields: "dict[str, str]") -> Turn:
    """The event as the client's standard input tells it."""
    return plain.turn(client, EVENTS, name, fields)


answer = plain.hook_specific
