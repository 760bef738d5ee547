"""The client's own permission rules: what it refuses to an agent, and what our background agents may run unasked.

A client with such rules stops a person's verbs one step before our gate does; they are a help, not the gate, since a
command can be written in a hundred ways. Pure: text in, text out. It must never take away, move or double a rule that stood
there before: what was added is named in the receipt, and that alone is taken back.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bellek.install import jsontext
from bellek.install.settings import Interiors, Unfit, dropped
from bellek.schemas.gate import GATE, needs_person

KEY = "permissions"
LISTS = ("allow", "deny")

# What the agents that an install lays down are told to run, as their commands begin; all of it reads, or writes T1 rows.
AGENTS_RUN = (
    "queue take", "search", "apply", "sweep next", "sweep done", "conversations search",
)  # fmt: skip
BY_NAME = ("bellek", "python -m bellek", "python3 -m bellek")  # how else a shell may start a person's verbs

Rules = Mapping[str, tuple[str, ...]]
"""List of the client's (``allow``, ``deny``) → rules."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """The settings text with our rules, those of them that were not there before us, and what takes them back."""

    text: str
    added: Rules
    interiors: Interiors


def wanted(program: str) -> Rules:
    """The rules of a machine on which ``program`` runs bellek: a person's verbs denied, our agents' commands allowed."""
    verbs = [verb for verb in GATE if needs_person(verb)]
    return {
        "allow": tuple(f"Bash({program} {verb}:*)" for verb in AGENTS_RUN),
        "deny": tuple(f"Bash({start} {verb}:*)" for start in (program, *BY_NAME) for verb in verbs),
    }


def known_by_form(text: str) -> Rules:
    """Rules of ours by the form in which they are written, for whatever interpreter and home: where the receipt is gone."""
    data = jsontext.parsed(text)
    verbs = "|".join(re.escape(verb) for verb in {*AGENTS_RUN, *GATE})
    starts = "|".join(re.escape(start) for start in BY_NAME)
    form = re.compile(rf"Bash\((?:{starts}|'[^\n]+' -I '[^\n]+/bellek/__main__\.py' --home '[^\n]+') (?:{verbs}):\*\)")
    return {
        name: tuple(rule for rule in _rules(data, name) if isinstance(rule, str) and form.fullmatch(rule))
        for name in LISTS
    }


def settled(text: str, rules: Rules, ours: Rules) -> bool:
    """Whether all rules stand there already, and none of ours that is not wanted any more."""
    data = jsontext.parsed(text)
    return all(
        set(rules[name]) <= set(_rules(data, name)) and set(ours.get(name, ())) <= set(rules[name]) for name in LISTS
    )


def with_rules(text: str, rules: Rules) -> Ruled:
    """``text`` with each rule once. Raises jsontext.Broken, Unfit."""
    added: dict[str, tuple[str, ...]] = {}
    interiors: dict[str, str] = {}
    for name in LISTS:
        data = jsontext.parsed(text)
        _check(data, name)
        added[name] = tuple(rule for rule in rules[name] if rule not in _rules(data, name))
        if added[name]:
            text = _entered(text, data, name, added[name], interiors)
    return Ruled(text, added, interiors)


def without_rules(text: str, ours: Rules, interiors: Interiors) -> str:
    """``text`` without the rules that an install added; what a person took away meanwhile is gone already."""
    for name in LISTS:
        for rule in ours.get(name, ()):
            there = _rules(jsontext.parsed(text), name)
            if rule in there:
                text = dropped(text, (KEY, name, len(there) - 1 - there[::-1].index(rule)), interiors)
    return text


def _check(data: Any, name: str) -> None:
    if not isinstance(data, dict):
        raise Unfit("the file does not hold an object")
    if not isinstance(data.get(KEY, {}), dict):
        raise Unfit(f'"{KEY}" does not hold an object')
    if not isinstance(data.get(KEY, {}).get(name, []), list):
        raise Unfit(f'"{KEY}.{name}" does not hold an array')


def _rules(data: Any, name: str) -> list[Any]:
    held = data.get(KEY) if isinstance(data, dict) else None
    found = held.get(name) if isinstance(held, dict) else None
    return found if isinstance(found, list) else []


def _entered(text: str, data: Any, name: str, rules: tuple[str, ...], interiors: dict[str, str]) -> str:
    if KEY not in data:
        return jsontext.appended(text, (), KEY, {name: list(rules)})
    if name not in data[KEY]:
        _note(text, (KEY,), interiors)
        return jsontext.appended(text, (KEY,), name, list(rules))
    _note(text, (KEY, name), interiors)
    for rule in rules:
        text = jsontext.appended(text, (KEY, name), None, rule)
    return text


def _note(text: str, path: jsontext.Steps, interiors: dict[str, str]) -> None:
    """A container that was empty before us is to be empty again."""
    blanks = jsontext.interior(text, path)
    if blanks is not None:
        interiors[".".join(map(str, path))] = blanks
