"""How every list of memories is printed: an array of objects with --json, else a line a row."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from bellek.cli.screen import one_line, say, say_json
from bellek.kg import clock


def show_rows(rows: Sequence[Any], form: Callable[[Any], str], *, json: bool, empty: str) -> None:
    """Rows are frozen values with `id`, `said_at` (UTC ms), `offset_minutes` and mostly `text`; `form` says what stands between."""
    if json:
        say_json([{**asdict(row), "said_at": clock.stamp(row.said_at, row.offset_minutes)} for row in rows])
        return
    say(*(f"{row.id}  {form(row)}  {one_line(getattr(row, 'text', ''))}".rstrip() for row in rows) if rows else [empty])
