"""A channel of markers, as its manifest declares it, and what is wrong with a manifest that declares none.

Plain values: hearing reads them after every turn, and a validation library would be most of its start-up.
"""

import re
from dataclasses import dataclass
from typing import Literal, get_args

Drain = Literal["learning", "task", "profile-fact", "none"]
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")  # kebab-case: what a marker can spell in any case
LONGEST = {"name": 40, "drain": 40, "rule": 400, "describes": 400}  # letters; a rule goes out with every signal


@dataclass(frozen=True, slots=True)
class Channel:
    """`drain` says how draining without a model treats its items ("none": they wait); `rule` is what the signal says to do."""

    name: str
    drain: Drain
    rule: str
    describes: str


def fault_in(values: dict[str, object]) -> tuple[str, str] | None:
    """The first key of a manifest that is off, and why; None where the four keys make a channel. Values are not quoted."""
    for key, longest in LONGEST.items():
        if key not in values:
            return key, f"the key {key} is missing"
        value = values[key]
        if not isinstance(value, str):
            return key, f"{key}: it is not text"
        if not 1 <= len(value) <= longest:
            return key, f"{key}: it has {len(value)} letters and may have 1 to {longest}"
    if not NAME.fullmatch(str(values["name"])):
        return "name", "name is not kebab-case: small letters and digits, parted by single hyphens"
    if values["drain"] not in get_args(Drain):
        return "drain", f"drain: it is none of {', '.join(get_args(Drain))}"
    unknown = next((key for key in values if key not in LONGEST), None)
    return (unknown, f"the key {unknown[:40]} is unknown; the keys are {', '.join(LONGEST)}") if unknown else None


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
