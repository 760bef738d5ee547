"""A channel of markers, as its manifest declares it, and what is wrong with a manifest that declares none."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Drain = Literal["learning", "task", "profile-fact", "none"]
NAME = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"  # kebab-case: what a marker can spell in any case


class Channel(BaseModel):
    """`drain` says how draining without a model treats its items ("none": they wait); `rule` is what the signal says to do."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    name: str = Field(pattern=NAME, max_length=40)
    drain: Drain
    rule: str = Field(min_length=1, max_length=400)
    describes: str = Field(min_length=1, max_length=400)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a manifest declares nothing. `line` counts from 1; `what` never quotes the file: it may hold anything."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.what}"


@dataclass(frozen=True, slots=True)
class Channels:
    """All declared channels by name, where each is declared, and the manifests that were refused."""

    declared: tuple[Channel, ...]
    places: dict[str, str]
    faults: tuple[Fault, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The declared names, in order."""
        return tuple(channel.name for channel in self.declared)

    def drain_of(self, name: str) -> Drain:
        """How a channel is drained; an undeclared one is not."""
        return next((channel.drain for channel in self.declared if channel.name == name), "none")

    def with_drain(self, drain: Drain) -> tuple[str, ...]:
        """The names of the channels that are drained so."""
        return tuple(channel.name for channel in self.declared if channel.drain == drain)
