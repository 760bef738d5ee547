"""Takes values out of JSON whose shape nobody promised.

What it is for: every adapter reads other people's files; a missing or odd value is "nothing", never an exception.
It must never give text that a store cannot keep.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from bellek.schemas.conversation import storable

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def as_dict(value: object) -> dict[str, Any]:
    """Give the object, or an empty one."""
    return value if isinstance(value, dict) else {}


def as_string(value: object) -> str:
    """Give the text in storable form, or ""."""
    return storable(value) if isinstance(value, str) else ""


def texts(content: object) -> Iterator[str]:
    """Give a message's text: the content itself, or its blocks of type text, as they stand there."""
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            yield block["text"]


def as_time(value: object) -> tuple[int, int | None]:
    """Give an ISO 8601 instant as UTC milliseconds and the writer's offset in minutes; (0, None) where it is none.

    UTC ("Z") tells no offset: it is what programs write whatever the writer's zone. A time without a zone is UTC.
    """
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None:
        return 0, None
    away = moment.utcoffset()
    if away is None:
        moment, away = moment.replace(tzinfo=UTC), timedelta(0)
    return (moment - _EPOCH) // _MILLISECOND, (away // timedelta(minutes=1)) or None
