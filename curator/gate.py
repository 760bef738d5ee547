"""The consolidation gate: whether enough was said, and long enough ago, for T0 to be made into T1. Not the person's gate.

Pure but for two selects. It must never open for what is of no known project, and never look at a clock of its own: the
caller says what time it is.
"""

from dataclasses import dataclass

from bellek.kg import clock, digested, observations
from bellek.kg.db import Database
from bellek.schemas.settings import Profile

RECORDS = 3
HOURS = 6
HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Gate:
    """What a project's gate saw: records that wait, milliseconds since the last sleep (or since the oldest record), open or not."""

    project: str
    records: int
    waited_ms: int
    is_open: bool


def opens(records: int, waited_ms: int, profile: Profile) -> bool:
    """R48: three records and six hours; in the profile `companion` after each turn that said something."""
    if profile == "companion":
        return records > 0
    return records >= RECORDS and waited_ms >= HOURS * HOUR_MS


def look(db: Database, profile: Profile, *, now: int | None = None) -> list[Gate]:
    """The gate of every project in which records wait. Six hours count from the last sleep, else from the oldest record."""
    at = clock.now() if now is None else now
    slept = digested.slept_at(db)
    found = []
    for project, (records, oldest) in observations.counts(db).items():
        waited = at - slept.get(project, oldest)
        found.append(Gate(project, records, waited, opens(records, waited, profile)))
    return found
