"""Any program that can run a command: ``bellek hook prompt|over --client generic-NAME``, JSON in, JSON out.

One of the prompt hook's rooms. It must never believe that a person typed something: whoever can run a command could say so.
docs/programs.md tells the form.
"""

from bellek.clients import plain
from bellek.schemas.packet import Turn

CAP = 9_800  # UTF-16 units, as for the strictest client
PIPED = True
EVENTS = {"start": "start", "prompt": "prompt", "over": "over"}


def turn(client: str, name: str, fields: "dict[str, str]") -> Turn:
    """An event as the program tells it; ``"source": "rebuilt"`` is for one that writes its prompt anew each turn."""
    return plain.turn(client, EVENTS, name, fields)


answer = plain.context
