"""The tiers as a table of moves: from where to where a row may go, and who may move it. Pure data, no I/O.

T0 is what was only heard (a pointer, no row yet), T1 what a machine wrote, T2 what a person made permanent; "-" is a kind
without tiers. A refused or quarantined row has left its tier. What is not in the table is allowed to nobody.
"""

from typing import Literal, TypeAlias, get_args

State: TypeAlias = Literal["T0", "T1", "T2", "-", "refused", "quarantined"]
Who: TypeAlias = Literal["anybody", "person"]

MOVES: dict[tuple[State, State], Who] = {
    ("T0", "T1"): "anybody",
    ("T0", "-"): "anybody",
    ("T0", "quarantined"): "anybody",
    ("T1", "T2"): "person",
    ("T1", "refused"): "person",
    ("T1", "quarantined"): "anybody",
    ("T2", "refused"): "person",
    ("T2", "quarantined"): "person",
    ("-", "refused"): "person",
    ("-", "quarantined"): "anybody",
    ("quarantined", "T1"): "person",  # let in by hand; from there it may be promoted
    ("quarantined", "-"): "person",
    ("quarantined", "refused"): "person",
    # A person takes their own act back (undo): the row is again what it was before it.
    ("T2", "T1"): "person",
    ("refused", "T1"): "person",
    ("refused", "T2"): "person",
    ("refused", "-"): "person",
}


def state_of(tier: str, status: str) -> State:
    """Where a row is: its tier, unless it was refused or quarantined."""
    where = status if status in ("refused", "quarantined") else tier
    return where if where in get_args(State) else "T0"  # type: ignore[return-value]


def who_may(old: State, new: State) -> Who | None:
    """Who may move a row so; None where nobody may. To stay is no move, and free to whoever may write the row."""
    return "anybody" if old == new else MOVES.get((old, new))
