"""Every node's stream of a space, as this home has it: the own one is written here from the trail, the others' come verified.

An own entry is made once an entry of the trail, in the transaction that marks it as looked at. It must never send what the table of
kinds or a scope keeps at home, never send on what came from the hub, and never take in an entry that does not follow.
"""

import hmac
import json
import secrets
from collections.abc import Iterator
from dataclasses import replace

from bellek.kg import audit, hub_spaces, tombstones
from bellek.kg.audit import Entry
from bellek.kg.db import Database
from bellek.schemas import hub
from bellek.schemas.conflict import LAW
from bellek.schemas.entity import EntityField
from bellek.schemas.errors import Refused
from bellek.schemas.hub import Act, Line, Sent
from bellek.schemas.log import LogEntry
from bellek.schemas.memory import Memory
from bellek.schemas.vocab import ANY

MERGED = "hub"  # the actor of what a merge writes, behind "person:" where a person elsewhere did it; such entries never travel
_FIELDS = "node, seq, id, act, line, hash, body, salt"


def is_merged(actor: str) -> bool:
    """Whether an entry of the trail was written by a merge."""
    return actor == MERGED or actor.startswith(("hub:", "person:hub"))


def head(db: Database, space: str, node: str) -> tuple[int, bytes]:
    """(seq, hash) of the last entry of a node's stream that is here."""
    row = db.one("SELECT seq, hash FROM hub_entries WHERE space = ? AND node = ? ORDER BY seq DESC LIMIT 1", (space, node))  # fmt: skip
    return (int(str(row[0])), row[1]) if row and isinstance(row[1], bytes) else (0, hub.FIRST)


def heads(db: Database, space: str) -> dict[str, int]:
    """Node → how many entries of its stream are here."""
    rows = db.rows("SELECT node, max(seq) FROM hub_entries WHERE space = ? GROUP BY node", (space,))
    return {str(node): int(str(seq)) for node, seq in rows}


def scan(db: Database, space: hub_spaces.Space) -> list[Line]:
    """Add what this home's trail has that is new to its own stream; the lines. Inside a write transaction."""
    if space.token.role == "reader":
        return []
    travelling = hub_spaces.travels(db, space.name)
    last = audit.head(db)[0]
    writer = _Writer(db, space)
    for after in sorted({one.scanned for one in travelling if one.scanned < last}):
        names = {one.project: one.name for one in travelling if one.scanned == after}
        for entry in audit.entries(db, after=after):
            if not is_merged(entry.actor):
                _send(db, writer, names, entry)
    db.run("UPDATE hub_projects SET scanned = ? WHERE space = ? AND scanned < ?", (last, space.name, last))
    return writer.lines


class _Writer:
    """Writes a run of entries to the own stream: what was known when they were made is asked once."""

    def __init__(self, db: Database, space: hub_spaces.Space) -> None:
        self.db, self.space, self.node = db, space.name, space.token.node
        self.lines: list[Line] = []
        self._ready = False

    def _begin(self) -> None:
        self.seq, self.hash = head(self.db, self.space, self.node)
        known = heads(self.db, self.space)
        known.pop(self.node, None)
        told = {other: saw(self.db, self.space, self.node, self.seq, other) for other in known}
        self.saw = {other: upto for other, upto in known.items() if upto != told[other]}
        newest = self.db.value("SELECT value FROM meta WHERE key = ?", (LAM + self.space,))
        self.lam = int(str(newest or 0))
        self._ready = True

    def travelled(self, id: str) -> bool:
        """Whether the space knows a row."""
        return bool(
            self.db.value("SELECT 1 FROM hub_entries WHERE id = ? AND space = ? AND act <> 'gone'", (id, self.space))
        )

    def add(self, entry: Entry, act: Act, body: str | None) -> None:
        """Write one entry at the stream's end."""
        if not self._ready:
            self._begin()
        salt = secrets.token_bytes(16) if body is not None else None
        commitment = audit.commit(body, salt).hex() if body is not None and salt else ""
        self.seq, self.lam = self.seq + 1, self.lam + 1
        line = Line(
            clock=entry.clock, lam=self.lam, actor=entry.actor, how=entry.act, kind=entry.kind, act=act, id=entry.id,
            commitment=commitment, saw=self.saw,
        )  # fmt: skip
        self.saw = {}
        text = line.text()
        self.hash = hub.link(self.hash, self.space, self.node, self.seq, text)
        _keep(self.db, self.space, Sent(self.node, self.seq, entry.id, act, text, self.hash, body, salt), line)
        self.lines.append(line)


LAM = "hub-lam:"  # rows of meta: the largest `lam` of a space that is here


def _keep(db: Database, space: str, sent: Sent, line: Line) -> None:
    db.run(
        f"INSERT INTO hub_entries (space, {_FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (space, sent.node, sent.seq, sent.id, sent.act, sent.line, sent.hash, sent.body, sent.salt),
    )
    for other, upto in line.saw.items():
        db.run("INSERT INTO hub_saw (space, node, other, seq, upto) VALUES (?, ?, ?, ?, ?)", (space, sent.node, other, sent.seq, upto))  # fmt: skip
    db.run(
        "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(?2 AS INTEGER))",
        (LAM + space, str(line.lam)),  # meta holds text, and SQLite takes any text for larger than any number
    )


def _send(db: Database, writer: _Writer, names: dict[str, str], entry: Entry) -> None:
    """One entry of the trail, where it is one that travels."""
    if entry.act in ("forget", "scrub"):  # a row that was out of sight already is scrubbed alone
        if writer.travelled(entry.id) and not is_gone(db, writer.space, entry.id):
            writer.add(entry, "gone", None)
    elif (body := db.value("SELECT body FROM revisions WHERE id = ? AND revision = ?", (entry.id, entry.revision))) is None:  # fmt: skip
        return  # forgotten since
    elif entry.kind == tombstones.KIND:
        stone = json.loads(str(body))
        if name := names.get(stone["project"], ""):
            writer.add(entry, "stone", json.dumps({**stone, "project": name}, separators=(",", ":")))
    else:
        memory = Memory.model_validate_json(str(body))
        name = names.get(memory.project, "")
        if name and _may_travel(db, writer, memory, entry):
            writer.add(entry, "row", _as_it_holds(db, memory, entry).model_copy(update={"project": name}).canonical())


def _may_travel(db: Database, writer: _Writer, memory: Memory, entry: Entry) -> bool:
    """What no session, quarantine, consent or law keeps at home."""
    if memory.session != ANY:
        return False
    match memory.body:
        case LogEntry(type="ack", about=about) if about.startswith("upto:"):
            return False  # it names an instant of this home's clock
        case EntityField(withheld=True):
            return False
        case _ if memory.body.kind == "conflict":
            first = db.value("SELECT json_extract(body, '$.body.reason') FROM revisions WHERE id = ? AND revision = 1", (entry.id,))  # fmt: skip
            return first not in LAW
        case _:
            return memory.status != "quarantined" or writer.travelled(memory.id)


def _as_it_holds(db: Database, memory: Memory, entry: Entry) -> Memory:
    """A row that came with an archive and waits for a person is not permanent."""
    held = memory.tier == "T2" and db.value("SELECT 1 FROM unconfirmed WHERE memory = ? AND revision = ?", (entry.id, entry.revision))  # fmt: skip
    return memory.model_copy(update={"tier": "T1"}) if held else memory


def is_gone(db: Database, space: str, id: str) -> bool:
    """Whether the space knows that a row or tombstone was forgotten."""
    return bool(db.value("SELECT 1 FROM hub_entries WHERE id = ? AND space = ? AND act = 'gone'", (id, space)))


def tell_gone(db: Database, space: hub_spaces.Space, ids: list[str], *, person: bool = True) -> None:
    """Say in the own stream that rows of this node were forgotten because of what came, by a person's order or not."""
    writer = _Writer(db, space)
    for id_ in ids:
        mine = db.value("SELECT 1 FROM hub_entries WHERE id = ? AND space = ? AND node = ? AND act <> 'gone'", (id_, space.name, space.token.node))  # fmt: skip
        if mine and not is_gone(db, space.name, id_):
            entry = next(iter(audit.latest(db, id=id_, limit=1)), None)
            if entry:
                writer.add(replace(entry, actor="person:forget" if person else "forget"), "gone", None)


def take(db: Database, space: str, node: str, sent: list[Sent]) -> list[Line]:
    """Add a run of a node's entries to its stream here; their lines. Raises Refused for the whole run, with nothing kept."""
    seq, before = head(db, space, node)
    lines = []
    for one in sent:
        if one.seq <= seq:
            continue  # it came twice
        line = _verified(one, space, seq, before)
        _keep(db, space, one, line)
        seq, before = one.seq, one.hash
        lines.append(line)
    return lines


def _verified(one: Sent, space: str, seq: int, before: bytes) -> Line:
    refused = f"the stream of {one.node} was not taken"
    if one.seq != seq + 1:
        raise Refused(refused, why=f"entry {seq + 1} is missing")
    if not hmac.compare_digest(one.hash, hub.link(before, space, one.node, one.seq, one.line)):
        raise Refused(refused, why=f"entry {one.seq} does not follow from the one before it")
    try:
        line = Line.model_validate_json(one.line)
    except ValueError as exc:
        raise Refused(refused, why=f"entry {one.seq} is no entry of ours") from exc
    if (line.id, line.act) != (one.id, one.act):
        raise Refused(refused, why=f"entry {one.seq} is filed as another one")
    if one.body is not None and audit.commit(one.body, one.salt or b"").hex() != line.commitment:
        raise Refused(refused, why=f"the body of entry {one.seq} is not what it committed to")
    return line


def saw(db: Database, space: str, node: str, seq: int, other: str) -> int:
    """Up to where of another's stream a node had merged when it wrote an entry."""
    found = db.value(
        "SELECT upto FROM hub_saw WHERE space = ? AND node = ? AND other = ? AND seq <= ? ORDER BY seq DESC LIMIT 1",
        (space, node, other, seq),
    )
    return int(str(found or 0))


def of_row(db: Database, space: str, id: str) -> list[Sent]:
    """Every entry about a row, by node and number."""
    rows = db.rows(f"SELECT {_FIELDS} FROM hub_entries WHERE id = ? AND space = ? ORDER BY node, seq", (id, space))
    return [Sent(*row) for row in rows]  # type: ignore[arg-type]


def authors(db: Database, space: str, id: str) -> int:
    """How many nodes wrote of a row."""
    return int(str(db.value("SELECT count(DISTINCT node) FROM hub_entries WHERE id = ? AND space = ?", (id, space))))


def after(db: Database, space: str, node: str, seq: int, limit: int) -> list[Sent]:
    """Entries of a stream behind a place, in order."""
    rows = db.rows(
        f"SELECT {_FIELDS} FROM hub_entries WHERE space = ? AND node = ? AND seq > ? ORDER BY seq LIMIT ?",
        (space, node, seq, limit),
    )
    return [Sent(*row) for row in rows]  # type: ignore[arg-type]


def every(db: Database, space: str) -> Iterator[Sent]:
    """All entries of all streams, by node and number, a page at a time."""
    for node in sorted(heads(db, space)):
        seq = 0
        while page := after(db, space, node, seq, 1000):
            yield from page
            seq = page[-1].seq


def blank(db: Database, space: str, ids: list[str]) -> None:
    """Drop the words of rows that were forgotten."""
    db.run_many("UPDATE hub_entries SET body = NULL, salt = NULL WHERE id = ? AND space = ? AND body IS NOT NULL", [(id_, space) for id_ in ids])  # fmt: skip
