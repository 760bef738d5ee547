"""Where something was forgotten: messages and conversations that are not heard again, from whatever file they come.

A message is known by the client's id; a forgotten conversation by what was said in it up to then; and a copy under
another id (a client that writes a session's history anew) by its words, where they are enough to tell it.
"""

from dataclasses import replace

from bellek.kg import stones
from bellek.kg.conversations import Message
from bellek.kg.db import Database
from bellek.schemas.vocab import FORGOTTEN


def mark(db: Database, sort: str, id: str, until: int = 0) -> None:
    """Remember that a message ("message") or a conversation ("conversation", up to an instant in UTC ms) is forgotten."""
    db.run(
        "INSERT INTO forgotten (sort, id, until_at) VALUES (?, ?, ?) ON CONFLICT (sort, id) DO UPDATE SET until_at = max(until_at, excluded.until_at)",
        (sort, id, until),
    )


def any_marked(db: Database) -> bool:
    """Whether anything was ever forgotten here; most stores forget nothing, and then no line is asked."""
    return bool(db.value("SELECT 1 FROM forgotten LIMIT 1"))


def is_forgotten(db: Database, message: str, conversation: str, at: int) -> bool:
    """Whether a message must not be heard: by its own id, or by its conversation and its time."""
    return bool(
        db.value(
            "SELECT 1 FROM forgotten WHERE (sort = 'message' AND id = ?) OR (sort = 'conversation' AND id = ? AND until_at >= ?)",
            (message, conversation, at),
        )
    )


def kept(db: Database, messages: list[Message]) -> list[Message]:
    """What of messages that come from a file may be stored: none that was forgotten here (R116), and none with forgotten words."""
    if any_marked(db):
        messages = [m for m in messages if not is_forgotten(db, m.id, m.conversation, m.at)]
    return without_words(db, messages)


def without_words(db: Database, messages: list[Message]) -> list[Message]:
    """The messages as they may be kept: one that says what was forgotten stays as a message without its words."""
    if not db.value("SELECT 1 FROM tombstones WHERE why = 'forgotten' LIMIT 1"):
        return messages
    return [
        replace(message, text=FORGOTTEN)
        if stones.rule_text(db, message.project, message.text).how == "forgotten"
        else message
        for message in messages
    ]
