"""OpenCode's hook contract: what our plugin file asks, is answered, and pipes when a turn is over.

One of the prompt hook's rooms. The client's store is a live SQLite file of its own, so the plugin hands over what was said.
"""

from bellek.clients import plain
from bellek.schemas.packet import Turn

CAP = 9_800  # UTF-16 units; the client has no cap of its own
PIPED = True
EVENTS = {"prompt": "prompt", "compacted": "start", "over": "over"}


def turn(client: str, name: str, fields: "dict[str, str]") -> Turn:
    """An event of the plugin."""
    return plain.turn(client, EVENTS, name, fields)


answer = plain.context
