"""What waits for a person in one list: candidates, proposals, open conflicts, quarantine; and one of them in full. Reads only.

It must never list what does not ask, nor offer an act that the row's kind and status do not allow.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bellek.curator import shown
from bellek.curator.deciding import Act
from bellek.curator.shown import Shown
from bellek.kg import apart, candidates, conflicts, memories, proposals, signing
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.schemas.conflict import Conflict
from bellek.schemas.entity import EntityField
from bellek.schemas.kinds import KINDS
from bellek.schemas.memory import Memory
from bellek.schemas.proposal import Proposal

Asks: TypeAlias = Literal["candidate", "proposal", "conflict", "apart"]


@dataclass(frozen=True, slots=True)
class Item:
    """A row of the list: why it asks, in English words of ours; instants are UTC milliseconds."""

    id: str
    asks: Asks
    kind: str
    tier: str
    origin: str
    why: str
    said_at: int
    offset_minutes: int
    text: str


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a conflict, as it may be shown."""

    id: str
    tier: str
    status: str
    text: str


@dataclass(frozen=True, slots=True)
class Detail:
    """One row in full: what stands around it, the revision that is shown, what may be done, the sides of its conflict.

    `replaces` is the text that a proposal would take the place of, "" for none; `secret`: a promotion asks for the passphrase.
    """

    seen: Shown
    revision: int
    acts: tuple[Act, ...]
    sides: tuple[Side, ...]
    conflict: str
    replaces: str
    secret: bool


def listed(db: Database, project: str) -> list[Item]:
    """All that waits in a project and in every project: questions first, then candidates, then quarantine; each oldest first."""
    return [
        *(Item(x.id, "conflict", "conflict", x.tier, x.origin, x.reason, x.said_at, x.offset_minutes, f"{x.strong_text} / {x.weak_text}") for x in conflicts.listed(db, project)),
        *(Item(r.id, "proposal", "proposal", r.tier, r.origin, f"{r.structure}: {r.title}", r.said_at, r.offset_minutes, r.text) for r in proposals.listed(db, project)),
        *(Item(c.id, "candidate", c.kind, c.tier, c.origin, c.why, c.said_at, c.offset_minutes, c.text) for c in candidates.listed(db, project)),
        *(Item(a.id, "apart", a.kind, a.tier, a.origin, a.note, a.said_at, a.offset_minutes, a.text) for a in apart.listed(db, project, limit=200)),
    ]  # fmt: skip


def detail(home: Home, id: str) -> Detail:
    """One row, by its whole id, with all that a person weighs it by. Raises NotFound."""
    db = home.memory
    row = memories.read(db, id)
    conflict, sides = _conflict(db, row)
    replaces = ""
    if isinstance(row.body, Proposal) and row.body.structure in ("edit", "forget"):
        replaces = memories.shown(memories.read(db, row.body.target)).text
    return Detail(
        shown.of(home, id), memories.revision(db, id), acts(row), sides, conflict, replaces, signing.is_set(db)
    )


def _conflict(db: Database, row: Memory) -> tuple[str, tuple[Side, ...]]:
    """The open conflict that a row is, or stands in, with both sides; the stronger first."""
    if isinstance(row.body, Conflict):
        found = row.id, row.body.strong, row.body.weak
    else:
        under, strong = conflicts.open_about(db, row.id)
        over = conflicts.open_over(db, row.id)
        if under:
            found = under, strong, row.id
        elif over:
            found = over[0][0], row.id, over[0][1]
        else:
            return "", ()
    return found[0], tuple(_side(db, id_) for id_ in found[1:])


def _side(db: Database, id: str) -> Side:
    row = memories.shown(memories.read(db, id))
    return Side(row.id, row.tier, row.status, row.text)


def acts(row: Memory) -> tuple[Act, ...]:
    """What a person may do with a row as it stands; the room that does it checks again."""
    match row.body, row.status:
        case Proposal(state="waiting"), _:
            return ("yes", "no")
        case Conflict(state="open"), _:
            return ("strong", "weak", "both")
        case ((Proposal() | Conflict()), _):
            return ()
        case _, "quarantined":
            return ("release", "drop")
        case EntityField(sensitivity=about, consent=given), ("current" | "contested") if about and not given:
            return ("consent", "refuse", *(("apart",) if row.tier != "T2" else ()))
        case _, ("current" | "contested"):
            return _standing(row)
        case _:
            return ()


def _standing(row: Memory) -> tuple[Act, ...]:
    found: list[Act] = []
    if row.tier == "T1" and "T2" in KINDS[row.body.kind].tiers:
        found.append("promote")
    found.append("refuse")
    if row.tier != "T2":
        found.append("apart")
    if isinstance(row.body, EntityField) and row.body.sensitivity:
        found.append("withdraw")
    return tuple(found)
