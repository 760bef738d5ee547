"""How far each transcript was heard. Only a saving of work: message ids keep a second reading from doubling anything."""

from bellek.kg import clock
from bellek.kg.db import Database
from bellek.schemas.conversation import Cursor, TranscriptFile

_FIELDS = "path, device, inode, prefix, offset, size, line"


def load(db: Database, path: str) -> Cursor | None:
    """The cursor of a transcript, or None where it was never heard."""
    row = db.one(f"SELECT {_FIELDS} FROM cursors WHERE path = ?", (path,))
    return None if row is None else Cursor(*row)  # type: ignore[arg-type]


def store(db: Database, cursor: Cursor) -> None:
    """Keep a cursor; call it in the transaction that stored what lies before it."""
    db.run(
        f"INSERT OR REPLACE INTO cursors ({_FIELDS}, mtime_ns, heard_at) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)",
        (cursor.path, cursor.device, cursor.inode, cursor.prefix, cursor.offset, cursor.size, cursor.line, clock.now()),
    )


def finish(db: Database, file: TranscriptFile) -> None:
    """A file was read to the length it had when it was listed: the next pass need not open it while that stands."""
    db.run("UPDATE cursors SET size = max(size, ?), mtime_ns = ? WHERE path = ?", (file.size, file.mtime_ns, file.path))


def unchanged(db: Database, file: TranscriptFile) -> bool:
    """Whether a file has the very length and time of the last finished reading."""
    return (
        db.one(
            "SELECT 1 FROM cursors WHERE path = ? AND size = ? AND mtime_ns = ?", (file.path, file.size, file.mtime_ns)
        )
        is not None
    )
