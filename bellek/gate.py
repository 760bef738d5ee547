"""The human gate's seam: which acts need a person. This version knows no way to tell one from an agent, so none passes."""

from bellek.kg import audit
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.schemas.errors import PersonNeeded


def require_person(store: Home, *, verb: str, target: str) -> str:
    """Raise PersonNeeded after the try was put into the trail; behind the gate this answers the actor ("person:terminal")."""
    with store.memory.transaction():
        audit.append(store.memory, actor="cli", act=f"refused {verb}", kind="gate", id=target, batch=mint("b"))
    raise PersonNeeded(f"`bellek {verb}` was not done", why="only a person may do this, and no gate tells one here yet")
