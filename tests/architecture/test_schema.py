"""The SQL files and the number that the program goes by."""

import hashlib

import pytest
from tree import ROOT, name_of

from bellek.kg import migrate
from bellek.schemas.packet import SCHEMA_VERSION

KINDS = ("memory", "conversations")
RELEASED = ROOT / "tests/architecture/released-sql.txt"  # lines "SHA-256  path", as `sha256sum` prints them


@pytest.mark.parametrize("kind", KINDS)
def test_the_version_is_the_newest_file(kind):
    """The hook compares one number with the store's: it is the number of the newest SQL file, in both folders."""
    numbers = [number for number, _ in migrate.migrations(kind)]
    assert numbers == list(range(1, SCHEMA_VERSION + 1))


def test_released_files_never_change():
    """Each SQL file that was part of a tagged release has the very bytes it was released with, and is still there."""
    lines = [line for line in RELEASED.read_text(encoding="ascii").splitlines() if line and not line.startswith("#")]
    for line in lines:
        digest, _, path = line.partition("  ")
        assert hashlib.sha256((ROOT / path).read_bytes()).hexdigest() == digest, (
            f"{path} was released: write a new file"
        )


def test_every_sql_file_is_found_by_number():
    """Each file below `schemas/sql` is named NNNN_name.sql and belongs to a database that is opened, or to the hub."""
    for path in sorted((ROOT / "schemas/sql").rglob("*")):
        if path.is_file():
            assert path.parent.name in (*KINDS, "hub"), name_of(path)
            assert path.name[:4].isdigit(), name_of(path)
            assert path.name[4] == "_", name_of(path)
            assert path.suffix == ".sql", name_of(path)
