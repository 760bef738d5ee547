"""What a foreign export holds, whatever its form: rows to keep and messages that were said. Plain values, no I/O."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from bellek.schemas.conversation import storable


@dataclass(frozen=True, slots=True)
class Row:
    """One row to keep. `key` tells it from every other row of its program; `at` is UTC milliseconds, 0 where it does not say.

    `topic` is what it is about in a word or two; `title` a page's, `type` an entity's.
    """

    kind: Literal["lesson", "page", "event", "entity"]
    key: str
    text: str
    topic: str
    at: int = 0
    title: str = ""
    type: str = "unknown"


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a conversation there; `at` as in Row."""

    id: str
    conversation: str
    author: Literal["user", "assistant"]
    text: str
    at: int = 0


@dataclass(slots=True)
class Found:
    """What an export held, and what of it could not be read (a sentence each, without its words)."""

    format: str
    rows: list[Row] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unread: int = 0

    def skip(self, where: str) -> None:
        """Count what could not be read; the first few are named."""
        self.unread += 1
        if self.unread <= 20:
            self.notes.append(f"{where} could not be read")


def text_of(value: Any) -> str:
    """A text, stripped; "" for anything else. What nothing may store becomes U+FFFD."""
    return storable(value).strip() if isinstance(value, str) else ""


def instant(value: Any) -> int:
    """UTC milliseconds of seconds, milliseconds or an ISO text; 0 where it is none of them."""
    match value:
        case bool():
            return 0
        case int() | float() if 0 < value < 1e11:
            return int(value * 1000)
        case int() | float() if 1e11 <= value < 2**53:
            return int(value)
        case str():
            try:
                at = datetime.fromisoformat(value)
            except ValueError:
                return 0
            return max(0, int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000))
        case _:
            return 0


def items(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; [] for anything else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
