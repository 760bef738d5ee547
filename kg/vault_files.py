"""What was written into which vault: a row a file, so that an edit is known from what an export left. No text is kept.

It must never be needed for the memory itself: without it every file in a vault is one that nobody knows.
"""

import hashlib
from dataclasses import dataclass

from bellek.kg.db import Database


@dataclass(frozen=True, slots=True)
class Written:
    """A file as it was written: `memory` is the row that it shows ("" of a list), `digest` of its text."""

    path: str
    memory: str
    digest: bytes


def digest(text: str) -> bytes:
    """BLAKE2b, 16 bytes."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def of(db: Database, root: str) -> dict[str, Written]:
    """Path → what was written there."""
    rows = db.rows("SELECT path, memory, digest FROM vault_files WHERE root = ? ORDER BY path", (root,))
    return {str(row[0]): Written(*row) for row in rows}  # type: ignore[arg-type]


def put(db: Database, root: str, project: str, written: list[Written]) -> None:
    """Keep what was written. Call it inside a transaction."""
    db.run_many(
        "INSERT OR REPLACE INTO vault_files (root, path, project, memory, digest) VALUES (?, ?, ?, ?, ?)",
        [(root, one.path, project, one.memory, one.digest) for one in written],
    )


def drop(db: Database, root: str, paths: list[str]) -> None:
    """Files that are not ours any more. Call it inside a transaction."""
    db.run_many("DELETE FROM vault_files WHERE root = ? AND path = ?", [(root, path) for path in paths])


def roots(db: Database, project: str = "") -> list[tuple[str, str]]:
    """(root, project) of every vault, or of one project's."""
    rows = db.rows(
        "SELECT DISTINCT root, project FROM vault_files WHERE ?1 = '' OR project = ?1 ORDER BY root", (project,)
    )
    return [(str(root), str(of_project)) for root, of_project in rows]


def path_of(db: Database, memory: str) -> str:
    """Where a row's file lies, the whole path; "" where no vault shows it."""
    row = db.one("SELECT root, path FROM vault_files WHERE memory = ? ORDER BY root LIMIT 1", (memory,))
    return f"{row[0]}/{row[1]}" if row else ""
