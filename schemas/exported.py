"""One line of an exported conversation: a message, with the keys that `conversations show --json` prints."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from bellek.schemas.conversation import storable


def _instant(value: object) -> object:
    """ISO 8601 → UTC milliseconds; a number is taken as it is, an instant without an offset as UTC."""
    if not isinstance(value, str):
        return value
    at = datetime.fromisoformat(value)
    epoch = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
    return round((at if at.tzinfo else at.replace(tzinfo=epoch.tzinfo)).timestamp() * 1000)


class ExportedMessage(BaseModel):
    """A message as a file tells it. What the file says of who typed it, or of its origin, is not read: a file can say anything."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    id: str = Field(min_length=1, max_length=200)
    conversation: str = Field(min_length=1, max_length=200)
    author: Literal["user", "assistant"]
    at: Annotated[int, BeforeValidator(_instant)] = Field(ge=0, lt=2**53)
    offset_minutes: int = Field(default=0, ge=-1080, le=1080)
    text: Annotated[str, BeforeValidator(lambda value: storable(value) if isinstance(value, str) else value)]
    agent: str = Field(default="*", min_length=1, max_length=200)
    machine: bool = False
    sidechain: bool = False
