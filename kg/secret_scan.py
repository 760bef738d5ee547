"""Secrets that older rules let through: found in everything that is stored, and taken out where that may be done.

``scan`` reads; ``fix`` writes what it can: messages are rewritten with their index, working texts (queue, notices, receipts
of verdicts, pointers) in place, and a memory gets a new, redacted revision. A permanent memory waits for a person, and
what former revisions hold goes with `forget` alone: the trail commits to them. It must never print or keep a secret:
a finding names table, row and kinds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bellek.kg import audit, conversations, intake, memories
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.kg.redact import redact, secrets_in

ACTOR = "doctor"
Remedy = Literal["fix", "person", "forget", "path"]
# Texts that only serve the work: rewritten where they stand. Table → (row's id, text columns).
WORKING = {
    "queue": ("id", ("payload", "reason")), "notices": ("n", ("source", "text")), "drops": ("n", ("reason",)), "applied": ("item", ("receipt",)),
    "spend": ("n", ("model", "command", "reason")), "replays": ("id", ("model",)), "replay_cells": ("replay", ("task", "note")),
    "replay_covers": ("replay", ("task",)), "forgettings": ("id", ("why",)), "typed_answers": ("session", ("target",)),
    "observations": ("n", ("kind", "path")), "settings": ("key", ("value",)), "sources": ("memory", ("message", "conversation")),
    "transfers": ("n", ("what",)), "work": ("session", ("goal", "files", "marks", "said")), "unconfirmed": ("memory", ("note",)), "kept_answers": ("asked", ("text",)), "endings": ("conversation", ("outcome",)),
    "hub_spaces": ("space", ("fault",)), "hub_nodes": ("node", ("fault",)),
}  # fmt: skip
PATHS = {
    "projects": ("id", ("path", "git")),
    "project_paths": ("project", ("path",)),
    "cursors": ("path", ("path",)),
    "vault_files": ("path", ("root", "path")),
}
TRAVELLED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "hub_entries": ("n", ("line", "body"))
}  # a stream whose hashes commit to them: forgetting alone takes a body out
_PAGE = 500  # rows a query


@dataclass(frozen=True, slots=True)
class Found:
    """One place that holds a secret: table, its row's id (redacted), the kinds, and what can be done.

    "fix": `fix` does it · "person": a permanent memory · "forget": a former revision, or what a hub's stream holds · "path": a folder's own name.
    """

    table: str
    id: str
    kinds: tuple[str, ...]
    remedy: Remedy


def scan(home: Home) -> list[Found]:
    """Every place of both databases that holds what today's rules take for a secret, in a fixed order."""
    return [
        *_messages(home.conversations),
        *_memories(home.memory),
        *_texts(home.memory, WORKING, "fix"),
        *_texts(home.memory, PATHS, "path"),
        *_texts(home.memory, TRAVELLED, "forget"),
    ]


def fix(home: Home) -> int:
    """Take out what may be taken out; how many places were. Each memory gets a new revision, and the trail an entry of the act."""
    found = [one for one in scan(home) if one.remedy == "fix"]
    batch = mint("b")
    with home.conversations.transaction():
        for one in found:
            if one.table == "messages":
                _clean_message(home.conversations, one.id)
    with home.memory.transaction():
        for table, (_, columns) in WORKING.items():
            if any(one.table == table for one in found):
                _clean_table(home.memory, table, columns)
        for one in found:
            if one.table == "memories":
                row = memories.read(home.memory, one.id).model_copy(update={"batch": batch})
                memories.write(home.memory, row, actor=ACTOR, act="redact")
        if found:
            audit.append(home.memory, actor=ACTOR, act="redact", kind="store", id="scan", batch=batch)
    for db in (home.memory, home.conversations):
        db.rows(
            "PRAGMA wal_checkpoint(TRUNCATE)"
        )  # the log still holds what was overwritten; busy: the next one does it
    return len(found)


def _kinds(text: str) -> tuple[str, ...]:
    return () if redact(text) == text else tuple(dict.fromkeys(kind for _, _, kind in secrets_in(text))) or ("escaped",)


def _messages(db: Database) -> list[Found]:
    found: list[Found] = []
    last = 0
    while rows := db.rows("SELECT n, id, text FROM messages WHERE n > ? ORDER BY n LIMIT ?", (last, _PAGE)):
        last = int(str(rows[-1][0]))
        found += [Found("messages", str(id_), kinds, "fix") for _, id_, text in rows if (kinds := _kinds(str(text)))]
    return found


def _memories(db: Database) -> list[Found]:
    """Rows by their last revision, then former revisions."""
    found: list[Found] = []
    after = ("", 0)
    while rows := db.rows(
        "SELECT r.id, r.revision, r.body, m.tier, m.revision FROM revisions r LEFT JOIN memories m ON m.id = r.id"
        " WHERE (r.id, r.revision) > (?, ?) ORDER BY r.id, r.revision LIMIT ?",
        (*after, _PAGE),
    ):
        for id_, revision, body, tier, newest in rows:
            if redact(str(body)) == body and not _kinds(str(body)):
                continue
            current = revision == newest
            if current and (row := memories.read(db, str(id_))) and intake.redacted(row) == row:
                continue  # only the JSON around it looks like one
            remedy: Remedy = ("person" if tier == "T2" else "fix") if current else "forget"
            found.append(
                Found("memories" if current else "revisions", str(id_), _kinds(str(body)) or ("secret",), remedy)
            )
        after = (str(rows[-1][0]), int(str(rows[-1][1])))
    return found


def _texts(db: Database, tables: Mapping[str, tuple[str, tuple[str, ...]]], remedy: Remedy) -> list[Found]:
    found: list[Found] = []
    for table, (id_, columns) in tables.items():
        for row in db.rows(f"SELECT {id_}, {', '.join(columns)} FROM {table} ORDER BY 1"):
            kinds = tuple(dict.fromkeys(kind for value in row[1:] for kind in _kinds(str(value))))
            if kinds:
                found.append(Found(table, redact(str(row[0])), kinds, remedy))
    return found


def _clean_message(db: Database, id: str) -> None:
    n = conversations.number_of(db, id)
    if n is not None:
        conversations.rewrite(db, n, redact(str(db.value("SELECT text FROM messages WHERE n = ?", (n,)))))


def _clean_table(db: Database, table: str, columns: tuple[str, ...]) -> None:
    for column in columns:
        for (value,) in db.rows(f"SELECT DISTINCT {column} FROM {table}"):
            clean = redact(str(value))
            if clean != value:
                db.run(f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {column} = ?", (clean, value))
