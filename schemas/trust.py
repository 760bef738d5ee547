"""How much a row is trusted against another, and what its confidence becomes. Pure functions of values."""

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
    return confidence * max(0.25, 2.0 ** (-max(0.0, age_days) / half_life))


Standing = Literal["current", "superseded", "contested"]


class Rival:
    """One claim of a slot as the law sees it: id, rank of trust, when it was said (UTC ms)."""

    __slots__ = ("id", "said_at", "trust")

    def __init__(self, id: str, trust: int, said_at: int) -> None:  # noqa: A002
        self.id = id
        self.trust = trust
        self.said_at = said_at


def settle(rivals: "list[Rival]") -> "dict[str, tuple[Standing, str]]":
    """The standing of each claim of a single-valued slot, and by which claim: a function of the set, not of arrival.

    Read in the order in which they were said: one of equal or higher trust supersedes what stood; a weaker one is
    contested by it and the stronger stays current. When a later claim supersedes the current one, it supersedes the
    contested ones of its own trust or less as well.
    """
    standing: dict[str, tuple[Standing, str]] = {}
    current: Rival | None = None
    contested: list[Rival] = []
    for rival in sorted(rivals, key=lambda r: (r.said_at, r.id)):
        if current is None or rival.trust >= current.trust:
            for old in [current, *contested] if current else []:
                standing[old.id] = ("superseded", rival.id)
            current, contested = rival, []
            standing[rival.id] = ("current", "")
        else:
            standing[rival.id] = ("contested", current.id)
            contested.append(rival)
    return standing
