"""A project's part of the index of messages: where its messages stand there, and how many there are.

What it is for: a message's number in the index is made of its project's part, its number in that part and the class of its
length. So a question about one project reads no row of another, needs no word in the index that says whose a row is, and
takes the newest of a project by their numbers (docs/decisions/0015-neighbours-when-asked.md).

One of the prompt hook's rooms. It must never give a number twice, or a project the part of another.
"""

from bellek.kg import scope
from bellek.kg.db import Database

PART = 1 << 44
LENGTHS = 16


class Part:
    """A project's part of the index of messages: `messages` numbers were given in it, from 1."""

    __slots__ = ("messages", "number")

    def __init__(self, number: int, messages: int) -> None:
        self.number = number
        self.messages = messages

    def add(self, shadow: str) -> int:
        """The next message's number in the index."""
        self.messages += 1
        return self.number * PART + self.messages * LENGTHS + length_class(shadow)

    def newest(self, many: int) -> "tuple[int, int]":
        """The numbers between which the newest messages of the project stand in the index, both included."""
        first = max(0, self.messages - many)
        return self.number * PART + (first + 1) * LENGTHS, self.number * PART + (self.messages + 1) * LENGTHS - 1


EVERYWHERE = (0, (1 << 63) - 1)  # for who forgets in every project
NOWHERE = (1, 0)


def length_class(shadow: str) -> int:
    """How long a text is, by its search words: 1 for one, 2 for two or three, and so on, doubling each time."""
    return min(LENGTHS - 1, (shadow.count(" ") + 1).bit_length())


def part(db: Database, project: str) -> Part | None:
    """A project's part of the index; None where nothing was said in it. A message was said in a project, whosever bank it is asked from."""
    row = db.one("SELECT part, messages FROM parts WHERE project = ?", (scope.base(project),))
    return Part(int(str(row[0])), int(str(row[1]))) if row else None


def all_of(db: Database, project: str) -> "tuple[int, int]":
    """The numbers between which a project's messages stand in the index; NOWHERE where there are none."""
    own = part(db, project)
    return own.newest(own.messages) if own else NOWHERE
