"""Capture by hand: one message into the project's conversation `manual`, and a T0 pointer to it.

What is typed into a shell may come from anybody who has one, so its origin is an agent's; a person's own word goes
through the gate. It must never answer before the message was read back.
"""

from bellek.kg import clock, conversations, forgotten, observations
from bellek.kg.conversations import Message
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.schemas.conversation import storable
from bellek.schemas.errors import StoreFault, UsageFault

CLIENT = "manual"


def capture(home: Home, project: str, text: str) -> Message:
    """Store a message; as it was read back. Raises UsageFault for a text without a word."""
    if not text.strip():
        raise UsageFault("nothing to capture", why="the text is empty", hint="run `bellek capture TEXT`")
    at = clock.now()
    message = Message(
        id=mint("m"), conversation=f"{CLIENT}-{project}", seq=0, project=project, agent=CLIENT, author="user", origin="agent",
        typed=False, machine=False, sidechain=False, at=at, offset_minutes=clock.offset_minutes(at), text=storable(text),
    )  # fmt: skip
    conversations.append(home.conversations, CLIENT, forgotten.without_words(home.memory, [message]))
    with home.memory.transaction():
        observations.point(
            home.memory,
            session=message.conversation,
            project=project,
            kind=observations.CAPTURED,
            message=message.id,
            at=at,
        )
    kept = conversations.load(home.conversations, message.id)
    if kept is None:
        raise StoreFault("the message was not stored", why="it could not be read back")
    return kept
