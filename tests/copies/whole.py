"""Everything that a store holds, as plain values."""

from bellek.kg.db import open_database

VERSION = "0.0.test"
DAY = 86_400_000


def everything(home):
    """Table → all rows, of both databases; what an index holds is compared by its own check at the end of each test."""
    found = {}
    for path in (f"{home}/memory.db", f"{home}/conversations.db"):
        db = open_database(path, writable=False)
        names = db.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%!_fts%' ESCAPE '!' AND name NOT LIKE 'sqlite%'"
        )
        for (name,) in names:
            found[f"{path.rpartition('/')[2]} {name}"] = sorted(map(repr, db.rows(f"SELECT * FROM {name}")))
        db.close()
    return found


def without_notes(tables):
    """The same without what a drill notes of itself after the copy was taken."""
    kept = [row for row in tables["memory.db meta"] if not row.startswith("('drill'")]
    return {**tables, "memory.db meta": kept}
