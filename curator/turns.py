"""What a turn did, one line in the shared log when it is over, and a checkpoint every so many tool calls (R73, R78).

Hearing counts, in its own transaction, from the transcript alone: changed files, marks, tool calls. A turn is over where the
assistant has the last word, or the next prompt came. Idle talk leaves no line, nor does what is heard more than a day late: it
is history then, and conversations hold it. It must never count a line twice, nor write what the transcript does not say.
"""

import json
import os
import re
from dataclasses import dataclass, field, fields

from bellek.curator.channels import ACK
from bellek.kg import agents, clock, notices, unread
from bellek.kg.home import Home
from bellek.kg.redact import redact
from bellek.schemas.conversation import Said, ToolUse
from bellek.schemas.errors import NotFound, Refused
from bellek.schemas.vocab import NO_PROJECT

LATE_MS = 24 * 60 * clock.MINUTE_MS
GOAL_LETTERS = 160
FILES = 3  # named in a line; the rest is counted
FILES_KEPT = 50
LINE = "turn-line"  # the channel under which `seen` keeps that a turn's line was written
# What tools that change a file are called, small letters and digits alone: Edit, apply_patch, write_file, str_replace_editor …
_CHANGES = re.compile(
    r"(multi|notebook)?edit(file|or)?|write(file)?|create(file)?|applypatch|patch|strreplace.*|replace|insertedit"
)


@dataclass(slots=True)
class Work:
    """The running turn of a session; a row of `work`. `files` is what it changed so far, `marks` the channels of what it marked:
    never its words, which may be refused, forgotten or kept in a bank while the line stands.
    """

    session: str
    project: str
    agent: str
    ended: bool = True
    calls: int = 0
    goal: str = ""
    files: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    checkpoint: str = ""
    last_at: int = 0
    last_id: str = ""
    said: str = ""  # the turn's last message so far, which names it
    said_at: int = 0

    def is_new(self, at: int, id: str) -> bool:
        """Whether a line was not counted yet; then it is the newest from now on."""
        if at < self.last_at or (at == self.last_at and id == self.last_id):
            return False
        self.last_at, self.last_id = at, id
        return True


_COLUMNS = tuple(one.name for one in fields(Work))


class Turns:
    """The turns that a pass hears of one client. Write them with `keep`, in the transaction of the lines they come from."""

    __slots__ = ("_agent", "_client", "_every", "_home", "_work")

    def __init__(self, home: Home, client: str) -> None:
        self._home = home
        self._client = client
        self._agent = agents.of_client(home.memory, client)
        every = home.memory.value("SELECT value FROM settings WHERE key = 'config:log.checkpoint_calls'")
        self._every = int(str(every or 20))
        self._work: dict[str, Work] = {}

    def said(self, said: Said, project: str, marked: "list[str]") -> None:
        """A line of the session itself; `marked` are the channels of what it marks, once each mark."""
        if said.sidechain:
            return
        work = self._of(said.session, project)
        if not work.is_new(said.at, said.id):
            return
        if said.author == "user":
            if not said.machine:
                self._line(work)
                work.ended, work.calls, work.files, work.marks, work.said = False, 0, [], [], ""
                work.goal = _cut(said.text, GOAL_LETTERS)
            return
        work.ended, work.said, work.said_at = True, said.id, said.at
        work.marks += marked

    def used(self, use: ToolUse, project: str) -> None:
        """A tool call: counted, and its file noted where the tool changes one."""
        work = self._of(use.session, project)
        if not work.is_new(use.at, use.id):
            return
        work.ended, work.said, work.said_at = False, use.message, use.at
        work.calls += 1
        if use.path and _CHANGES.fullmatch("".join(c for c in use.tool.lower() if c.isalnum())):
            path = redact(_shorter(use.path, use.cwd))
            work.files = [*(one for one in work.files if one != path), path][-FILES_KEPT:]
        if work.calls >= self._every:
            self._checkpoint(work, use)

    def keep(self, *, last: bool) -> None:
        """Write the rows; with `last` (the file is heard to its end) the lines of turns that are over besides."""
        for work in self._work.values():
            if last and work.ended:
                self._line(work)
            values = [getattr(work, name) for name in _COLUMNS]
            row = [json.dumps(v, ensure_ascii=False) if isinstance(v, list) else v for v in values]
            self._home.memory.run(
                f"INSERT OR REPLACE INTO work ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})",
                tuple(row),
            )
        if last:
            self._work.clear()

    def _of(self, session: str, project: str) -> Work:
        work = self._work.get(session)
        if work is None:
            row = self._home.memory.one(f"SELECT {', '.join(_COLUMNS)} FROM work WHERE session = ?", (session,))
            work = _read(row) if row else Work(session, project, self._agent)
            self._work[session] = work
        if project != NO_PROJECT:
            work.project = project
        work.agent = self._agent
        return work

    def _line(self, work: Work) -> None:
        """The one line of a turn that is over; none after idle talk."""
        files, marks = work.files, work.marks
        work.files, work.marks = [], []
        parts = [f"changed {_some(files, FILES)}"] if files else []
        parts += [f"marked {', '.join(f'{marks.count(one)} {one}' for one in sorted(set(marks)))}"] if marks else []
        if parts and work.said and not self._once(work, work.said):
            self._append(work, "note", "; ".join(parts), message=work.said)

    def _checkpoint(self, work: Work, use: ToolUse) -> None:
        calls, work.calls = work.calls, 0
        doing = f"{use.tool} {_shorter(use.path, use.cwd)}".strip()
        parts = [work.goal or "(prompt not heard)", f"{calls} tool calls", f"last {doing}"]
        parts += [f"changed {_some(work.files, FILES)}"] if work.files else []
        if not self._once(work, use.id):
            work.checkpoint = self._append(work, "checkpoint", "; ".join(parts), message=use.message) or work.checkpoint

    def _once(self, work: Work, message: str) -> bool:
        """Whether a line was written for a message before: a fork's copy has its id, a file read again as well."""
        return not self._home.memory.run(
            "INSERT OR IGNORE INTO seen (message, channel, position, digest, project, at) VALUES (?, ?, 0, x'', ?, ?)",
            (message, LINE, work.project, clock.now()),
        )

    def _append(self, work: Work, type_: str, text: str, *, message: str) -> str:
        if work.project == NO_PROJECT or clock.now() - work.said_at > LATE_MS:
            return ""
        from bellek.curator import shared  # with every kind's models: only for a turn that left something
        from bellek.schemas.memory import Source

        point = type_ == "checkpoint"  # it is for the agent itself, and lies where its own rows do
        place = agents.scope_of(self._home.memory, work.project, work.agent) if point else work.project
        try:
            with self._home.memory.savepoint():
                return shared.append(
                    self._home, place, shared.Voice(work.agent, self._client, "hearing"), "checkpoint" if point else "note", _cut(redact(text), shared.LONGEST), session=work.session, said_at=work.said_at,
                    sources=(Source(conversation=work.session, message=message),),
                ).id  # fmt: skip
        except Refused:
            return ""  # what may not be kept is not kept here either

    def acknowledge(self, said: Said, project: str, payload: str, position: int) -> None:
        """An ``ack`` marker: each id in it is acknowledged by the agent; what cannot be is noted once."""
        from bellek.curator import shared
        from bellek.kg import memories

        db = self._home.memory
        voice = shared.Voice(self._agent, self._client, "hearing")
        for given in re.split(r"[\s,;]+", payload.strip()):
            try:
                id_ = memories.find_id(db, given, kind="log")
                if unread.is_waiting(db, project, self._agent, id_):
                    shared.acknowledge(self._home, project, voice, id_, session=said.session)
            except (NotFound, Refused) as exc:
                what = f"an acknowledgement names {given[:40]!r}: {exc.what}"
                notices.say_once(db, kind=ACK, source=said.id, position=position, project=project, text=what)


def _read(row: "tuple[object, ...]") -> Work:
    values = dict(zip(_COLUMNS, row, strict=True))
    lists = {name: json.loads(str(values[name])) for name in ("files", "marks")}
    return Work(**{**values, **lists, "ended": bool(values["ended"])})


def _cut(text: str, most: int) -> str:
    """Redacted text as one line of at most so many letters; cut after redaction, so that no half of a secret is left."""
    line = " ".join(redact(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _shorter(path: str, folder: str) -> str:
    """A path as it is named inside its project."""
    return os.path.relpath(path, folder) if folder and path.startswith(folder.rstrip("/") + "/") else path


def _some(names: list[str], most: int) -> str:
    return ", ".join(names[:most]) + (f" (+{len(names) - most})" if len(names) > most else "")
