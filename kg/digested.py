"""What the passes without a person have done already: which sentences became rows, and when a project was consolidated.

It must never hold a word of a message: a sentence is named by its message and the place at which it begins, so that
forgetting a row leaves nothing of it here.
"""

from bellek.kg.db import Database

Sentence = tuple[str, int]  # message id, code point at which the sentence begins


def known(db: Database, messages: list[str]) -> set[Sentence]:
    """Which sentences of these messages were taken."""
    found: set[Sentence] = set()
    for start in range(0, len(messages), 500):
        part = messages[start : start + 500]
        rows = db.rows(
            f"SELECT message, position FROM digested WHERE message IN ({', '.join('?' * len(part))})", tuple(part)
        )
        found.update((str(message), int(str(position))) for message, position in rows)
    return found


def take(db: Database, sentence: Sentence, memory: str, *, at: int) -> None:
    """A sentence was made into a row, or was refused by the write path (`memory` ""). Inside that transaction."""
    db.run(
        "INSERT OR IGNORE INTO digested (message, position, memory, at) VALUES (?, ?, ?, ?)", (*sentence, memory, at)
    )


def slept_at(db: Database) -> dict[str, int]:
    """Project → when it was consolidated last (UTC ms)."""
    return {str(project): int(str(at)) for project, at in db.rows("SELECT project, at FROM slept")}


def sleep_over(db: Database, project: str, *, at: int) -> None:
    """A consolidation of the project ended, or a model did not answer it. Inside a transaction."""
    db.run("INSERT OR REPLACE INTO slept (project, at) VALUES (?, ?)", (project, at))
