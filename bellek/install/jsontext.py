"""Edits of JSON text that keep every other byte: the standard library's parser says what is there, spans say where.

Pure. A member is put behind the last one with the file's own line end, indent and separators; taking it away again gives
back the text as it was. It must never edit text that strict JSON does not allow (comments, trailing commas, NaN), nor
text in which a key stands twice: readers disagree about which of the two counts.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

Steps = tuple[str | int, ...]
"""Keys and indices from the root down; ``()`` is the root."""

_BLANK: Final = " \t\r\n"
_DEFAULT_UNIT: Final = "  "  # what the client itself writes
_LONGEST_INT: Final = 18  # digits; int() refuses numbers of thousands of digits, and no number here is ours to judge
_CONSTANTS: Final = ("NaN", "Infinity", "-Infinity")


class Broken(ValueError):
    """The text is not JSON that can be edited. ``line`` and ``column`` count from 1, in characters."""

    def __init__(self, text: str, at: int, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)


class _Doubtful(ValueError):
    """A double key or a constant that JSON does not have; the walk finds where."""


@dataclass(frozen=True, slots=True)
class Member:
    """One entry of a container: where its key (or, in an array, its value) starts, and where its value lies."""

    key: str | None
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class Container:
    """An object or array: the places of its two brackets and its entries in order."""

    opening: int
    members: tuple[Member, ...]
    closing: int


@dataclass(frozen=True, slots=True)
class _Style:
    """How a file is written. ``unit`` is one step of indent, None where the whole file stands on one line."""

    newline: str
    unit: str | None
    colon: str
    after_comma: str


def parsed(text: str) -> Any:
    """The value of ``text``; integers of more than 18 digits stay as written.

    :raises Broken: not strict JSON, or a key stands twice in one object.
    """
    try:
        return _STRICT.decode(text)
    except json.JSONDecodeError as fault:
        raise _explained(text, fault) from fault
    except _Doubtful as fault:
        raise _located(text) from fault
    except RecursionError as fault:
        raise Broken(text, 0, "it is nested too deeply to be read") from fault


def container(text: str, path: Steps) -> Container:
    """The object or array at ``path`` of valid ``text``."""
    at = _skipped(text, 0)
    for step in path:
        at = member(_container_at(text, at), step).value
    return _container_at(text, at)


def member(box: Container, step: str | int) -> Member:
    """The entry of ``box`` with that key or index.

    :raises KeyError: there is none.
    """
    if isinstance(step, int):
        return box.members[step]
    for entry in box.members:
        if entry.key == step:
            return entry
    raise KeyError(step)


def interior(text: str, path: Steps) -> str | None:
    """The blanks inside the container at ``path`` if it is empty, else None."""
    box = container(text, path)
    return None if box.members else text[box.opening + 1 : box.closing]


def appended(text: str, path: Steps, key: str | None, value: object) -> str:
    """``text`` with ``value`` as the last entry of the container at ``path`` (``key`` is None for an array)."""
    box = container(text, path)
    style = _style(text)
    gap = _gap(text, box, len(path), style)
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + style.colon
    entry = gap + name + _written(value, gap, style)
    if box.members:
        at = box.members[-1].end
        return f"{text[:at]},{entry}{text[at:]}"
    tail = style.newline + (style.unit or "") * len(path) if "\n" in gap else ""
    return text[: box.opening + 1] + entry + tail + text[box.closing :]


def without(text: str, path: Steps, blanks: str = "") -> str:
    """``text`` without the entry at ``path``; a container that is emptied by it gets ``blanks`` as its interior."""
    box = container(text, path[:-1])
    gone = member(box, path[-1])
    place = box.members.index(gone)
    if len(box.members) == 1:
        return text[: box.opening + 1] + blanks + text[box.closing :]
    if place == 0:
        return text[: gone.start] + text[box.members[1].start :]
    return text[: box.members[place - 1].end] + text[gone.end :]


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _LONGEST_INT else digits


def _no_constant(name: str) -> None:
    raise _Doubtful(name)


def _single_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Doubtful
    return found


_STRICT: Final = json.JSONDecoder(parse_int=_integer, parse_constant=_no_constant, object_pairs_hook=_single_keys)
_LENIENT: Final = json.JSONDecoder(parse_int=_integer)  # for spans: says where a value ends, judges nothing


def _skipped(text: str, at: int) -> int:
    while text[at] in _BLANK:
        at += 1
    return at


def _container_at(text: str, at: int) -> Container:
    keyed = text[at] == "{"
    entries: list[Member] = []
    place = _skipped(text, at + 1)
    while text[place] not in "}]":
        start, key = place, None
        if keyed:
            key, place = _LENIENT.raw_decode(text, place)
            place = _skipped(text, _skipped(text, place) + 1)  # over the colon
        _, end = _LENIENT.raw_decode(text, place)
        entries.append(Member(key, start, place, end))
        place = _skipped(text, end)
        if text[place] == ",":
            place = _skipped(text, place + 1)
    return Container(at, tuple(entries), place)


def _style(text: str) -> _Style:
    newline = "\r\n" if "\r\n" in text else "\n"
    box = container(text, ())
    if not box.members:
        return _Style(newline, _DEFAULT_UNIT, ": ", " ")
    first = box.members[0]
    lead = text[box.opening + 1 : first.start]
    unit = lead.rpartition("\n")[2] if "\n" in lead else None
    spaced = text[first.value - 1] in _BLANK
    return _Style(newline, unit, ": " if spaced else ":", " " if spaced else "")


def _gap(text: str, box: Container, depth: int, style: _Style) -> str:
    """What stands between a comma and the entry after it in this container."""
    if not box.members:
        return "" if style.unit is None else style.newline + style.unit * (depth + 1)
    last = box.members[-1]
    before = box.members[-2].end if len(box.members) > 1 else box.opening
    lead = text[before : last.start].lstrip(_BLANK)[1:]  # behind the comma or the bracket
    if "\n" in lead:
        return style.newline + lead.rpartition("\n")[2]
    return lead or style.after_comma


def _written(value: object, gap: str, style: _Style) -> str:
    if "\n" not in gap:
        return json.dumps(value, ensure_ascii=False, separators=("," + style.after_comma, style.colon))
    unit = _DEFAULT_UNIT if style.unit is None else style.unit
    lines = json.dumps(value, ensure_ascii=False, indent=unit, separators=(",", style.colon))
    return lines.replace("\n", style.newline + gap.rpartition("\n")[2])


def _explained(text: str, fault: json.JSONDecodeError) -> Broken:
    at = fault.pos
    while at < len(text) and text[at] in _BLANK:
        at += 1
    before = text[: fault.pos].rstrip(_BLANK)[-1:]
    if text.startswith(("//", "/*"), at):
        return Broken(text, at, "a comment stands there, which JSON does not have")
    if "trailing comma" in fault.msg or (before == "," and text[at : at + 1] in {"}", "]"}):  # newer Pythons say it
        return Broken(text, at, "a comma stands before the closing bracket")
    if at >= len(text):
        return Broken(text, len(text), "the text ends too early")
    return Broken(text, fault.pos, fault.msg[:1].lower() + fault.msg[1:])


def _located(text: str) -> Broken:
    """The first double key or foreign constant of a text that is JSON otherwise."""
    start = _skipped(text, 0)
    for at in (start, *_values(text, start)):
        if text.startswith(_CONSTANTS, at):
            return Broken(text, at, "a number stands there that JSON does not have")
        if text[at] != "{":
            continue
        seen: set[str | None] = set()
        for entry in _container_at(text, at).members:
            if entry.key in seen:
                return Broken(text, entry.start, f"the key {json.dumps(entry.key, ensure_ascii=False)} stands twice")
            seen.add(entry.key)
    return Broken(text, 0, "a key stands twice")  # unreachable while both decoders agree


def _values(text: str, at: int) -> Iterator[int]:
    waiting = [at]
    while waiting:
        place = waiting.pop()
        if text[place] in "{[":
            inner = [entry.value for entry in _container_at(text, place).members]
            yield from inner
            waiting.extend(inner)
