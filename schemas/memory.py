"""The envelope that every memory shares, around one typed body. Its canonical JSON is what the trail commits to."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from bellek.schemas.claim import Claim
from bellek.schemas.conflict import Conflict
from bellek.schemas.entity import Entity, EntityField
from bellek.schemas.event import Event
from bellek.schemas.lesson import Lesson
from bellek.schemas.log import LogEntry
from bellek.schemas.page import Page
from bellek.schemas.proposal import Proposal
from bellek.schemas.task import Task
from bellek.schemas.worldview import Worldview

Body = Annotated[
    Claim | Lesson | Event | Page | Entity | EntityField | Worldview | Task | LogEntry | Proposal | Conflict,
    Field(discriminator="kind"),
]
Origin = Literal["user", "agent", "inferred", "tool", "web", "pasted", "file"]
Tier = Literal["-", "T1", "T2"]
Status = Literal["current", "contested", "superseded", "closed", "hidden", "quarantined", "refused"]


class Source(BaseModel):
    """Where a row comes from: the queue item and the message that carried it ('' where there was none)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    item: str = ""
    conversation: str = ""
    message: str = ""


class Memory(BaseModel):
    """One memory. Scope is project × agent × session, ``*`` for any; `said_at` is the content's time in UTC milliseconds.

    `note` says why a row is quarantined or refused. `let_in` is a person's word that a row of an origin which is never
    injected (tool, web, pasted) may be told; it stays T1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: str = Field(min_length=3)
    project: str = Field(min_length=1)
    agent: str = Field(min_length=1)
    session: str = Field(min_length=1)
    origin: Origin
    tier: Tier
    status: Status = "current"
    text: str = Field(min_length=1)
    said_at: int = Field(ge=0)
    offset_minutes: int = Field(default=0, ge=-1080, le=1080)
    batch: str = Field(min_length=1)
    body: Body
    sources: tuple[Source, ...] = ()
    note: str = ""
    let_in: bool = False

    def canonical(self) -> str:
        """The one JSON form of this value: keys in order of the class, no spaces."""
        return self.model_dump_json()
