"""A lesson: what was learned, ranked by importance. A value; it knows no table."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

LearningKind = Literal["bug-fix", "decision", "pattern", "anti-pattern", "discovery", "convention"]
LOW, MEDIUM, HIGH, CRITICAL = range(4)


class Lesson(BaseModel):
    """`importance` is 0 low, 1 medium, 2 high, 3 critical; `sightings` counts the messages that said it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["lesson"] = "lesson"
    topic: str = Field(min_length=1, max_length=80)
    learning: LearningKind
    importance: int = Field(ge=LOW, le=CRITICAL)
    sightings: int = Field(default=1, ge=1)
