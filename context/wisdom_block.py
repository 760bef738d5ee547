"""WISDOM as a block of text for a file that others read (AGENTS.md and the like): the same store gives the same bytes.

The block stands between two marks; the first holds a checksum of what lies between. It must never change a byte outside the
marks, and never take an edit between them for somebody's word: it is overwritten, and the caller is told.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from bellek.context.packet import HEADS, render
from bellek.schemas.errors import Refused
from bellek.schemas.packet import Line

BEGIN = "<!-- bellek:wisdom "
END = "<!-- /bellek:wisdom -->"
NOTE = "Compiled by `bellek wisdom --to`; edits here are overwritten. Change a lesson instead: `bellek lessons list`."


@dataclass(frozen=True, slots=True)
class Put:
    """A file's new text; whether the block was edited by hand since it was written, and whether anything changes."""

    text: str
    edited: bool
    changed: bool


def block(lanes: Sequence[Sequence[Line]]) -> str:
    """The whole block with its marks; "" where no lane has a line."""
    parts = [f"## {HEADS[lines[0].section]}\n" + "\n".join(render(one, changed=False) for one in lines) for lines in lanes if lines]  # fmt: skip
    if not parts:
        return ""
    inner = "\n".join([NOTE, *parts])
    return f"{BEGIN}{_sum(inner)} -->\n{inner}\n{END}"


def put(text: str, new: str) -> Put:
    """A file's text with the block in its old place, else at its end; without a block (`new` is "") the old one goes."""
    begin = text.find(BEGIN)
    end = text.find(END, begin) if begin >= 0 else -1
    if begin >= 0 > end:
        raise Refused(
            "the block has no end", why=f"the line {END} is gone", hint="put it back, or delete the block's first line"
        )
    if begin < 0:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return Put(f"{text}{gap}{new}\n" if new else text, edited=False, changed=bool(new))
    old = text[begin : end + len(END)]
    rest = text[end + len(END) :]
    whole = text[:begin] + new + rest
    return Put(whole, edited=_edited(old), changed=whole != text)


def _edited(old: str) -> bool:
    head, _, inner = old.removesuffix(END).partition(" -->\n")
    return head.removeprefix(BEGIN) != _sum(inner.removesuffix("\n"))


def _sum(inner: str) -> str:
    return hashlib.blake2b(inner.encode(), digest_size=8).hexdigest()
