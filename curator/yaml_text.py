"""YAML read as text: what profile facts and the front matter of files hold, and nothing that YAML 1.1 guesses.

NO is not false, 1.10 is not 1.1, 12:30:00 is no number: every scalar is text. Duplicate keys are refused with both lines,
anchors, aliases and tags with theirs. It must never resolve, merge or guess a value, and never quote more of a text than a key.
"""

from dataclasses import dataclass

import yaml

from bellek.kg import names
from bellek.schemas.errors import Refused

DEPTH = 6  # of nested mappings: a profile is flat, and a thousand open braces are an accident


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar as it is written, and its line from 1."""

    value: str
    line: int


@dataclass(frozen=True, slots=True)
class List:
    """A sequence."""

    items: "tuple[Node, ...]"
    line: int


@dataclass(frozen=True, slots=True)
class Map:
    """A mapping; its keys are text."""

    entries: "tuple[tuple[Text, Node], ...]"
    line: int


Node = Text | List | Map


@dataclass(frozen=True, slots=True)
class About:
    """How a fault is told: what the text is, why it is held so strictly, and what to do."""

    name: str
    why: str
    hint: str

    def at(self, line: int, column: int, what: str, *, why: str = "") -> Refused:
        """The fault of a place."""
        return Refused(f"{self.name}: line {line}, column {column}: {what}", why=why or self.why, hint=self.hint)


def claim_key(lines: dict[str, int], name: str, line: int, column: int, about: About, *, same: str = "") -> None:
    """Note on which line a key stands; `same` is its normal form. Raises Refused where it stands already."""
    key = same or name
    if key in lines:
        what = f"the key {name[:60]!r} stands already on line {lines[key]}"
        raise about.at(line, column, what, why="which of the two holds cannot be told")
    lines[key] = line


def load(text: str, about: About) -> Node:
    """A text as plain nodes. The events of the parser are read, so that nothing is resolved, guessed or merged. Raises Refused."""
    try:
        events = list(yaml.parse(text, Loader=yaml.BaseLoader))
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise about.at(line, column, exc.problem or "broken YAML", why="the body is not YAML") from exc
    except yaml.YAMLError as exc:  # a character that YAML does not allow, such as NUL
        place = getattr(exc, "position", 0)
        line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        raise about.at(line, column, "a character that YAML forbids") from exc
    except RecursionError as exc:
        raise about.at(1, 1, "nested too deep") from exc
    inner = [e for e in events if not isinstance(e, yaml.StreamStartEvent | yaml.StreamEndEvent | yaml.DocumentStartEvent | yaml.DocumentEndEvent)]  # fmt: skip
    if sum(isinstance(event, yaml.DocumentStartEvent) for event in events) != 1:
        raise about.at(1, 1, "one YAML document is needed")
    return _Builder(inner, about).node(DEPTH)


def values(text: str, *, about: str) -> "dict[str, str | tuple[str, ...]]":
    """The top-level keys of front matter with their texts; a nested value is none of ours and is left out. Raises Refused."""
    if not text.strip():
        return {}
    told = About(about, "front matter is plain YAML", "correct the lines between the two `---`")
    root = load(text, told)
    if not isinstance(root, Map):
        raise told.at(1, 1, "it is no mapping")
    found: dict[str, str | tuple[str, ...]] = {}
    for key, node in root.entries:
        match node:
            case Text(value=value):
                found[key.value] = value
            case List(items=items):
                found[key.value] = tuple(one.value for one in items if isinstance(one, Text))
            case Map():
                pass
    return found


class _Builder:
    """Events of one document → nodes, with a limit of depth."""

    __slots__ = ("_about", "_events")

    def __init__(self, events: list[yaml.Event], about: About) -> None:
        self._events = iter(events)
        self._about = about

    def node(self, depth: int) -> Node:
        """The next node; the events must hold one."""
        return self._build(next(self._events), depth)

    def _build(self, event: yaml.Event, depth: int) -> Node:
        mark = event.start_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise self._about.at(line, column, "anchors and aliases are not allowed")
        if getattr(event, "tag", None):
            raise self._about.at(line, column, "tags are not allowed")
        if not depth:
            raise self._about.at(line, column, "nested too deep")
        match event:
            case yaml.ScalarEvent():
                return Text(str(event.value), line)
            case yaml.SequenceStartEvent():
                return List(tuple(self._until(yaml.SequenceEndEvent, depth - 1)), line)
            case _:
                flat = list(self._until(yaml.MappingEndEvent, depth - 1))
                return Map(self._entries(flat[::2], flat[1::2]), line)

    def _until(self, end: type[yaml.Event], depth: int) -> list[Node]:
        found = []
        while not isinstance(event := next(self._events), end):
            found.append(self._build(event, depth))
        return found

    def _entries(self, keys: list[Node], values: list[Node]) -> tuple[tuple[Text, Node], ...]:
        lines: dict[str, int] = {}
        entries = []
        for key, value in zip(keys, values, strict=True):
            if not isinstance(key, Text) or not key.value.strip():
                raise self._about.at(key.line, 1, "a key must be text")
            claim_key(lines, key.value, key.line, 1, self._about, same=names.snake(key.value))
            entries.append((key, value))
        return tuple(entries)
