"""Front matter: how a file of the vault says what it is, and what of it is somebody else's.

Pure. Values are written as double-quoted YAML, whatever they hold, so that no reader takes one for a number, a date or a
switch. Keys that are not ours are handed back as the very lines in which they stand: they belong to whoever wrote them. It
must never be used to read a value: `curator.yaml_text` does that, strictly.
"""

import json
import re
from dataclasses import dataclass

FENCE = "---"
KEYS = (
    "id", "name", "description", "type", "kind", "tier", "status", "importance", "category", "topic", "aliases", "project", "said", "date",
    "sources", "links", "tags", "edits",
)  # fmt: skip
_TOP_KEY = re.compile(r"""(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s#"'\-\[\]{},&*!|>%@`?:][^:#]*?))\s*:(?:\s|$)""")
_BREAKS = {ord(c): f"\\u{ord(c):04x}" for c in "\x7f\x85\u2028\u2029\ufeff"}  # line breaks and marks to a YAML reader


@dataclass(frozen=True, slots=True)
class Parts:
    """A file in two: the lines between the fences (None where it has no front matter), and the body behind them."""

    front: str | None
    body: str


def scalar(value: str) -> str:
    """A text as double-quoted YAML on one line."""
    if value.isprintable():
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return json.dumps(value, ensure_ascii=False).translate(_BREAKS)


def written(values: "dict[str, str | tuple[str, ...]]", foreign: str = "") -> str:
    """The front matter of these values in the order of KEYS, empty ones left out, then the foreign lines as they stood."""
    lines = []
    for key in KEYS:
        value = values.get(key, "")
        if isinstance(value, tuple):
            lines += [f"{key}:", *(f"  - {scalar(one)}" for one in value)] if value else []
        elif value:
            lines.append(f"{key}: {scalar(value)}")
    return f"{FENCE}\n" + "\n".join(lines) + f"\n{foreign}{FENCE}\n"


def split(text: str) -> Parts:
    """A file's text in its parts. A fence that is never closed is no front matter."""
    if not text.startswith(FENCE + "\n"):
        return Parts(None, text)
    end = text.find(f"\n{FENCE}\n", len(FENCE))
    if end < 0:
        return (
            Parts(text[len(FENCE) + 1 : -len(FENCE) - 1] + "\n", "")
            if text.endswith(f"\n{FENCE}")
            else Parts(None, text)
        )
    return Parts(text[len(FENCE) + 1 : end + 1], text[end + len(FENCE) + 2 :])


def blocks(front: str) -> "list[tuple[str, str]]":
    """(key, its lines) of each top-level key, in order; lines before the first have the key "". All of them joined are `front`."""
    found: list[tuple[str, str]] = []
    for line in front.splitlines(keepends=True) if "\r" not in front and "\u2028" not in front else _lines(front):
        key = _TOP_KEY.match(line)
        if key or not found:
            found.append(((key[1] or key[2] or key[3] or "").strip() if key else "", line))
        else:
            found[-1] = (found[-1][0], found[-1][1] + line)
    return found


def _lines(text: str) -> list[str]:
    return [line + "\n" for line in text.removesuffix("\n").split("\n")]


def foreign(front: str) -> str:
    """The lines of keys that are not ours, as they stand."""
    return "".join(lines for key, lines in blocks(front) if key not in KEYS)


def ours(front: str) -> str:
    """The lines of our own keys, as they stand: what an export wrote, if nobody changed them."""
    return "".join(lines for key, lines in blocks(front) if key in KEYS)
