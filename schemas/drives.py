"""DRIVES: what an agent is drawn to. What the days are about raises them, silence fades them, and months move them. Pure.

The whole history is a count of messages a day and drive; a value is a fold over the days, so it is the same however often it
is worked out. It must never change what is trusted, recalled or told as a fact.
"""

from collections.abc import Iterator, Mapping
from math import exp2

DRIVES = ("care", "curiosity", "mastery", "protection", "beauty", "creativity")

REST = 0.2  # where a drive begins, and where silence brings it back
STEP = 0.01  # the most that a day moves a drive: from rest to the middle takes two months of days full of it
FULL = 5  # messages of a day from which on it counts as full
HALF_LIFE_DAYS = 90.0  # of a drive that nothing touches

Touches = Mapping[int, Mapping[str, int]]  # day (days since 1970) → drive → messages that touched it


def next_day(value: float, touched: int) -> float:
    """A drive's value a day later: it fades toward rest, and what touched it raises the room that is left. |change| ≤ STEP."""
    faded = REST + (value - REST) * exp2(-1.0 / HALF_LIFE_DAYS)
    raised = STEP * min(1.0, touched / FULL) * (1.0 - value)
    return min(1.0, max(0.0, min(value + STEP, max(value - STEP, faded + raised))))


def over(touches: Touches, until: int) -> Iterator[tuple[int, dict[str, float]]]:
    """(day, drive → value at its end), each day from the first touched one to `until`."""
    values = dict.fromkeys(DRIVES, REST)
    for day in range(min(touches, default=until), until + 1):
        of_day = touches.get(day, {})
        values = {name: next_day(value, of_day.get(name, 0)) for name, value in values.items()}
        yield day, values


def at(touches: Touches, day: int) -> dict[str, float]:
    """Drive → value at the end of a day (days since 1970)."""
    found = dict.fromkeys(DRIVES, REST)
    for _, found in over(touches, day):  # noqa: B007  the last one
        pass
    return found
