"""A lesson: what was learned, ranked by importance and by how it fared. A value; it knows no table."""

from math import sqrt
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
    applied: int = Field(default=0, ge=0, description="messages that show that it was followed, and held")
    violated: int = Field(default=0, ge=0, description="messages that show that it was not followed, or did not hold")


Z = 1.96  # of the bound: 95 of 100 such bounds lie below the true share
ENOUGH = 0.5  # a lower bound of a share from which on it counts: four of four, or ten of twelve
CEILING = {
    "user": CRITICAL,
    "agent": HIGH,
    "inferred": HIGH,
    "file": HIGH,
}  # what outcomes may raise a lesson to, by its origin


def wilson(hits: int, tries: int) -> float:
    """The lower bound of a share, 0 for no tries (E. B. Wilson, "Probable Inference", 1927): few tries prove little."""
    if not tries:
        return 0.0
    share, zz = hits / tries, Z * Z / tries
    return (share + zz / 2 - Z * sqrt(share * (1 - share) / tries + zz / (4 * tries))) / (1 + zz)


def standing(lesson: Lesson, *, origin: str, tier: str) -> int:
    """The importance that counts for WISDOM: a step up where it surely held, a step down where it surely did not.

    Never above what its origin allows (unless it was said to be), and what a person made permanent stays as they left it.
    """
    if tier == "T2":
        return lesson.importance
    tries = lesson.applied + lesson.violated
    if wilson(lesson.violated, tries) >= ENOUGH:
        return max(LOW, lesson.importance - 1)
    if wilson(lesson.applied, tries) >= ENOUGH:
        return min(lesson.importance + 1, max(lesson.importance, CEILING.get(origin, MEDIUM)))
    return lesson.importance
