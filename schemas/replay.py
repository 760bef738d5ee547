"""A replay's task as a TOML file declares it: a prompt, the candidates it covers, and one way to check an answer.

Parsed once at the boundary. It must never hold what a model answered.
"""

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator

Arm = Literal["none", "permanent", "covered"]


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class TextCheck(_Shape):
    """The answer holds every text of `has` and none of `lacks`, by folded words (case, accents and endings of lines apart)."""

    by: Literal["text"]
    has: list[str] = []
    lacks: list[str] = []


class RegexCheck(_Shape):
    """A pattern is found in the answer (Python's syntax; the whole answer is searched)."""

    by: Literal["regex"]
    pattern: str = Field(min_length=1, max_length=500)

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as exc:
            raise ValueError(f"it is no pattern: {exc.msg}") from exc
        return value


class JsonCheck(_Shape):
    """The answer holds a JSON object in which the value at a dotted `path` equals `equals`."""

    by: Literal["json"]
    path: str = Field(min_length=1)
    equals: str | int | float | bool


class CommandCheck(_Shape):
    """A program of the person's own gets the answer on standard input; status 0 passes. Started without a shell."""

    by: Literal["command"]
    run: list[str] = Field(min_length=1)
    seconds: int = Field(default=30, ge=1, le=600)


Check = Annotated[TextCheck | RegexCheck | JsonCheck | CommandCheck, Field(discriminator="by")]


class Task(_Shape):
    """One task; `covers` are ids (or beginnings of ids) of the candidates that it is about."""

    prompt: str = Field(min_length=1, max_length=20_000)
    covers: list[str] = Field(min_length=1)
    check: Check
    max_tokens: int = Field(default=1_000, ge=1, le=32_000)


TASK: TypeAdapter[Task] = TypeAdapter(Task)
