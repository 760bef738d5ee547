"""Gemini CLI's hook contract. Its stored replies have lost their comments, so the turn's own event is what is heard.

One of the prompt hook's rooms. SessionStart's context is glued to the prompt that BeforeAgent sees; it is no words of
the person's.
"""

from bellek.clients import plain
from bellek.schemas.packet import Turn

CAP = 9_800  # UTF-16 units; none of its own was seen at 60,000
PIPED = True  # what was said stands in AfterAgent alone
EVENTS = {"SessionStart": "start", "BeforeAgent": "prompt", "AfterAgent": "over"}
OPEN, CLOSE = "<hook_context>", "</hook_context>"


def turn(client: str, name: str, fields: "dict[str, str]") -> Turn:
    """The event as the client's standard input tells it."""
    return plain.turn(client, EVENTS, name, fields, own_words(fields.get("prompt", "")))


def own_words(prompt: str) -> str:
    """A prompt without the context of hooks that the client glued before it."""
    while prompt.lstrip().startswith(OPEN) and CLOSE in prompt:
        prompt = prompt.partition(CLOSE)[2]
    return prompt.strip()


answer = plain.hook_specific
