"""What the scripted model answers: rules written by a test, and the choice of one for a request.

Pure functions and values; no socket and no file. A rule is chosen by the *last turn* of a request (everything after the
model's own last message), because clients append hook context after what the user typed. It must never look at the
clock or at chance: the same requests get the same answers.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

UNLIMITED = 0
FEW_TOKENS = 100
PIECE = 200  # characters a text delta: a longer reply arrives in several, as a real one does


@dataclass(frozen=True, slots=True)
class Text:
    """A text block of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A thinking block of the reply; clients store it, nothing may be learned from it."""

    thinking: str


@dataclass(frozen=True, slots=True)
class Tool:
    """A call of one of the client's own tools, e.g. ``Tool("Bash", {"command": "echo hi"})``."""

    tool: str
    input: Mapping[str, object]


Block = Text | Thinking | Tool


@dataclass(frozen=True, slots=True)
class Rule:
    """One scripted answer.

    ``says``: the blocks of the reply. ``last_has``: text that the last turn must hold; ``any_has``: text that the whole
    request must hold; ``tool_result``: whether the last turn must (or must not) hold a tool's result. ``times``: how
    often the rule may answer, ``UNLIMITED`` for always. ``hangs``: the request is recorded and never answered, so that
    a test can kill a client in the middle of its turn. ``input_tokens``: what the reply says the request cost; a client
    that is told of a nearly full window compacts by itself. ``piece``: characters a text delta; ``pause``: seconds
    before each, since a client that shows text as it comes gathers what came at once. ``copies``: what a model copies
    out of what it reads: ``«name»`` in a text or a tool's input becomes the first group of the pattern's last match in the request.
    """

    says: tuple[Block, ...]
    last_has: str = ""
    any_has: str = ""
    tool_result: bool | None = None
    times: int = 1
    hangs: bool = False
    input_tokens: int = FEW_TOKENS
    piece: int = PIECE
    pause: float = 0.0
    copies: Mapping[str, str] = field(default_factory=dict)


def reply(text: str, last_has: str = "", *, any_has: str = "", times: int = UNLIMITED) -> Rule:
    """The commonest rule: a plain text, as often as it is asked for."""
    return Rule((Text(text),), last_has=last_has, any_has=any_has, times=times)


OK = reply("ok")  # what an unmatched request gets: clients make background requests (titles, warm-up) of their own


def dump_rules(rules: Sequence[Rule]) -> str:
    """The rules as JSON for the server process; ``load_rules`` is its inverse."""
    return json.dumps([asdict(rule) for rule in rules], ensure_ascii=False)


def load_rules(text: str) -> list[Rule]:
    """Read what ``dump_rules`` wrote. Raises ``KeyError`` or ``TypeError`` where it is something else."""
    return [Rule(**{**row, "says": tuple(_block(block) for block in row["says"])}) for row in json.loads(text)]


def _block(row: dict[str, object]) -> Block:
    """A block from its JSON form, told apart by its first key."""
    if "text" in row:
        return Text(str(row["text"]))
    if "thinking" in row:
        return Thinking(str(row["thinking"]))
    given = row["input"]
    if not isinstance(given, dict):
        raise TypeError("a tool's input is an object")
    return Tool(str(row["tool"]), given)


def last_turn(body: Mapping[str, object]) -> list[object]:
    """The messages after the model's own last one, in order; all of them when the model has not spoken yet."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        return []
    spoken = [
        at for at, message in enumerate(messages) if isinstance(message, dict) and message.get("role") == "assistant"
    ]
    return messages[spoken[-1] + 1 :] if spoken else messages


def strings_in(value: object) -> list[str]:
    """Every string inside a JSON value, depth first, keys left out: text as it is, free of JSON's escapes."""
    match value:
        case str():
            return [value]
        case list():
            return [text for part in value for text in strings_in(part)]
        case dict():
            return [text for part in value.values() for text in strings_in(part)]
        case _:
            return []


def _holds_tool_result(turn: Sequence[object]) -> bool:
    """Whether a message of the turn carries a tool's result."""
    contents = [message.get("content") for message in turn if isinstance(message, dict)]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    return any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)


def matches(rule: Rule, body: Mapping[str, object]) -> bool:
    """Whether the rule answers this request (its count aside)."""
    turn = last_turn(body)
    if rule.tool_result is not None and rule.tool_result != _holds_tool_result(turn):
        return False
    if rule.last_has and not any(rule.last_has in text for text in strings_in(turn)):
        return False
    return not rule.any_has or any(rule.any_has in text for text in strings_in(dict(body)))


def copied(rule: Rule, body: Mapping[str, object]) -> Rule:
    """The rule with what it copies from this request. A pattern without a match leaves its ``«name»``, for a test to see."""
    read = "\n".join(strings_in(dict(body)))
    found = {name: matches[-1] for name, pattern in rule.copies.items() if (matches := re.findall(pattern, read))}

    def fill(value: object) -> object:
        if isinstance(value, str):
            for name, text in found.items():
                value = value.replace(f"«{name}»", text)
        return value

    def said(block: Block) -> Block:
        match block:
            case Tool():
                return replace(block, input={k: fill(v) for k, v in block.input.items()})
            case Text(text):
                return Text(str(fill(text)))
            case _:
                return block

    return replace(rule, says=tuple(said(block) for block in rule.says))


class Script:
    """The rules with their counts. Not thread safe: the server asks under its lock."""

    __slots__ = ("_rules", "_used")

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = list(rules)
        self._used = [0] * len(self._rules)

    def answer(self, body: Mapping[str, object]) -> Rule:
        """The first rule that matches and is not used up (its count goes up), else ``OK``."""
        for at, rule in enumerate(self._rules):
            if (rule.times == UNLIMITED or self._used[at] < rule.times) and matches(rule, body):
                self._used[at] += 1
                return copied(rule, body)
        return OK
