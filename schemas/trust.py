"""How much a row is trusted against another, and what its confidence becomes. Pure functions of values."""

import math
from typing import Literal

ORIGIN_RANK = {"user": 6, "agent": 5, "inferred": 4, "file": 3, "tool": 2, "web": 1, "pasted": 1}
TIER_RANK = {"-": 0, "T0": 0, "T1": 0, "T2": 10}  # a person's promotion outweighs every origin

TURN_GAIN = 0.3  # share of the remaining doubt that one more typed turn of the person takes away


def trust(tier: str, origin: str) -> int:
    """A rank: larger is stronger. Any T2 is above any T1; within a tier the origin decides."""
    return TIER_RANK[tier] + ORIGIN_RANK[origin]


def lowest(origins: "list[str]") -> str:
    """The origin of something derived from rows of these origins: the least trusted."""
    return min(origins, key=lambda o: (ORIGIN_RANK[o], o))


def reinforced(confidence: float) -> float:
    """Confidence after one more distinct typed turn said the same: 1 - (1 - c)(1 - TURN_GAIN). Nothing else raises it."""
    return 1 - (1 - confidence) * (1 - TURN_GAIN)


HALF_LIFE_DAYS = {
    "person": 1460,
    "family": 1460,
    "health": 730,
    "relationship": 730,
    "project": 120,
    "preference": 540,
    "constraint": 365,
}  # fmt: skip  how long a claim of a category stays half as sure without being said again; chosen, not measured


def faded(confidence: float, category: str, age_days: float) -> float:
    """Confidence at an age: c · 2^(-age / half-life), never below a quarter of c (an old fact is doubtful, not false)."""
    half_life = HALF_LIFE_DAYS[category]
    return confidence * max(0.25, math.exp2(-max(0.0, age_days) / half_life))


Standing = Literal["current", "superseded", "contested"]


class Rival:
    """One claim of a slot as the law sees it: id, rank of trust, what it says, when it was said first and last (UTC ms).

    `position` orders what was said at one instant: where in its message the quote begins. `apart` are claims that were written on
    another node while neither knew the other.
    """

    __slots__ = ("apart", "id", "last_at", "position", "said_at", "says", "trust")

    def __init__(
        self, id: str, trust: int, said_at: int, *, says: str, last_at: int = 0, position: int = 0, apart: "frozenset[str]" = frozenset()
    ) -> None:  # fmt: skip
        self.id = id
        self.apart = apart
        self.trust = trust
        self.said_at = said_at
        self.says = says
        self.last_at = max(said_at, last_at)
        self.position = position


def settle(rivals: "list[Rival]") -> "dict[str, tuple[Standing, str]]":
    """The standing of each claim of a single-valued slot, and by which claim: a function of the set, not of arrival.

    Its short form: the newest of the most trusted is current; what is weaker, was said after it and says otherwise is
    contested by it; everything else is superseded. Read in the order of saying, that is: one of equal or higher trust
    supersedes what stood and all that was contested; a weaker one that agrees with what stands is superseded by it (it
    adds nothing); a weaker one that does not is contested, one claim for each thing said, the most trusted of them. Of two that
    are trusted alike and were written apart, neither takes the other's place: the later one is contested until somebody decides.
    """
    standing: dict[str, tuple[Standing, str]] = {}
    current: Rival | None = None
    contested: dict[str, Rival] = {}
    for rival in _in_order_of_saying(rivals):
        if (
            current is None
            or rival.trust > current.trust
            or (rival.trust == current.trust and current.id not in rival.apart)
        ):
            still = {} if current is None else {old.says: old for old in contested.values() if _held_apart(old, rival)}
            for old in [current, *contested.values()] if current else []:
                standing[old.id] = (
                    "contested" if old.says in still and still[old.says] is old else "superseded",
                    rival.id,
                )
            current, contested = rival, still
            standing[rival.id] = ("current", "")
        elif rival.says == current.says:
            standing[rival.id] = ("superseded", current.id)
        elif rival.trust >= (elder := contested.get(rival.says, rival)).trust:
            standing[elder.id] = ("superseded", rival.id)
            contested[rival.says] = rival
            standing[rival.id] = ("contested", current.id)
        else:
            standing[rival.id] = ("superseded", elder.id)
    return standing


def _held_apart(old: Rival, rival: Rival) -> bool:
    """Whether a contested claim stays so under what takes the place of its rival."""
    return old.trust == rival.trust and old.id in rival.apart and old is not rival and old.says != rival.says


def _in_order_of_saying(rivals: "list[Rival]") -> "list[Rival]":
    """Each rival at its first saying and, where it was said again, at its last."""
    said = [((at, r.position, r.says, r.id), r) for r in rivals for at in sorted({r.said_at, r.last_at})]
    return [rival for _, rival in sorted(said, key=lambda one: one[0])]
