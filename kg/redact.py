"""Take secrets out of text before it is kept anywhere.

``redact`` puts a stable label such as ``[redacted:aws-key]`` where a secret stood, so that the sentence around it stays
readable and two copies of it stay equal. What is evidence (UUIDs, commit hashes, checksums, names of variables) stays.
It must never judge by entropy, never take longer than linear time, and never let the secret itself into an error.
Importing it compiles nothing. It is a filter for what people and tools write by accident, not proof against hiding.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from bellek.kg.secret_forms import forms, structures
from bellek.kg.secret_names import fold, is_reference, mentions, named, names_secret
from bellek.kg.secret_numbers import numbers
from bellek.kg.secret_shapes import Span, compiled, headers, shaped

if TYPE_CHECKING:
    import re

_PASSES = 4  # a label can make a value of what was none; in practice the second pass finds nothing
# JSON's escape of a printable ASCII character. Nobody writes one by hand, and a secret can hide behind it.
_ESCAPED_ASCII = r"\\u00([2-7][0-9A-Fa-f])"


def redact(text: str) -> str:
    r"""``text`` with each secret replaced by ``[redacted:KIND]``; the same object where there is none.

    ``redact(redact(x)) == redact(x)``. Where a secret is spelt with JSON's ``\u00XX`` escapes, those of the whole text
    are decoded as well.
    """
    for _ in range(_PASSES):
        found = secrets_in(text)
        if not found and "\\u00" in text:
            decoded = compiled(_ESCAPED_ASCII).sub(_character, text)
            found = secrets_in(decoded)
            text = decoded if found else text
        if not found:
            break
        text = _labelled(text, found)
    return text


def secrets_in(text: str) -> list[Span]:
    """The secrets of ``text`` as (start, end, kind), in order and without overlap; where two rules meet, the first names it."""
    folded = fold(text)
    found = [*shaped(text), *headers(text, folded), *forms(text), *numbers(text)]
    found = [span for span in found if not is_reference(text[span[0] : span[1]])]
    if mentions(folded):
        found += structures(text)
        found += named(text, folded)
    return _merged(_beside_labels(text, found) if "[redacted:" in text else found)


def _beside_labels(text: str, found: list[Span]) -> list[Span]:
    """Spans that begin in a label are none (``[redacted:x]`` looks like a name and a value); one that ends in it takes it whole."""
    labels = [m.span() for m in compiled(r"\[redacted:[a-z0-9-]{1,24}\]").finditer(text)]
    starts = [start for start, _ in labels]

    def around(place: int) -> tuple[int, int]:
        at = bisect_right(starts, place) - 1
        return labels[at] if at >= 0 and place < labels[at][1] else (place, place)

    kept = []
    for start, end, kind in found:
        low, high = around(start)
        if high > start and (low < start or end < high):
            continue
        kept.append((start, max(end, around(end - 1)[1]) if around(end - 1)[0] < end - 1 else end, kind))
    return kept


def redact_json_value(value: object) -> object:
    """A parsed JSON value with the strings in it redacted, after decoding; containers are new, other values the same.

    A string under a key that says secret goes whole, whatever its shape. Keys themselves are redacted as text; of two
    that become equal, the later entry is kept.
    """
    root: list[object] = [value]
    waiting: list[list[object] | dict[str, object]] = [root]
    while waiting:
        container = waiting.pop()
        items = list(container.items()) if isinstance(container, dict) else list(enumerate(container))
        if isinstance(container, dict):
            container.clear()
        for key, item in items:
            new = _redacted_item(key, item)
            if isinstance(new, dict | list):
                waiting.append(new)
            if isinstance(container, dict):
                container[redact(str(key))] = new
            else:
                container[int(key)] = new
    return root[0]


def _redacted_item(key: object, item: object) -> object:
    """A copy of ``item`` one level deep: the caller goes on with what is inside."""
    if isinstance(item, dict):
        return dict(item)
    if isinstance(item, list):
        return list(item)
    if not isinstance(item, str):
        return item
    if isinstance(key, str) and item and names_secret(key) and not is_reference(item):
        return "[redacted:secret]"
    return redact(item)


def _character(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16))


def _labelled(text: str, found: list[Span]) -> str:
    parts: list[str] = []
    shown = 0
    for start, end, kind in found:
        parts += text[shown:start], f"[redacted:{kind}]"
        shown = end
    return "".join(parts) + text[shown:]


def _merged(found: list[Span]) -> list[Span]:
    """Overlapping spans joined; the kind is that of the rule that came first in ``found``."""
    merged: list[tuple[int, int, int, str]] = []
    for rank, (start, end, kind) in sorted(enumerate(found), key=lambda ranked: (ranked[1][0], ranked[0])):
        if merged and start < merged[-1][1]:
            first, last, best, name = merged[-1]
            merged[-1] = (first, max(last, end), *min((best, name), (rank, kind)))
        else:
            merged.append((start, end, rank, kind))
    return [(start, end, kind) for start, end, _, kind in merged]
