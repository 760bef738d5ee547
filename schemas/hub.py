"""What nodes of a space hand to each other, and what a set of it means: pure functions of the entries, never of their order of arrival.

A node's stream in a space is a hash chain of lines of its own, since the trail of its home also holds what never travels. Two
versions of one row are ordered only where one node had merged the other's before it wrote; else they are rivals. Nothing here does I/O.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

FIRST = b"\0" * 32  # stands before the first entry of a stream
MEMBER = r"^[a-z0-9][a-z0-9._-]{0,39}$"
NAME = r"^[a-z0-9][a-z0-9-]{0,62}$"  # of a space
Role = Literal["owner", "writer", "reader"]
Act = Literal["row", "stone", "gone"]
STANDS = ("current", "contested")


class Line(BaseModel):
    """What one entry says. `lam` is larger than that of every entry its node had merged; `saw` is how far it had merged each
    other stream, given where that changed. `clock` is the home's hybrid clock, told and never decided by.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    clock: int = Field(ge=0)
    lam: int = Field(ge=1)
    actor: str
    how: str  # the trail's word for the act
    kind: str
    act: Act
    id: str = Field(min_length=3)
    commitment: str = ""  # hexadecimal; "" without a body
    saw: dict[str, int] = {}

    def text(self) -> str:
        """The one spelling of it that is hashed."""
        return self.model_dump_json()


class Token(BaseModel):
    """What one node needs to join: as secret as the space. `server` are libpq's words without user and password."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    bellek_hub: Literal[1] = 1
    space: str = Field(pattern=NAME)
    node: str = Field(pattern=r"^k_[0-9a-z]{12}$")
    member: str = Field(pattern=MEMBER)
    role: Role
    server: str
    login: str = Field(pattern=r"^bellek_[0-9a-z_]{1,50}$")
    password: str = Field(min_length=20)
    key: str = Field(pattern=r"^[0-9a-f]{64}$")  # of the tombstones of the space; the hub never sees it


class StoneLine(BaseModel):
    """A tombstone as it travels: keyed hashes under the space's key, hexadecimal."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    project: str = Field(min_length=1)
    why: Literal["refused", "forgotten"]
    memory: str
    forms: tuple[Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")], ...] = Field(min_length=1)
    words: tuple[Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")], ...] = ()
    lifted: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """One entry of a stream as it lies on a hub. `body` and `salt` are None where there is none, or it was forgotten."""

    node: str
    seq: int
    id: str
    act: Act
    line: str
    hash: bytes
    body: str | None
    salt: bytes | None


def link(before: bytes, space: str, node: str, seq: int, line: str) -> bytes:
    """The hash of an entry: SHA-256 over the one before it, space, node, number and line. The hub computes the same."""
    return hashlib.sha256(before + f"{space}\n{node}\n{seq}\n{line}".encode()).digest()


@dataclass(frozen=True, slots=True)
class Version:
    """One entry about a row. `person`: 2 a person whose promotions count here, 1 another person, 0 nobody's."""

    node: str
    seq: int
    line: Line
    body: str | None
    person: int
    tier: str = ""
    status: str = ""
    words: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[int, str, int]:
        """The order of versions of which neither knew the other, after who made them."""
        return self.line.lam, self.node, self.seq


@dataclass(frozen=True, slots=True)
class Gone:
    """The row was forgotten; `person` as in a version: the most of those who ordered it."""

    person: int


@dataclass(frozen=True, slots=True)
class Stands:
    """The version that holds. `lost` are versions in other words that it did not know; `released`: a person vouched for these words."""

    version: Version
    lost: tuple[Version, ...]
    released: bool


@dataclass(frozen=True, slots=True)
class Nothing:
    """No version with words has come."""


Outcome: TypeAlias = Gone | Stands | Nothing
Saw: TypeAlias = Callable[[str, int, str], int]  # (node, seq, other) → up to where of the other's stream it had merged


def fold(versions: list[Version], saw: Saw) -> Outcome:
    """What a set of versions of one row means, in whatever order they came.

    Forgotten wins over everything. A person's last act wins where it made the row permanent, by the law of T2. Else the
    version that knew all others holds; of rivals a person's does, then the one that was written after more was known.
    """
    told = [v for v in versions if v.line.act == "gone"]
    if told:
        return Gone(max(v.person for v in told))
    rows = [v for v in versions if v.body is not None]
    if not rows:
        return Nothing()
    holds = _holds(rows, saw)
    released = any(v.person == 2 and v.words == holds.words and v.status in STANDS for v in rows)
    return Stands(holds, _lost(rows, holds, saw), released)


def knew(one: Version, other: Version, saw: Saw) -> bool:
    """Whether a version was written where the other was known."""
    if one.node == other.node:
        return one.seq > other.seq
    return saw(one.node, one.seq, other.node) >= other.seq


def _holds(rows: list[Version], saw: Saw) -> Version:
    persons = [v for v in rows if v.person == 2]
    last = max(persons, key=lambda v: v.rank, default=None)
    if last is not None and last.tier == "T2":
        return last
    heads = [v for v in rows if not any(knew(w, v, saw) for w in rows)]
    return max(heads, key=lambda v: (v.person, v.rank))


def _lost(rows: list[Version], holds: Version, saw: Saw) -> tuple[Version, ...]:
    """A node's last version that stands in other words, and that neither the holding one knew nor what the node wrote later replaced."""
    if holds.status not in STANDS:
        return ()
    last: dict[str, Version] = {}
    for version in sorted(rows, key=lambda v: v.seq):
        last[version.node] = version
    rivals = (v for v in last.values() if v.node != holds.node and not knew(holds, v, saw) and not knew(v, holds, saw))
    return tuple(sorted((v for v in rivals if v.status in STANDS and v.words != holds.words), key=lambda v: v.rank))
