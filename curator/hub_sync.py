"""One sync of a space: what is new here goes out, what is new there comes in, as much as is new and no more.

Every run of entries is a transaction of its own on either side, so that a killed process, a cut line or a restarted server leaves
whole runs and is finished by the next one. It must never run in a hook, and never keep a person waiting: whoever calls it bounds it.
"""

import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bellek.curator import hub_merge
from bellek.kg import failpoints, forget, hub_server, hub_spaces, hub_streams, locks
from bellek.kg.home import Home
from bellek.kg.hub_server import Head
from bellek.kg.hub_spaces import Space
from bellek.schemas.errors import BellekError, Busy, Refused
from bellek.schemas.hub import FIRST, Line, Sent

if TYPE_CHECKING:
    from psycopg import Connection

RUN = 500  # entries a transaction, of either side
LOCK = "hub"


@dataclass(slots=True)
class Synced:
    """What a sync did: entries pushed and pulled, rows written and forgotten, and what is to be told. `whole`: nothing was left."""

    space: str
    pushed: int = 0
    pulled: int = 0
    written: int = 0
    forgotten: int = 0
    waiting: int = 0
    whole: bool = True
    notes: list[str] = field(default_factory=list)


def sync(home: Home, space: Space, *, seconds: float = 0.0) -> Synced:
    """Sync one space, for so long at most (0: until it is whole). Raises Busy, HubFault, Refused; what was done by then stays."""
    done = Synced(space.name)
    until = time.monotonic() + seconds if seconds else float("inf")
    with locks.held(home.path, LOCK) as mine:
        if not mine:
            raise Busy("another sync is at work", why="its lock is held by a living process")
        try:
            with hub_server.joined(space.token) as con:
                _both_ways(home, space, con, done, until)
        except BellekError as exc:
            with suppress(Busy), home.memory.transaction():
                hub_spaces.synced(home.memory, space.name, f"{exc.what}: {exc.why}")
            raise
        with home.memory.transaction():
            hub_spaces.synced(home.memory, space.name, "")
    if done.forgotten:
        forget.finish(home)
    return done


def _both_ways(home: Home, space: Space, con: "Connection[tuple[object, ...]]", done: Synced, until: float) -> None:
    found = hub_server.heads(con, space.name)
    mine = hub_server.refuse_a_stranger(found, space.token)
    with home.memory.transaction():
        hub_spaces.keep_nodes(home.memory, space.name, [head.node for head in found])
    if (
        mine.seq > hub_streams.head(home.memory, space.name, space.token.node)[0]
    ):  # this home came back from an older copy
        _pull(home, space, con, mine, done, until)
    look(home, space, done)
    _push(home, space, con, mine, done, until)
    for head in found:
        if head.node.node != space.token.node:
            _pull(home, space, con, head, done, until)
    _push(home, space, con, mine, done, until)  # what a forgetting that came made this node say


def look(home: Home, space: Space, done: Synced) -> None:
    """What is new here, into the own stream; merged where it changes what others' rows may say, or where something waits."""
    db = home.memory
    with db.transaction():
        lines = hub_streams.scan(db, space)
        waits = db.value("SELECT 1 FROM hub_waiting WHERE space = ? LIMIT 1", (space.name,))
        lines = [line for line in lines if hub_merge.weighs(line)]
        if waits or lines:
            _count(done, hub_merge.merge(home, space, lines))


def _push(
    home: Home, space: Space, con: "Connection[tuple[object, ...]]", mine: Head, done: Synced, until: float
) -> None:
    """The own stream from where it ends there. The hub refuses one that does not follow."""
    db, name, node = home.memory, space.name, space.token.node
    at = mine.seq + done.pushed
    while run := hub_streams.after(db, name, node, at, RUN):
        if time.monotonic() > until:
            done.whole = False
            return
        hub_server.push(con, name, run)
        failpoints.reach("hub-pushed")
        at = run[-1].seq
        done.pushed += len(run)


def _pull(
    home: Home, space: Space, con: "Connection[tuple[object, ...]]", head: Head, done: Synced, until: float
) -> None:
    """A node's stream from where it ends here. One that does not verify is left where it is, and said so; the others go on."""
    db, name, node = home.memory, space.name, head.node.node
    while (at := hub_streams.head(db, name, node)[0]) < head.seq:
        if time.monotonic() > until:
            done.whole = False
            return
        run = hub_server.pull(con, name, node, at, min(RUN, head.seq - at))
        try:
            with db.transaction():
                _count(done, take(home, space, node, run))
        except Refused as exc:
            with db.transaction():
                hub_spaces.blame(db, name, node, f"{exc.what}: {exc.why}")
            done.notes.append(f"{exc.what}: {exc.why}")
            return
        failpoints.reach("hub-pulled")
        done.pulled += len(run)
        if not run:
            return


def take(home: Home, space: Space, node: str, run: list[Sent]) -> hub_merge.Merged:
    """Take a run of a node's entries in and merge it, with what was written here since; in the caller's transaction. Raises Refused."""
    own = hub_streams.scan(home.memory, space)
    lines: list[Line] = [line for line in own if hub_merge.weighs(line)]
    lines += hub_streams.take(home.memory, space.name, node, run)
    return hub_merge.merge(home, space, lines)


def _count(done: Synced, merged: hub_merge.Merged) -> None:
    done.written += len(merged.written)
    done.forgotten += len(merged.forgotten)
    done.waiting = len(merged.waiting)


def each(home: Home, *, seconds: float = 0.0) -> list[tuple[str, Synced | BellekError]]:
    """Sync every joined space, for so long at most each; what became of it by its name. One that fails keeps no other from it."""
    found: list[tuple[str, Synced | BellekError]] = []
    for space in hub_spaces.listed(home.memory):
        try:
            found.append((space.name, sync(home, space, seconds=seconds)))
        except BellekError as exc:  # `bellek hub status` tells it too
            found.append((space.name, exc))
    return found


def rebuild(home: Home, space: Space, con: "Connection[tuple[object, ...]]") -> int:
    """Write every stream that this home has into a hub that has none of them, by whoever keeps it; how many entries."""
    count = 0
    for head in hub_server.heads(con, space.name):
        if head.seq or head.hash != FIRST:
            continue
        at = 0
        while run := hub_streams.after(home.memory, space.name, head.node.node, at, RUN):
            hub_server.push(con, space.name, run)
            at, count = run[-1].seq, count + len(run)
    return count
