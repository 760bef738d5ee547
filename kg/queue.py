"""The queue: every sighting once, acknowledged by deletion, in the transaction that wrote the rows.

What was *seen* is (message id, channel, position): a re-scan adds nothing, for ever. What is the *same* is a keyed hash
of the unredacted payload: a twin that still waits is counted, not queued. It must never delete an item whose rows are
not written in the same transaction.
"""

import hashlib
import json
import secrets
from dataclasses import dataclass, replace

from bellek.kg import audit, clock, stones
from bellek.kg.db import Database
from bellek.kg.ids import mint, the_one
from bellek.kg.redact import redact
from bellek.schemas.errors import NotFound, Refused
from bellek.schemas.queue import Item, Outcome, Sighting

TOKEN_MS = 10 * clock.MINUTE_MS  # DESIGN: a token lives ten minutes and each call renews it
OVERDUE_MS = 24 * 60 * clock.MINUTE_MS  # DESIGN: what has waited a day is drained without a curator
MAX_ATTEMPTS = 3  # then the item is parked as a dead letter with its reason
FIELDS = (  # in the order of `Item`
    "project, agent, session, channel, payload, origin, message, position, said_at, offset_minutes,"
    " id, generation, enqueued_at, sightings, state, attempts, reason"
)
ORDER = (
    "ORDER BY said_at, n"  # as it was said, and within one moment as it arrived: a task is opened before it is closed
)


def digest(db: Database, payload: str) -> bytes:
    """Keyed hash of an unredacted payload: equal payloads meet, and the hash gives nothing away without the store's key."""
    return _digest(stones.key_of(db), payload)


def _digest(key: bytes, payload: str) -> bytes:
    return hashlib.blake2b(payload.encode(), key=key, digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class Door:
    """What a transaction asks once for all its sightings: the store's key, and whether anything was ever refused or forgotten."""

    key: bytes
    guarded: bool


def door(db: Database) -> Door:
    """The door as it is now. Ask for it anew inside each transaction, and after each decision of a person in it."""
    return Door(stones.key_of(db), stones.left_any(db))


def enqueue(db: Database, sighting: Sighting, at: Door | None = None) -> Outcome:
    """Queue a sighting once. Call it inside a transaction; `at` is its door, where it queues several.

    "known": this very sighting was seen before · "twin": the same payload waits already, its counter grew ·
    "current": the same payload was acknowledged and its row still stands · "queued": a new item, or a dead letter that
    is said again: what was refused then (a task that did not exist yet) may be right now · "never": these words were
    refused by a person, or forgotten.
    """
    at = at or door(db)
    mark = _digest(at.key, sighting.payload)
    now = clock.now()
    if not db.run(
        "INSERT OR IGNORE INTO seen (message, channel, position, digest, project, at) VALUES (?, ?, ?, ?, ?, ?)",
        (sighting.message, sighting.channel, sighting.position, mark, sighting.project, now),
    ):
        return "known"
    if at.guarded and stones.rule_text(db, sighting.project, sighting.payload).how != "free":
        db.run(
            "INSERT INTO drops (project, item, reason, at) VALUES (?, ?, 'refused or forgotten before', ?)",
            (sighting.project, sighting.message, now),
        )
        return "never"
    same = (sighting.project, sighting.channel, mark)
    twin = db.one("SELECT n, state, sightings FROM queue WHERE project = ? AND channel = ? AND digest = ?", same)
    if twin and twin[1] == "dead":
        db.run("DELETE FROM queue WHERE n = ?", (twin[0],))
        _insert(db, sighting, mark, now, sightings=1 + int(str(twin[2])))
        return "queued"
    if twin:
        db.run(
            "UPDATE queue SET sightings = sightings + 1, last_at = ?, generation = generation + (state = 'taken') WHERE n = ?",
            (now, twin[0]),
        )
        return "twin"
    if _current(db, same):
        return "current"
    _insert(db, sighting, mark, now)
    return "queued"


def _insert(db: Database, sighting: Sighting, mark: bytes, now: int, *, sightings: int = 1) -> None:
    db.run(
        f"INSERT INTO queue ({FIELDS}, digest, last_at, token, until_at, handed)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, 'pending', 0, '', ?, ?, '', 0, 0)",
        (
            sighting.project, sighting.agent, sighting.session, sighting.channel, redact(sighting.payload), sighting.origin,
            sighting.message, sighting.position, sighting.said_at, sighting.offset_minutes, mint("q"), now, sightings, mark, now,
        ),
    )  # fmt: skip


def _current(db: Database, same: tuple[str, str, bytes]) -> tuple[str, ...]:
    """The rows that a payload was last written into, if they still stand: where one fell, the same words are news.

    A hidden row alone is no news: a person hid it, and saying it again must not bring it back. What waits in quarantine or
    was refused by a person is there as well: the same words would only make it twice.
    """
    rows = db.rows(
        "SELECT m.id, m.status FROM settled s JOIN memories m ON m.id = s.memory"
        " WHERE s.project = ? AND s.channel = ? AND s.digest = ? ORDER BY m.id",
        same,
    )
    fallen = any(status not in (*_THERE, "hidden") for _, status in rows)
    return () if fallen else tuple(str(id_) for id_, status in rows if status in _THERE)


_THERE = ("current", "quarantined", "refused")


def standing(db: Database, item: Item) -> tuple[str, ...]:
    """Ids of the rows that the same payload was written into before, all current; empty for words that are new here."""
    mark = db.value("SELECT digest FROM queue WHERE id = ?", (item.id,))
    return _current(db, (item.project, item.channel, mark)) if isinstance(mark, bytes) else ()


def peek(db: Database, project: str, *, channel: str = "", limit: int = 1000) -> list[Item]:
    """Items of a project that wait, taken ones included, in the order in which they were said; no dead letters."""
    return _items(
        db,
        f"WHERE project = ? AND state <> 'dead' AND (? = '' OR channel = ?) {ORDER} LIMIT ?",
        (project, channel, channel, limit),
    )


def pending(db: Database, id: str) -> Item | None:
    """The item with this id if it waits and nobody has taken it. Ask inside the transaction that settles it."""
    found = _items(db, "WHERE id = ? AND state = 'pending'", (id,))
    return found[0] if found else None


def overdue(db: Database) -> list[str]:
    """Projects in which an item has waited so long that nobody comes for it, or whoever took it never answered."""
    now = clock.now()
    rows = db.rows(
        "SELECT DISTINCT project FROM queue WHERE (state = 'pending' OR state = 'taken' AND until_at < ?)"
        " AND enqueued_at < ? ORDER BY project",
        (now, now - OVERDUE_MS),
    )
    return [str(row[0]) for row in rows]


def projects(db: Database) -> list[str]:
    """Projects in which something waits that nobody has taken."""
    rows = db.rows("SELECT DISTINCT project FROM queue WHERE state = 'pending' ORDER BY project")
    return [str(row[0]) for row in rows]


def dead(db: Database, project: str) -> list[Item]:
    """Parked items of a project with their reasons."""
    return _items(db, f"WHERE project = ? AND state = 'dead' {ORDER}", (project,))


def _items(db: Database, where: str, values: tuple[str | int, ...]) -> list[Item]:
    return [Item(*row) for row in db.rows(f"SELECT {FIELDS} FROM queue {where}", values)]  # type: ignore[arg-type]


def counts(db: Database, project: str) -> dict[str, int]:
    """Channel → number of waiting items; empty when nothing waits."""
    rows = db.rows(
        "SELECT channel, count(*) FROM queue WHERE project = ? AND state <> 'dead' GROUP BY channel ORDER BY channel",
        (project,),
    )
    return {str(channel): int(str(n)) for channel, n in rows}


@dataclass(frozen=True, slots=True)
class Taken:
    """Items handed out under a token; they return by themselves when `until_at` (UTC ms) has passed."""

    token: str
    until_at: int
    items: tuple[Item, ...]


def take(
    db: Database, project: str, *, limit: int = 50, token: str = "", channels: tuple[str, ...] | None = None
) -> Taken:
    """Hand out pending items (of some channels, or of all) under a new token, or renew one. Expired tokens return theirs first."""
    now = clock.now()
    token = token or secrets.token_hex(8)
    with db.transaction():
        release_expired(db)
        db.run(
            "UPDATE queue SET state = 'taken', token = ?, handed = generation WHERE id IN (SELECT id FROM queue"
            f" WHERE project = ? AND state = 'pending' AND (? OR channel IN (SELECT value FROM json_each (?))) {ORDER} LIMIT ?)",
            (token, project, int(channels is None), json.dumps(channels or ()), limit),
        )
        db.run("UPDATE queue SET until_at = ? WHERE token = ?", (now + TOKEN_MS, token))
        items = _items(db, f"WHERE token = ? {ORDER}", (token,))
    return Taken(token, now + TOKEN_MS, tuple(items))


def renew(db: Database, token: str) -> bool:
    """A call under a token is a sign of life; whether the token holds anything still. Call it inside a transaction."""
    return bool(db.run("UPDATE queue SET until_at = ? WHERE token = ?", (clock.now() + TOKEN_MS, token)))


def held(db: Database, item: Item) -> tuple[str, Item]:
    """(token, item as it was handed out) of an item that may be taken: a twin that came since is another generation."""
    row = db.one("SELECT token, handed FROM queue WHERE id = ?", (item.id,))
    token, handed = (str(row[0]), int(str(row[1]))) if row else ("", 0)
    return token, replace(item, generation=handed) if token else item


def holds(db: Database, token: str) -> list[Item]:
    """The items that a token still holds, oldest first."""
    return _items(db, f"WHERE token = ? AND state = 'taken' {ORDER}", (token,))


def under(db: Database, token: str) -> list[str]:
    """Ids of the items that a token still holds, oldest first."""
    return [item.id for item in holds(db, token)]


def release_abandoned(db: Database, prefix: str) -> int:
    """Return what is taken under tokens that begin so, by whoever knows that their holders are gone. Call it inside a transaction."""
    return db.run(
        "UPDATE queue SET state = 'pending', token = '', until_at = 0 WHERE state = 'taken' AND substr(token, 1, length(?1)) = ?1",
        (prefix,),
    )


def give_back(db: Database, token: str) -> int:
    """Return what a token still holds; the number of items. Call it inside a transaction."""
    return db.run("UPDATE queue SET state = 'pending', token = '', until_at = 0 WHERE token = ?", (token,))


def release_expired(db: Database) -> int:
    """Return items whose holder died or went away. Call it inside a transaction."""
    return db.run(
        "UPDATE queue SET state = 'pending', token = '', until_at = 0 WHERE state = 'taken' AND until_at < ?",
        (clock.now(),),
    )


def settle(db: Database, item: Item, memories: tuple[str, ...], *, actor: str, batch: str) -> bool:
    """Acknowledge an item: delete it, remember what became of it, and leave a trail entry, in the caller's transaction.

    Only the generation that was handed out is deleted. Where a twin arrived meanwhile the item stays pending and False
    is answered: the rows are current by then, so the next drain finds it said already.
    """
    mark = db.value("SELECT digest FROM queue WHERE id = ?", (item.id,))
    if not isinstance(mark, bytes):
        raise NotFound(f"no item {item.id}", why="it was acknowledged already", hint="run `bellek queue peek`")
    _became(db, (item.project, item.channel, mark), memories)
    audit.append(db, actor=actor, act="ack", kind="item", id=item.id, batch=batch)
    if db.run("DELETE FROM queue WHERE id = ? AND generation = ?", (item.id, item.generation)):
        return True
    db.run("UPDATE queue SET state = 'pending', token = '', until_at = 0 WHERE id = ?", (item.id,))
    return False


def _became(db: Database, same: tuple[str, str, bytes], memories: tuple[str, ...]) -> None:
    """Remember the rows that a payload was written into. A twin that is put away without a row leaves those that stand."""
    if not memories and _current(db, same):
        return
    db.run("DELETE FROM settled WHERE project = ? AND channel = ? AND digest = ?", same)
    db.run_many(
        "INSERT INTO settled (project, channel, digest, memory, at) VALUES (?, ?, ?, ?, ?)",
        [(*same, memory, clock.now()) for memory in dict.fromkeys(memories or ("",))],
    )


def fail(db: Database, item: Item, reason: str, *, for_good: bool = False) -> None:
    """Count a failed try; after MAX_ATTEMPTS (or `for_good`) park the item with the reason. Call it inside a transaction."""
    state = "dead" if for_good or item.attempts + 1 >= MAX_ATTEMPTS else "pending"
    db.run(
        "UPDATE queue SET attempts = attempts + 1, state = ?, reason = ?, token = '', until_at = 0 WHERE id = ?",
        (state, redact(reason), item.id),
    )


def find(db: Database, project: str, given: str) -> Item:
    """The one item of a project whose id starts with what was given. Raises NotFound, or Refused when ambiguous."""
    found = (
        _items(db, "WHERE project = ? AND id BETWEEN ? AND ? ORDER BY id", (project, given, given + "~"))
        if given
        else []
    )
    missing = NotFound(
        f"no item {given!r} in this project's queue",
        why="it was never there, or is acknowledged",
        hint="run `bellek queue peek`",
    )
    by_id = {item.id: item for item in found}
    return by_id[the_one(given, list(by_id), missing)]


def ack(db: Database, project: str, given: str, *, actor: str) -> str:
    """Acknowledge one item by hand: nothing is written but the trail entry. Answers its id."""
    with db.transaction():
        item = find(db, project, given)
        settle(db, item, (), actor=actor, batch=mint("b"))
    return item.id


def retry(db: Database, item: Item, *, actor: str) -> None:
    """Let a dead letter wait again with all its tries before it. Raises Refused for any other item. Call it inside a transaction."""
    if not db.run(
        "UPDATE queue SET state = 'pending', attempts = 0, reason = '' WHERE id = ? AND state = 'dead'", (item.id,)
    ):
        raise Refused(f"{item.id} is no dead letter", why="it waits already", hint="run `bellek drain --offline`")
    audit.append(db, actor=actor, act="retry", kind="item", id=item.id, batch=mint("b"))


def stranded(db: Database, gone: list[str]) -> list[Item]:
    """Waiting items of projects whose folder no longer exists."""
    marks = ", ".join("?" * len(gone))
    return _items(db, f"WHERE project IN ({marks}) AND state <> 'dead' {ORDER}", tuple(gone)) if gone else []


def recover(db: Database, items: list[Item], project: str) -> int:
    """Bring stranded items into a project, with their times; the number moved. A twin there keeps its place."""
    with db.transaction():
        moved = sum(db.run("UPDATE OR IGNORE queue SET project = ? WHERE id = ?", (project, item.id)) for item in items)
        audit.append(db, actor="cli", act="recover", kind="queue", id=project, batch=mint("b"))
    return moved
