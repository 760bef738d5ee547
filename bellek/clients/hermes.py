"""Hermes's hook contract: shell hooks of its own configuration, the event's fields under ``extra``.

One of the prompt hook's rooms. Its store is a live database, so the turn's last event is what is heard.
"""

from bellek.clients import plain
from bellek.schemas.packet import Turn

CAP = 9_800  # letters; the client puts a longer context into a file and shows both its ends
PIPED = True
INSIDE = "$.extra"  # where the event's own fields lie
EVENTS = {"pre_llm_call": "prompt", "post_llm_call": "over"}


def turn(client: str, name: str, fields: "dict[str, str]") -> Turn:
    """The event as the client's standard input tells it."""
    return plain.turn(client, EVENTS, name, fields, fields.get("user_message", ""))


answer = plain.context
