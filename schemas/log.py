"""An entry of the shared log: one line by one agent, append-only. Its text is the line."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

EntryType = Literal["note", "decision", "checkpoint", "project-state", "ack"]


class LogEntry(BaseModel):
    """`channel` is where it was said (client, terminal), `reason` is required of a decision, `about` names an acknowledged entry."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["log"] = "log"
    type: EntryType
    channel: str = Field(min_length=1, max_length=80)
    reason: str = ""
    about: str = ""
