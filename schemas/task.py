"""A task that the agent set itself or was given."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

TaskState = Literal["open", "done", "deleted"]


class Task(BaseModel):
    """`closed_at` is UTC milliseconds, 0 while open."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["task"] = "task"
    state: TaskState = "open"
    closed_at: int = Field(default=0, ge=0)
