"""A contradiction as an object: two claims of one slot, what is decided about them and why."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Conflict(BaseModel):
    """`strong` stays current while it is open. Resolved: `winner` is an id, or "" where both are true in their scopes."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["conflict"] = "conflict"
    strong: str = Field(min_length=3)
    weak: str = Field(min_length=3)
    state: Literal["open", "resolved"] = "open"
    winner: str = ""
    reason: str = ""
