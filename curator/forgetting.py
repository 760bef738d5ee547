"""An order to forget, carried out: hidden in one transaction, the slots of its claims weighed anew, then scrubbed and proven.

It must never hide half of what is reached: rows, tombstones, intent and what the law says of the rest are one commit.
"""

from bellek.curator import claiming, vaulted
from bellek.kg import blast, failpoints, forget, forgotten, memories, stones, tombstones
from bellek.kg.blast import Asked, Blast
from bellek.kg.forget import Forgetting
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.kg.since import Order, Since
from bellek.schemas.claim import Claim
from bellek.schemas.conflict import Conflict
from bellek.schemas.errors import PersonNeeded


def carry_out(home: Home, reached: Blast, *, actor: str) -> Forgetting:
    """Forget what is reached; how far it went. Raises PersonNeeded, with nothing written, where the actor may not."""
    db = home.memory
    with db.transaction():
        id_, batch = hide(home, reached, actor=actor)
    failpoints.reach("forget-hidden")
    vaulted.refresh(home)  # no file shows it any longer
    done = next((one for one in forget.finish(home) if one.id == id_), None)
    return done or forget.Forgetting(id_, batch, "proven", list(reached.memories), list(reached.messages), "")


def hide(home: Home, reached: Blast, *, actor: str) -> tuple[str, str]:
    """The first step, in the caller's transaction: (the forgetting's id, its batch). `forget.finish` carries it on."""
    id_ = forget.begin(home, reached, actor=actor)
    batch = str(home.memory.value("SELECT batch FROM forgettings WHERE id = ?", (id_,)))
    _weigh_the_rest(home, reached, batch=batch, actor=actor)
    return id_, batch


def again(home: Home, since: Since) -> int:
    """Forget in a copy what was forgotten after it was made; how many orders took something. `forget.finish` scrubs afterwards.

    Each is carried out as who gave it. One that this actor may not give here (the row is permanent in the copy) is left
    out: a person made it so.
    """
    db, batch = home.memory, mint("b")
    with db.transaction():
        for key in since.keys:
            if bytes.fromhex(key) not in stones.keys_of(db):
                stones.also_ask(db, key)
        for mark in since.marks:
            forgotten.mark(db, *mark)
        for id_, body in since.tombstones.items():
            tombstones.adopt(db, id_, body, actor="restore", batch=batch)
    done = sum(_once_more(home, order) for order in since.orders)
    if waiting := blast.items_again(home):
        with db.transaction():
            hide(home, waiting, actor="restore")
    return done


def _once_more(home: Home, order: Order) -> int:
    reached = blast.again(home, order.memories, order.messages)
    if not reached:
        return 0
    try:
        with home.memory.transaction():
            hide(home, reached, actor=order.actor)
    except PersonNeeded:
        return 0
    return 1


def of_row(home: Home, target: str, actor: str) -> str:
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
