"""``profile-fact``: a YAML body about somebody or something → entity, fields and the claims that the fields state.

YAML 1.1 guesses (NO → false, 1.10 → 1.1, 12:30:00 → 45000), so every scalar is text here. Duplicate keys are refused
with both lines, anchors, aliases and tags with theirs: a fact needs none. It must never make an entity out of a broken
body, and never let what the body says about its own source raise anybody's trust.
"""

from dataclasses import dataclass

from bellek.curator.profile_text import Repair, labels_as_text, repaired
from bellek.curator.yaml_text import About, List, Map, Node, Text, claim_key, load
from bellek.kg import names
from bellek.schemas.errors import Refused

TOP = ("entity", "type", "source", "aliases", "fields")
HINT = "correct the marker's YAML and say it again"
ABOUT = About("profile-fact", "a fact is plain YAML", HINT)


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


def parse(body: str) -> ProfileFact:
    """Read a body. Raises Refused with line and column (both from 1) where it is broken YAML or names no entity."""
    text, repairs = repaired(labels_as_text(body))
    root = load(text, ABOUT)
    if not isinstance(root, Map):
        raise Refused(
            "profile-fact: line 1, column 1: the body is no mapping", why="it needs `entity: NAME`", hint=HINT
        )
    top = {names.snake(key.value): node for key, node in root.entries}
    entity = top.get("entity")
    if not isinstance(entity, Text) or not entity.value.strip():
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


def _word(node: Node | None, otherwise: str) -> str:
    return node.value.strip() if isinstance(node, Text) and node.value.strip() else otherwise


def _fields(prefix: str, node: Node) -> list[tuple[str, tuple[str, ...], int]]:
    """(dotted name, values, line) of everything below a node; an empty value says nothing and is left out."""
    if isinstance(node, Map):
        dot = f"{prefix}." if prefix else ""
        return [entry for key, inner in node.entries for entry in _fields(dot + key.value.strip(), inner)]
    values = _values(node)
    return [(prefix, values, node.line)] if prefix and values else []


def _values(node: Node) -> tuple[str, ...]:
    match node:
        case Text(value=value):
            return (value.strip(),) if value.strip() else ()
        case List(items=items):
            return tuple(value for item in items for value in _values(item))
        case Map(entries=entries):
            return tuple(f"{key.value.strip()}: {value}" for key, inner in entries for value in _values(inner))


def _once(found: list[tuple[str, tuple[str, ...], int]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """`state.note` and `state: {note: …}` are one field: said twice it is refused like any other key."""
    lines: dict[str, int] = {}
    for name, _, line in found:
        claim_key(lines, name, line, 1, ABOUT, same=names.snake(name))
    return tuple((name, values) for name, values, _ in found)
