"""What one line of a client's transcript says, as a closed union, and where a reader of transcripts stands.

What it is for: every client adapter answers with these values and nothing else, so that the rooms behind it never see
a client's own JSON. It must never do I/O, import a third-party package, or hold anything but text, numbers and names:
images, thinking and tool output have no place here.
"""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Author: TypeAlias = Literal["user", "assistant"]
Origin: TypeAlias = Literal["user", "agent", "inferred", "tool", "web", "pasted", "file"]

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # SQLite refuses lone surrogates and counts text only up to a NUL


def storable(text: str) -> str:
    """Give the same text with every NUL and every lone surrogate replaced by U+FFFD, one for one.

    JSON may spell both as escapes; a store may keep neither. Everything else comes back as it was.
    """
    if text.isascii() and "\x00" not in text:
        return text
    return _UNSTORABLE.sub("\ufffd", text)


@dataclass(frozen=True, slots=True)
class ToolPath:
    """A tool was called with a path: the tool's name as the client spells it, the path as the model wrote it."""

    tool: str
    path: str


@dataclass(frozen=True, slots=True)
class Said:
    """One line in which somebody speaks: all its text blocks joined by newlines, never thinking or tool output.

    ``id`` is the client's own message id, the same in a fork's copy; where a line carries none, a hash of session and
    bytes. ``typed`` holds only where the client marks the line as typed by a person; ``machine`` marks prompts that a
    program sent. Both are False where an old client does not tell, and then ``origin`` claims no more than "agent".
    ``at`` is UTC milliseconds, 0 where the line tells no time; ``offset_minutes`` is the writer's distance from UTC,
    None where it is not told. ``cwd`` is this line's own folder, "" if unknown. ``paths`` repeats the line's tool calls.
    """

    id: str
    session: str
    parent: str | None
    author: Author
    origin: Origin
    typed: bool
    machine: bool
    text: str
    at: int
    offset_minutes: int | None
    cwd: str
    agent: str
    sidechain: bool
    paths: tuple[ToolPath, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call; ``path`` is "" where it names none. ``id`` is the call's own, ``message`` the line it stands in; times as in Said."""

    id: str
    message: str
    session: str
    at: int
    cwd: str
    tool: str
    path: str


@dataclass(frozen=True, slots=True)
class PacketSeen:
    """One of our packets stands in what the model of this session was given."""

    packet: str
    session: str
    at: int


@dataclass(frozen=True, slots=True)
class Compacted:
    """The client dropped what came before from the model's view; every packet has to be shown anew."""

    session: str
    at: int


@dataclass(frozen=True, slots=True)
class Damaged:
    """A line that cannot be read. ``line_number`` counts from 1, ``byte_offset`` is where the line begins.

    ``why`` never quotes the line: it has not passed redaction.
    """

    line_number: int
    byte_offset: int
    why: str


Event: TypeAlias = Said | ToolUse | PacketSeen | Compacted | Damaged


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """A transcript on disk. ``session`` is "" and ``agent`` None where the file's place does not tell.

    ``agent`` names the subagent whose file this is (its type, else its id); None is the main agent. ``size`` is bytes.
    ``changed_ns`` is the file's ctime in nanoseconds: unlike mtime it cannot be set back by whoever wrote the file.
    """

    path: str
    session: str
    agent: str | None
    size: int
    changed_ns: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A path that could not be listed or read, and the operating system's reason."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a file has been heard. Only a saving of work: message ids are what keeps things from doubling.

    ``prefix`` is a hash of the first ``min(1024, size)`` bytes, ``tail`` one of the last ``min(1024, offset)`` bytes
    before ``offset``, and ``size`` the file's length at that time; with device and inode they tell whether this is still
    the same file. ``offset`` is the byte after the last newline that was read, ``line`` the number of newlines before
    it. ``changed_ns`` is the file's ctime where it was read to its end, 0 while there is more to read or where it changed
    so recently that a later change could bear the same time.
    """

    path: str
    device: int
    inode: int
    prefix: str
    tail: str
    offset: int
    size: int
    line: int
    changed_ns: int
