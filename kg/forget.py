"""Forgetting: hidden at once, scrubbed as soon as no reader holds the log, and proven by a search of the home's bytes.

An intent row carries each forgetting through its states, so that a killed process is finished by the next one. It must
never call a forgetting proven whose words still stand in a file of the store, never hold those words in the open (the
intent's are enciphered until the proof), and never touch a file that a person wrote or a copy that lies elsewhere.
"""

import hashlib
import json
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Literal

from bellek.kg import (
    audit,
    blast,
    bytesearch,
    clock,
    conversations,
    failpoints,
    fold,
    forgotten,
    memories,
    state,
    stones,
    tombstones,
)
from bellek.kg.blast import Blast
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.kg.ids import mint

State = Literal["hidden", "scrubbed", "proven"]
PIECE = 24  # characters of a needle: a longer one would be cut by the edges of pages, a shorter one is found by chance
SHORTEST = 12
MOST_NEEDLES = 400  # looked for at once; taken evenly from all texts where there are more
SEARCH_S = 600  # a byte search that takes longer than this is given up, and the proof waits
WHY = "a side of it was forgotten"


@dataclass(slots=True)
class Forgetting:
    """How far a forgetting is. `kept` are files of a person's that hold the words too; `why` says what it waits for."""

    id: str
    batch: str
    state: State
    memories: list[str]
    messages: list[str]
    why: str = ""
    kept: list[str] = field(default_factory=list)


def begin(home: Home, reached: Blast, *, actor: str) -> str:
    """Hide everything that is reached, leave the tombstones and the intent; its id. Call it inside memory.db's transaction.

    From the commit on the rows are out of search and packets; the caller weighs the slots of hidden claims anew, and
    then calls `finish`. Raises PersonNeeded where `actor` is nobody who may.
    """
    db = home.memory
    batch, id_ = mint("b"), mint("o")
    needles = _needles(blast.texts(home, reached))
    for memory in reached.held.values():
        if memory.status != "hidden":
            memories.write(db, memories.out_of_sight(memory, batch=batch, why=WHY), actor=actor, act="forget")
        if memory.body.kind != "conflict":
            tombstones.forget(db, memory, actor=actor, batch=batch)
    for message, text in reached.texts.items():
        of_it = home.conversations.rows("SELECT conversation, project FROM messages WHERE id = ?", (message,))
        talk, project = of_it[0]
        db.run("DELETE FROM endings WHERE conversation = ?", (talk,))  # it may tell of what is forgotten in other words
        tombstones.forget_text(db, str(project), text, actor=actor, batch=batch)
    _source_marks(db, reached)
    _drop_items(db, reached, actor=actor, batch=batch)
    audit.append(db, actor=actor, act="forget", kind="forgetting", id=id_, batch=batch)
    db.run(
        "INSERT INTO forgettings (id, batch, actor, at, state, memories, messages, needles, why) VALUES (?, ?, ?, ?, 'hidden', ?, ?, ?, '')",
        (
            id_, batch, actor, clock.now(), json.dumps(list(reached.memories)), json.dumps(list(reached.messages)),
            _cipher(db, id_, json.dumps([needle.hex() for needle in needles]).encode()),
        ),
    )  # fmt: skip
    return id_


def _source_marks(db: Database, reached: Blast) -> None:
    for message in reached.messages:
        forgotten.mark(db, "message", message)
        db.run("DELETE FROM observations WHERE message = ?", (message,))
        state.forget(db, message)
        db.run("DELETE FROM notices WHERE source = ?", (message,))
    for talk in reached.conversations:
        forgotten.mark(db, "conversation", talk, clock.now())


def _drop_items(db: Database, reached: Blast, *, actor: str, batch: str) -> None:
    for id_ in reached.items:
        row = db.one("SELECT project, payload FROM queue WHERE id = ?", (id_,))
        if row:
            tombstones.forget_text(db, str(row[0]), str(row[1]), actor=actor, batch=batch)
            audit.append(db, actor=actor, act="forget", kind="item", id=id_, batch=batch)
            db.run("DELETE FROM queue WHERE id = ?", (id_,))


def pending(db: Database) -> list[Forgetting]:
    """Forgettings that are not proven yet, oldest first."""
    rows = db.rows(
        "SELECT id, batch, state, memories, messages, why FROM forgettings WHERE state <> 'proven' ORDER BY at, id"
    )
    return [
        Forgetting(str(id_), str(batch), "hidden" if state == "hidden" else "scrubbed", json.loads(str(rows_)), json.loads(str(said)), str(why))
        for id_, batch, state, rows_, said, why in rows
    ]  # fmt: skip


def finish(home: Home) -> list[Forgetting]:
    """Carry every forgetting as far as it goes now; how far each is. Cheap where none waits; safe to repeat, to kill."""
    return [_carry_on(home, one) for one in pending(home.memory)]


def _carry_on(home: Home, one: Forgetting) -> Forgetting:
    failpoints.reach("forget-begun")
    conversations.blank(home.conversations, one.messages)
    failpoints.reach("forget-blanked")
    kept = _deciphered(home.memory, one.id)
    if not kept:  # another process proved it between the list and now
        one.state = "proven"
        return one
    needles = [bytes.fromhex(needle) for needle in json.loads(kept)]
    if one.state == "hidden":
        _scrub(home.memory, one, needles)
        one.state = "scrubbed"
    failpoints.reach("forget-scrubbed")
    one.why = _prove(home, one, needles)
    with home.memory.transaction():
        if one.why:
            home.memory.run("UPDATE forgettings SET why = ? WHERE id = ? AND state <> 'proven'", (one.why, one.id))
        else:
            home.memory.run("UPDATE forgettings SET state = 'proven', needles = x'', why = '' WHERE id = ?", (one.id,))
            audit.append(home.memory, actor="forget", act="proven", kind="forgetting", id=one.id, batch=one.batch)
            one.state = "proven"
    home.memory.empty_log()
    return one


def _scrub(db: Database, one: Forgetting, needles: list[bytes]) -> None:
    """Delete rows and bodies, and the words wherever else this database has them."""
    with db.transaction():
        ids = _with_pointers(db, one.memories)
        db.run_many(
            "DELETE FROM applied WHERE item = ?",
            [
                (item,)
                for id_ in ids
                for (item,) in db.rows("SELECT item FROM sources WHERE memory = ? AND item <> ''", (id_,))
            ],
        )
        memories.remove(db, ids)
        for id_ in ids:
            audit.append(db, actor="forget", act="scrub", kind="memory", id=id_, batch=one.batch)
        for needle in needles:
            for table, column in (
                ("notices", "text"),
                ("drops", "reason"),
                ("applied", "receipt"),
                ("observations", "path"),
                ("work", "goal"),
                ("work", "files"),
                ("work", "marks"),
                ("kept_answers", "text"),
                ("endings", "outcome"),
            ):
                db.run(f"DELETE FROM {table} WHERE instr(CAST({column} AS BLOB), ?)", (needle,))
            db.run("UPDATE queue SET reason = '' WHERE instr(CAST(reason AS BLOB), ?)", (needle,))
        db.run("UPDATE forgettings SET state = 'scrubbed' WHERE id = ? AND state = 'hidden'", (one.id,))


def _with_pointers(db: Database, ids: list[str]) -> list[str]:
    """The rows that are there still, and conflicts and fields that came to point at one since it was hidden."""
    found = dict.fromkeys(ids)
    for id_ in ids:
        found.update(
            dict.fromkeys(
                str(row[0])
                for row in db.rows(
                    "SELECT id FROM conflicts WHERE ?1 IN (strong, weak) UNION SELECT id FROM fields WHERE entity = ?1",
                    (id_,),
                )
            )
        )
    return [id_ for id_ in found if db.value("SELECT 1 FROM memories WHERE id = ?", (id_,))]


def _prove(home: Home, one: Forgetting, needles: list[bytes]) -> str:
    """What still keeps the words, as the end of "it waits: …"; "" where the search finds them in no file of the store."""
    for attempt in (1, 2):
        for db in (home.memory, home.conversations):
            if attempt == 2:
                db.rewrite()
            if not db.empty_log():
                return f"a process still reads {db.path}"
        failpoints.reach("forget-truncated")
        hits, unread = _search(home.path, needles)
        ours = [(path, needle) for path, needle in hits if _is_store(home, path)]
        one.kept = sorted({path for path, _ in hits if not _is_store(home, path)} | set(unread))
        left = [(path, needle) for path, needle in ours if not _stands(home, needle)]
        if not left:
            return ""
    return f"{len(left)} pieces of the words are still found in {', '.join(sorted({path for path, _ in left}))}"


def _is_store(home: Home, path: str) -> bool:
    """The two databases and their logs; a copy beside them (of before an upgrade) is told, not waited for."""
    return any(
        path == db.path + end for db in (home.memory, home.conversations) for end in ("", "-wal", "-shm", "-journal")
    )


def _stands(home: Home, needle: bytes) -> bool:
    """Whether anything that was not forgotten holds these very bytes (a row, a path): then they are its own."""
    return any(
        db.value(f"SELECT 1 FROM {table} WHERE instr(CAST({column} AS BLOB), ?) LIMIT 1", (needle,))
        for db in (home.memory, home.conversations)
        for table, column in _text_columns(db)
    )


def _text_columns(db: Database) -> list[tuple[str, str]]:
    """Every text column of every table of ours; an index's inner tables hold no text in one piece."""
    rows = db.rows(
        "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info (t.name) c WHERE t.type = 'table'"
        " AND t.name NOT LIKE '%_fts%' AND t.name NOT LIKE 'sqlite_%' AND c.type = 'TEXT'"
    )
    return [(str(table), str(column)) for table, column in rows]


def _search(home: str, needles: list[bytes]) -> tuple[list[tuple[str, bytes]], list[str]]:
    asked = json.dumps({"home": home, "needles": [needle.hex() for needle in needles]})
    command = [sys.executable, "-I", bytesearch.__file__]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=SEARCH_S, check=True)
    told = json.loads(done.stdout)
    return [(path, bytes.fromhex(needle)) for path, needle in told["found"]], told["unread"]


def _needles(texts: list[str]) -> list[bytes]:
    """What to search for: pieces of each line, as it was said, as JSON spells it, and folded as the index holds it."""
    pieces: dict[bytes, None] = {}
    for text in texts:
        for line in [*text.split("\n"), fold.fold(text)]:
            for piece in _pieces(line.strip()):
                for spelled in (piece, json.dumps(piece, ensure_ascii=False)[1:-1]):
                    pieces[spelled.encode("utf-8", "surrogatepass")] = None
    found = list(pieces)
    step = max(1, -(-len(found) // MOST_NEEDLES))
    return found[::step]


def _pieces(line: str) -> list[str]:
    if len(line) <= PIECE:
        return [line] if len(line) >= SHORTEST else []
    whole = [line[start : start + PIECE] for start in range(0, len(line) - PIECE + 1, PIECE)]
    return [*whole, line[-PIECE:]]


def _cipher(db: Database, id: str, plain: bytes) -> bytes:
    """XOR with a keystream of the store's key and the intent's id: the search must not find the words in the intent itself."""
    stream = hashlib.shake_256(stones.key_of(db) + id.encode()).digest(len(plain))
    return bytes(a ^ b for a, b in zip(plain, stream, strict=True))


def _deciphered(db: Database, id: str) -> bytes:
    held = db.value("SELECT needles FROM forgettings WHERE id = ?", (id,))
    return _cipher(db, id, held if isinstance(held, bytes) else b"")


def unexplained(db: Database) -> list[str]:
    """Bodies that are gone although nothing forgot them, and bodies that are still there although the trail says scrubbed."""
    gone = db.rows(
        "SELECT a.id, a.revision FROM audit a WHERE a.revision > 0 AND NOT EXISTS (SELECT 1 FROM revisions r WHERE r.id = a.id AND r.revision = a.revision)"
        " AND NOT EXISTS (SELECT 1 FROM audit s WHERE s.id = a.id AND s.act = 'scrub' AND s.seq > a.seq) LIMIT 20"
    )
    left = db.rows("SELECT r.id, r.revision FROM revisions r JOIN audit s ON s.id = r.id AND s.act = 'scrub' LIMIT 20")
    return [f"the body of {id_} revision {n} is gone, and nothing in the trail forgot it" for id_, n in gone] + [
        f"the body of {id_} revision {n} is still there, although the trail says that it was forgotten"
        for id_, n in left
    ]
