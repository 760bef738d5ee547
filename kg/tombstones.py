"""What must not come back: the one place that is told of a refusal, inside its transaction.

It must never keep the words themselves. In this state nothing is kept: a refused row blocks its own return only by
standing there as refused.
"""

from bellek.kg.db import Database
from bellek.schemas.memory import Memory


def refuse(db: Database, memory: Memory) -> None:
    """Told of each refused row, in the transaction of its refusal."""
    del db, memory
