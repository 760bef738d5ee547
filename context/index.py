"""The memory index of a packet: pointers alone to what a person made permanent and no other section tells whole.

One of the prompt hook's rooms. It must never hold a row's words, nor a row that nobody checked.
"""

from bellek.kg import scope
from bellek.kg.db import Database
from bellek.schemas.packet import Line
from bellek.schemas.vocab import MAY_BE_TOLD

LINES = 20
HIGH = 2  # lessons of this importance stand as rules


def lines(db: Database, project: str) -> list[Line]:
    """Pointers to what a person made permanent and no section tells whole: name, what it is, where its file lies (R66)."""
    rows = db.rows(
        "SELECT m.id, m.revision, m.kind, coalesce(p.title, n.name, replace(l.topic, '-', ' '), c.subject || ' ' || replace(c.predicate, '_', ' ')),"
        " coalesce(n.type, l.learning, c.category, ''), coalesce((SELECT v.root || '/' || v.path FROM vault_files v WHERE v.memory = m.id LIMIT 1), '')"
        " FROM memories m INDEXED BY memories_permanent LEFT JOIN pages p ON p.id = m.id LEFT JOIN entities n ON n.id = m.id LEFT JOIN lessons l ON l.id = m.id"
        f" LEFT JOIN claims c ON c.id = m.id WHERE m.tier = 'T2' AND {scope.sees('?1')} AND m.status = 'current' AND {MAY_BE_TOLD} AND m.kind IN ('page', 'entity', 'lesson', 'claim')"
        " AND coalesce(l.importance, 0) < ?2 AND coalesce(c.category, '') NOT IN ('constraint', 'preference')"
        " ORDER BY m.updated DESC LIMIT ?3",
        (project, HIGH, LINES),
    )
    return [
        Line("index", str(i), int(str(r)), str(name), ", ".join(filter(None, (str(kind), str(what), str(path)))))
        for i, r, kind, name, what, path in rows
    ]
