"""``profile-fact``: a YAML body about somebody or something → entity, fields and the claims that the fields state.

YAML 1.1 guesses (NO → false, 1.10 → 1.1, 12:30:00 → 45000), so every scalar is text here. Duplicate keys are refused
with both lines, anchors, aliases and tags with theirs: a fact needs none. It must never make an entity out of a broken
body, and never let what the body says about its own source raise anybody's trust.
"""

from dataclasses import dataclass

import yaml

from bellek.curator.profile_text import Repair, labels_as_text, repaired
from bellek.kg import names
from bellek.schemas.errors import Refused

TOP = ("entity", "type", "source", "aliases", "fields")
DEPTH = 6  # of nested mappings: a profile is flat, and a thousand open braces are an accident
HINT = "correct the marker's YAML and say it again"


@dataclass(frozen=True, slots=True)
class ProfileFact:
    """One body. A field has one value or, written as a list, several; nested fields have dotted names (`state.note`).

    `source` is what the body says of itself. `repairs` tells which lines were read otherwise than YAML would have.
    """

    entity: str
    type: str
    source: str
    aliases: tuple[str, ...]
    fields: tuple[tuple[str, tuple[str, ...]], ...]
    repairs: tuple[Repair, ...]


@dataclass(frozen=True, slots=True)
class _Text:
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class _List:
    items: "tuple[_Node, ...]"
    line: int


@dataclass(frozen=True, slots=True)
class _Map:
    entries: "tuple[tuple[_Text, _Node], ...]"
    line: int


_Node = _Text | _List | _Map


def parse(body: str) -> ProfileFact:
    """Read a body. Raises Refused with line and column (both from 1) where it is broken YAML or names no entity."""
    text, repairs = repaired(labels_as_text(body))
    root = _load(text)
    if not isinstance(root, _Map):
        raise Refused(
            "profile-fact: line 1, column 1: the body is no mapping", why="it needs `entity: NAME`", hint=HINT
        )
    top = {names.snake(key.value): node for key, node in root.entries}
    entity = top.get("entity")
    if not isinstance(entity, _Text) or not entity.value.strip():
        line = entity.line if entity else 1
        raise Refused(
            f"profile-fact: line {line}, column 1: no entity is named", why="`entity: NAME` is required", hint=HINT
        )
    nested = [entry for key, node in root.entries if names.snake(key.value) == "fields" for entry in _fields("", node)]
    beside = [
        entry for key, node in root.entries if names.snake(key.value) not in TOP for entry in _fields(key.value, node)
    ]
    return ProfileFact(
        entity.value.strip(),
        _word(top.get("type"), "unknown"),
        _word(top.get("source"), "agent"),
        _values(top["aliases"]) if "aliases" in top else (),
        _once(nested + beside),
        tuple(repairs),
    )


def _word(node: _Node | None, otherwise: str) -> str:
    return node.value.strip() if isinstance(node, _Text) and node.value.strip() else otherwise


def _fields(prefix: str, node: _Node) -> list[tuple[str, tuple[str, ...], int]]:
    """(dotted name, values, line) of everything below a node; an empty value says nothing and is left out."""
    if isinstance(node, _Map):
        dot = f"{prefix}." if prefix else ""
        return [entry for key, inner in node.entries for entry in _fields(dot + key.value.strip(), inner)]
    values = _values(node)
    return [(prefix, values, node.line)] if prefix and values else []


def _values(node: _Node) -> tuple[str, ...]:
    match node:
        case _Text(value=value):
            return (value.strip(),) if value.strip() else ()
        case _List(items=items):
            return tuple(value for item in items for value in _values(item))
        case _Map(entries=entries):
            return tuple(f"{key.value.strip()}: {value}" for key, inner in entries for value in _values(inner))


def _once(found: list[tuple[str, tuple[str, ...], int]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """`state.note` and `state: {note: …}` are one field: said twice it is refused like any other key."""
    lines: dict[str, int] = {}
    for name, _, line in found:
        _claim_key(lines, name, line, 1)
    return tuple((name, values) for name, values, _ in found)


def _claim_key(lines: dict[str, int], name: str, line: int, column: int) -> None:
    key = names.snake(name) or name
    if key in lines:
        raise Refused(
            f"profile-fact: line {line}, column {column}: the key {name[:60]!r} stands already on line {lines[key]}",
            why="which of the two holds cannot be told",
            hint=HINT,
        )
    lines[key] = line


def _load(text: str) -> _Node:
    """The body as plain nodes. The events of the parser are read, so that nothing is resolved, guessed or merged."""
    try:
        events = list(yaml.parse(text, Loader=yaml.BaseLoader))
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "line 1, column 1"
        raise Refused(
            f"profile-fact: {where}: {exc.problem or 'broken YAML'}", why="the body is not YAML", hint=HINT
        ) from exc
    except yaml.YAMLError as exc:  # a character that YAML does not allow, such as NUL
        place = getattr(exc, "position", 0)
        line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        raise Refused(f"profile-fact: line {line}, column {column}: a character that YAML forbids", hint=HINT) from exc
    except RecursionError as exc:
        raise _at(1, 1, "nested too deep") from exc
    inner = [e for e in events if not isinstance(e, yaml.StreamStartEvent | yaml.StreamEndEvent | yaml.DocumentStartEvent | yaml.DocumentEndEvent)]  # fmt: skip
    if sum(isinstance(event, yaml.DocumentStartEvent) for event in events) != 1:
        raise _at(1, 1, "one YAML document is needed")
    return _Builder(inner).node(DEPTH)


def _at(line: int, column: int, what: str) -> Refused:
    return Refused(f"profile-fact: line {line}, column {column}: {what}", why="a fact is plain YAML", hint=HINT)


class _Builder:
    """Events of one document → nodes, with a limit of depth."""

    __slots__ = ("_events",)

    def __init__(self, events: list[yaml.Event]) -> None:
        self._events = iter(events)

    def node(self, depth: int) -> _Node:
        """The next node; the events must hold one."""
        return self._build(next(self._events), depth)

    def _build(self, event: yaml.Event, depth: int) -> _Node:
        mark = event.start_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _at(line, column, "anchors and aliases are not allowed")
        if getattr(event, "tag", None):
            raise _at(line, column, "tags are not allowed")
        if not depth:
            raise _at(line, column, "nested too deep")
        match event:
            case yaml.ScalarEvent():
                return _Text(str(event.value), line)
            case yaml.SequenceStartEvent():
                return _List(tuple(self._until(yaml.SequenceEndEvent, depth - 1)), line)
            case _:
                flat = list(self._until(yaml.MappingEndEvent, depth - 1))
                return _Map(_entries(flat[::2], flat[1::2]), line)

    def _until(self, end: type[yaml.Event], depth: int) -> list[_Node]:
        found = []
        while not isinstance(event := next(self._events), end):
            found.append(self._build(event, depth))
        return found


def _entries(keys: list[_Node], values: list[_Node]) -> tuple[tuple[_Text, _Node], ...]:
    lines: dict[str, int] = {}
    entries = []
    for key, value in zip(keys, values, strict=True):
        if not isinstance(key, _Text) or not key.value.strip():
            raise _at(key.line, 1, "a key must be text")
        _claim_key(lines, key.value, key.line, 1)
        entries.append((key, value))
    return tuple(entries)
