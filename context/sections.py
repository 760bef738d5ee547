"""The standing sections of a packet: a few selects, each row a line. Reads only; decides nothing about space.

One of the prompt hook's rooms. It must never let a row of tool, web or pasted origin through, nor one of another project.
"""

import binascii

from bellek.context import index, log_lines
from bellek.kg import agents, clock, paths, scope
from bellek.kg.db import Database
from bellek.schemas.packet import Line
from bellek.schemas.vocab import ANY, FORGOTTEN, IMPORTANCE, MAY_BE_TOLD, STATUSES_OUT

WISDOM_LINES = 12
CLAIM_LINES = 12
VIEW_LINES = 5
VIEW_DAYS = 84  # a pattern that no reflection saw again for so long is told no more
TASK_LINES = 10
JOURNAL_LINES = 5
IDENTITY_BYTES = 8_000  # read at most: a longer file would crowd everything else out of the packet
HIGH = 2
CLIENT = "claude-code"  # whose turn it is where nobody says
PROGRAM = "program-"  # and its agent's name: a program of one's own (bellek.open)

_HERE = f" {scope.sees('?1')} AND m.status = 'current' AND {MAY_BE_TOLD}"


def standing(db: Database, home: str, project: str) -> list[Line]:
    """Identity, habit, WISDOM, permanent preferences and constraints, the index, open tasks, the journal's last lines, in the packet's order."""
    here = project or ANY
    return [
        *_identity(home),
        *_habit(db),
        *wisdom(db, here, "T2"),
        *wisdom(db, here, "T1"),
        *claims(db, here),
        *index.lines(db, here),
        *_worldview(db, here),
        *_tasks(db, here),
        *_journal(db, here),
    ]


def _identity(home: str) -> list[Line]:
    """The person's own file, as it is now: edits appear in the next packet."""
    try:
        with open(paths.identity_file(home), "rb") as file:
            raw = file.read(IDENTITY_BYTES)
    except OSError:
        return []
    text = raw.decode("utf-8", "replace").removeprefix("\ufeff").strip()  # "utf-8-sig" would be one more module
    return [Line("identity", "identity", binascii.crc32(raw), text)] if text else []


def _habit(db: Database) -> list[Line]:
    """The words that teach the marker habit, laid down by the installer for clients whose agent writes markers."""
    text = db.value("SELECT value FROM settings WHERE key = 'habit'")
    return [Line("habit", "habit", binascii.crc32(str(text).encode()), str(text))] if text else []


def wisdom(db: Database, project: str, tier: str) -> list[Line]:
    """One lane of WISDOM: rules (T2, a person made them permanent) or observations (T1). High standing and above: importance, and how it fared."""
    rows = db.rows(
        "SELECT m.id, m.revision, m.text, l.standing, m.said_at, m.offset_minutes FROM memories m JOIN lessons l ON l.id = m.id"
        f" WHERE m.kind = 'lesson' AND m.tier = ?4 AND l.standing >= ?2 AND {_HERE}"
        " ORDER BY l.standing DESC, l.sightings DESC, m.said_at DESC, m.id LIMIT ?3",
        (project, HIGH, WISDOM_LINES, tier),
    )
    section = "rules" if tier == "T2" else "wisdom"
    return [
        Line(
            section, str(i), int(str(r)), str(t), f"{IMPORTANCE[int(str(n))]}, {clock.day(int(str(at)), int(str(off)))}"
        )
        for i, r, t, n, at, off in rows
    ]


def claims(db: Database, project: str) -> list[Line]:
    """Preferences and constraints that a person made permanent: they hold whatever the prompt is. All others wait for a match."""
    rows = db.rows(
        "SELECT m.id, m.revision, m.text, c.category, m.said_at, m.offset_minutes FROM memories m INDEXED BY memories_permanent JOIN claims c ON c.id = m.id"
        f" WHERE m.kind = 'claim' AND m.tier = 'T2' AND c.category IN ('constraint', 'preference') AND {_HERE}"
        " ORDER BY c.category, m.said_at DESC, m.id LIMIT ?2",
        (project, CLAIM_LINES),
    )
    return [
        Line("claims", str(i), int(str(r)), str(t), f"{kind}, {clock.day(int(str(at)), int(str(off)))}")
        for i, r, t, kind, at, off in rows
    ]


def _worldview(db: Database, project: str) -> list[Line]:
    """What the weekly reflection inferred or saw again within the last weeks, newest weeks first."""
    rows = db.rows(
        "SELECT m.id, m.revision, m.text, w.week FROM memories m JOIN worldviews w ON w.id = m.id"
        f" WHERE m.kind = 'worldview' AND {_HERE} AND m.updated >= ?3 << {clock.COUNTER_BITS} ORDER BY w.week DESC, w.topic, m.id LIMIT ?2",
        (project, VIEW_LINES, clock.now() - VIEW_DAYS * clock.DAY_MS),
    )
    return [Line("worldview", str(i), int(str(r)), str(t), str(week)) for i, r, t, week in rows]


def _tasks(db: Database, project: str) -> list[Line]:
    rows = db.rows(
        "SELECT m.id, m.revision, m.text FROM memories m JOIN tasks k ON k.id = m.id"
        f" WHERE m.kind = 'task' AND k.state = 'open' AND {_HERE} ORDER BY m.said_at, m.id LIMIT ?2",
        (project, TASK_LINES),
    )
    return [Line("tasks", str(i), int(str(r)), str(t)) for i, r, t in rows]


def _journal(db: Database, project: str) -> list[Line]:
    rows = db.rows(
        "SELECT m.id, m.revision, m.text, e.day FROM memories m JOIN events e ON e.id = m.id"
        f" WHERE m.kind = 'event' AND {_HERE} ORDER BY m.said_at DESC, m.id LIMIT ?2",
        (project, JOURNAL_LINES),
    )
    return [Line("journal", str(i), int(str(r)), str(t), str(day)) for i, r, t, day in reversed(rows)]


def changed(db: Database, known: "dict[str, int]") -> list[Line]:
    """Rows that this session was told and that read otherwise now, or no longer hold: one correction line each.

    A revision that changed neither words nor state (a counter) is no correction, and a row without search words (a
    sensitive value whose consent was withdrawn) is not said again. Of a row that was set apart or may no longer be told
    none of its words are said, only that it no longer holds. `known` as for `packet.build`.
    """
    pairs = ",".join(f'["{id_}",{revision}]' for id_, revision in known.items() if id_[1:2] == "_")
    if not pairs:
        return []
    rows = db.rows(
        f"SELECT m.id, m.revision, CASE WHEN {_BEING_FORGOTTEN} THEN '{FORGOTTEN}' WHEN m.status IN {STATUSES_OUT} OR NOT {MAY_BE_TOLD} THEN '' ELSE m.text END,"
        f" CASE WHEN {MAY_BE_TOLD} THEN m.status ELSE 'kept out' END, m.kind FROM json_each(?) k JOIN memories m ON m.id = k.value ->> 0"
        " JOIN revisions r ON r.id = m.id AND r.revision = k.value ->> 1 WHERE m.revision > r.revision"
        " AND (m.text <> json_extract(r.body, '$.text') OR m.status <> json_extract(r.body, '$.status'))"
        " AND m.shadow <> '' ORDER BY m.id",
        (f"[{pairs}]",),
    )
    return [
        Line(
            "changed",
            str(i),
            int(str(r)),
            str(t),
            str(kind) if status == "current" else f"{kind}, {status}: no longer holds",
        )
        for i, r, t, status, kind in rows
    ]


# Hidden and not scrubbed yet: its words are said no more, not even to say that they no longer hold.
_BEING_FORGOTTEN = "m.status = 'hidden' AND EXISTS (SELECT 1 FROM audit a WHERE a.id = m.id AND a.act = 'forget')"


def signals(db: Database, project: str, now: int, client: str = CLIENT) -> list[Line]:
    """What waits, a line a declared channel with its rule, at every turn on which it holds; silent when nothing does.

    While somebody drains, one line says so and no rule is told. Where the client has our curator, one line asks for it
    and a channel's rule follows only if it is one of its own. What waits in a channel that is no longer declared is not
    told. Before any command or hearing has compiled the manifests, every channel counts. A program of one's own asks for
    what waits itself; its model is told nothing of it.
    """
    if not project or client.startswith(PROGRAM):
        return []
    rows = db.rows(
        "SELECT q.channel, count(*), count(*) FILTER (WHERE q.state = 'taken' AND q.until_at > ?2), s.value FROM queue q"
        " LEFT JOIN settings s ON s.key = 'channel:' || q.channel WHERE q.project = ?1 AND q.state <> 'dead'"
        f" AND (s.key IS NOT NULL OR NOT EXISTS (SELECT 1 FROM settings WHERE {_CHANNEL_ROWS})) GROUP BY q.channel ORDER BY q.channel",
        (project, now),
    )
    if any(taken for _, _, taken, _ in rows):
        return [Line("signals", "", 0, f"{_heard(sum(int(str(n)) for _, n, _, _ in rows))}: being drained now.")]
    curator = _curator(db, client) if rows else ""
    if curator:
        counts = ", ".join(f"{n} {channel}" for channel, n, _, _ in rows)
        asked = (
            f"{_heard(sum(int(str(n)) for _, n, _, _ in rows))} ({counts}): start the agent {curator} {CURATOR_RULE}"
        )
        own = [f"for what is heard in {channel}: {rule}" for channel, _, _, rule in rows if rule and rule != DRAIN_RULE]
        return [Line("signals", "", 0, text) for text in (asked, *own)]
    return [
        Line("signals", "", 0, f"{_heard(int(str(n)))} in {channel}: {rule or DRAIN_RULE}")
        for channel, n, _, rule in rows
    ]


def waits(db: Database, project: str) -> list[Line]:
    """What waits for the person, one line a kind: proposals of structural changes, and contradictions nobody decided.

    CROSS JOIN keeps the order: few questions wait among very many rows.
    """
    proposals, conflicts = db.rows(
        f"SELECT (SELECT count(*) FROM proposals p CROSS JOIN memories m ON m.id = p.id WHERE p.state = 'waiting' AND m.status = 'current' AND {scope.sees('?1')}),"
        f" (SELECT count(*) FROM conflicts x CROSS JOIN memories m ON m.id = x.id WHERE x.state = 'open' AND {scope.sees('?1')})",
        (project or ANY,),
    )[0]
    told = {}
    if proposals:
        what = "1 proposal waits" if proposals == 1 else f"{proposals} proposals wait"
        told["waits-proposals"] = f"{what} for the person's answer: `bellek proposals list`."
    if conflicts:
        what = "1 contradiction is open" if conflicts == 1 else f"{conflicts} contradictions are open"
        told["waits-conflicts"] = f"{what}: `bellek conflicts`."
    return [Line("signals", id_, binascii.crc32(text.encode()), text) for id_, text in told.items()]


TONE = "tone"


def tone(db: Database, agent: str, now: int, known: "dict[str, int]") -> list[Line]:
    """STATE in one line of words. Its revision is a checksum, so that a session hears it again only when the words change.

    Time counts in whole hours since the last message that moved something, and what is usual is said only to who was told
    otherwise.
    """
    row = db.one(
        "SELECT at, state FROM state_points WHERE agent = ? AND at <= ? ORDER BY at DESC, message DESC LIMIT 1",
        (agent, now),
    )
    if row is None:
        return []
    from bellek.kg.pace import pace_of  # where nothing moved yet, nothing is loaded
    from bellek.schemas import state

    pace, elapsed = pace_of(db), (now - int(str(row[0]))) // clock.HOUR_MS * clock.HOUR_MS
    values = tuple(float(part) for part in str(row[1])[1:-1].split(","))  # our own JSON array of numbers
    text = state.tone(state.decayed(values, elapsed, pace), pace)
    return [] if text == state.PLAIN and TONE not in known else [Line(TONE, TONE, binascii.crc32(text.encode()), text)]


_CHANNEL_ROWS = "key >= 'channel:' AND key < 'channel;'"
DRAIN_RULE = "run `bellek drain --offline` when convenient."
CURATOR_RULE = "in the background; do not wait for it or mention it."
SWEEP_RULE = "read it again with `bellek sweep next --channel {channel} --json`."


def _curator(db: Database, client: str) -> str:
    """The name of the agent that drains, where an install has laid it down for the client and it can work there; else ""."""
    return str(db.value("SELECT value FROM settings WHERE key = ?", (f"curator:{client}",)) or "")


def _heard(count: int) -> str:
    return "1 item heard and not yet written" if count == 1 else f"{count} items heard and not yet written"


def unasked(
    db: Database, home: str, project: str, now: int, *, session: str, agent: str, person: bool, prompt: bool, client: str = CLIENT
) -> list[Line]:  # fmt: skip
    """All that a turn is told whatever is asked: what stands; for a `person`'s turn what waits; for their `prompt` nudges.

    `agent` is whose turn it is; "" where that is not known, and then nothing of the shared log is told.
    A notice that the curator ended is no person's turn: it must not start it again, for ever where it cannot work.
    """
    lines = standing(db, home, agents.scope_of(db, project, agent))
    if agent:
        lines += log_lines.told(db, project, agent, person=person)
        lines += [] if prompt else log_lines.checkpoint(db, project, agent, session)
    if person:
        lines += signals(db, project, now, client) + waits(db, project)
        lines += nudges(db, session, client) if prompt else []
    return lines


def nudges(db: Database, session: str, client: str = CLIENT) -> list[Line]:
    """The watchdog's lines that are due in a session. Their revision grows, so that a session is told each once."""
    curator = _curator(db, client)
    rows = db.rows(
        "SELECT w.channel, w.nudges, w.turns, w.points FROM watch w JOIN settings s ON s.key = 'channel:' || w.channel"
        " WHERE w.session = ? AND w.due ORDER BY w.channel",
        (session,),
    )
    return [
        Line(
            "signals",
            f"watch-{channel}",
            int(str(count)),
            f"{turns} turns and {points} letters without a `{channel}` marker: mark what was learned with its reason, or "
            + (f"let the agent {curator} read it again." if curator else SWEEP_RULE.format(channel=channel)),
        )
        for channel, count, turns, points in rows
    ]
