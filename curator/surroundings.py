"""What was said around a mark: the lines from which whoever answers a queue item takes its quotes.

It must never show a word that was not stored: a cut text is a part of the message as it stands, so that a quote taken
from it stands there too. What it shows is data; it decides nothing about who said what.
"""

from dataclasses import dataclass

from bellek.curator.context_of import LOOK_BACK, by_person
from bellek.kg import conversations
from bellek.kg.conversations import Message
from bellek.kg.home import Home
from bellek.schemas.queue import Item

LETTERS = 600  # code points of one message: a typed line is shorter, a long reply's part around the mark is enough
BUDGET = 2_400  # code points an item: eight items with their fields stay under the 30,000 that a client's shell shows
BEFORE_MARK = 400  # of those of the marked message: the sentence it was learned from stands before the mark


@dataclass(frozen=True, slots=True)
class Near:
    """One message near a mark, or a part of it: `text` is its code points from `start` on; `cut` says that there are more."""

    message: Message
    start: int
    text: str
    cut: bool

    @property
    def typed(self) -> bool:
        """Whether a person typed it: only its words can show that the person said something."""
        return by_person(self.message)


def of_item(home: Home, item: Item) -> list[Near]:
    """The marked message, the nearest lines that a person typed before it, then its other neighbours, as far as the
    budget reaches; in the order in which they were said. Empty where the message is not stored (any more).
    """
    n = conversations.number_of(home.conversations, item.message)
    if n is None:
        return []
    marked, before, after = conversations.around(home.conversations, n, before=LOOK_BACK, after=1)
    nearest = [message for message in (*after, *reversed(before)) if message.project == item.project]
    typed = [message for message in nearest if by_person(message)]
    others = [message for message in nearest if not by_person(message)]
    chosen = [_part(marked, max(0, item.position - BEFORE_MARK))]
    left = BUDGET - len(chosen[0].text)
    for message in (*typed, *others):
        part = _part(message, 0)
        if len(part.text) > left:
            break
        chosen.append(part)
        left -= len(part.text)
    return sorted(chosen, key=lambda near: near.message.seq)


def _part(message: Message, start: int) -> Near:
    start = start if len(message.text) > LETTERS else 0
    text = message.text[start : start + LETTERS]
    return Near(message, start, text, len(text) < len(message.text))
