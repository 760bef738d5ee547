"""Every invariant of the store as a query. Run by `doctor`, and on every test's store when the test is over.

Reads only. Each answer is a sentence about what does not hold; an empty list means that all of it holds.
"""

from bellek.kg import audit, forget, parts, unread
from bellek.kg.db import Database
from bellek.kg.fold import index_text
from bellek.kg.home import Home
from bellek.schemas.predicates import ONE
from bellek.schemas.vocab import FORGOTTEN

TABLES = {
    "claim": "claims", "lesson": "lessons", "event": "events", "page": "pages", "entity": "entities", "field": "fields",
    "worldview": "worldviews", "task": "tasks", "log": "logs", "proposal": "proposals", "conflict": "conflicts",
}  # fmt: skip
_BODIES = " UNION ALL ".join(f"SELECT id, '{kind}' AS of_kind FROM {table}" for kind, table in TABLES.items())

MEMORY_RULES = (
    (
        "a memory without its typed row",
        (f"WITH bodies AS ({_BODIES}) SELECT m.id FROM memories m LEFT JOIN bodies b ON b.id = m.id AND b.of_kind = m.kind"
        " WHERE b.id IS NULL"),
    ),
    (
        "a typed row of another kind than its memory",
        (f"WITH bodies AS ({_BODIES}) SELECT b.id FROM bodies b LEFT JOIN memories m ON m.id = b.id AND m.kind = b.of_kind"
        " WHERE m.id IS NULL"),
    ),
    (
        "two claims that stand in one single-valued slot",
        ("SELECT min(c.id) FROM claims c JOIN memories m ON m.id = c.id WHERE m.status = 'current' AND c.ended = ''"
        f" AND c.predicate IN ({', '.join(repr(p) for p in ONE)}) GROUP BY m.project, c.subject_key, c.predicate HAVING count(*) > 1"),
    ),
    (
        "a contested claim without an open conflict",
        ("SELECT m.id FROM memories m WHERE m.kind = 'claim' AND m.status = 'contested'"
        " AND NOT EXISTS (SELECT 1 FROM conflicts x WHERE x.weak = m.id AND x.state = 'open')"),
    ),
    (
        "an open conflict whose sides do not stand so",
        ("SELECT x.id FROM conflicts x JOIN memories s ON s.id = x.strong JOIN memories w ON w.id = x.weak"
        " WHERE x.state = 'open' AND (s.status <> 'current' OR w.status <> 'contested')"),
    ),
    (
        "a claim that ended before it began",
        "SELECT id FROM claims WHERE valid_to <> 0 AND valid_to < valid_from",
    ),
    (
        "a current page that is not the only one of its topic",
        ("SELECT min(p.id) FROM pages p JOIN memories m ON m.id = p.id WHERE m.status = 'current'"
        " GROUP BY m.project, p.topic HAVING count(*) > 1"),
    ),
    ("a row without scope, origin, tier or batch", "SELECT id FROM memories WHERE '' IN (project, agent, session, origin, tier, batch)"),
    ("a memory whose revision is not the trail's newest", "SELECT m.id FROM memories m WHERE m.revision <> (SELECT coalesce(max(a.revision), 0) FROM audit a WHERE a.id = m.id)"),
    ("a memory whose envelope is not its last revision", ("SELECT m.id FROM memories m JOIN revisions r ON r.id = m.id AND r.revision = m.revision"
     " WHERE m.text <> json_extract(r.body, '$.text') OR m.status <> json_extract(r.body, '$.status') OR (m.tier <> json_extract(r.body, '$.tier')"
     " AND NOT EXISTS (SELECT 1 FROM unconfirmed u WHERE u.memory = m.id AND u.revision = m.revision AND m.tier = 'T1'))"
     " OR m.project <> json_extract(r.body, '$.project') OR m.origin <> json_extract(r.body, '$.origin')")),
    ("a lesson or task that is not its last revision", ("SELECT l.id FROM lessons l JOIN memories m USING (id) JOIN revisions r ON r.id = m.id AND r.revision = m.revision"
     " WHERE l.importance <> json_extract(r.body, '$.body.importance') OR l.topic <> json_extract(r.body, '$.body.topic')"
     " UNION ALL SELECT t.id FROM tasks t JOIN memories m USING (id) JOIN revisions r ON r.id = m.id AND r.revision = m.revision WHERE t.state <> json_extract(r.body, '$.body.state')")),
    ("a log entry that is not its last revision", ("SELECT l.id FROM logs l JOIN memories m USING (id) JOIN revisions r ON r.id = m.id AND r.revision = m.revision"
     " WHERE l.type <> json_extract(r.body, '$.body.type') OR l.channel <> json_extract(r.body, '$.body.channel') OR l.about <> json_extract(r.body, '$.body.about')"
     " OR l.reason <> json_extract(r.body, '$.body.reason') OR m.agent <> json_extract(r.body, '$.agent') OR m.said_at <> json_extract(r.body, '$.said_at')")),
    *unread.RULES,
    ("a tombstone that is not its last revision", ("SELECT t.id FROM tombstones t LEFT JOIN revisions r ON r.id = t.id AND r.revision = (SELECT max(revision) FROM revisions WHERE id = t.id)"
     " WHERE r.body IS NULL OR t.lifted <> json_extract(r.body, '$.lifted') OR t.why <> json_extract(r.body, '$.why') OR t.words <> json_array_length(r.body, '$.words')")),
    ("a tombstone without a mark of its value", "SELECT t.id FROM tombstones t WHERE NOT EXISTS (SELECT 1 FROM tombstone_marks k WHERE k.stone = t.id AND k.sort = 'form')"),
    ("a forgotten value that is marked by the word", "SELECT t.id FROM tombstones t JOIN tombstone_marks k ON k.stone = t.id WHERE t.why = 'forgotten' AND k.sort = 'word'"),
    ("a row that the trail says is scrubbed", "SELECT m.id FROM memories m JOIN audit a ON a.id = m.id WHERE a.act = 'scrub'"),
    ("a scrubbed forgetting whose row is there still", "SELECT j.value FROM forgettings f, json_each (f.memories) j JOIN memories m ON m.id = j.value WHERE f.state <> 'hidden'"),
    ("a forgetting whose row is in sight", "SELECT j.value FROM forgettings f, json_each (f.memories) j JOIN memories m ON m.id = j.value WHERE f.state = 'hidden' AND m.status <> 'hidden'"),
    ("a pointer to a forgotten message", "SELECT o.message FROM observations o JOIN forgotten f ON f.sort = 'message' AND f.id = o.message"),
    ("a state point of a forgotten message", "SELECT p.message FROM state_points p JOIN forgotten f ON f.sort = 'message' AND f.id = p.message"),
    ("a state point with a value outside 0 to 1", "SELECT p.message FROM state_points p, json_each (p.state) j WHERE j.value NOT BETWEEN 0 AND 1"),
    ("an open task with a closing time, or a closed one without", "SELECT id FROM tasks WHERE (state = 'open') <> (closed_at = 0)"),
    ("a queue item that was never seen", "SELECT q.id FROM queue q WHERE NOT EXISTS (SELECT 1 FROM seen s WHERE s.channel = q.channel AND s.digest = q.digest)"),
    ("a settled payload whose row is missing", "SELECT s.memory FROM settled s WHERE s.memory <> '' AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = s.memory)"),
    ("a permanent memory without a promotion of its revision", ("SELECT m.id FROM memories m WHERE m.tier = 'T2'"
     " AND NOT EXISTS (SELECT 1 FROM promotions p WHERE p.id = m.id AND p.revision = m.revision)")),
    ("a promotion that the trail does not tell of", ("SELECT p.id FROM promotions p WHERE NOT EXISTS (SELECT 1 FROM audit a WHERE a.id = p.id"
     " AND a.revision = p.revision AND a.actor = p.person AND a.act = p.how AND a.clock = p.at)")),
    ("a refused memory without a reason", "SELECT id FROM memories WHERE status = 'refused' AND note = ''"),
    ("a call of the ledger that ended without a time, or has one and did not end", "SELECT n FROM spend WHERE (state = 'reserved') <> (ended_at = 0)"),
    ("a replay's answer to a task that covers nothing", "SELECT c.task FROM replay_cells c WHERE NOT EXISTS (SELECT 1 FROM replay_covers v WHERE v.replay = c.replay AND v.task = c.task)"),
    ("a reflection whose batch wrote something else than worldview", "SELECT e.week FROM evolved e JOIN audit a ON a.batch = e.batch WHERE a.kind <> 'worldview'"),
    ("a worldview that names no evidence", "SELECT id FROM worldviews WHERE json_array_length(evidence) = 0"),
    ("a hybrid clock that ran backwards", "SELECT a.seq FROM audit a JOIN audit b ON b.seq = a.seq + 1 WHERE b.clock <= a.clock AND b.node = a.node"),
)  # fmt: skip
TALK_RULES = (
    ("a message without its conversation", "SELECT m.id FROM messages m WHERE NOT EXISTS (SELECT 1 FROM conversations c WHERE c.id = m.conversation)"),
    ("a conversation whose count or order has gaps", ("SELECT c.id FROM conversations c LEFT JOIN messages m ON m.conversation = c.id GROUP BY c.id"
     " HAVING count(m.n) <> c.messages OR max(m.seq) <> count(m.n) OR min(m.seq) <> 1")),
    ("a conversation that forgets who spoke", ("SELECT m.id FROM messages m JOIN conversations c ON c.id = m.conversation"
     " WHERE m.author NOT IN ('user', 'assistant') AND instr(char(10) || c.named || char(10), char(10) || m.author || char(10)) = 0")),
    ("a message that the index does not know", "SELECT m.id FROM messages m WHERE NOT EXISTS (SELECT 1 FROM messages_fts_docsize d WHERE d.id = m.spot)"),
    ("a message that stands in another project's part of the index", ("SELECT m.id FROM messages m LEFT JOIN parts p ON p.project = m.project"
     f" WHERE p.part IS NULL OR m.spot NOT BETWEEN p.part * {parts.PART} AND p.part * {parts.PART} + (p.messages + 1) * {parts.LENGTHS}")),
)  # fmt: skip


def check_home(home: Home) -> list[str]:
    """All invariants of both databases, and of what one says of the other."""
    return [
        *check_memory(home.memory),
        *check_conversations(home.conversations),
        *between(home.memory, home.conversations),
    ]


def between(memory: Database, talks: Database) -> list[str]:
    """What one database says of the other and does not hold there: a message of a forgetting that was scrubbed has no words left."""
    rows = memory.rows("SELECT j.value FROM forgettings f, json_each (f.messages) j WHERE f.state <> 'hidden'")
    return [
        f"message {id_} was forgotten and still has its words"
        for (id_,) in rows
        if talks.value("SELECT 1 FROM messages WHERE id = ? AND text <> ?", (id_, FORGOTTEN))
    ]


def check_memory(db: Database) -> list[str]:
    """Invariants of memory.db: SQLite's own, the index's, ours, and the chain of the trail."""
    return [
        *_sqlite(db),
        *index_faults(db, "memories_fts"),
        *_rules(db, MEMORY_RULES),
        *_shadows(db, "memories"),
        *audit.verify(db),
        *forget.unexplained(db),
    ]


def damage(db: Database) -> list[str]:
    """What makes a file unfit to be a copy: broken pages or keys. An index can be built anew, a chain told of: they are none."""
    return [fault for fault in _sqlite(db) if "FTS5" not in fault]


def unlike_their_bodies(db: Database) -> list[str]:
    """Rows that do not say what their last body says: a table that was changed behind the trail's back."""
    return _rules(
        db, tuple(rule for rule in MEMORY_RULES if "its last revision" in rule[0] or "the trail's newest" in rule[0])
    )


def check_conversations(db: Database) -> list[str]:
    """Invariants of conversations.db."""
    return [*_sqlite(db), *index_faults(db, "messages_fts"), *_rules(db, TALK_RULES), *_shadows(db, "messages")]


def _sqlite(db: Database) -> list[str]:
    faults = [f"{db.path}: {row[0]}" for row in db.rows("PRAGMA integrity_check(10)") if row[0] != "ok"]
    return faults + [
        f"{db.path}: a row of {row[0]} points to a missing row of {row[2]}"
        for row in db.rows("PRAGMA foreign_key_check")
    ]


def index_faults(db: Database, table: str) -> list[str]:
    """Rank 1 also compares an external-content index with its content, which integrity_check does not."""
    from bellek.schemas.errors import StoreDamaged

    try:
        with db.transaction():
            db.run(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")
    except StoreDamaged:
        return [f"{db.path}: the index {table} does not fit its table"]
    return []


def _rules(db: Database, rules: tuple[tuple[str, str], ...]) -> list[str]:
    faults = []
    for name, sql in rules:
        rows = db.rows(sql + " LIMIT 3")
        if rows:
            faults.append(f"{name}: {', '.join(str(row[0]) for row in rows)}")
    return faults


def _shadows(db: Database, table: str) -> list[str]:
    """The newest rows' search text is what the fold makes of them today: index and query meet."""
    if table == "memories":
        return []  # a memory's search text holds its topic too; `memories.put` is its only writer
    rows = db.rows("SELECT id, text, shadow FROM messages ORDER BY n DESC LIMIT 100")
    return [
        f"message {id_} is indexed by an older fold"
        for id_, text, shadow in rows
        if shadow != ("" if text == FORGOTTEN else index_text(str(text)))
    ]
