"""A claim: somebody or something, a predicate, an object; how sure, who said it in which words, and when it held."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from bellek.schemas.predicates import CARDINALITY

Category = Literal["person", "family", "health", "relationship", "project", "preference", "constraint"]
End = Literal["", "superseded", "wrong", "scoped"]


class Claim(BaseModel):
    """`confidence` lies in 0..1. `valid_from`/`valid_to` are UTC milliseconds of the world, 0 for open.

    `last_at` is when it was said again last by somebody trusted as much (UTC ms, 0 for never), `position` where in its
    message the quote begins. `quote` stands verbatim in `message` (both empty where a profile field states the claim). `end` tells how it ended:
    superseded by `ended_by`, found wrong, or true only in a scope (`note` says which) beside its rival.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["claim"] = "claim"
    category: Category
    subject: str = Field(min_length=1, max_length=200)
    predicate: str
    object: str = Field(min_length=1, max_length=2000)
    confidence: float = Field(ge=0.0, le=1.0, allow_inf_nan=False)
    quote: str = Field(default="", max_length=4000)
    message: str = ""
    valid_from: int = Field(default=0, ge=0)
    valid_to: int = Field(default=0, ge=0)
    sightings: int = Field(default=1, ge=1)
    turns: int = Field(default=0, ge=0, description="distinct typed turns of the person that said it")
    last_at: int = Field(default=0, ge=0)
    position: int = Field(default=0, ge=0)
    end: End = ""
    ended_by: str = ""
    note: str = ""

    @field_validator("predicate")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in CARDINALITY:
            raise ValueError(f"unknown predicate {value[:40]!r}; the known ones are in `bellek apply --schema`")
        return value
