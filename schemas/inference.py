"""What a weekly reflection may say: a pattern, in one sentence, with the rows that show it. A model answers in this shape."""

from pydantic import BaseModel, ConfigDict, Field

MOST = 6  # inferences of one answer


class Inference(BaseModel):
    """A pattern over weeks; `evidence` are ids of memories, two at least: one row is an event, not a pattern."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    topic: str = Field(
        pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60, description="kebab-case, the same every week"
    )
    text: str = Field(min_length=1, max_length=600)
    evidence: list[str] = Field(min_length=2, max_length=40)


class Inferences(BaseModel):
    """An answer."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    inferences: list[Inference] = Field(max_length=MOST)
