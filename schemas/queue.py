"""What the queue takes in and hands out: plain values, no table."""

from dataclasses import dataclass
from typing import Literal

ItemState = Literal["pending", "taken", "dead"]
Outcome = Literal["queued", "twin", "known", "current", "never"]


@dataclass(frozen=True, slots=True)
class Sighting:
    """One marker as it was heard. `payload` is unredacted here: the queue hashes it, redacts it, and stores the latter."""

    project: str
    agent: str
    session: str
    channel: str
    payload: str
    origin: str
    message: str
    position: int
    said_at: int
    offset_minutes: int


@dataclass(frozen=True, slots=True)
class Item(Sighting):
    """One waiting item: what was heard, its payload redacted. Times are UTC milliseconds; `generation` must be given back to
    acknowledge it.
    """

    id: str
    generation: int
    enqueued_at: int
    sightings: int
    state: ItemState
    attempts: int
    reason: str
