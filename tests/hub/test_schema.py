"""Every key of the hub begins with the space, and no statement crosses spaces."""

import ast
import re
from pathlib import Path

from bellek import schemas
from bellek.kg import hub_server

SQL = "\n".join(p.read_text() for p in sorted(Path(schemas.__file__).parent.joinpath("sql/hub").glob("*.sql")))
RIGHTS = re.compile(r"(GRANT|REVOKE|ALTER|CREATE (TRIGGER|TABLE|INDEX))\b")  # no rows are touched
TABLES = re.compile(r"bellek_hub\.(?:nodes|entries|gone)\b")


def without_space(text):
    """Statements over a table of the hub that do not name the space."""
    plain = re.sub(r"--.*", "", text)
    parts = [part.strip() for part in plain.split(";")]
    parts = [part for part in parts if not RIGHTS.match(part) and re.search(r"\b(SELECT|INSERT|UPDATE|DELETE)\b", part)]
    return [
        part.strip()
        for part in parts
        if TABLES.search(part) and not re.search(r"\bspace\b", re.sub(r"bellek\.space", "", part))
    ]


def test_every_key_begins_with_the_space():
    """The tables can be partitioned and distributed by it: keys, indexes and partitions."""
    keys = re.findall(r"(?:PRIMARY KEY|\bON bellek_hub\.\w+|PARTITION BY HASH) \(([^)]*)\)", SQL)
    assert len(keys) >= 8
    assert [key for key in keys if not key.startswith("space")] == []


def test_no_statement_leaves_the_space_out():
    """In the SQL files, and in the one module that speaks to the hub; and the check finds one that does."""
    tree = list(ast.walk(ast.parse(Path(hub_server.__file__).read_text())))
    joined = [node for node in tree if isinstance(node, ast.JoinedStr)]
    parts = {id(part) for node in joined for part in ast.walk(node)}
    plain = [
        node.value
        for node in tree
        if isinstance(node, ast.Constant) and id(node) not in parts and isinstance(node.value, str)
    ]
    spoken = [*plain, *map(ast.unparse, joined)]
    assert [bad for text in (SQL, *spoken) for bad in without_space(text)] == []
    assert without_space("SELECT count(*) FROM bellek_hub.entries") != []
