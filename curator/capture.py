"""Hearing: new transcript text → conversations, and hidden markers → queue, each exactly once.

It runs when a turn is over, in its own process, never in a prompt's way. A batch of lines is stored first in
conversations.db (idempotent by message id) and then, in one transaction of memory.db, as queue items, seen marks and
the cursor behind them: a crash in between repeats work and neither loses nor doubles it. It must never store text that
has not passed redaction, and one bad line must never stop the pass.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import assert_never

from bellek.curator import channels, feeling, lines, markers, task_marks, watchdog
from bellek.curator.lines import Ears
from bellek.curator.transcripts import Batch, read_new
from bellek.curator.turns import Turns
from bellek.kg import (
    conversations,
    cursors,
    failpoints,
    forgotten,
    notices,
    observations,
    queue,
    receipts,
)
from bellek.kg.home import Home
from bellek.kg.redact import redact
from bellek.schemas import answer
from bellek.schemas.channel import Channels
from bellek.schemas.conversation import (
    Compacted,
    Cursor,
    Damaged,
    Event,
    PacketSeen,
    Said,
    ToolUse,
    TranscriptFile,
    Unreadable,
)
from bellek.schemas.marker import Marker, describe
from bellek.schemas.queue import Sighting
from bellek.schemas.vocab import NO_PROJECT

DAMAGED_LISTED = 20  # lines of one file: a core dump under a transcript's name has a million of them
# What is heard before it is written, whichever comes first: a write is a segment of the index, and many small ones cost
# more than their words; what a kill throws away is heard again.
EVENTS_A_WRITE = 1_000
TEXT_A_WRITE = 1 << 20  # characters
BYTES_A_WRITE = 1 << 24  # of the transcript: a file in which nobody speaks is not read from its start again
OWN_AGENTS = ("memory-curator", "memory-quick")  # R23: what our own agents say is not heard


@dataclass(slots=True)
class Heard:
    """What a pass did: files read, messages stored, items queued, and what it could not read (said once each)."""

    channels: Channels  # as the manifests said when the pass began
    turns: Turns
    files: int = 0
    messages: int = 0
    queued: int = 0
    notes: list[str] = field(default_factory=list)
    projects: dict[str, str] = field(default_factory=dict)  # folder → project, looked up once a pass
    main: bool = True  # not a subagent's file, whose calls are no turn of the session's own


def hear(home: Home, ears: Ears, files: Iterable[TranscriptFile | Unreadable]) -> Heard:
    """One pass over the given files; unchanged ones cost one look-up each."""
    heard = _begin(home, ears.name)
    for file in files:
        match file:
            case TranscriptFile():
                if not _skipped(home, file):
                    _hear_file(home, ears, file, heard)
            case Unreadable():
                _unreadable(home, heard, file)
            case _:
                assert_never(file)
    return heard


def _begin(home: Home, client: str) -> Heard:
    """A pass that has heard nothing yet, with the channels as the manifests say now; what is wrong with those is noted."""
    heard = Heard(channels.load(home.path), Turns(home, client))
    channels.compile_into(home.memory, heard.channels)
    if heard.channels.faults:
        with home.memory.transaction():
            for fault in heard.channels.faults:
                _note(home, heard, "manifest", fault.file, fault.line, str(fault))
    # The cursor is the other file's: were it on the disk before the messages, a power cut between would lose them.
    home.conversations.run("PRAGMA synchronous = FULL")
    return heard


def _skipped(home: Home, file: TranscriptFile) -> bool:
    if file.agent is not None and file.agent.rpartition(":")[2] in OWN_AGENTS:
        return True
    if home.memory.value("SELECT machine FROM sessions WHERE id = ?", (file.session,)):
        return True
    return cursors.unchanged(home.memory, file)


@dataclass(slots=True)
class _Gathered:
    """What was heard since the last write, and where the file stands behind it."""

    events: list[Event] = field(default_factory=list)
    text: int = 0  # characters of what was said
    since: int = 0  # the file's offset at the last write
    cursor: Cursor | None = None

    def add(self, home: Home, ears: Ears, file: TranscriptFile, batch: Batch) -> None:
        self.events += batch.damaged
        for event in lines.events(home, ears, file, batch.lines):
            self.events.append(event)
            self.text += len(event.text) if isinstance(event, Said) else 0
        self.cursor = batch.cursor

    def is_enough(self) -> bool:
        """Whether it is time to write: what is held stays small, whatever the file's size."""
        ahead = self.cursor.offset - self.since if self.cursor else 0
        return len(self.events) >= EVENTS_A_WRITE or self.text >= TEXT_A_WRITE or ahead >= BYTES_A_WRITE


def _hear_file(home: Home, ears: Ears, file: TranscriptFile, heard: Heard) -> None:
    if _is_ours(home, file.path):
        _unreadable(home, heard, Unreadable(file.path, "a file of the store itself"))
        return
    read = False
    heard.main = file.agent is None
    known = cursors.load(home.memory, file.path)
    gathered = _Gathered(since=known.offset if known else 0)
    for reading in read_new(file.path, known):
        match reading:
            case Batch():
                read = read or bool(reading.lines or reading.damaged)
                gathered.add(home, ears, file, reading)
                if gathered.is_enough():
                    gathered = _write(home, ears, file, gathered, heard)
            case Unreadable():
                _unreadable(home, heard, reading)
            case _:
                assert_never(reading)
    _write(home, ears, file, gathered, heard, last=True)
    heard.files += read


def _is_ours(home: Home, path: str) -> bool:
    """Whether a path leads into our own home: to open and close a live database would drop SQLite's locks on it."""
    try:
        state = os.stat(path)  # noqa: PTH116  beside scandir, whose entries it is compared with
        with os.scandir(home.path) as entries:
            return any(os.path.samestat(state, entry.stat()) for entry in entries)
    except OSError:
        return False


def _unreadable(home: Home, heard: Heard, told: Unreadable) -> None:
    with home.memory.transaction():
        _note(home, heard, "unreadable", told.path, 0, f"{told.path}: {told.why}")


def hear_events(home: Home, client: str, events: list[Event]) -> Heard:
    """Hear what a program hands over itself, in order: no file stands behind it, so nothing of it is ever on disk unredacted."""
    heard = _begin(home, client)
    _keep(home, client, lines.kept(home, events), heard, "", None, last=True)
    return heard


def _write(
    home: Home, ears: Ears, file: TranscriptFile, gathered: _Gathered, heard: Heard, *, last: bool = False
) -> _Gathered:
    """Keep what was gathered; what is to be gathered next begins behind it."""
    if gathered.cursor is None:
        return gathered
    _keep(home, ears.name, gathered.events, heard, file.path, gathered.cursor, last=last)
    return _Gathered(since=gathered.cursor.offset)


def _keep(
    home: Home, client: str, events: list[Event], heard: Heard, source: str, cursor: Cursor | None, *, last: bool
) -> None:
    """The messages first, then in one transaction what they mark and, of a file, how far it was read."""
    said = [event for event in events if isinstance(event, Said)]
    lines.find_projects(home, (event.cwd for event in events if isinstance(event, Said | ToolUse)), heard.projects)
    failpoints.reach("projects-registered")
    if said:
        kept = [lines.message(one, heard.projects.get(one.cwd, NO_PROJECT)) for one in said]
        kept = forgotten.without_words(home.memory, kept)
        heard.messages += conversations.append(home.conversations, client, kept)
    failpoints.reach("conversations-appended")
    with home.memory.transaction():
        taking = _Taking(home, client, source, heard, receipts.open_books(events), watchdog.Watch(home.memory, heard.channels), queue.door(home.memory))  # fmt: skip
        for event in events:
            _take_in(taking, event)
        heard.turns.keep(last=last)
        taking.watch.keep()
        if cursor is not None:
            cursors.store(home.memory, cursor)
        failpoints.reach("batch-written")
    failpoints.reach("batch-committed")


@dataclass(slots=True)
class _Taking:
    """One transaction in which events are taken in, and what it asks of the store once."""

    home: Home
    client: str
    source: str
    heard: Heard
    books: receipts.Books
    watch: watchdog.Watch
    door: queue.Door


def _take_in(taking: _Taking, event: Event) -> None:
    home, heard = taking.home, taking.heard
    match event:
        case Said():
            project = heard.projects.get(event.cwd, NO_PROJECT)
            receipts.answered(home.memory, event, taking.books, client=taking.client, project=project)
            marked, kept = _queue_markers(taking, event, project) if event.author == "assistant" else ([], [])
            taking.watch.hear(event, {marker.channel for marker in marked})
            if heard.main:
                heard.turns.said(event, project, kept)
            if event.typed:
                feeling.take(home.memory, event, client=taking.client, project=project)
                _answer(taking, event, project)
                observations.point(
                    home.memory,
                    session=event.session,
                    project=project,
                    kind=observations.TYPED,
                    message=event.id,
                    at=event.at,
                )
        case PacketSeen():
            receipts.read_back(home.memory, event, taking.books)
        case Compacted():
            receipts.forget_context(home.memory, event)
        case Damaged():
            _damaged(home, taking.source, event, heard)
        case ToolUse():
            project = heard.projects.get(event.cwd, NO_PROJECT)
            if heard.main:
                heard.turns.used(event, project)
            if event.path:
                observations.point(
                    home.memory, session=event.session, project=project, kind=event.tool, path=event.path, message=event.message, at=event.at,
                )  # fmt: skip
        case _:
            assert_never(event)


def _answer(taking: _Taking, said: Said, project: str) -> None:
    """A typed answer line is carried out; what that needs (every kind's models) is loaded for such a line alone."""
    if answer.read(said.text):
        from bellek.curator import typed

        typed.take(taking.home, said, project)
        taking.door = queue.door(taking.home.memory)  # it may have been a refusal


def _damaged(home: Home, source: str, line: Damaged, heard: Heard) -> None:
    listed = notices.count(home.memory, kind="damaged", source=source)
    if listed < DAMAGED_LISTED:
        more = "; further damaged lines of this file are not listed" if listed == DAMAGED_LISTED - 1 else ""
        where = f"{source}, line {line.line_number}: {line.why}{more}"
        _note(home, heard, "damaged", source, line.byte_offset, where)


def _queue_markers(taking: _Taking, said: Said, project: str) -> tuple[list[Marker], list[str]]:
    """Queue what a message marks, in the order of its text; what was seen but not taken is noted.

    Its markers, and the channels of those that nobody refused or forgot before. An acknowledgement is no item.
    """
    home, heard = taking.home, taking.heard
    scans = [markers.scan(said.text, {*heard.channels.names, channels.ACK})]
    scans += [task_marks.scan(said.text, channel) for channel in heard.channels.with_drain("task")[:1]]
    for report in [report for scan in scans for report in scan.reports]:
        _note(home, heard, type(report).__name__, said.id, report.position, describe(report), project)
    found = sorted((marker for scan in scans for marker in scan.markers), key=lambda marker: marker.position)
    kept: list[str] = []
    for marker in found:
        if marker.channel == channels.ACK:
            if not said.sidechain:
                heard.turns.acknowledge(said, project, marker.payload, marker.position)
            continue
        outcome = queue.enqueue(
            home.memory,
            Sighting(
                project=project, agent=said.agent, session=said.session, channel=marker.channel, payload=marker.payload,
                origin="agent", message=said.id, position=marker.position, said_at=said.at, offset_minutes=lines.offset(said),
            ),
            taking.door,
        )  # fmt: skip
        heard.queued += outcome == "queued"
        if outcome != "never":
            kept.append(marker.channel)
    return found, kept


def _note(
    home: Home, heard: Heard, kind: str, source: str, position: int, text: str, project: str = NO_PROJECT
) -> None:
    if notices.say_once(home.memory, kind=kind, source=source, position=position, project=project, text=text):
        heard.notes.append(redact(text))
