"""Writing to the shared log: one line by one agent, signed where the agent has a key, and what is wrong with the log.

Who the agent is comes from the caller, who has it from the client's adapter and the config (`bellek.who`, hearing), never from
text. Everything happens in the caller's transaction. It must never change or drop an entry: a mistake is another entry.
"""

import hashlib
import hmac
import os
from dataclasses import dataclass

from bellek.curator import config
from bellek.kg import audit, check, clock, memories, unread
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.schemas.errors import NotFound, Refused
from bellek.schemas.log import EntryType, LogEntry
from bellek.schemas.memory import Memory, Source
from bellek.schemas.vocab import ANY

LONGEST = 500  # letters of a line, as of a verdict's
SIGN = "sign-entry"  # the act of the trail's entry whose commitment is a log entry's signature
KIND = "log"


@dataclass(frozen=True, slots=True)
class Voice:
    """Who writes: the agent, where it speaks (client or terminal), the trail's actor, and the origin of its words."""

    agent: str
    channel: str
    actor: str
    origin: str = "agent"


@dataclass(frozen=True, slots=True)
class Appended:
    """An entry as it was read back. `conflicts` are (entry, agent) of what others decided in the same minute."""

    id: str
    agent: str
    type: str
    text: str
    status: str
    note: str
    signed: bool
    conflicts: tuple[tuple[str, str], ...] = ()


def append(
    home: Home,
    project: str,
    voice: Voice,
    type: EntryType,
    text: str,
    *,
    reason: str = "",
    about: str = "",
    session: str = ANY,
    said_at: int = 0,
    sources: tuple[Source, ...] = (),
) -> Appended:
    """Append one entry. `said_at` UTC milliseconds, 0 for now. Raises Refused, NeverAgain."""
    line = text.strip()
    if not line or len(line) > LONGEST or len(reason) > LONGEST:
        why = "it is empty" if not line else f"it or its reason has more than {LONGEST} letters"
        raise Refused("nothing was appended to the shared log", why=why, hint="an entry is one line")
    at = said_at or clock.now()
    entry = Memory.model_validate({
        "id": mint("g"), "project": project, "agent": voice.agent, "session": session, "origin": voice.origin, "tier": "-", "text": line,
        "said_at": at, "offset_minutes": clock.offset_minutes(at), "batch": mint("b"), "sources": sources,
        "body": LogEntry(type=type, channel=voice.channel, reason=reason.strip(), about=about),
    })  # fmt: skip
    written = memories.write(home.memory, entry, actor=voice.actor, act="append")
    signed = _sign(home.memory, entry.id, voice)
    kept = memories.read(home.memory, entry.id)
    found = unread.beside(home.memory, project, voice.agent, unread.SORTS.get(type, unread.NOTE), written.clock)
    return Appended(kept.id, kept.agent, type, kept.text, kept.status, kept.note, signed, tuple(found))


def acknowledge(home: Home, project: str, voice: Voice, given: str, *, session: str = ANY) -> Appended:
    """Acknowledge one entry by its id or the beginning of it: an entry of its own. Raises NotFound, Refused."""
    id_ = memories.find_id(home.memory, given, kind="log")
    row = memories.read(home.memory, id_)
    assert isinstance(row.body, LogEntry)
    if row.project != project:
        raise NotFound(f"no entry {given!r} in this project", why="it is another project's")
    if row.agent == voice.agent:
        raise Refused(f"{id_} is your own entry", why=f"{voice.agent} wrote it", hint="others acknowledge it")
    if row.body.type not in unread.SORTS:
        raise Refused(f"{id_} asks nobody", why=f"it is of the type {row.body.type}")
    if not unread.is_waiting(home.memory, project, voice.agent, id_):
        raise Refused(f"{id_} does not wait for {voice.agent}", why="it was acknowledged, or does not stand any more")
    return append(home, project, voice, "ack", f"acknowledged {id_}", about=id_, session=session)


def acknowledge_all(home: Home, project: str, voice: Voice) -> Appended:
    """Acknowledge everything up to the newest entry, in one entry of its own. Raises NotFound where nothing waits."""
    waiting = unread.count(home.memory, project, voice.agent)
    if not waiting:
        raise NotFound("nothing waits for your acknowledgement", why=f"{voice.agent} acknowledged all of it")
    clocks = home.memory.value(
        "SELECT max(clock) FROM log_open WHERE project = ? AND agent = ?",
        (project, unread.reader(home.memory, project, voice.agent)),
    )
    return append(home, project, voice, "ack", "acknowledged everything so far", about=f"{unread.UPTO}{clocks}")


def key_of(db: Database, agent: str) -> bytes | None:
    """The key that signs an agent's entries: None where none is declared, empty where its variable is not set here."""
    declared = config.read(db).agents.get(agent)
    if declared is None or not declared.key_env:
        return None
    return os.environ.get(declared.key_env, "").encode()


def _sign(db: Database, id: str, voice: Voice) -> bool:
    """The signature is an entry of the trail behind the log's own, so that the chain commits to it."""
    key = key_of(db, voice.agent)
    if not key:
        return False
    audit.append(
        db, actor=voice.actor, act=SIGN, kind=KIND, id=id, batch=mint("b"), commitment=signature(key, _body(db, id) or "")
    )  # fmt: skip
    return True


def signature(key: bytes, body: str) -> bytes:
    """HMAC-SHA256 of an entry's stored body, its agent, channel, time and line in it."""
    return hmac.new(key, body.encode(), hashlib.sha256).digest()


def _body(db: Database, id: str) -> str | None:
    found = db.value("SELECT body FROM revisions WHERE id = ? AND revision = 1", (id,))
    return None if found is None else str(found)


@dataclass(frozen=True, slots=True)
class Verified:
    """What a look at the log found: entries looked at, those with a sound signature, those whose key is not at hand, and the faults."""

    entries: int
    signed: int
    unchecked: int
    faults: tuple[str, ...]


def verify(db: Database) -> Verified:
    """Look at the whole chain, at every row, and at each signature; a fault names its entry."""
    faults = [*audit.verify(db), *check.unlike_their_bodies(db)]
    signed = unchecked = entries = 0
    keys: dict[str, bytes | None] = {}
    marks = {
        str(id_): mark
        for id_, mark in db.rows("SELECT id, commitment FROM audit WHERE act = ? AND kind = ?", (SIGN, KIND))
    }
    for id_, agent in db.rows("SELECT m.id, m.agent FROM logs l JOIN memories m ON m.id = l.id ORDER BY m.created"):
        entries += 1
        name, entry = str(agent), str(id_)
        key = keys[name] if name in keys else keys.setdefault(name, key_of(db, name))
        if key is None:
            continue
        if not key:
            unchecked += 1
            continue
        mark, body = marks.get(entry), _body(db, entry)
        if not isinstance(mark, bytes):
            faults.append(f"log entry {entry} says it is {name}'s and is not signed with {name}'s key")
        elif body is not None and not hmac.compare_digest(mark, signature(key, body)):
            faults.append(f"log entry {entry} is not what {name} signed")
        else:
            signed += 1
    return Verified(entries, signed, unchecked, tuple(faults))
