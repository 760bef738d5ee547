"""A curator's answer → rows of verdicts, whatever a model wrote around them: prose, fences, one object a line.

It must never repair a broken value, and never pass over one: an answer of which a part cannot be read is refused whole,
since an item that the lost part cites would else count as answered.
"""

import json
import re
from typing import Any

from bellek.schemas.errors import Refused

_START = re.compile(r"[\[{]")
_OPEN = re.compile(r"\[\s*\{\s*\"")  # the beginning of a list of objects: where it does not decode, its end was lost
_MEANT = re.compile(r"[\[{]\s*[\[{\"]")  # JSON was meant here: braces in prose hold bare words
_SHAPE = ("verdict", "verdicts")
HINT = "give a JSON array of verdicts; `bellek apply --schema` shows their shape"


def read_rows(text: str) -> list[object]:
    """The verdicts of an answer, in order. Raises Refused with the place of what is not JSON."""
    try:
        return _rows(_parsed(text))
    except ValueError as exc:
        found = _lines(text) or _scanned(text)
        if not found:
            raise Refused("the verdicts are not JSON", why=_where(exc), hint=HINT) from exc
        return found
    except RecursionError as exc:
        raise Refused("the verdicts are not JSON", why="they are nested without end", hint=HINT) from exc


def _parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_without_twins)


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose key stands twice would keep the last one without a word."""
    found = dict(pairs)
    if len(found) != len(pairs):
        twin = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise Refused(
            f"the verdicts are not clear: the key {twin[:40]!r} stands twice in one object",
            why="which one holds is not said",
            hint=HINT,
        )
    return found


def _rows(value: Any) -> list[object]:
    if isinstance(value, dict):
        value = value.get("verdicts", [value])
    return value if isinstance(value, list) else [value]


def _lines(text: str) -> list[object]:
    """One object a line, or nothing."""
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        return [row for line in lines for row in _rows(_parsed(line))] if len(lines) > 1 else []
    except ValueError:
        return []


def _scanned(text: str) -> list[object]:
    """The verdicts among prose: each array or object that decodes and holds verdicts, in order. Raises Refused for one cut or broken."""
    decoder = json.JSONDecoder(object_pairs_hook=_without_twins)
    rows: list[object] = []
    rest: list[str] = []
    at, done, cut, place = 0, 0, False, ""
    while (start := _START.search(text, at)) is not None:
        try:
            value, end = decoder.raw_decode(text, start.start())
        except ValueError as exc:
            at, cut = start.end(), cut or bool(_OPEN.match(text, start.start()))
            place = place or (_where(exc) if _MEANT.match(text, start.start()) else "")
            continue
        if _holds_verdicts(value):
            rows += _rows(value)
            rest.append(text[done : start.start()])
            done = end
        at = end
    rest.append(text[done:])
    if cut or any('"verdict"' in part for part in rest):
        raise Refused(
            "a part of the verdicts is not JSON",
            why=f"{place}: {len(rows)} could be read, and something else looks like one".removeprefix(": "),
            hint=HINT,
        )
    return rows


def object_with(text: str, key: str) -> dict[str, Any] | None:
    """The first JSON object of an answer that holds a key, whatever stands around it; None where none decodes."""
    decoder = json.JSONDecoder(object_pairs_hook=_without_twins)
    for start in _START.finditer(text):
        try:
            value, _ = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError, Refused):
            continue
        if isinstance(value, dict) and key in value:
            return value
    return None


def _holds_verdicts(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(one, dict) and any(key in one for key in _SHAPE) for one in value)
    return isinstance(value, dict) and any(key in value for key in _SHAPE)


def _where(exc: ValueError) -> str:
    return f"line {exc.lineno}, column {exc.colno}" if isinstance(exc, json.JSONDecodeError) else "a number is too long"
