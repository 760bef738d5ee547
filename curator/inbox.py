"""The inbox: a question to the person as a row of its own, put there and closed.

Everything happens in the caller's transaction. It must never carry a proposal out: `curator.review` does, for a person.
"""

from bellek.kg import clock, memories
from bellek.kg.db import Database
from bellek.kg.ids import mint
from bellek.kg.memories import Written
from bellek.schemas.memory import Memory
from bellek.schemas.proposal import Proposal
from bellek.schemas.vocab import ANY


def put(db: Database, project: str, body: Proposal, text: str, *, origin: str, actor: str) -> Written:
    """Ask now; what was written may be set apart. Raises Refused, NeverAgain."""
    at = clock.now()
    row = Memory.model_validate({
        "id": mint("r"), "project": project, "agent": ANY, "session": ANY, "origin": origin, "tier": "-", "text": text, "said_at": at,
        "offset_minutes": clock.offset_minutes(at), "batch": mint("b"), "body": body,
    })  # fmt: skip
    return memories.write(db, row, actor=actor, act="propose")


def close(db: Database, row: Memory, *, yes: bool, answer: str, batch: str, actor: str, act: str = "") -> None:
    """Close a proposal with its answer; `act` is the trail's word for it where it is neither a yes nor a no of a person."""
    assert isinstance(row.body, Proposal)
    body = row.body.model_copy(update={"state": "accepted" if yes else "declined", "answer": answer})
    closed = row.model_copy(update={"body": body, "status": "closed", "batch": batch})
    memories.write(db, closed, actor=actor, act=act or ("accept" if yes else "decline"))
