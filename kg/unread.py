"""Which entries of the shared log wait for whose acknowledgement, kept ready so that a prompt reads a few rows of an index.

One of the prompt hook's rooms. The two tables are worked out from the log's entries and from nothing else, so that a replayed
trail has them too. It must never drop an entry that an agent did not acknowledge, however old it is or however many there are.
"""

from bellek.kg.db import Database
from bellek.schemas.vocab import MAY_BE_TOLD

UNKNOWN = "*"  # stands for an agent that wrote nothing in a project yet: everything that asks waits for it
UPTO = "upto:"  # an acknowledgement of everything up to an entry names that entry's clock instead of an id
SORTS = {"note": 0, "decision": 1, "project-state": 2}  # the entries that ask to be acknowledged
NOTE, DECISION, STATE = 0, 1, 2
COUNT_CAP = 100  # entries counted: beyond it a number tells nobody more
RACE_NEAR = 20  # entries looked at on each side: a minute may hold thousands
RACE_MS = 60_000  # two decisions of two agents so close together were made without knowledge of each other (R79)

_SORT = "CASE l.type WHEN 'note' THEN 0 WHEN 'decision' THEN 1 ELSE 2 END"
_AGENTS = (
    "SELECT DISTINCT m.project, m.agent FROM logs l JOIN memories m ON m.id = l.id WHERE m.status = 'current'"
    " UNION SELECT m.project, '*' FROM logs l JOIN memories m ON m.id = l.id WHERE m.status = 'current'"
)
_OPEN = (
    f"SELECT m.project, a.agent, {_SORT}, m.created, m.id FROM logs l JOIN memories m ON m.id = l.id"
    " JOIN log_agents a ON a.project = m.project AND a.agent <> m.agent"
    f" WHERE m.status = 'current' AND {MAY_BE_TOLD} AND l.type IN ('note', 'decision', 'project-state') AND NOT EXISTS (SELECT 1 FROM logs k"
    " CROSS JOIN memories g ON g.id = k.id WHERE k.type = 'ack' AND g.status = 'current' AND g.agent = a.agent AND g.project = m.project"
    " AND (k.about = m.id OR (k.about >= 'upto:' AND k.about < 'upto;' AND m.created <= CAST(substr(k.about, 6) AS INTEGER))))"
)
# For `kg.check`: what the tables must hold, and do not, or hold and must not.
RULES = (
    (
        "an agent of the shared log that is known wrongly",
        (f"SELECT agent FROM (SELECT * FROM (SELECT project, agent FROM log_agents EXCEPT {_AGENTS.replace(' UNION ', ' EXCEPT ')})"
        f" UNION ALL SELECT * FROM (SELECT * FROM ({_AGENTS}) EXCEPT SELECT project, agent FROM log_agents))"),
    ),
    (
        "an entry of the shared log that waits wrongly, or does not wait",
        (f"SELECT entry FROM (SELECT * FROM (SELECT project, agent, sort, clock, entry FROM log_open EXCEPT {_OPEN})"
        f" UNION ALL SELECT * FROM ({_OPEN} EXCEPT SELECT project, agent, sort, clock, entry FROM log_open))"),
    ),
)  # fmt: skip


def note(db: Database, id: str) -> None:
    """Work out what an entry that was just written changes. Inside the transaction that wrote it."""
    row = db.one(
        f"SELECT m.project, m.agent, m.created, m.status, m.revision, l.type, l.about, {MAY_BE_TOLD} FROM logs l JOIN memories m ON m.id = l.id WHERE l.id = ?",
        (id,),
    )
    assert row is not None
    project, agent, clock, status, revision, type_, about, told = row
    if revision != 1:
        _rebuild(db, str(project))  # seldom: an entry was hidden, brought back or let out of quarantine
        return
    if status != "current":
        return
    _know(db, str(project), str(agent))
    if type_ in SORTS and told:
        db.run(
            "INSERT INTO log_open (project, agent, sort, clock, entry) SELECT project, agent, ?3, ?4, ?5 FROM log_agents WHERE project = ?1 AND agent <> ?2",
            (project, agent, SORTS[str(type_)], clock, id),
        )
    elif type_ == "ack":
        _close(db, str(project), str(agent), str(about))


def _know(db: Database, project: str, agent: str) -> None:
    """An agent's first entry in a project: all that asks there waits for it from now on."""
    if db.value("SELECT 1 FROM log_agents WHERE project = ? AND agent = ?", (project, agent)):
        return
    db.run_many(
        "INSERT OR IGNORE INTO log_agents (project, agent) VALUES (?, ?)", [(project, UNKNOWN), (project, agent)]
    )
    db.run(
        "INSERT INTO log_open (project, agent, sort, clock, entry) SELECT project, ?2, sort, clock, entry FROM log_open WHERE project = ?1 AND agent = ?3",
        (project, agent, UNKNOWN),
    )


def _close(db: Database, project: str, agent: str, about: str) -> None:
    if about.startswith(UPTO):
        db.run(
            "DELETE FROM log_open WHERE project = ? AND agent = ? AND clock <= ?",
            (project, agent, int(about[len(UPTO) :])),
        )
        return
    for (clock,) in db.rows("SELECT created FROM memories WHERE id = ?", (about,)):
        db.run(
            "DELETE FROM log_open WHERE project = ? AND agent = ? AND sort IN (0, 1, 2) AND clock = ? AND entry = ?",
            (project, agent, clock, about),
        )


def _rebuild(db: Database, project: str) -> None:
    for table in ("log_open", "log_agents"):
        db.run(f"DELETE FROM {table} WHERE project = ?", (project,))
    db.run(f"INSERT INTO log_agents (project, agent) SELECT * FROM ({_AGENTS}) WHERE project = ?", (project,))
    db.run(
        f"INSERT INTO log_open (project, agent, sort, clock, entry) SELECT * FROM ({_OPEN}) WHERE project = ?",
        (project,),
    )


def reader(db: Database, project: str, agent: str) -> str:
    """Under which name an agent's unread entries stand: its own, or that of who is not known here yet."""
    known = db.value("SELECT 1 FROM log_agents WHERE project = ? AND agent = ?", (project, agent))
    return agent if known else UNKNOWN


def waiting(db: Database, project: str, agent: str, *, limit: int) -> "list[tuple[str, int, int]]":
    """(entry, sort, clock) of what waits for an agent: decisions and the state of the project first, newest first.

    Of several states of a project only the newest is one; an older one that nobody acknowledged says nothing any more.
    """
    name = reader(db, project, agent)
    newest = "SELECT max(clock) FROM log_open WHERE project = ?1 AND agent = '*' AND sort = 2"
    parts = [
        f"SELECT entry, sort, clock FROM (SELECT entry, sort, clock FROM log_open WHERE project = ?1 AND agent = ?2 AND sort = {sort}"
        f" {more} ORDER BY clock DESC LIMIT ?3)"
        for sort, more in ((STATE, f"AND clock = ({newest})"), (DECISION, ""), (NOTE, ""))
    ]
    rows = db.rows(" UNION ALL ".join(parts), (project, name, limit))
    return [(str(entry), int(str(sort)), int(str(clock))) for entry, sort, clock in rows][:limit]


def is_waiting(db: Database, project: str, agent: str, id: str) -> bool:
    """Whether an entry waits for an agent."""
    name = reader(db, project, agent)
    return bool(
        db.value(
            "SELECT 1 FROM memories m JOIN log_open o ON o.project = m.project AND o.agent = ? AND o.sort IN (0, 1, 2) AND o.clock = m.created"
            " AND o.entry = m.id WHERE m.id = ? AND m.project = ? AND m.agent <> ?",
            (name, id, project, agent),
        )
    )


def count(db: Database, project: str, agent: str) -> int:
    """How many entries wait for an agent, COUNT_CAP at most."""
    return int(
        str(
            db.value(
                "SELECT count(*) FROM (SELECT 1 FROM log_open WHERE project = ? AND agent = ? LIMIT ?)",
                (project, reader(db, project, agent), COUNT_CAP),
            )
        )
    )


def beside(db: Database, project: str, agent: str, sort: int, clock: int) -> "list[tuple[str, str]]":
    """(entry, its agent) of decisions or states that another agent wrote within a minute of this one, whoever acknowledged them."""
    if sort == NOTE:
        return []
    span = RACE_MS << 16  # a hybrid clock's milliseconds
    near = "SELECT entry, clock FROM log_open WHERE project = ?1 AND agent = '*' AND sort = ?2 AND clock"
    rows = db.rows(
        f"SELECT o.entry, m.agent FROM (SELECT * FROM ({near} BETWEEN ?3 AND ?4 ORDER BY clock DESC LIMIT ?7)"
        f" UNION ALL SELECT * FROM ({near} BETWEEN ?4 AND ?5 ORDER BY clock LIMIT ?7)) o JOIN memories m ON m.id = o.entry"
        " WHERE m.agent <> ?6 ORDER BY o.clock LIMIT 3",
        (project, sort, clock - span, clock, clock + span, agent, RACE_NEAR),
    )
    return [(str(entry), str(other)) for entry, other in rows]
