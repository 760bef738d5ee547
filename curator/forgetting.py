"""An order to forget, carried out: hidden in one transaction, the slots of its claims weighed anew, then scrubbed and proven.

It must never hide half of what is reached: rows, tombstones, intent and what the law says of the rest are one commit.
"""

from bellek.curator import claiming, vaulted
from bellek.kg import blast, failpoints, forget, memories
from bellek.kg.blast import Asked, Blast
from bellek.kg.forget import Forgetting
from bellek.kg.home import Home
from bellek.schemas.claim import Claim
from bellek.schemas.conflict import Conflict


def carry_out(home: Home, reached: Blast, *, actor: str) -> Forgetting:
    """Forget what is reached; how far it went. Raises PersonNeeded, with nothing written, where the actor may not."""
    db = home.memory
    with db.transaction():
        id_ = forget.begin(home, reached, actor=actor)
        batch = str(db.value("SELECT batch FROM forgettings WHERE id = ?", (id_,)))
        _weigh_the_rest(home, reached, batch=batch, actor=actor)
    failpoints.reach("forget-hidden")
    vaulted.refresh(home)  # no file shows it any longer
    done = next((one for one in forget.finish(home) if one.id == id_), None)
    return done or forget.Forgetting(id_, batch, "proven", list(reached.memories), list(reached.messages), "")


def of_proposal(home: Home, target: str, actor: str) -> str:
    """Forget a row whose file a person deleted, once they said yes to that; what was said stays. How far it went."""
    asked = Asked(project=memories.read(home.memory, target).project, ids=(target,), keep_messages=True)
    done = carry_out(home, blast.reach(home, asked), actor=actor)
    return (
        f"{target} is forgotten"
        if done.state == "proven"
        else f"{target} is hidden and waits to be scrubbed: {done.why}"
    )


def _weigh_the_rest(home: Home, reached: Blast, *, batch: str, actor: str) -> None:
    """What a forgotten claim superseded or contested stands as if it had never been said."""
    db = home.memory
    for memory in reached.held.values():
        match memory.body:
            case Claim():
                claiming.relaw_of(db, memory, batch=batch, actor=actor)
            case Conflict(strong=strong, weak=weak):
                for side in (strong, weak):
                    if side not in reached.memories:
                        claiming.relaw_of(db, memories.read(db, side), batch=batch, actor=actor)
            case _:
                pass
