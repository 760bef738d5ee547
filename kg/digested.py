"""What the passes without a person have done already: which sentences became rows, and when a project was consolidated.

It must never hold a word of a message: a sentence is named by its message and the place at which it begins, so that
forgetting a row leaves nothing of it here.
"""

from typing import Literal, NamedTuple

from bellek.kg.db import Database


class Sentence(NamedTuple):
    """A sentence: its message, the code point at which it begins, and whether it is read as a statement or a correction."""

    message: str
    position: int
    sense: Literal["said", "corrected"] = "said"


def known(db: Database, messages: list[str]) -> dict[Sentence, str]:
    """Which sentences of these messages were taken, and into which row ("": the write path refused it)."""
    found: dict[Sentence, str] = {}
    every = sorted(set(messages))
    for start in range(0, len(every), 500):
        part = every[start : start + 500]
        rows = db.rows(
            f"SELECT message, position, sense, memory FROM digested WHERE message IN ({', '.join('?' * len(part))})",
            tuple(part),
        )
        for message, position, sense, memory in rows:
            found[Sentence(str(message), int(str(position)), "said" if sense == "said" else "corrected")] = str(memory)
    return found


def take(db: Database, sentence: Sentence, memory: str, *, at: int) -> None:
    """A sentence was made into a row, or was refused by the write path (`memory` ""). Inside that transaction."""
    db.run(
        "INSERT OR IGNORE INTO digested (message, position, sense, memory, at) VALUES (?, ?, ?, ?, ?)",
        (sentence.message, sentence.position, sentence.sense, memory, at),
    )


def slept_at(db: Database) -> dict[str, int]:
    """Project → when it was consolidated last (UTC ms)."""
    return {str(project): int(str(at)) for project, at in db.rows("SELECT project, at FROM slept")}


def sleep_over(db: Database, project: str, *, at: int) -> None:
    """A consolidation of the project ended, or a model did not answer it. Inside a transaction."""
    db.run("INSERT OR REPLACE INTO slept (project, at) VALUES (?, ?)", (project, at))
