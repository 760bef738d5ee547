"""One finding of `doctor`: what, how bad, why, and the command to run next. Shared by the rooms that look."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """`state` is OK, WARN or FAIL; only FAIL makes the command fail."""

    name: str
    state: str
    what: str
    why: str = ""
    next: str = ""
