"""What a program hands over to be heard: one message at a time, as it knows it.

What it is for: bots and agent loops that keep no transcript file. The program is the client here, so only it can say that
a person typed a message; it must never be taken for granted.
"""

from dataclasses import dataclass

from bellek.schemas.conversation import Author


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `id` is the program's own and makes hearing the same message twice harmless; "" is a new one each time.

    `session` names the conversation within the program, "" its only one. `at` is UTC milliseconds, 0 for now. `typed`: a
    person wrote the text by hand, in this program; nothing else counts as the person's own word.
    """

    author: Author
    text: str
    id: str = ""
    session: str = ""
    at: int = 0
    typed: bool = False
