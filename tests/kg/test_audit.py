"""The trail: a chain that shows every change made behind its back, and holds no memory's text."""

import pytest
from made import event, lesson

from bellek.kg import audit, memories
from bellek.schemas.errors import BellekError


@pytest.fixture
def trail(make_home, tmp_path):
    """A store with three written rows, which a test may damage: a copy, so that the home's own check at the end passes."""
    home = make_home()
    with home.memory.transaction():
        for made in (lesson("bir ders"), event("bir olay"), lesson("bir ders daha")):
            memories.write(home.memory, made, actor="test")
    home.memory.backup_to(str(tmp_path / "copy.db"))
    from bellek.kg.db import open_database

    db = open_database(str(tmp_path / "copy.db"))
    assert audit.verify(db) == []
    yield db
    db.close()


def without_guards(db):
    """What somebody with the file in hand does first."""
    db.run("DROP TRIGGER audit_is_append_only_u")
    db.run("DROP TRIGGER audit_is_append_only_d")


def test_a_changed_body_is_found(trail):
    """A body of which one byte was changed no longer fits its commitment."""
    trail.run("UPDATE revisions SET body = replace(body, 'bir olay', 'bir olaz')")
    assert len(audit.verify(trail)) == 1
    assert "revision 1 is not what entry 2 committed to" in audit.verify(trail)[0]


def test_a_missing_entry_is_found(trail):
    """An entry that was cut out leaves a gap in the numbers and in the chain."""
    without_guards(trail)
    trail.run("DELETE FROM audit WHERE seq = 2")
    assert audit.verify(trail)[:2] == ["entry 2 is missing", "entry 3 does not follow from the one before it"]


def test_swapped_bodies_are_found(trail):
    """Two bodies that changed places fit neither commitment, salts swapped with them or not."""
    one, other = trail.rows("SELECT id, body, salt FROM revisions WHERE body LIKE '%ders%' ORDER BY id")
    for (id_, _, _), (_, body, salt) in ((one, other), (other, one)):
        trail.run("UPDATE revisions SET body = ?, salt = ? WHERE id = ?", (body, salt, id_))
    assert len(audit.verify(trail)) == 2


@pytest.mark.parametrize("column", ["actor", "act", "kind", "id", "batch", "node"])
def test_a_rewritten_entry_is_found(trail, column):
    """Who did what to which row cannot be rewritten: each field is part of the entry's hash."""
    without_guards(trail)
    trail.run(f"UPDATE audit SET {column} = 'another' WHERE seq = 2")
    assert audit.verify(trail)[0] == "entry 2 does not follow from the one before it"


def test_a_forgotten_body_is_no_fault(trail):
    """A body and its salt that were dropped leave a chain that still verifies."""
    trail.run("DELETE FROM revisions WHERE body LIKE '%bir olay%'")
    assert audit.verify(trail) == []


def test_the_trail_cannot_be_rewritten_by_ordinary_statements(home):
    """UPDATE and DELETE of entries are refused by the database itself."""
    with home.memory.transaction():
        audit.append(home.memory, actor="test", act="try", kind="item", id="q_1", batch="b_1")
    for statement in ("UPDATE audit SET actor = 'x'", "DELETE FROM audit"):
        with pytest.raises(BellekError, match="append-only"):
            home.memory.run(statement)


def test_an_entry_tells_nothing_about_a_text(home):
    """The same text written twice leaves two different commitments: without the salt nobody can test a guess."""
    with home.memory.transaction():
        for _ in range(2):
            memories.write(home.memory, lesson("aynı söz", id="l_000000000001"), actor="test")
    first, second = home.memory.rows("SELECT commitment FROM audit ORDER BY seq")
    assert first != second
    entries = list(audit.entries(home.memory))
    assert "aynı" not in repr(entries)
