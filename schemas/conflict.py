"""A contradiction as an object: two claims of one slot, what is decided about them and why."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

# Why the law of a slot opened one: such a conflict is worked out on every node from the claims, and does not travel.
WEAKER = "a weaker claim says otherwise"
APART = "two nodes said otherwise before either knew of the other"
LAW = (WEAKER, APART)


class Conflict(BaseModel):
    """`strong` stays current while it is open. Resolved: `winner` is an id, or "" where both are true in their scopes."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["conflict"] = "conflict"
    strong: str = Field(min_length=3)
    weak: str = Field(min_length=3)
    state: Literal["open", "resolved"] = "open"
    winner: str = ""
    reason: str = ""
