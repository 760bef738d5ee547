"""How far a transcript was heard: a saving of work that never decides what is kept."""

import pytest

from bellek.kg import cursors
from bellek.schemas.conversation import Cursor, TranscriptFile

HALFWAY = Cursor("/t/a.jsonl", 1, 2, "p", "t", offset=100, size=200, line=3, changed_ns=0)
FINISHED = Cursor("/t/a.jsonl", 1, 2, "p", "t", offset=200, size=200, line=6, changed_ns=9)


def keep(home, cursor):
    """Store a cursor in a transaction."""
    with home.memory.transaction():
        cursors.store(home.memory, cursor)


def test_a_cursor_comes_back_as_it_was_kept(home):
    """Each field of a cursor survives, the newest stands for its path, and an unknown path has none."""
    keep(home, HALFWAY)
    keep(home, FINISHED)
    assert cursors.load(home.memory, "/t/a.jsonl") == FINISHED
    assert cursors.load(home.memory, "/t/b.jsonl") is None


def test_only_a_finished_and_unchanged_file_is_skipped(home):
    """A file is left unopened only where it was read to its end and has the very length and change time of then."""
    same = TranscriptFile("/t/a.jsonl", "s", None, size=200, changed_ns=9)
    assert not cursors.unchanged(home.memory, same)
    keep(home, HALFWAY)
    assert not cursors.unchanged(home.memory, TranscriptFile("/t/a.jsonl", "s", None, size=200, changed_ns=0))
    keep(home, FINISHED)
    assert cursors.unchanged(home.memory, same)
    for changed in (
        TranscriptFile("/t/a.jsonl", "s", None, size=201, changed_ns=9),
        TranscriptFile("/t/a.jsonl", "s", None, size=200, changed_ns=10),
        TranscriptFile("/t/b.jsonl", "s", None, size=200, changed_ns=9),
    ):
        assert not cursors.unchanged(home.memory, changed)


def test_a_cursor_goes_back_with_its_transaction(home):
    """A cursor is kept with what lies before it or not at all: a rolled back batch leaves the older cursor."""
    keep(home, HALFWAY)
    with pytest.raises(ZeroDivisionError), home.memory.transaction():
        cursors.store(home.memory, FINISHED)
        raise ZeroDivisionError
    assert cursors.load(home.memory, "/t/a.jsonl") == HALFWAY
