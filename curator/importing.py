"""Conversations from a file: a client's transcript, or JSON lines, a message each, with the keys that `conversations show --json` prints.

What it is for: talk that hearing never saw. It must never store a message twice (the message's id decides), nor take a
file's word that a person typed something: only a client's own mark in its own transcript says so. Hidden marks are not
queued here; `tick --file` hears them.
"""

import os
from dataclasses import dataclass, field

from pydantic import ValidationError

from bellek.curator.capture import Ears
from bellek.curator.transcripts import LINE_CAP, Batch, Line, read_new
from bellek.kg import clock, conversations, forgotten, registry
from bellek.kg.conversations import Message
from bellek.kg.home import Home
from bellek.schemas.conversation import Damaged, Said, TranscriptFile, Unreadable
from bellek.schemas.errors import Refused, UsageFault
from bellek.schemas.exported import ExportedMessage
from bellek.schemas.vocab import NO_PROJECT

CLIENT = "import"
REPORTED = 20  # lines that cannot be read are listed up to here


@dataclass(slots=True)
class Imported:
    """What a file gave: lines read, messages in it, messages that are new, and what could not be read."""

    lines: int = 0
    messages: int = 0
    stored: int = 0
    unread: int = 0
    notes: list[str] = field(default_factory=list)


def load(home: Home, ears: Ears, path: str, project: str) -> Imported:
    """Store a file's messages in one go a batch. Raises UsageFault for a file that cannot be read, Refused for one of our own."""
    path = os.path.abspath(path)  # noqa: PTH100  links stay
    if os.path.realpath(path).startswith(os.path.realpath(home.path) + os.sep):
        raise Refused(
            f"{path} was not imported", why="it is a file of the store itself", hint="give a transcript or an export"
        )
    if not os.path.isfile(path):  # noqa: PTH113
        raise UsageFault(f"{path} cannot be read", why="there is no such file", hint="give a transcript or an export")
    done = Imported()
    file = TranscriptFile(path, "", None, 0, 0)
    end = 0
    for reading in read_new(path, None):
        match reading:
            case Batch():
                for damaged in reading.damaged:
                    _note(done, damaged)
                _store(home, ears, file, reading.lines, project, done)
                end = reading.cursor.offset
            case Unreadable():
                raise UsageFault(f"{path} cannot be read", why=reading.why, hint="give a transcript or an export")
    _store(home, ears, file, _rest(path, end, done.lines), project, done)
    return done


def _rest(path: str, offset: int, lines: int) -> tuple[Line, ...]:
    """What stands behind the last newline: hearing waits for the rest of such a line, a file that is handed over is whole."""
    with open(path, "rb") as file:  # noqa: PTH123
        file.seek(offset)
        raw = file.read(LINE_CAP)
    return (Line(lines + 1, offset, raw),) if raw.strip() else ()


def _store(home: Home, ears: Ears, file: TranscriptFile, lines: tuple[Line, ...], project: str, done: Imported) -> None:
    heard: list[Message] = []
    ours: list[Message] = []
    for line in lines:
        done.lines += 1
        exported = _exported(line, project, done)
        if exported is None:
            heard += _of_client(home, ears, file, line, done)
        elif isinstance(exported, Message):
            ours.append(exported)
    done.messages += len(heard) + len(ours)
    for client, messages in ((ears.name, heard), (CLIENT, ours)):
        if messages:
            done.stored += conversations.append(home.conversations, client, _kept(home, messages))


def _kept(home: Home, messages: list[Message]) -> list[Message]:
    """R116: what was forgotten does not come back with a file, neither by its id nor by its words."""
    told = messages
    if forgotten.any_marked(home.memory):
        told = [m for m in messages if not forgotten.is_forgotten(home.memory, m.id, m.conversation, m.at)]
    return forgotten.without_words(home.memory, told)


def _note(done: Imported, damaged: Damaged) -> None:
    done.unread += 1
    if len(done.notes) < REPORTED:
        done.notes.append(f"line {damaged.line_number}: {damaged.why}")


def _exported(line: Line, project: str, done: Imported) -> Message | Damaged | None:
    """The message of a line in our own form; Damaged for one that only looks so; None for another form."""
    if b'"conversation"' not in line.raw or b'"author"' not in line.raw or b'"sessionId"' in line.raw:
        return None
    try:
        row = ExportedMessage.model_validate_json(line.raw)
    except ValidationError as exc:
        where = ".".join(str(part) for part in exc.errors()[0]["loc"])
        damaged = Damaged(line.number, line.offset, f"no exported message ({where or 'JSON'})")
        _note(done, damaged)
        return damaged
    return Message(
        id=row.id, conversation=row.conversation, seq=0, project=project, agent=row.agent, author=row.author, origin="file", typed=False,
        machine=row.machine, sidechain=row.sidechain, at=row.at, offset_minutes=row.offset_minutes, text=row.text,
    )  # fmt: skip


def _of_client(home: Home, ears: Ears, file: TranscriptFile, line: Line, done: Imported) -> list[Message]:
    messages = []
    for event in ears.events(file, line):
        match event:
            case Said():
                messages.append(_message(home, event))
            case Damaged():
                _note(done, event)
            case _:
                pass  # tools, packets and compactions are hearing's business
    return messages


def _message(home: Home, said: Said) -> Message:
    """As hearing stores it: the line's own folder decides the project, the client's own mark who typed it."""
    project = NO_PROJECT
    if said.cwd.startswith("/"):
        with home.memory.transaction():
            project = registry.register(home.memory, said.cwd)
    offset = clock.offset_minutes(said.at) if said.offset_minutes is None else said.offset_minutes
    return Message(
        id=said.id, conversation=said.session, seq=0, project=project, agent=said.agent, author=said.author, origin=said.origin, typed=said.typed,
        machine=said.machine, sidechain=said.sidechain, at=said.at, offset_minutes=offset, text=said.text,
    )  # fmt: skip
