"""An inference about patterns, versioned, with its evidence. Only the weekly reflection writes it; nobody resets it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Worldview(BaseModel):
    """`week` is the ISO week of the reflection that wrote this version; `evidence` names memories."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["worldview"] = "worldview"
    topic: str = Field(min_length=1, max_length=80)
    week: str = Field(pattern=r"^\d{4}-W\d{2}$")
    evidence: tuple[str, ...] = Field(min_length=1)
