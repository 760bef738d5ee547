"""Values that YAML would cut or refuse although everybody reads them as text: put in quotes before the parser sees them.

One rule, and each use of it is told: on a line ``key: value`` whose plain value holds ``: `` or a word with ``#`` before
it, or begins with a sign that no plain value may begin with (``@ ` %``), the whole rest of the line is the value; ``# ``
with a blank behind it stays a comment. Without it
``note: JWT: 7 days`` is no YAML at all, ``channel: #general`` is null, and ``issue: fix #42`` loses its number. It must
never touch a quoted, block or flow value, and never change how many lines there are.
"""

import json
import re
from dataclasses import dataclass

_HASH = re.compile(r"(?<!\S)#\S")
_COLON = re.compile(r":[ \t]")
_QUOTED = "'\""
_NOT_PLAIN = "'\"[{|>&*!"
_NOT_KEY = "'\"[]{}#&*!|>%@`"
_HEADER = re.compile(r"[|>][-+0-9]*\s*(#.*)?\Z")


@dataclass(frozen=True, slots=True)
class Repair:
    """On this line (from 1) the value of a key was taken as text to the line's end."""

    line: int
    key: str


def repaired(body: str) -> tuple[str, list[Repair]]:
    """The body with such values in quotes, and where that was done."""
    lines = body.split("\n")
    repairs: list[Repair] = []
    block = -1  # indentation of the key whose block scalar we are in, -1 outside
    closing = ""  # the quotation mark that ends a value of several lines
    for n, line in enumerate(lines):
        indent = len(line) - len(line.lstrip(" "))
        if closing:
            closing = "" if closing in line else closing
            continue
        if block >= 0 and (not line.strip() or indent > block):
            continue
        block = -1
        colon = _COLON.search(line)
        key, value = (line[: colon.start()], line[colon.end() :].strip()) if colon else (line, "")
        if not value or not key.strip() or key.lstrip()[0] in _NOT_KEY or " #" in key:
            continue
        if _HEADER.match(value):
            block = indent
        elif value[0] in _QUOTED:
            closing = value[0] if value.count(value[0]) % 2 else ""
        elif value[0] not in _NOT_PLAIN and _cut(value):
            lines[n] = f"{key}: {json.dumps(value, ensure_ascii=False)}"
            repairs.append(Repair(n + 1, key.strip(" -")))
    return "\n".join(lines), repairs


def _cut(value: str) -> bool:
    return ": " in value or value.endswith(":") or value[0] in "@`%" or _HASH.search(value) is not None


def labels_as_text(body: str) -> str:
    """A body in which what redaction left for a whole value, key or list item is text: a bare ``[…]`` would be a list to YAML."""
    return _LABEL.sub(r'"\1"', body) if "[redacted:" in body else body


_LABEL = re.compile(
    r"(?:(?<=: )|(?<=- )|(?<=\[)|(?<=, )|(?<=^)|(?<=\n)|(?<=  ))(\[redacted:[a-z0-9-]{1,24}\])(?=[ \t]*(?:$|\n|[,\]:]))"
)
