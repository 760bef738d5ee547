"""One turn: event → packet → receipt. The prompt hook only tells; hearing is done elsewhere, when the turn is over.

One of the prompt hook's rooms: a few selects, lexical recall, one small write, and nothing that waits: a store that is
busy gets no receipt, a query that is late gives what it had. It must never raise for a missing or foreign store.
"""

import os
import time

from bellek.context import packet, sections
from bellek.kg import agents, clock, paths, projects, scope
from bellek.kg.db import Database, Overdue, open_database
from bellek.kg.ids import mint
from bellek.schemas.errors import Busy, StoreFault
from bellek.schemas.packet import SCHEMA_VERSION, Line, Turn

DEADLINE_S = 0.3  # DESIGN, "Hook path": for everything the hook asks the store
BUSY_MS = 150  # then the answer goes out without its receipt
TOKEN_CAP = 3_000
ANSWERED = "The person's first line answers bellek; bellek carries it out by itself when the turn is over. It asks nothing of you."
REBUILT = "rebuilt"  # the source of a prompt whose client writes its whole context anew for every turn
RESETS = ("compact", "clear", REBUILT)  # after these nothing told before stands in the context


class Telling:
    """What a turn is told: the text ("" for nothing), and how to keep its receipt once the text is out."""

    __slots__ = ("answer", "missed", "packet", "packet_id", "project", "turn")

    def __init__(self, turn: Turn, project: str, packet_id: str, built: packet.Packet, *, missed: bool) -> None:
        self.turn = turn
        self.project = project
        self.packet_id = packet_id
        self.packet = built
        self.missed = missed
        self.answer = answer_line(turn)


def tell(home: str, turn: Turn, cap: int, *, in_bytes: bool = False) -> "Telling | None":
    """Build the packet of a turn and keep its receipt. None where there is no store to ask. `in_bytes`: the cap counts bytes."""
    if not os.path.exists(paths.memory_db(home)):
        return None
    paths.check_owner(home)
    db = _open(paths.memory_db(home))
    if db is None or db.value("PRAGMA user_version") != SCHEMA_VERSION:
        return None
    end = time.monotonic() + DEADLINE_S
    db.deadline(lambda: time.monotonic() > end)
    project = projects.find(db, turn.cwd)
    telling = _build(db, home, turn, project, cap, end, packet.octets if in_bytes else packet.units)
    db.deadline(None)
    if db.writable:
        _keep_receipt(db, telling)
    return telling


def answer_line(turn: Turn):  # type: ignore[no-untyped-def]  # noqa: ANN201  a class that only such a prompt loads
    """The answer that a prompt's first line is (`schemas.answer`), or None: mostly None, and then nothing is loaded.

    A program's prompts are nobody's: whoever talks to a bot is not the person whose memory this is.
    """
    if turn.client.startswith(sections.PROGRAM):
        return None
    if turn.event != "prompt" or turn.machine or turn.prompt[:7].lower() != "bellek:":
        return None
    from bellek.schemas import answer

    return answer.read(turn.prompt)


def _open(path: str) -> "Database | None":
    """Open for the receipt; a store that can only be read is told from all the same."""
    if os.access(path, os.W_OK):
        return open_database(path, busy_ms=BUSY_MS, keep_mode=True)
    return open_database(path, writable=False, busy_ms=BUSY_MS)


def _build(db: Database, home: str, turn: Turn, project: str, cap: int, end: float, size) -> Telling:  # type: ignore[no-untyped-def]  # noqa: ANN001  typing is not loaded here
    now = clock.now()
    lines = sections.unasked(
        db, home, project, now, session=turn.session, agent=agents.of_client(db, turn.client), person=not turn.machine,
        prompt=turn.event == "prompt", client=turn.client,
    )  # fmt: skip
    if turn.prompt and project and not turn.machine:
        lines += _recall(db, home, turn, project, end)
    packet_id = mint("k")
    known = {} if turn.source in RESETS else known_lines(db, turn.session, answered=turn.source == "resume")
    lines += sections.changed(db, known)
    lines += sections.tone(db, turn.client, now, known)
    if answer_line(turn):
        lines.append(Line("signals", "", 0, ANSWERED))
    built = packet.build(packet_id, lines, known, cap=cap, token_cap=TOKEN_CAP, size=size)
    return Telling(turn, project, packet_id, built, missed=_hearing_missed(db, turn, now))


def _recall(db: Database, home: str, turn: Turn, project: str, end: float) -> "list[Line]":
    """Typed memory always, conversations in what is left of the deadline. Their file is another one: where it is missing,
    damaged or late, what was found before is told.
    """
    from bellek.context import recall

    found: list[Line] = []
    try:
        agent = agents.of_client(db, turn.client)
        found += recall.lessons(db, turn.prompt, scope.words(agents.scope_of(db, project, agent)))
        path = paths.conversations_db(home)
        if os.path.exists(path):
            talks = open_database(path, writable=False, busy_ms=BUSY_MS)
            talks.deadline(lambda: time.monotonic() > end)
            found += recall.talks(talks, turn.prompt, project, turn.session)  # a message was said in one project
    except (Overdue, StoreFault):
        pass
    return found


def known_lines(db: Database, session: str, *, answered: bool = False) -> "dict[str, int]":
    """Id → the revision that this session was told last and has (or may still have) in its context.

    The last one told, not the largest: a person's own file has a checksum for a revision.

    `answered` counts only what an answer of the model followed: a resumed session reads no branch that ended unanswered
    (after a compaction by command, for one).
    """
    rows = db.rows(
        "SELECT json_extract(j.value, '$[1]'), json_extract(j.value, '$[2]') FROM receipts r, json_each(r.lines) j"
        " WHERE ((r.session = ?1 AND r.state NOT IN ('lost', ?2, ?3)"
        " AND r.n > coalesce((SELECT reset FROM sessions WHERE id = ?1), 0))"
        " OR r.id IN (SELECT packet FROM packet_seen WHERE session = ?1))"
        " AND json_extract(j.value, '$[3]') = 'told' AND json_extract(j.value, '$[1]') <> '' ORDER BY r.n",
        (session, *(("offered", "seen") if answered else ("", ""))),
    )
    return {str(id_): int(str(revision)) for id_, revision in rows}


def _hearing_missed(db: Database, turn: Turn, now: int) -> bool:
    """Whether an earlier turn of this session was answered long ago and nothing was heard since: its Stop never came."""
    if turn.event != "prompt":
        return False
    told = db.value("SELECT max(at) FROM receipts WHERE session = ?", (turn.session,))
    heard = db.value("SELECT value FROM meta WHERE key = 'heard_at'")
    return isinstance(told, int) and now - told > clock.MINUTE_MS and int(str(heard or 0)) < told


def _keep_receipt(db: Database, telling: Telling) -> None:
    """One row: ids, revisions, scores and cuts, no text. A reset is kept even where nothing was told."""
    turn = telling.turn
    now = clock.now()
    told = [(line, fate) for line, fate in telling.packet.fates if fate != "known"]
    if not told and turn.source not in RESETS and not telling.answer:
        return
    name = f"{turn.name}:{turn.source}" if turn.source else turn.name
    project = telling.project or "-"
    try:
        with db.transaction():
            if turn.source in RESETS:
                db.run(
                    "INSERT INTO sessions (id, client, project, reset, machine, first_at, last_at)"
                    " VALUES (?1, ?2, ?3, coalesce((SELECT max(n) FROM receipts WHERE session = ?1), 0), 0, ?4, ?4)"
                    " ON CONFLICT (id) DO UPDATE SET reset = excluded.reset",
                    (turn.session, turn.client, project, now),
                )
            db.run(
                "INSERT INTO receipts (id, session, project, event, at, state, units, lines) VALUES (?, ?, ?, ?, ?, 'offered', ?, ?)",
                (telling.packet_id, turn.session, project, name, now, telling.packet.units, _lines(told)),
            )
            if telling.answer:  # the note of it: no text of the line is kept
                db.run(
                    "INSERT INTO typed_answers (session, target, answer, at, state, message) VALUES (?, ?, ?, ?, 'noted', '')",
                    (turn.session, telling.answer.target, telling.answer.answer, now),
                )
    except Busy:
        pass  # the turn is not worth a wait: without a receipt the same lines may be told once more


def _lines(told: "list[tuple[Line, str]]") -> str:
    """The receipt's JSON. Ids and section names are ours and need no escaping; everything else is a number."""
    rows = []
    for line, fate in told:
        scores = ",".join(f'"{arm}":{score:.3f}' for arm, score in line.scores.items())
        rows.append(f'["{line.section}","{_safe(line.id)}",{line.revision},"{fate}",{{{scores}}}]')
    return "[" + ",".join(rows) + "]"


def _safe(id_: str) -> str:
    """A client's message id is foreign text: keep what ids are made of."""
    return "".join(c for c in id_ if c.isalnum() or c in "_-.")[:80]
