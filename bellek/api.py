"""A program of one's own: ``memory = bellek.open(home=…, project=…, agent=…)``, for bots and agent loops.

Sync; one `Memory` may be shared by threads, each of which works on connections of its own. It must never offer what only
a person may do (promote, refuse, release, forget what is permanent), and never keep a text that has not passed redaction.
"""

import hashlib
import os
import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from pydantic import BaseModel

from bellek.context import quick, sections, turn
from bellek.context.quick import Quick
from bellek.curator import apply as applying
from bellek.curator import capture as hearing
from bellek.curator import channels, config, drain, manual
from bellek.curator.drain import Drained
from bellek.kg import clock, overview, paths, queue, registry, typed
from bellek.kg.home import Home, open_home
from bellek.kg.ids import mint
from bellek.kg.overview import Overview
from bellek.kg.typed import Found
from bellek.schemas import fence
from bellek.schemas.conversation import Event, PacketSeen, Said, storable
from bellek.schemas.errors import UsageFault
from bellek.schemas.packet import Turn
from bellek.schemas.queue import Item
from bellek.schemas.spoken import Message
from bellek.schemas.verdict import Receipt, Verdict

__all__ = ["Hearing", "Memory", "Message", "Packet", "open"]

CAP = 9_800  # UTF-16 units: as for the strictest client, so that a program's packet costs what theirs does
DEFAULT = "program"  # an agent's name where none is given
NAME_MAX = 80  # letters of an agent's name


@dataclass(frozen=True, slots=True)
class Packet:
    """What a turn is told: fenced text to put before the model ("" for nothing), and the id of its receipt for `why`."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Hearing:
    """What was heard: the store's ids of the messages in their order, how many were new, marks queued, what to look at."""

    ids: tuple[str, ...]
    new: int
    queued: int
    notes: tuple[str, ...]


class _Held:
    """One thread's home: gone with its thread, which closes its connections."""

    __slots__ = ("__weakref__", "home")

    def __init__(self, home: Home) -> None:
        self.home = home


class Memory:
    """One agent's memory of one project. Threads may share it; `close` it (or use ``with``) when no thread works on it.

    Every method raises the tree of `bellek.schemas.errors`: Busy where another process holds the store for ten seconds,
    StoreFault where it cannot be used, UsageFault or Refused for words that are off.
    """

    def __init__(self, home: str, folder: str, agent: str) -> None:
        self.home = home
        self.folder = folder
        self.agent = agent
        self.client = sections.PROGRAM + agent
        self._closed = False
        self._own = threading.local()
        self._all: weakref.WeakSet[_Held] = weakref.WeakSet()
        self._lock = threading.Lock()
        store = self.store()
        channels.compile_into(store.memory, channels.load(store.path))
        config.compile_into(store.memory, store.path)
        with store.memory.transaction():
            self.project = registry.register(store.memory, folder)

    def store(self) -> Home:
        """The calling thread's open home, for the other doors of bellek. Its tables are no interface for programs."""
        if self._closed:
            raise UsageFault("this memory is closed", why="`close` was called", hint="call `bellek.open` again")
        held: _Held | None = getattr(self._own, "held", None)
        if held is None:
            held = self._own.held = _Held(open_home(self.home))
            with self._lock:
                self._all.add(held)
        return held.home

    def packet(self, prompt: str, *, full: bool = True, session: str = "") -> Packet:
        """What to tell the model before it answers `prompt`; its receipt is kept.

        `full` is for programs that write the whole prompt anew each turn: all that stands and all that fits. Without it
        the session is told a row once, as in clients whose context stays.
        """
        self.store()
        source = turn.REBUILT if full else ""
        asked = Turn(self.client, "Prompt", "prompt", self._session(session), self.folder, storable(prompt), source)
        telling = turn.tell(self.home, asked, CAP)
        return Packet(telling.packet_id, telling.packet.text) if telling else Packet("", "")

    def hear(self, messages: Iterable[Message]) -> Hearing:
        """Take in what was said, in order: messages are kept redacted, the assistant's hidden marks are queued.

        A message with an `id` is heard once however often it is handed over. Nothing is drained: see `pending`.
        """
        given = list(messages)
        said = [self._said(message) for message in given]
        events: list[Event] = []
        for one, message in zip(said, given, strict=True):
            events += [PacketSeen(id_, one.session, one.at) for id_ in fence.find(message.text)]
            events += [one] if one.text.strip() else []
        heard = hearing.hear_events(self.store(), self.client, events)
        return Hearing(tuple(one.id for one in said), heard.messages, heard.queued, tuple(heard.notes))

    def _said(self, message: Message) -> Said:
        session = self._session(message.session)
        if message.author not in ("user", "assistant"):
            raise UsageFault(
                f"no author {message.author!r}", why="somebody else speaks to the model", hint="give user or assistant"
            )
        by_hand = message.typed and message.author == "user"
        return Said(
            id=_named(session, message.id) if message.id else mint("m"), session=session, parent=None, author=message.author,
            origin="user" if by_hand else "agent", typed=by_hand, machine=False, text=fence.strip(storable(message.text)),
            at=message.at or clock.now(), offset_minutes=None, cwd=self.folder, agent=self.agent, sidechain=False,
        )  # fmt: skip

    def _session(self, given: str) -> str:
        """The program's own sessions, apart from every client's: another program may use the same names."""
        return _named(f"{self.client}\0{self.project}", given)

    def search(self, question: str, *, limit: int = 20) -> list[Found]:
        """What is kept in this project and answers a question, best first, with tier, status and sources."""
        return list(typed.find(self.store().memory, question, self.project, now=clock.now(), limit=limit).rows)

    def recall(self, question: str, *, limit: int = quick.LINES) -> list[Quick]:
        """One step over typed memory and what was said; nothing good enough gives nothing. Writes nothing."""
        return quick.ask(self.store(), question, self.project, limit=limit) if question.strip() else []

    def capture(self, text: str) -> str:
        """Keep one message by hand; its id, after it was read back."""
        return manual.capture(self.store(), self.project, text).id

    def pending(self, *, channel: str = "", limit: int = 100) -> list[Item]:
        """What was heard and waits to be written, oldest first."""
        return queue.peek(self.store().memory, self.project, channel=channel, limit=limit)

    def apply(self, verdicts: Sequence[Verdict | Mapping[str, object]]) -> list[Receipt]:
        """Carry out a curator's verdicts (`bellek.schemas.verdict`, or the same as plain JSON); a receipt for each."""
        rows: list[object] = [
            verdict.model_dump(mode="json") if isinstance(verdict, BaseModel) else dict(verdict) for verdict in verdicts
        ]
        return applying.apply(self.store(), self.project, rows, actor=self.client)

    def drain(self) -> Drained:
        """Write what waits by rule, with no model. Raises Busy where another drain is at work."""
        return drain.drain_offline(self.store(), self.project)

    def state(self) -> Overview:
        """What stands and what waits, counted from the rows."""
        return overview.of(self.store().memory, self.project)

    def close(self) -> None:
        """Close every thread's connections. A second close does nothing."""
        self._closed = True
        with self._lock:
            for held in list(self._all):
                held.home.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open(  # noqa: A001  `bellek.open` is how it is said
    *, home: str | os.PathLike[str] | None = None, project: str | os.PathLike[str] | None = None, agent: str = DEFAULT
) -> Memory:
    """Open (and make) a data home for one agent in one project.

    :param home: the data home's folder; else ``BELLEK_HOME``, else the XDG data folder.
    :param project: the project's folder, which need not exist; else the one the program runs in. Checkouts are one
        project with their worktrees, and what a coding client captured there is seen here.
    :param agent: the name under which the program's own words are kept.
    :raises UsageFault: a name that cannot be kept. :raises StoreFault: the home cannot be used.
    """
    if not agent.strip() or not agent.isprintable() or len(agent) > NAME_MAX:
        raise UsageFault(
            "the agent's name cannot be kept", why=f"it is empty, longer than {NAME_MAX} letters or holds hidden ones",
            hint="give a short name, for example agent='bot'",
        )  # fmt: skip
    folder = os.path.abspath(os.path.expanduser(os.fspath(project) if project is not None else "."))
    return Memory(paths.find_home(os.fspath(home) if home is not None else None), folder, agent)


def _named(within: str, name: str) -> str:
    """A name that no other program, session or project can have by chance; equal input, equal name."""
    return "x-" + hashlib.blake2b(f"{within}\0{name}".encode("utf-8", "replace"), digest_size=16).hexdigest()
