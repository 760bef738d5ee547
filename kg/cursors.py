"""How far each transcript was heard. Only a saving of work: message ids keep a second reading from doubling anything."""

from bellek.kg import clock
from bellek.kg.db import Database
from bellek.schemas.conversation import Cursor, TranscriptFile

_FIELDS = "path, device, inode, prefix, tail, offset, size, line, changed_ns"


def load(db: Database, path: str) -> Cursor | None:
    """The cursor of a transcript, or None where it was never heard."""
    row = db.one(f"SELECT {_FIELDS} FROM cursors WHERE path = ?", (path,))
    return None if row is None else Cursor(*row)  # type: ignore[arg-type]


def store(db: Database, cursor: Cursor) -> None:
    """Keep a cursor; call it in the transaction that stored what lies before it."""
    db.run(
        f"INSERT OR REPLACE INTO cursors ({_FIELDS}, heard_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            cursor.path, cursor.device, cursor.inode, cursor.prefix, cursor.tail, cursor.offset, cursor.size, cursor.line,
            cursor.changed_ns, clock.now(),
        ),
    )  # fmt: skip


def unchanged(db: Database, file: TranscriptFile) -> bool:
    """Whether a file has the very length and time at which it was read to its end, so that nobody need open it."""
    same = db.one(
        "SELECT 1 FROM cursors WHERE path = ? AND size = ? AND changed_ns = ? AND changed_ns <> 0",
        (file.path, file.size, file.changed_ns),
    )
    return same is not None
