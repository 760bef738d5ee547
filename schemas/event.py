"""A journal row: evidence of what happened on a day. It is never an instruction."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Event(BaseModel):
    """`day` is the person's local date of the content, not of the run; `conversation` links the talk."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["event"] = "event"
    day: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    topic: str = Field(min_length=1, max_length=80)
    conversation: str = ""
