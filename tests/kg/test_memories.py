"""The one write path of every memory."""

from pathlib import Path

import pytest
from made import event, lesson

from bellek.kg import fts_query, lookup, memories
from bellek.schemas.errors import NotFound, Refused

SECRET = "AKIAIOSFODNN7EXAMPLE"


def write(home, *made):
    """Write memories in one transaction each; what the last write answered."""
    answer = None
    for memory in made:
        with home.memory.transaction():
            answer = memories.write(home.memory, memory, actor="test")
    return answer


def found(home, words):
    """Ids of the memories that some words find in project p_x."""
    match = fts_query.match(words, scope="px")
    return [row[0] for row in lookup.memories(home.memory, match)] if match else []


def test_a_secret_never_reaches_the_disk(home):
    """Text is redacted before the first byte is stored: no file of the home holds the secret, log and index included."""
    made = lesson(f"anahtar {SECRET} ile bağlan", body=lesson().body.model_copy(update={"topic": SECRET}))
    write(home, made, event(f"dün {SECRET} yazıldı"))
    for path in Path(home.path).rglob("*"):
        if path.is_file():
            assert SECRET.lower().encode() not in path.read_bytes().lower(), path
    assert "bağlan" in memories.read(home.memory, made.id).text


def test_envelope_body_index_and_trail_are_written_together(home):
    """One write is a row of the envelope, one of the kind's table, one of the index, one revision and one entry."""
    made = lesson()
    written = write(home, made)
    assert (written.id, written.revision) == (made.id, 1)
    counts = {
        table: home.memory.value(f"SELECT count(*) FROM {table}")
        for table in ("memories", "lessons", "revisions", "audit")
    }
    assert counts == dict.fromkeys(counts, 1)
    assert found(home, "kilit") == [made.id]
    assert memories.read(home.memory, made.id) == made


def test_a_write_that_fails_leaves_no_part(home):
    """An error after a write in the same transaction takes row, index, revision and entry back together."""
    with pytest.raises(ZeroDivisionError), home.memory.transaction():
        memories.write(home.memory, lesson(), actor="test")
        raise ZeroDivisionError
    for table in ("memories", "lessons", "revisions", "audit"):
        assert home.memory.value(f"SELECT count(*) FROM {table}") == 0
    assert found(home, "kilit") == []


def test_a_new_revision_replaces_the_row_and_keeps_the_old_body(home):
    """A second write of an id is revision 2: words of the old text no longer find it, its old body stays in the trail."""
    made = lesson("eski sözcük")
    write(home, made)
    again = write(home, made.model_copy(update={"text": "yeni deyiş", "status": "superseded"}))
    assert again.revision == 2
    assert found(home, "eski sözcük") == []
    assert found(home, "deyiş") == [made.id]
    assert memories.read(home.memory, made.id).status == "superseded"
    assert home.memory.value("SELECT count(*) FROM revisions WHERE id = ?", (made.id,)) == 2
    created, updated = home.memory.rows("SELECT created, updated FROM memories")[0]
    assert created < updated


def test_a_row_is_found_in_its_own_project_only(home):
    """Words find a row in its project and in no other."""
    write(home, lesson("ortak sözcük", project="p_y"))
    assert found(home, "ortak") == []


def test_an_id_may_be_shortened_while_it_is_the_only_one(home):
    """The first letters of an id name it; letters that two ids share are refused, and none is not found."""
    write(home, lesson(id="l_aaaa00000001"), lesson(id="l_aaaa00000002"), event(id="e_aaaa00000003"))
    db = home.memory
    assert memories.find_id(db, "l_aaaa00000002") == "l_aaaa00000002"
    assert memories.find_id(db, "e_") == "e_aaaa00000003"
    with pytest.raises(Refused, match="ambiguous"):
        memories.find_id(db, "l_aaaa")
    for given in ("", "l_b", "l_%", "L_AAAA", "'; DROP TABLE memories"):
        with pytest.raises(NotFound):
            memories.find_id(db, given)
    with pytest.raises(NotFound):
        memories.find_id(db, "e_", kind="lesson")


def test_an_unknown_id_is_an_error(home):
    """Reading an id that no row has raises, it does not answer an empty memory."""
    with pytest.raises(NotFound):
        memories.read(home.memory, "l_000000000000")
