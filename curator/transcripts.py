"""Reads what is new in an append-only JSONL file, and remembers how far it came.

What it is for: the hearing child asks for the new lines of a transcript and stores the cursor of each batch in the same
transaction as what it made of it. Memory stays flat in the file's size: fixed chunks, and a line is held only up to a
cap. It must never know a client's JSON, never move past a line that may still grow, and never be needed for
correctness: message ids keep a second reading from doubling anything, so every doubt ends in reading from the start.
"""

import hashlib
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from bellek.schemas.conversation import Cursor, Damaged, Unreadable

CHUNK = 1 << 20  # bytes a read and a batch
LINE_CAP = 64 << 20  # bytes of one line; pasted images make lines of some megabytes, nothing said is longer
PREFIX = 1024  # bytes that tell one transcript from another: the first line holds ids and times
FINE_NS = 20_000_000  # a file's time moves with the kernel's tick, at most 10 ms; twice that is safe
COARSE_NS = 2_000_000_000  # where times are whole seconds (some network and removable disks)


class Line(NamedTuple):
    """A complete line without its newline; ``number`` counts from 1, ``offset`` is the byte where it begins."""

    number: int
    offset: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class Batch:
    """Some complete lines in order, those that were too long to hold, and where the file stands after both.

    One without lines tells where a file stands in which there was nothing to read but an unfinished line.
    """

    lines: tuple[Line, ...]
    damaged: tuple[Damaged, ...]
    cursor: Cursor


Reading: TypeAlias = Batch | Unreadable


def read_new(
    path: str, cursor: Cursor | None = None, *, chunk_size: int = CHUNK, line_cap: int = LINE_CAP
) -> Iterator[Reading]:
    """Yield the lines written since ``cursor``, about a chunk at a time; nothing where there is nothing new.

    Reads up to the length that the file has now, so that a busy writer cannot keep the pass alive. A file that is gone
    yields nothing; one that cannot be read yields Unreadable, also in the middle. The newline-less end is left for a
    later pass. A file that is not the one the cursor knew (device, inode, first bytes, the bytes before the cursor) or
    became shorter is read anew.
    """
    try:
        # Not blocking: a pipe somebody left under a transcript's name must not hold the pass.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    except OSError as fault:
        yield Unreadable(path, fault.strerror or type(fault).__name__)
        return
    try:
        yield from _read(path, descriptor, cursor, chunk_size, line_cap)
    except OSError as fault:
        yield Unreadable(path, fault.strerror or type(fault).__name__)
    finally:
        os.close(descriptor)


def _read(path: str, descriptor: int, cursor: Cursor | None, chunk_size: int, line_cap: int) -> Iterator[Reading]:
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode):
        yield Unreadable(path, "not a regular file")
        return
    changed_ns = _settled_time(state)
    head = os.pread(descriptor, PREFIX, 0)[: state.st_size]
    known = cursor if cursor is not None and _is_same(cursor, state, head, descriptor) else None
    splitter = _Splitter(known.offset, known.line, line_cap) if known is not None else _Splitter(0, 0, line_cap)

    def standing(changed_ns: int) -> Cursor:
        return Cursor(
            path=path,
            device=state.st_dev,
            inode=state.st_ino,
            prefix=_fingerprint(head),
            tail=_before(descriptor, splitter.offset),
            offset=splitter.offset,
            size=state.st_size,
            line=splitter.number,
            changed_ns=changed_ns,
        )

    place, latest = splitter.offset, cursor
    while place < state.st_size and (chunk := os.pread(descriptor, min(chunk_size, state.st_size - place), place)):
        place += len(chunk)
        lines, damaged = splitter.feed(chunk)
        if lines or damaged:
            latest = standing(changed_ns if place >= state.st_size else 0)
            yield Batch(lines, damaged, latest)
    if place >= state.st_size and (end := standing(changed_ns)) != latest:
        yield Batch((), (), end)


def _is_same(cursor: Cursor, state: os.stat_result, head: bytes, descriptor: int) -> bool:
    """Whether the file still is the one the cursor stood in, and only grew.

    Two places are hashed, its beginning and what lies before the cursor: a client that takes a message out of the file
    and goes on writing leaves the beginning as it was. A change between the two places alone is not noticed.
    """
    return (
        (cursor.device, cursor.inode) == (state.st_dev, state.st_ino)
        and state.st_size >= cursor.size
        and _fingerprint(head[: cursor.size]) == cursor.prefix
        and _before(descriptor, cursor.offset) == cursor.tail
    )


def _before(descriptor: int, offset: int) -> str:
    length = min(PREFIX, offset)
    return _fingerprint(os.pread(descriptor, length, offset - length))


def _fingerprint(part: bytes) -> str:
    return hashlib.blake2b(part, digest_size=16).hexdigest()


def _settled_time(state: os.stat_result) -> int:
    """The file's ctime, or 0 where it is so young that a change after this look could bear the same time."""
    step = COARSE_NS if state.st_ctime_ns % 1_000_000_000 == 0 else FINE_NS
    return state.st_ctime_ns if time.time_ns() - state.st_ctime_ns > step else 0


class _Splitter:
    """Cuts chunks into lines at the newline byte alone (U+2028 is part of a line) and holds the unfinished one up to a cap."""

    __slots__ = ("_cap", "_held", "_parts", "number", "offset")

    def __init__(self, offset: int, number: int, cap: int) -> None:
        self.offset = offset  # where the unfinished line begins
        self.number = number  # newlines before it
        self._parts: list[bytes] = []
        self._held = 0  # its bytes so far, kept or not
        self._cap = cap

    def feed(self, chunk: bytes) -> tuple[tuple[Line, ...], tuple[Damaged, ...]]:
        lines: list[Line] = []
        damaged: list[Damaged] = []
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self.number += 1
            if not self._held and len(piece) <= self._cap:  # nearly all lines: whole in one chunk
                lines.append(Line(self.number, self.offset, piece))
                self.offset += len(piece) + 1
                continue
            self._hold(piece)
            if self._held > self._cap:
                damaged.append(Damaged(self.number, self.offset, f"longer than {self._cap} bytes"))
            else:
                lines.append(Line(self.number, self.offset, b"".join(self._parts)))
            self.offset += self._held + 1
            self._parts.clear()
            self._held = 0
        self._hold(rest)
        return tuple(lines), tuple(damaged)

    def _hold(self, piece: bytes) -> None:
        self._held += len(piece)
        if self._held > self._cap:
            self._parts.clear()
        elif piece:
            self._parts.append(piece)
