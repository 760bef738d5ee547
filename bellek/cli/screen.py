"""How a command speaks: UTF-8 bytes whatever the locale, stored text never as markup or control, one JSON value with --json.

It must never print stored text that did not go through `visible`: an escape sequence in a memory would reach the terminal.
"""

import json
import sys
import unicodedata
from typing import Any

from bellek.kg.redact import redact

# Controls, invisible format characters, surrogates, private use, line ends.
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
_KEPT = frozenset("\n\t\u200c\u200d")  # joiners of Persian and Indic words and of family emoji hide nothing


def visible(text: str) -> str:
    """The text with every control, direction and invisible character spelled out; the same rule on screen and in JSON."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in _KEPT or unicodedata.category(c) not in _HIDDEN else _spelled(c) for c in text)


def hides(char: str) -> bool:
    """Whether a character cannot be seen, kept ones (joiners) included; line breaks and tabs apart."""
    return char not in "\n\t" and unicodedata.category(char) in _HIDDEN


def _spelled(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def one_line(text: str, width: int = 200) -> str:
    """Stored text on one line of at most `width` characters."""
    flat = " ".join(visible(text).split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def say(*lines: str) -> None:
    """Print lines to standard output as UTF-8."""
    _write(sys.stdout, "".join(line + "\n" for line in lines))


def complain(line: str) -> None:
    """Print a line to standard error as UTF-8, redacted: it may quote what was typed, a file or a path, and ends up in logs."""
    _write(sys.stderr, visible(redact(line)) + "\n")


def _write(stream: Any, text: str) -> None:
    """The locale's own encoding could refuse an emoji and kill the command (cp1252, LC_ALL=C)."""
    data = text.encode("utf-8", "backslashreplace")
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        stream.write(text)
    else:
        buffer.write(data)
    stream.flush()


def say_json(value: Any) -> None:
    """Print one JSON value and nothing else."""
    say(json.dumps(_shown(value), ensure_ascii=False, indent=2))


def _shown(value: Any) -> Any:
    match value:
        case str():
            return visible(value)
        case dict():
            return {_shown(key): _shown(item) for key, item in value.items()}
        case list() | tuple():
            return [_shown(item) for item in value]
        case _:
            return value
