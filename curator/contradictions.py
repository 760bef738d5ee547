"""Conflicts as they come and go: opened by the law of a slot or by a verdict, decided by a trust rank or a person.

It must never change, contest or end a permanent row for anybody but a person, and never let a claim win that is trusted
less unless a person says so.
"""

from typing import Protocol

from bellek.kg import claims, conflicts, memories
from bellek.kg.db import Database
from bellek.kg.ids import mint
from bellek.schemas.claim import Claim
from bellek.schemas.conflict import APART, WEAKER, Conflict
from bellek.schemas.errors import PersonNeeded, Refused
from bellek.schemas.memory import Memory
from bellek.schemas.trust import trust
from bellek.schemas.vocab import ANY

LATER = "a later claim of equal or higher trust took its place"
OVER = "one of its sides was decided about, or is gone"
FALLEN = "the claim that it contradicted does not stand any more"


class Relaw(Protocol):
    """`claiming.relaw_of`, handed in since a fallen side moves others: `claiming` stands above this room."""

    def __call__(self, db: Database, side: Memory, *, batch: str, actor: str) -> None:
        """Weigh the slot of a claim anew."""


def open_conflict(db: Database, strong: str, weak: str, reason: str, *, batch: str, actor: str) -> str:
    """Make a contradiction a row of its own; its id. The weaker side is contested, the stronger stays current."""
    one, other = memories.read(db, strong), memories.read(db, weak)
    conflict = Memory.model_validate(
        {
            "id": mint("x"), "project": one.project if one.project != ANY else other.project, "agent": ANY, "session": ANY,
            "origin": "inferred", "tier": "-", "text": f"{one.text} / {other.text}", "said_at": other.said_at,
            "offset_minutes": other.offset_minutes, "batch": batch, "body": Conflict(strong=strong, weak=weak, reason=reason),
        }
    )  # fmt: skip
    if other.status != "contested":
        memories.write(
            db, other.model_copy(update={"status": "contested", "batch": batch}), actor=actor, act="contested"
        )
    return memories.write(db, conflict, actor=actor).id


def mind(db: Database, id: str, state: str, by: str, *, batch: str, actor: str) -> None:
    """Make the open conflict about a claim fit what the law says of it: opened, moved to another rival, or resolved."""
    conflict, strong = conflicts.open_about(db, id)
    if state == "contested" and not conflict:
        open_conflict(db, by, id, APART if id in claims.apart(db, (id, by)) else WEAKER, batch=batch, actor=actor)
    elif state == "contested" and strong != by:
        _amend(db, conflict, {"strong": by}, batch, actor)
    elif state != "contested" and conflict:
        _amend(db, conflict, {"state": "resolved", "winner": by or id, "reason": LATER}, batch, actor)


def contest(db: Database, side: Memory, *, batch: str, actor: str) -> None:
    """Let a claim be contested by an open conflict that is there already."""
    memories.write(db, side.model_copy(update={"status": "contested", "batch": batch}), actor=actor, act="contested")


def close(db: Database, conflict: str, winner: str, *, batch: str, actor: str) -> None:
    """Close a conflict of which a side does not take part any more; the caller weighs the other anew."""
    _amend(db, conflict, {"state": "resolved", "winner": winner, "reason": OVER}, batch, actor)


def free_from(db: Database, fallen: str, *, batch: str, actor: str, relaw: Relaw) -> None:
    """Let stand again what a claim contested from outside its slot that does not stand itself any more."""
    if memories.read(db, fallen).status == "current":
        return
    for conflict, weak in conflicts.open_over(db, fallen):
        side = memories.read(db, weak)
        if side.tier == "T2" and not memories.by_person(actor):
            continue
        _amend(db, conflict, {"state": "resolved", "winner": weak, "reason": FALLEN}, batch, actor)
        _stand(db, side, batch, actor)
        relaw(db, side, batch=batch, actor=actor)


def turn(db: Database, risen: str, *, batch: str, actor: str, relaw: Relaw) -> None:
    """The weaker side of an open conflict became the stronger one: it stands, and what stood is contested by it."""
    conflict, other = conflicts.open_about(db, risen)
    if not conflict:
        return
    side = memories.read(db, other)
    memories.write(db, side.model_copy(update={"status": "contested", "batch": batch}), actor=actor, act="contested")
    _amend(db, conflict, {"strong": risen, "weak": other}, batch, actor)
    _stand(db, memories.read(db, risen), batch, actor)
    for moved in (other, risen):
        relaw(db, memories.read(db, moved), batch=batch, actor=actor)


def resolve(db: Database, conflict: str, winner: str, reason: str, *, batch: str, actor: str, relaw: Relaw) -> None:
    """Decide an open conflict. Without a person the side trusted less cannot win, and no permanent row can lose. Raises Refused."""
    row = memories.read(db, memories.find_id(db, conflict, kind="conflict"))
    assert isinstance(row.body, Conflict)
    if row.body.state != "open":
        raise Refused(f"conflict {row.id} is resolved already", why=row.body.reason)
    strong, weak = memories.read(db, row.body.strong), memories.read(db, row.body.weak)
    if winner not in ("", strong.id, weak.id):
        raise Refused(f"winner: {winner[:40]!r} is no side of {row.id}", why=f"its sides are {strong.id} and {weak.id}")
    _may_lose(strong if winner == weak.id else weak, weak if winner == weak.id else strong, winner, actor)
    closed = row.body.model_copy(update={"state": "resolved", "winner": winner, "reason": reason})
    memories.write(
        db, row.model_copy(update={"status": "closed", "batch": batch, "body": closed}), actor=actor, act="resolve"
    )
    if winner:
        loser = weak if winner == strong.id else strong
        _end(db, loser, "wrong", winner, reason, batch, actor)
    else:
        _end(db, weak, "scoped", "", reason, batch, actor)
    for side in (strong, weak):
        relaw(db, side, batch=batch, actor=actor)
    for side in (strong, weak):
        free_from(db, side.id, batch=batch, actor=actor, relaw=relaw)


def _may_lose(loser: Memory, other: Memory, winner: str, actor: str) -> None:
    """Raises where only a person may let this side lose (be ended, or be called true in a scope only)."""
    if memories.by_person(actor):
        return
    if loser.tier == "T2":
        raise PersonNeeded(f"winner: {loser.id} is permanent", why="only a person lets a permanent claim lose")
    if winner == other.id and trust(other.tier, other.origin) < trust(loser.tier, loser.origin):
        raise Refused(
            "winner: the weaker side cannot win without a person",
            why="the stronger claim outranks it",
            hint="leave the conflict open; a person decides it",
        )


def _amend(db: Database, conflict: str, change: dict[str, str], batch: str, actor: str) -> None:
    old = memories.read(db, conflict)
    closed = "closed" if change.get("state") == "resolved" else old.status
    body = old.body.model_copy(update=change)
    memories.write(
        db, old.model_copy(update={"body": body, "status": closed, "batch": batch}), actor=actor, act="amend"
    )


def _stand(db: Database, side: Memory, batch: str, actor: str) -> None:
    now = memories.read(db, side.id)
    if now.status == "contested":
        memories.write(db, now.model_copy(update={"status": "current", "batch": batch}), actor=actor, act="current")


def _end(db: Database, side: Memory, end: str, by: str, note: str, batch: str, actor: str) -> None:
    assert isinstance(side.body, Claim)
    body = side.body.model_copy(update={"end": end, "ended_by": by, "note": note})
    status = "superseded" if end == "wrong" else "current"
    memories.write(db, side.model_copy(update={"status": status, "body": body, "batch": batch}), actor=actor, act=end)
