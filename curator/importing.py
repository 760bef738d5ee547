"""Conversations from a file: a client's transcript, or JSON lines, a message each, with the keys that `conversations show --json` prints.

What it is for: talk that hearing never saw. It must never store a message twice (the message's id decides), nor take a
file's word that a person typed something: only a client's own mark in its own transcript says so. Hidden marks are not
queued here; `tick --file` hears them.
"""

import os
from dataclasses import dataclass, field

from pydantic import ValidationError

from bellek.curator import lines
from bellek.curator.lines import Ears
from bellek.curator.transcripts import LINE_CAP, Batch, Line, read_new
from bellek.kg import conversations, forgotten
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
    projects: dict[str, str] = field(default_factory=dict)  # folder → project, looked up once


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


def _rest(path: str, offset: int, before: int) -> tuple[Line, ...]:
    """What stands behind the last newline: hearing waits for the rest of such a line, a file that is handed over is whole."""
    with open(path, "rb") as file:  # noqa: PTH123
        file.seek(offset)
        raw = file.read(LINE_CAP)
    return (Line(before + 1, offset, raw),) if raw.strip() else ()


def _store(home: Home, ears: Ears, file: TranscriptFile, read: tuple[Line, ...], project: str, done: Imported) -> None:
    client: list[Line] = []
    ours: list[Message] = []
    for line in read:
        done.lines += 1
        exported = _exported(line, project, done)
        if exported is None:
            client.append(line)
        elif isinstance(exported, Message):
            ours.append(exported)
    heard = _of_client(home, ears, file, client, done)  # without what was forgotten, as hearing leaves it out
    done.messages += len(heard) + len(ours)
    kept = ((ears.name, forgotten.without_words(home.memory, heard)), (CLIENT, forgotten.kept(home.memory, ours)))
    for name, messages in kept:
        if messages:
            done.stored += conversations.append(home.conversations, name, messages)


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


def _of_client(home: Home, ears: Ears, file: TranscriptFile, client: list[Line], done: Imported) -> list[Message]:
    """As hearing stores them; tools, packets and compactions are hearing's business."""
    said: list[Said] = []
    for event in lines.events(home, ears, file, client):
        match event:
            case Said():
                said.append(event)
            case Damaged():
                _note(done, event)
            case _:
                pass
    lines.find_projects(home, (one.cwd for one in said), done.projects)
    return [lines.message(one, done.projects.get(one.cwd, NO_PROJECT)) for one in said]
