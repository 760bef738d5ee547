"""What a client's lines say, in the form in which it may be kept: for hearing and for files that a person hands over.

Names hold no secret, the line's own folder decides the project, what a person only pasted is not their word, and what was
forgotten is left out (R116). It must never store anything but a folder's project, and never know a client's JSON.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

from bellek.curator.transcripts import Line
from bellek.kg import clock, forgotten, pasted, registry
from bellek.kg.conversations import Message
from bellek.kg.home import Home
from bellek.kg.redact import redact
from bellek.schemas.conversation import Event, Said, ToolUse, TranscriptFile, Unreadable

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # what most names are, and no secret


class Ears(Protocol):
    """What a client's adapter lends: its name, its transcripts, and the events of one line of one of them."""

    name: str

    def transcripts(self, only: "list[str]") -> Iterable[TranscriptFile | Unreadable]:
        """The given session files with their subagents, or all of the client when none is given."""

    def events(self, file: TranscriptFile, line: Line) -> tuple[Event, ...]:
        """What one complete line says."""


def events(home: Home, ears: Ears, file: TranscriptFile, lines: Iterable[Line]) -> list[Event]:
    """What complete lines say, in order, whatever file they stand in."""
    return kept(home, [event for line in lines for event in ears.events(file, line)])


def kept(home: Home, heard: list[Event]) -> list[Event]:
    """What was heard, as far as it may be kept: clean names, and nothing that was forgotten."""
    said = [_clean(event) for event in heard]
    if not forgotten.any_marked(home.memory):
        return said
    return [event for event in said if not _is_forgotten(home, event)]


def _clean(event: Event) -> Event:
    """An event whose names (message, agent, tool) hold no secret: texts and paths are redacted where they are stored.

    Session and folder stay as the client gave them: they are what its next event is found by.
    """
    match event:
        case Said(id=id_, agent=agent):
            same = (_name(id_), _name(agent)) == (id_, agent)
            return event if same else replace(event, id=_name(id_), agent=_name(agent))
        case ToolUse(message=message, tool=tool):
            same = (_name(message), _name(tool)) == (message, tool)
            return event if same else replace(event, message=_name(message), tool=_name(tool))
        case _:
            return event


@lru_cache(maxsize=4096)
def _name(name: str) -> str:
    return name if _UUID.fullmatch(name) else redact(name)


def _is_forgotten(home: Home, event: Event) -> bool:
    match event:
        case Said():
            return forgotten.is_forgotten(home.memory, event.id, event.session, event.at)
        case ToolUse():
            return forgotten.is_forgotten(home.memory, event.message, event.session, event.at)
        case _:
            return False


def find_projects(home: Home, folders: Iterable[str], known: dict[str, str]) -> None:
    """Add the projects of folders that are not `known` (folder → project) yet; what is no folder has none."""
    new = {folder for folder in folders if folder.startswith("/")} - known.keys()
    if new:
        with home.memory.transaction():
            for folder in sorted(new):
                known[folder] = registry.register(home.memory, folder)


def message(said: Said, project: str) -> Message:
    """A line as a message of a project, not stored yet."""
    only_pasted = said.typed and said.origin == "user" and not pasted.holds_own_words(said.text)
    return Message(
        id=said.id, conversation=said.session, seq=0, project=project, agent=said.agent, author=said.author,
        origin=pasted.PASTED if only_pasted else said.origin, typed=said.typed, machine=said.machine, sidechain=said.sidechain, at=said.at,
        offset_minutes=offset(said), text=said.text,
    )  # fmt: skip


def offset(said: Said) -> int:
    """Minutes east of UTC where it was said: the line's own, else those of this machine at that time."""
    return clock.offset_minutes(said.at) if said.offset_minutes is None else said.offset_minutes
