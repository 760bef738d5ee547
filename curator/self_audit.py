"""The weekly self-audit: what in this memory has no source, contradicts itself, is stale, unused, junk, or goes against the grain.

Reads only, and reports only: it must never mend what it finds. Counts with a few ids each.
"""

import json
from dataclasses import dataclass

from bellek.curator import channels
from bellek.kg import clock, state
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.schemas import state as rules

WEEK_MS = 7 * clock.DAY_MS
STALE_DAYS = 180  # after which a claim that nobody said again is worth a look
TASK_DAYS = 60
UNUSED_DAYS = 30
DRIFT = 0.05  # of a channel's mean between this week and the four before
SHOWN = 5  # ids a finding


@dataclass(frozen=True, slots=True)
class Finding:
    """One heading of the report: how many, in words, and the first few ids."""

    name: str
    count: int
    what: str
    ids: tuple[str, ...] = ()


def report(home: Home, agent: str = "claude-code") -> list[Finding]:
    """All headings in their order, those with nothing to tell too."""
    db, now = home.memory, clock.now()
    return [
        *_orphans(db),
        _found(db, "contradictions", "contradictions are open", "SELECT x.id FROM conflicts x JOIN memories m USING (id) WHERE x.state = 'open' AND m.status = 'current' ORDER BY m.said_at"),
        *_stale(db, now),
        _unused(home, now),
        _junk(db, now),
        _drift(db, agent, now),
        *_friction(db, now),
        _wisdom(db),
    ]  # fmt: skip


def _found(db: Database, name: str, what: str, sql: str, values: tuple[int, ...] = ()) -> Finding:
    ids = [str(row[0]) for row in db.rows(sql, values)]
    return Finding(name, len(ids), what, tuple(ids[:SHOWN]))


def _orphans(db: Database) -> list[Finding]:
    return [
        _found(db, "orphans", "claims, lessons and pages have no source",
            "SELECT m.id FROM memories m WHERE m.kind IN ('claim', 'lesson', 'page') AND m.status = 'current'"
            " AND NOT EXISTS (SELECT 1 FROM sources s WHERE s.memory = m.id) ORDER BY m.n"),
        _found(db, "orphans", "entities have no field and stand in no claim",
            "SELECT n.id FROM entities n JOIN memories m USING (id) WHERE m.status = 'current' AND NOT EXISTS (SELECT 1 FROM fields f WHERE f.entity = n.id)"
            " AND NOT EXISTS (SELECT 1 FROM claims c WHERE n.key IN (c.subject_key, c.object_key)) ORDER BY m.n"),
    ]  # fmt: skip


def _stale(db: Database, now: int) -> list[Finding]:
    return [
        _found(db, "stale", f"claims were not said again for {STALE_DAYS} days",
            "SELECT c.id FROM claims c JOIN memories m USING (id) WHERE m.status = 'current' AND m.tier = 'T1' AND max(m.said_at, c.last_at) < ? ORDER BY m.said_at",
            (now - STALE_DAYS * clock.DAY_MS,)),
        _found(db, "stale", f"tasks have been open for {TASK_DAYS} days",
            "SELECT t.id FROM tasks t JOIN memories m USING (id) WHERE t.state = 'open' AND m.status = 'current' AND m.said_at < ? ORDER BY m.said_at",
            (now - TASK_DAYS * clock.DAY_MS,)),
    ]  # fmt: skip


def _unused(home: Home, now: int) -> Finding:
    used = {str(row[0]) for row in home.memory.rows("SELECT DISTINCT channel FROM seen WHERE at >= ?", (now - UNUSED_DAYS * clock.DAY_MS,))}  # fmt: skip
    unused = sorted(set(channels.load(home.path).names) - used)
    return Finding(
        "unused channels", len(unused), f"channels had no mark for {UNUSED_DAYS} days", tuple(unused[:SHOWN])
    )


def _count(db: Database, sql: str, *values: int | str) -> int:
    return int(str(db.value(sql, values)))


def _junk(db: Database, now: int) -> Finding:
    """The share of what was dropped of all that was settled this week."""
    since = now - WEEK_MS
    dropped = _count(db, "SELECT count(*) FROM drops WHERE at >= ?", since)
    kept = _count(db, "SELECT count(*) FROM (SELECT DISTINCT project, channel, digest FROM settled WHERE at >= ? AND memory <> '')", since)  # fmt: skip
    share = round(100 * dropped / (dropped + kept)) if dropped + kept else 0
    return Finding("junk", dropped, f"items of this week were dropped, {share} % of what was settled")


def _drift(db: Database, agent: str, now: int) -> Finding:
    """Channels whose mean of this week lies apart from that of the four weeks before."""
    points = state.points(db, agent, now - 5 * WEEK_MS)
    this = [values for at, values, _ in points if at >= now - WEEK_MS]
    before = [values for at, values, _ in points if at < now - WEEK_MS]
    moved = []
    for n, name in enumerate(rules.CHANNELS):
        if this and before:
            by = sum(v[n] for v in this) / len(this) - sum(v[n] for v in before) / len(before)
            if abs(by) >= DRIFT:
                moved.append(f"{name} {by:+.2f}")
    return Finding("tone drift", len(moved), "channels moved against the four weeks before", tuple(moved))


def _friction(db: Database, now: int) -> list[Finding]:
    since = now - WEEK_MS
    clock_since = since << clock.COUNTER_BITS
    refused = _count(db, "SELECT count(*) FROM audit WHERE act = 'refuse' AND clock >= ?", clock_since)
    notices = _count(db, "SELECT count(*) FROM notices WHERE at >= ?", since)
    return [
        _found(db, "friction", "dead letters wait for a look", "SELECT id FROM queue WHERE state = 'dead' ORDER BY n"),
        _found(db, "friction", "rows are in quarantine", "SELECT id FROM memories WHERE status = 'quarantined' ORDER BY n"),
        Finding("friction", refused, "rows were refused this week"),
        Finding("friction", notices, "marks or lines could not be taken this week"),
    ]  # fmt: skip


def wisdom_now(db: Database) -> dict[str, int]:
    """Id → revision of every lesson that may stand in WISDOM, of all projects."""
    rows = db.rows(
        "SELECT m.id, m.revision FROM memories m JOIN lessons l USING (id) WHERE m.status = 'current' AND l.standing >= 2 ORDER BY m.id"
    )
    return {str(id_): int(str(revision)) for id_, revision in rows}


def _wisdom(db: Database) -> Finding:
    """What came into WISDOM, left it or was reworded since the last reflection."""
    last = db.value("SELECT wisdom FROM evolved ORDER BY at DESC LIMIT 1")
    before: dict[str, int] = json.loads(str(last)) if last else {}
    now = wisdom_now(db)
    moved = sorted(id_ for id_ in before.keys() | now.keys() if before.get(id_) != now.get(id_))
    return Finding(
        "wisdom", len(moved), "lessons came into WISDOM, left it or changed since the last reflection", tuple(moved[:SHOWN])
    )  # fmt: skip
