"""SQLite has one speaker, an index one asker, and tables one place where their shape is said."""

import re

from tree import PACKAGES, imports, name_of, sources, strings

SHAPE = re.compile(r"\b(CREATE|DROP|ALTER)\s+(TABLE|INDEX|VIEW|TRIGGER|VIRTUAL|UNIQUE|TEMP)", re.IGNORECASE)
ASKS = re.compile(r"\bMATCH\s*[?:'{]", re.IGNORECASE)


def test_only_kg_db_imports_apsw_and_nobody_another_sqlite():
    """B95: a second SQLite library on a live file drops its locks: apsw enters in `kg/db.py`, sqlite3 and sqlite_utils nowhere."""
    speakers = {
        (name_of(path), name.split(".")[0])
        for path in sources(*PACKAGES)
        for name in imports(path)
        if name.split(".")[0] in ("apsw", "sqlite3", "sqlite_utils")
    }
    assert speakers == {("kg/db.py", "apsw")}


def test_indexes_are_asked_in_one_file():
    """`MATCH` stands in the statements of `kg/lookup.py` alone, with its expression as a parameter."""
    askers = {name_of(path): text for path in sources(*PACKAGES) for text in strings(path) if ASKS.search(text)}
    assert set(askers) == {"kg/lookup.py"}
    for text in strings(next(p for p in sources("kg") if p.name == "lookup.py")):
        assert not re.search(r"\bMATCH\s*['{]", text), text


def test_match_expressions_have_one_author():
    """What `kg.lookup` is handed comes from `kg.fts_query`: whoever calls the one imports the other."""
    callers = {name_of(path) for path in sources(*PACKAGES) if any(n.endswith("kg.lookup") for n in imports(path))}
    authors = {name_of(path) for path in sources(*PACKAGES) if any(n.endswith("kg.fts_query") for n in imports(path))}
    assert callers, "nobody asks the index"
    assert callers <= authors


def test_tables_get_their_shape_from_sql_files_alone():
    """No Python file creates, drops or alters a table, index, view or trigger: `schemas/sql` does."""
    assert [(name_of(p), text) for p in sources(*PACKAGES) for text in strings(p) if SHAPE.search(text)] == []
