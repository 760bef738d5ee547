"""What a copy of a data home says of itself: its manifest, one line a stored file. Written by `kg.backups`, read by restore.

It holds counts, hashes and versions, and never a word of what is stored: it stays readable where the copy is encrypted.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

FORMAT = 1
Store = Literal["memory", "conversations", "config"]
STORES: tuple[Store, ...] = ("memory", "conversations", "config")


class Part(BaseModel):
    """One stored file: `size` and `sha256` of its bytes as they lie there, `plain_*` of the database or archive inside.

    `version` is the schema's number (0 for config), `rows` the rows of each table, or of config the number of files.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")
    store: Store
    file: str = Field(pattern=r"^[a-z]+\.(db|tar)\.zst(\.age)?$")
    size: int = Field(ge=0)
    sha256: str
    plain_size: int = Field(ge=0)
    plain_sha256: str
    version: int = Field(ge=0)
    rows: dict[str, int]


class Manifest(BaseModel):
    """One copy. `made_at` is UTC milliseconds; `entries` and `head` are the trail's length and newest hash when it was taken.

    `faults` are invariants that did not hold in the store itself: the copy is as good as the store was.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")
    format: int = Field(ge=1)
    id: str = Field(min_length=1, max_length=60)
    made_at: int = Field(ge=0)
    offset_minutes: int = Field(ge=-1080, le=1080)
    program: str
    node: str
    entries: int = Field(ge=0)
    head: str
    encrypted: bool
    parts: tuple[Part, ...] = Field(min_length=1)
    faults: tuple[str, ...] = ()

    def part(self, store: Store) -> Part | None:
        """The part that holds a store."""
        return next((part for part in self.parts if part.store == store), None)

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it that anybody could miss."""
        held = {table: count for part in self.parts for table, count in part.rows.items()}
        return not any(held.get(table) for table in ("memories", "messages", "queue", "files"))
