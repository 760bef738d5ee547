"""What each tool takes: parsed once, from whatever a client makes of a schema.

Clients send ``""`` for an option that they leave out, and numbers or objects as JSON text; both are taken as meant. What
cannot be taken is a `BadArguments` with a hint. It must never guess a value that was not given.
"""

import json
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

PAGE = 10
PAGE_MAX = 50
LETTERS = 2_000  # of a question

Question = Annotated[str, Field(min_length=1, max_length=LETTERS, description="words or a question, in any language")]
Limit = Annotated[int, Field(default=PAGE, ge=1, le=PAGE_MAX, description="rows of one page")]
Cursor = Annotated[int, Field(default=0, ge=0, le=10_000, description="`next` of the page before")]
Id = Annotated[str, Field(min_length=1, max_length=200, description="an id, or the letters it starts with")]


class BadArguments(Exception):
    """Arguments that cannot be taken: `what` is wrong, and a `hint` what to send instead."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"{what}. {hint}")
        self.what = what
        self.hint = hint


class Given(BaseModel):
    """Of every tool: nothing beyond its fields is taken."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Recall(Given):
    """Of `recall`."""

    question: Question
    limit: Limit


class Search(Given):
    """Of `search` and `conversations_search`."""

    question: Question
    limit: Limit
    cursor: Cursor


class Show(Given):
    """Of `show`."""

    id: Id
    offset: int = Field(default=0, ge=0, description="letters to skip: `next` of the part before")


class Packet(Given):
    """Of `packet`."""

    prompt: str = Field(default="", max_length=20_000, description="what the person asks")


class Remember(Given):
    """Of `remember`."""

    text: str = Field(min_length=1, max_length=LETTERS, description="what was learned, with its reason")
    topic: str = Field(default="", max_length=80)


class Tasks(Given):
    """Of `tasks`."""

    closed: bool = Field(default=False, description="also those that are done")
    limit: Limit
    cursor: Cursor


class LogAppend(Given):
    """Of `log_append`."""

    text: str = Field(min_length=1, max_length=500, description="one line for the other agents of this project")
    type: Literal["note", "decision", "project-state"] = "note"
    reason: str = Field(default="", max_length=500, description="why; a decision needs one")


class LogRead(Given):
    """Of `log_read`."""

    unread: bool = Field(default=False, description="only what you have not acknowledged")
    limit: Limit


class Why(Given):
    """Of `why`."""

    id: Id


Kind = TypeVar("Kind", bound=Given)


def parsed(kind: type[Kind], arguments: dict[str, Any] | None) -> Kind:
    """The arguments of one call as its type. Raises BadArguments."""
    given = {name: _meant(kind, name, value) for name, value in (arguments or {}).items() if value not in ("", None)}
    try:
        return kind.model_validate(given)
    except ValidationError as exc:
        wrong = "; ".join(
            f"{'.'.join(map(str, e['loc']))}: {e['msg']}"
            for e in exc.errors(include_url=False, include_input=False)[:4]
        )
        takes = ", ".join(f"{n}{'' if f.is_required() else ' (optional)'}" for n, f in kind.model_fields.items())
        raise BadArguments(wrong, f"This tool takes {takes}") from exc


def _meant(kind: type[Given], name: str, value: Any) -> Any:
    """A number, truth value or list that a client sent as JSON text."""
    field = kind.model_fields.get(name)
    if field is None or field.annotation not in (int, bool) or not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def schema(kind: type[Given]) -> dict[str, Any]:
    """The JSON Schema that a client is shown."""
    found = kind.model_json_schema()
    found.pop("description", None)
    found.pop("title", None)
    return found
