"""Undo as a verb means it: the batch is taken back, and every slot of a claim in it is weighed anew, in the same batch.

It must never leave two claims standing where a predicate takes one: a claim that comes back may find that another came since.
"""

from bellek.curator import claiming
from bellek.kg import memories, undo
from bellek.kg.db import Database
from bellek.kg.undo import Undone


def take_back(db: Database, batch: str, *, actor: str) -> Undone:
    """Undo a batch, in one transaction. Raises as `kg.undo.undo` does."""
    with db.transaction():
        done = undo.undo(db, batch, actor=actor)
        for id_ in (*done.hidden, *done.restored):
            claiming.relaw_of(db, memories.read(db, id_), batch=done.batch, actor=actor)
    return done
