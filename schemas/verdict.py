"""What a curator may answer: a closed union. Its JSON Schema is what a model is given (`bellek apply --schema`).

Each verdict cites the queue items it answers and the messages that are its evidence. Who said it, its tier and its scope
are not in a verdict: the harness stamps them.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from bellek.schemas.claim import Category
from bellek.schemas.event import Mood
from bellek.schemas.lesson import LearningKind
from bellek.schemas.log import EntryType
from bellek.schemas.proposal import Structure

Importance = Literal["low", "medium", "high", "critical"]


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class NewClaim(_Shape):
    """A fact. `quote` must stand verbatim in the cited message (the first of `evidence`, unless `message` names another)."""

    kind: Literal["claim"]
    category: Category
    subject: str = Field(min_length=1, max_length=200, description='a name; the person is "user"')
    predicate: str = Field(min_length=1, max_length=80)
    object: str = Field(min_length=1, max_length=2000)
    confidence: float = Field(ge=0.0, le=1.0, allow_inf_nan=False)
    quote: str = Field(min_length=1, max_length=4000)
    message: str = ""
    valid_from: str = Field(
        default="", description="ISO date or time (the writer's zone) since when it holds; empty: since it was said"
    )
    note: str = ""


class NewLesson(_Shape):
    """Something learned, with its reason in the text."""

    kind: Literal["lesson"]
    text: str = Field(min_length=1, max_length=4000)
    topic: str = Field(default="", max_length=80)
    learning: LearningKind
    importance: Importance = "medium"


class NewEvent(_Shape):
    """Something that happened; `day` (YYYY-MM-DD) where it was not the day on which it was said; `mood` only where it was shown."""

    kind: Literal["event"]
    text: str = Field(min_length=1, max_length=4000)
    topic: str = Field(default="", max_length=80)
    day: str = Field(default="", pattern=r"^(\d{4}-\d{2}-\d{2})?$")
    mood: Mood = ""


class NewTask(_Shape):
    """Something to do."""

    kind: Literal["task"]
    text: str = Field(min_length=1, max_length=1000)


class NewPage(_Shape):
    """The whole new text of a topic's page: it replaces the old one, or is merged into it line by line."""

    kind: Literal["page"]
    topic: str = Field(min_length=1, max_length=80)
    title: str = Field(min_length=1, max_length=200)
    text: str = Field(min_length=1, max_length=20000)
    how: Literal["replace", "merge"] = "merge"
    agent: str = Field(
        default="",
        pattern=r"^([a-z0-9]+(-[a-z0-9]+)*)?$",
        max_length=40,
        description="whose knowledge it is, where it belongs to one agent",
    )


class NewEntity(_Shape):
    """Somebody or something with a name, or the id of one that is known; `fields` are names and values, all text.

    `another`: somebody else than whoever has this name already.
    """

    kind: Literal["entity"]
    name: str = Field(min_length=1, max_length=200)
    type: str = Field(default="unknown", min_length=1, max_length=60)
    aliases: list[str] = []
    fields: dict[str, str] = {}
    another: bool = False


class NewLogEntry(_Shape):
    """One line for the other agents of the project; a decision needs its reason."""

    kind: Literal["log"]
    type: EntryType
    text: str = Field(min_length=1, max_length=500)
    reason: str = ""


NewMemory = Annotated[
    NewClaim | NewLesson | NewEvent | NewTask | NewPage | NewEntity | NewLogEntry, Field(discriminator="kind")
]


class _Verdict(_Shape):
    items: list[str] = Field(default=[], description="ids of the queue items that this answers")
    evidence: list[str] = Field(default=[], description="ids of the messages that show it")


class Write(_Verdict):
    """Keep something new."""

    verdict: Literal["write"]
    memory: NewMemory


class Absorb(_Verdict):
    """It is known already: count the sighting."""

    verdict: Literal["absorb"]
    into: str


class Improve(_Verdict):
    """Known, but better said now: a new text for a row that a machine wrote."""

    verdict: Literal["improve"]
    id: str
    text: str = Field(min_length=1, max_length=20000)


class Drop(_Verdict):
    """Not worth keeping; the reason is recorded."""

    verdict: Literal["drop"]
    reason: str = Field(min_length=1, max_length=400)


class OpenConflict(_Verdict):
    """Two claims contradict each other although no predicate says so."""

    verdict: Literal["open_conflict"]
    left: str
    right: str
    reason: str = Field(min_length=1, max_length=400)


class ResolveConflict(_Verdict):
    """Decide an open conflict: a winner, or both true in a scope each (`winner` empty, `reason` says which)."""

    verdict: Literal["resolve_conflict"]
    conflict: str
    winner: str = ""
    reason: str = Field(min_length=1, max_length=400)


class Outcome(_Verdict):
    """A message shows how a known lesson fared: it was followed and held (`applied`), or it was not or did not (`violated`)."""

    verdict: Literal["outcome"]
    id: str
    result: Literal["applied", "violated"]


class Propose(_Verdict):
    """A structural change: it waits for the person's answer."""

    verdict: Literal["propose"]
    structure: Structure
    title: str = Field(min_length=1, max_length=200)
    text: str = Field(min_length=1, max_length=20000)


Verdict = Annotated[
    Write | Absorb | Improve | Drop | OpenConflict | ResolveConflict | Outcome | Propose, Field(discriminator="verdict")
]
VERDICT: TypeAdapter[Verdict] = TypeAdapter(Verdict)
VERDICTS: TypeAdapter[list[Verdict]] = TypeAdapter(list[Verdict])


class Receipt(BaseModel):
    """What became of one verdict: rows written, why it was refused, from when on they can be read (ISO 8601)."""

    model_config = ConfigDict(frozen=True)
    n: int
    state: Literal[
        "written",
        "absorbed",
        "improved",
        "dropped",
        "opened",
        "resolved",
        "proposed",
        "noted",
        "already",
        "refused",
        "quarantined",
    ]
    ids: tuple[str, ...] = ()
    readable_at: str = ""
    reason: str = ""
