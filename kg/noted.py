"""What a trial notes of how it ended, for whoever asks later: a row of meta, JSON by the trial's name.

It must never hold a word of what is stored: meta is in every copy, and no forgetting looks there.
"""

import json

from bellek.kg.db import Database


def put(db: Database, key: str, value: dict[str, object]) -> None:
    """Note it in the place of what was noted before, in a transaction of its own."""
    with db.transaction():
        db.run(
            "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2",
            (key, json.dumps(value)),
        )


def of(db: Database, key: str) -> dict[str, object]:
    """What was noted last; {} before the first."""
    value = db.value("SELECT value FROM meta WHERE key = ?", (key,))
    found: dict[str, object] = json.loads(str(value)) if value else {}
    return found
