"""How far each conversation was swept, a channel each: two marks a conversation, the text stays where it is.

A mark is (message's place in its conversation, character in that message): everything before it was handed out and
closed. It must never move backwards, and never forward but over the window that was handed out.
"""

from dataclasses import dataclass

from bellek.kg.db import Database

Mark = tuple[int, int]  # (seq of a message, character in it); (1, 0) is a conversation's beginning
BEGINNING: Mark = (1, 0)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A conversation's state for a channel; `handed_to` is the end of the window that is out, None where none is."""

    conversation: str
    done_to: Mark
    handed_to: Mark | None


def of_channel(db: Database, project: str, channel: str) -> dict[str, Sweep]:
    """Conversation → its state; conversations that were never swept are not among them."""
    rows = db.rows(
        "SELECT conversation, seq, letter, open_seq, open_letter FROM sweeps WHERE project = ? AND channel = ? ORDER BY conversation",
        (project, channel),
    )
    found = {}
    for talk, seq, letter, open_seq, open_letter in rows:
        handed = (int(str(open_seq)), int(str(open_letter))) if open_seq else None
        found[str(talk)] = Sweep(str(talk), (int(str(seq)), int(str(letter))), handed)
    return found


def hand_out(db: Database, project: str, channel: str, conversation: str, end: Mark) -> None:
    """Remember the end of a window that is given to somebody. Call it inside a transaction."""
    db.run(
        "INSERT INTO sweeps (project, conversation, channel, seq, letter, open_seq, open_letter) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (project, conversation, channel) DO UPDATE SET open_seq = excluded.open_seq, open_letter = excluded.open_letter",
        (project, conversation, channel, *BEGINNING, *end),
    )


def close(db: Database, project: str, channel: str, conversation: str) -> None:
    """The window that is out was read: the mark moves to its end. Call it inside a transaction."""
    db.run(
        "UPDATE sweeps SET seq = open_seq, letter = open_letter, open_seq = 0, open_letter = 0"
        " WHERE project = ? AND channel = ? AND conversation = ? AND open_seq > 0",
        (project, channel, conversation),
    )
