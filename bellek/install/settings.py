"""What our entries in a Claude Code settings file are: found by the form of their command, added, taken away.

Pure: text in, text out. It must never touch a foreign hook or another key, and refuses (with the snippet to paste)
rather than guess at a shape that it does not know.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bellek.install import jsontext
from bellek.install.command import OwnCommand, recognised
from bellek.install.target import CLIENT
from bellek.schemas.errors import Refused

HOOKS = "hooks"
UTF8_BOM = b"\xef\xbb\xbf"

Wanted = Mapping[str, Mapping[str, str | int]]
"""Event → hook object."""

Interiors = Mapping[str, str]
"""Containers that were empty before we came, by place (``""``, ``hooks``, ``hooks.Stop``): the blanks inside them."""


@dataclass(frozen=True, slots=True)
class OwnEntry:
    """One hook of ours: the event and place it stands at, its command as written and in parts, its whole object."""

    event: str
    group: int
    index: int
    command: str
    parts: OwnCommand
    hook: Mapping[str, Any]
    matcher: str


@dataclass(frozen=True, slots=True)
class Edit:
    """The settings text after an edit, with what is needed to take it back and what was done."""

    text: str
    interiors: Interiors
    added: tuple[str, ...]
    removed: tuple[str, ...]


class Unfit(ValueError):
    """The settings are JSON, but not of the shape in which hooks can be entered."""


def decoded(raw: bytes) -> tuple[bytes, str]:
    """The byte order mark (or nothing) and the text behind it, line ends as they are.

    :raises jsontext.Broken: the bytes are not UTF-8.
    """
    mark = UTF8_BOM if raw.startswith(UTF8_BOM) else b""
    body = raw[len(mark) :]
    try:
        return mark, body.decode()
    except UnicodeDecodeError as fault:
        sound = body[: fault.start].decode()
        raise jsontext.Broken(sound, len(sound), "the bytes there are not UTF-8") from fault


def own_entries(data: object, client: str = CLIENT) -> tuple[OwnEntry, ...]:
    """All hooks of ours for a client in parsed settings, in file order; odd shapes around them are passed over."""
    hooks = data.get(HOOKS) if isinstance(data, dict) else None
    if not isinstance(hooks, dict):
        return ()
    return tuple(entry for event, groups in hooks.items() for entry in _in_event(event, groups, client))


def bound_edit(text: str, wanted: Wanted, interiors: Interiors, client: str = CLIENT) -> Edit:
    """``text`` with each hook of ``wanted`` exactly once; unchanged if that is so already.

    Otherwise all of ours go first and are entered anew behind what others have, so that what is needed to take them
    back is always told from the state before us. ``interiors`` is what the last edit told.

    :raises jsontext.Broken: no JSON to edit.
    :raises Unfit: hooks cannot be entered in this shape.
    """
    entries = own_entries(jsontext.parsed(text), client)
    if _settled(entries, wanted):
        return Edit(text, interiors, (), ())
    bare = unbound_edit(text, interiors, client).text
    edit = _entered(bare, wanted)
    kept = {(entry.event, entry.command) for entry in entries}
    new = {(event, str(hook["command"])) for event, hook in wanted.items()}
    return _checked(
        text,
        Edit(
            edit.text,
            edit.interiors,
            tuple(event for event, hook in wanted.items() if (event, hook["command"]) not in kept),
            tuple(entry.event for entry in entries if (entry.event, entry.command) not in new),
        ),
        client,
    )


def unbound_edit(text: str, interiors: Interiors, client: str = CLIENT) -> Edit:
    """``text`` without any hook of ours; containers that were empty before us are empty again, those we made are gone.

    :raises jsontext.Broken: no JSON to edit.
    """
    entries = own_entries(jsontext.parsed(text), client)
    after = text
    for entry in reversed(entries):  # from the back, so that the places in front stay true
        after = _dropped(after, entry, interiors)
    return _checked(text, Edit(after, {}, (), tuple(entry.event for entry in entries)), client)


def snippet(wanted: Wanted) -> str:
    """The JSON that a person can paste."""
    return json.dumps({HOOKS: {event: [_group(hook)] for event, hook in wanted.items()}}, indent=2, ensure_ascii=False)


def refusal(path: Path, fault: jsontext.Broken | Unfit, advice: str) -> Refused:
    """The error that names the file, the place and what a person can do; ``advice`` ends with the snippet, if any."""
    if isinstance(fault, jsontext.Broken):
        why = f"line {fault.line}, column {fault.column}: {fault.reason}"
    else:
        why = str(fault)
    return Refused(f"{path} cannot be edited safely; nothing was written", why=why, hint=advice)


def _in_event(event: str, groups: object, client: str) -> Iterator[OwnEntry]:
    for number, group in enumerate(groups if isinstance(groups, list) else ()):
        hooks = group.get(HOOKS) if isinstance(group, dict) else None
        for index, hook in enumerate(hooks if isinstance(hooks, list) else ()):
            command = hook.get("command") if isinstance(hook, dict) else None
            if isinstance(command, str) and (parts := recognised(command, client)) is not None:
                matcher = str(group.get("matcher") or "")
                yield OwnEntry(event, number, index, command, parts, hook, matcher)


def _settled(entries: tuple[OwnEntry, ...], wanted: Wanted) -> bool:
    have = sorted((entry.event, entry.command) for entry in entries)
    return have == sorted((event, str(hook["command"])) for event, hook in wanted.items())


def _group(hook: Mapping[str, str | int]) -> dict[str, Any]:
    return {HOOKS: [dict(hook)]}


def _entered(text: str, wanted: Wanted) -> Edit:
    data = jsontext.parsed(text)
    if not isinstance(data, dict):
        raise Unfit("the file does not hold an object")
    hooks = data.get(HOOKS)
    if HOOKS not in data:
        blanks = jsontext.interior(text, ())
        whole = {event: [_group(hook)] for event, hook in wanted.items()}
        interiors = {} if blanks is None else {"": blanks}
        return Edit(jsontext.appended(text, (), HOOKS, whole), interiors, tuple(wanted), ())
    if not isinstance(hooks, dict):
        raise Unfit(f'"{HOOKS}" does not hold an object')
    interiors = {}
    for event, hook in wanted.items():
        there = event in hooks
        if there and not isinstance(hooks[event], list):
            raise Unfit(f'"{HOOKS}.{event}" does not hold an array')
        path = (HOOKS, event) if there else (HOOKS,)
        blanks = jsontext.interior(text, path)
        if blanks is not None:
            interiors[".".join(path)] = blanks
        key, value = (None, _group(hook)) if there else (event, [_group(hook)])
        text = jsontext.appended(text, path, key, value)
    return Edit(text, interiors, tuple(wanted), ())


def _dropped(text: str, entry: OwnEntry, interiors: Interiors) -> str:
    group: jsontext.Steps = (HOOKS, entry.event, entry.group)
    return dropped(text, group if _last_of_group(text, group) else (*group, HOOKS, entry.index), interiors)


def dropped(text: str, path: jsontext.Steps, interiors: Interiors) -> str:
    """``text`` without the entry at ``path``, nor the containers that are emptied by it, unless ``interiors`` knows them."""
    while True:
        parent = path[:-1]
        place = ".".join(str(step) for step in parent)
        emptied = len(jsontext.container(text, parent).members) == 1
        if not emptied or not parent or place in interiors:
            return jsontext.without(text, path, interiors.get(place, ""))
        path = parent


def _last_of_group(text: str, group: jsontext.Steps) -> bool:
    return len(jsontext.container(text, (*group, HOOKS)).members) == 1


def _checked(before: str, edit: Edit, client: str) -> Edit:
    """The net under the text work: what is not ours must have come through with equal values."""
    if _foreign(jsontext.parsed(before), client) != _foreign(jsontext.parsed(edit.text), client):
        raise Unfit("the edit would have changed something that is not ours")
    return edit


def _foreign(data: Any, client: str) -> Any:
    """Parsed settings without our hooks and without the empty containers that their coming and going leaves or takes."""
    if not isinstance(data, dict) or not isinstance(data.get(HOOKS), dict):
        return data
    ours = {(entry.event, entry.group, entry.index) for entry in own_entries(data, client)}
    hooks: dict[str, Any] = {}
    for event, groups in data[HOOKS].items():
        left = _foreign_groups(event, groups, ours)
        if left != []:
            hooks[event] = left
    rest = {key: value for key, value in data.items() if key != HOOKS}
    return {**rest, HOOKS: hooks} if hooks else rest


def _foreign_groups(event: str, groups: Any, ours: set[tuple[str, int, int]]) -> Any:
    if not isinstance(groups, list):
        return groups
    left = []
    for number, group in enumerate(groups):
        hooks = group.get(HOOKS) if isinstance(group, dict) else None
        if not isinstance(hooks, list) or not any((event, number, index) in ours for index in range(len(hooks))):
            left.append(group)
            continue
        others = [hook for index, hook in enumerate(hooks) if (event, number, index) not in ours]
        if others:
            left.append({**group, HOOKS: others})
    return left
