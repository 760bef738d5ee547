"""The form in which a whole home leaves and comes in: JSON lines, a file a table, with a list of the columns.

An archive says nothing of its own making: no time, path, node or program version, so that the same store gives the same
bytes. A value of a line is text, a number, null, or a blob as ``{"$hex": "…"}``. Nothing here does I/O.
"""

import json
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, Field

FORMAT = 1
Value: TypeAlias = str | int | float | bytes | None

# Tables of this home alone: what was compiled from config, the records of exports, imports and confirmations, what a hub gave,
# and vectors, which are a cache that is made anew from the words.
LOCAL = (
    "meta", "settings", "transfers", "unconfirmed", "spaces", "vectors", "vector_cells",
    "hub_spaces", "hub_projects", "hub_nodes", "hub_entries", "hub_saw", "hub_waiting", "hub_apart",
)  # fmt: skip
# Tables that the trail and its bodies make: exported to be read and compared, written by replaying `audit` and `revisions`.
REPLAYED = (
    "memories", "claims", "lessons", "events", "pages", "entities", "aliases", "fields", "worldviews", "tasks", "logs", "proposals", "conflicts",
    "sources", "tombstones", "tombstone_marks", "promotions", "revisions", "audit",
)  # fmt: skip
# Columns that this version computes from others: search text, row numbers that nothing points to, why a message is set apart.
COMPUTED = {"memories": ("n", "shadow"), "messages": ("n", "seq", "shadow", "day", "apart")}
KEYS = ("key", "passphrase-salt", "passphrase-check")  # rows of meta that travel in a file of their own


class Archive(BaseModel):
    """``archive.json``: the format, and file → columns in order. `keys` says whether the key of the tombstones came along."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    archive: str = Field(pattern="^bellek$")
    format: int = Field(ge=1)
    tables: dict[str, tuple[str, ...]]


class EntryLine(BaseModel):
    """One line of ``memory/audit.jsonl``."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    seq: int = Field(ge=1)
    node: str
    clock: int = Field(ge=0)
    actor: str
    act: str
    kind: str
    id: str
    revision: int = Field(ge=0)
    batch: str
    commitment: bytes
    prev: bytes
    hash: bytes


class BodyLine(BaseModel):
    """One line of ``memory/revisions.jsonl``."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    id: str
    revision: int = Field(ge=1)
    body: str
    salt: bytes


def line_of(columns: tuple[str, ...], values: tuple[Value, ...]) -> bytes:
    """A row as one line, newline included."""
    row = {
        name: {"$hex": value.hex()} if isinstance(value, bytes) else value
        for name, value in zip(columns, values, strict=True)
    }
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def row_of(line: bytes) -> dict[str, Value]:
    """The row of a line. Raises ValueError, whose words name what is off and quote nothing."""
    if line.startswith((b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")):
        raise ValueError("a mark of a merge conflict")
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise ValueError("no JSON") from exc
    if not isinstance(found, dict):
        raise ValueError("no JSON object")  # noqa: TRY004  one kind of error for whoever names file and line
    return {name: _value(value) for name, value in found.items()}


def _value(value: object) -> Value:
    match value:
        case {"$hex": str(text), **rest} if not rest:
            return bytes.fromhex(text)
        case bool():
            raise ValueError("a truth value, which no column holds")
        case str() | int() | float() | None:
            return value
        case _:
            raise ValueError("a value that no column holds")
