"""The trail: one hash chain over what was done. Bodies live in `revisions`; an entry holds a salted commitment to one.

It must never be written outside the transaction of the act it records, and never holds text of a memory.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bellek.kg import clock
from bellek.kg.db import Database

GENESIS = b"\0" * 32
COLUMNS = "seq, node, clock, actor, act, kind, id, revision, batch, commitment, prev, hash"


@dataclass(frozen=True, slots=True)
class Entry:
    """One act. `clock` is hybrid; `revision` 0 means that the act wrote no body."""

    seq: int
    node: str
    clock: int
    actor: str
    act: str
    kind: str
    id: str
    revision: int
    batch: str
    commitment: bytes
    prev: bytes
    hash: bytes


def commit(body: str, salt: bytes) -> bytes:
    """The salted commitment to a body: HMAC-SHA256(salt, body). Without the salt it tells nothing about the body."""
    return hmac.new(salt, body.encode(), hashlib.sha256).digest()


def link(entry: Entry) -> bytes:
    """The hash of an entry: SHA-256 over its fields as one JSON array, the previous hash included."""
    fields = [
        entry.seq, entry.node, entry.clock, entry.actor, entry.act, entry.kind, entry.id, entry.revision, entry.batch,
        entry.commitment.hex(), entry.prev.hex(),
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()).digest()


def append(
    db: Database, *, actor: str, act: str, kind: str, id: str, batch: str, revision: int = 0, body: str = "", commitment: bytes = b""
) -> Entry:  # fmt: skip
    """Append one entry (and store its body as a revision). Call it inside the write transaction of the act.

    `commitment` is what an entry without a body binds into the chain (a signature).
    """
    salt = secrets.token_bytes(16)
    seq, last, prev, node = _last(db)
    entry = Entry(
        seq=seq + 1, node=node, clock=clock.after(last), actor=actor, act=act, kind=kind, id=id, revision=revision, batch=batch,
        commitment=commit(body, salt) if revision else commitment, prev=prev, hash=b"",
    )  # fmt: skip
    if revision:
        db.run("INSERT INTO revisions (id, revision, body, salt) VALUES (?, ?, ?, ?)", (id, revision, body, salt))
    sealed = replace(entry, hash=link(entry))
    copy(db, sealed)
    return sealed


def _last(db: Database) -> tuple[int, int, bytes, str]:
    """(seq, clock, hash) of the newest entry, and this store's node id."""
    row = db.one("SELECT seq, clock, hash FROM audit ORDER BY seq DESC LIMIT 1")
    node = str(db.value("SELECT value FROM meta WHERE key = 'node'"))
    if row is None:
        return 0, 0, GENESIS, node
    assert isinstance(row[2], bytes)
    return int(str(row[0])), int(str(row[1])), row[2], node


def copy(db: Database, entry: Entry) -> None:
    """Store an entry as it is, hash included: what a replay writes."""
    values = (
        entry.seq, entry.node, entry.clock, entry.actor, entry.act, entry.kind, entry.id, entry.revision, entry.batch, entry.commitment,
        entry.prev, entry.hash,
    )  # fmt: skip
    db.run(f"INSERT INTO audit ({COLUMNS}) VALUES ({', '.join('?' * 12)})", values)


def entries(db: Database, *, after: int = 0) -> Iterator[Entry]:
    """Entries in order, read in pages so that the trail never has to fit into memory."""
    while True:
        page = db.rows(f"SELECT {COLUMNS} FROM audit WHERE seq > ? ORDER BY seq LIMIT 500", (after,))
        for row in page:
            yield Entry(*row)  # type: ignore[arg-type]
        if not page:
            return
        after = int(str(page[-1][0]))


def of_revision(db: Database, id: str, revision: int) -> Entry | None:
    """The entry that wrote a revision."""
    row = db.one(f"SELECT {COLUMNS} FROM audit WHERE id = ? AND revision = ?", (id, revision))
    return Entry(*row) if row else None  # type: ignore[arg-type]


def latest(db: Database, *, id: str = "", batch: str = "", limit: int = 50) -> list[Entry]:
    """The newest entries, newest first; of one row or of one batch where it is given."""
    rows = db.rows(
        f"SELECT {COLUMNS} FROM audit WHERE (?1 = '' OR id = ?1) AND (?2 = '' OR batch = ?2) ORDER BY seq DESC LIMIT ?3",
        (id, batch, limit),
    )
    return [Entry(*row) for row in rows]  # type: ignore[arg-type]


def head(db: Database) -> tuple[int, str]:
    """How many entries there are, and the hash of the newest: who noted it elsewhere can tell whether the chain was rewritten."""
    row = db.one("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1")
    if row is None:
        return 0, GENESIS.hex()
    return int(str(row[0])), row[1].hex() if isinstance(row[1], bytes) else ""


def verify(db: Database) -> list[str]:
    """What is wrong with the chain, a sentence each; empty when it holds. A dropped body (forgotten) is not a fault."""
    faults: list[str] = []
    prev, seq = GENESIS, 0
    for entry in entries(db):
        if entry.seq != seq + 1:
            faults.append(f"entry {seq + 1} is missing")
        if entry.prev != prev or entry.hash != link(entry):
            faults.append(f"entry {entry.seq} does not follow from the one before it")
        if entry.revision and not _body_fits(db, entry):
            faults.append(
                f"the body of {entry.id} revision {entry.revision} is not what entry {entry.seq} committed to"
            )
        prev, seq = entry.hash, entry.seq
    return faults


def _body_fits(db: Database, entry: Entry) -> bool:
    row = db.one("SELECT body, salt FROM revisions WHERE id = ? AND revision = ?", (entry.id, entry.revision))
    if row is None:
        return True
    return hmac.compare_digest(
        commit(str(row[0]), bytes(row[1]) if isinstance(row[1], bytes) else b""), entry.commitment
    )
