"""``--since`` and ``--until``: an ISO date or instant, or a date as people say it, in either language."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import typer

from bellek.cli.place import typed
from bellek.cli.screen import one_line
from bellek.kg import clock, dates
from bellek.kg.dates import Span
from bellek.schemas.errors import UsageFault

SinceOption = Annotated[
    str, typer.Option("--since", metavar="DATE", help="From then on: 2026-03-14, 'geçen salı', 'three weeks ago'.")
]
UntilOption = Annotated[str, typer.Option("--until", metavar="DATE", help="Until then, that day included.")]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Instants in UTC milliseconds (`since` ≤ t < `until`, None for open) and the days they lie on ("" for open)."""

    since: int | None
    until: int | None
    first_day: str
    last_day: str


def bounds(since: str, until: str) -> Bounds:
    """Parse both options. Raises UsageFault for words that are no date, and for an end before the beginning."""
    low, high = _bound("--since", since), _bound("--until", until)
    if low and high and low.start >= high.end:
        raise UsageFault("--until lies before --since", why=f"{high.last} comes before {low.first}")
    return Bounds(
        low.start if low else None,
        high.end if high else None,
        str(low.first) if low else "",
        str(high.last) if high else "",
    )


def _bound(option: str, text: str) -> Span | None:
    words = typed(text).strip()
    if not words:
        return None
    span = _instant(words) or dates.one(words, now=clock.now())
    if span is None:
        raise UsageFault(
            f"{option} {one_line(words, 40)!r} is no date",
            why="no rule reads it",
            hint="give for example 2026-03-14, 'geçen salı' or 'three weeks ago'",
        )
    return span


def _instant(text: str) -> Span | None:
    """An ISO 8601 instant with a time of day; without an offset it is the person's own time. Inclusive as `--until`."""
    if len(text) <= len("2026-03-14"):
        return None
    try:
        at = datetime.fromisoformat(text)
        moment = int(at.timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return None
    return Span(at.date(), at.date(), moment, moment + 1, narrows=True, phrase=text, at=(0, len(text)))
