"""OpenClaw's hook contract: what our plugin asks, is answered, and pipes when a turn is over.

One of the prompt hook's rooms. What the plugin puts before a prompt is sent once and stored nowhere, so every turn is told
all of it anew.
"""

from bellek.clients import plain
from bellek.schemas.packet import Turn

CAP = 9_800  # UTF-16 units; the client has no cap of its own
PIPED = True
EVENTS = {"prompt": "prompt", "over": "over"}


def turn(client: str, name: str, fields: "dict[str, str]") -> Turn:
    """An event of the plugin; its context is rebuilt each time."""
    return plain.turn(client, EVENTS, name, {**fields, "source": "rebuilt"})


answer = plain.context
