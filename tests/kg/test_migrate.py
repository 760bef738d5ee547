"""How a file gets its shape, when several processes come at once."""

import pytest

from bellek.kg import check
from bellek.kg.home import open_home

OPEN = """
import sys
from bellek.kg.home import open_home
sys.stdin.readline()
with open_home(sys.argv[1]) as home:
    print(home.memory.value("SELECT value FROM meta WHERE key = 'node'"), home.conversations.value("PRAGMA user_version"))
"""
ROUNDS = 10


def test_two_first_starts_at_once_make_one_store(tmp_path, start):
    """Two processes that open a new home at the same moment both succeed, ten times out of ten, and see one store."""
    pairs = [(start(OPEN, str(tmp_path / str(n))), start(OPEN, str(tmp_path / str(n)))) for n in range(2)]
    for number in range(ROUNDS):
        if number >= len(pairs):
            pairs.append(tuple(start(OPEN, str(tmp_path / str(number))) for _ in range(2)))
        for process in pairs[number]:
            process.stdin.write("go\n")
            process.stdin.flush()
        said = [process.communicate()[0] for process in pairs[number]]
        assert [process.returncode for process in pairs[number]] == [0, 0]
        assert said[0] == said[1]
        assert said[0].startswith("n_")
        with open_home(str(tmp_path / str(number))) as home:
            assert check.check_home(home) == []


@pytest.mark.parametrize("file", ["memory", "conversations"])
def test_a_second_opening_changes_nothing(home, file):
    """A store that is up to date keeps its node, its key and its shape when it is opened again."""
    db = getattr(home, file)
    before = (
        db.rows("SELECT key, value FROM meta ORDER BY key"),
        db.rows("SELECT sql FROM sqlite_master ORDER BY name"),
    )
    with open_home(home.path) as again:
        db = getattr(again, file)
        after = (
            db.rows("SELECT key, value FROM meta ORDER BY key"),
            db.rows("SELECT sql FROM sqlite_master ORDER BY name"),
        )
    assert after == before
