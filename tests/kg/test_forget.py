"""Provable forgetting: what it reaches, that it is gone from every byte, and that it does not come back."""

import json
import os
from pathlib import Path

import pytest
from made import AT, event, lesson, sighting

from bellek.curator import forgetting
from bellek.kg import audit, blast, check, conversations, forget, fts_query, lookup, memories, parts, queue
from bellek.kg.blast import Asked, Blast
from bellek.kg.conversations import Message
from bellek.kg.db import open_database
from bellek.schemas.vocab import FORGOTTEN

SECRET = "Zümrüdüanka kolonisi Çırağan sokağında toplanıyor"


def message(id="m1", text=SECRET, **more):
    """One message of project p_x."""
    fields = {
        "conversation": "s1", "seq": 0, "project": "p_x", "agent": "*", "author": "assistant", "origin": "agent", "typed": False,
        "machine": False, "sidechain": False, "at": AT, "offset_minutes": 180,
    }  # fmt: skip
    return Message(id=id, text=text, **{**fields, **more})


@pytest.fixture
def known(home):
    """A home that knows one thing in every way: said, heard, waiting, written twice, told about."""
    conversations.append(home.conversations, "claude-code", [
        message("m0", "ondan önce söylenen"), message("m1", f"Tamam. <!-- learning: {SECRET} -->"), message("m2", "ondan sonra söylenen"),
    ])  # fmt: skip
    with home.memory.transaction():
        source = [{"item": "q_1", "conversation": "s1", "message": "m1"}]
        memories.write(home.memory, lesson(SECRET, id="l_000000000001", sources=source), actor="test")
        memories.write(home.memory, lesson(SECRET + ", her cuma", id="l_000000000001", sources=source), actor="test")
        memories.write(home.memory, lesson(SECRET, id="l_000000000001", sources=source), actor="test")
        memories.write(home.memory, event(SECRET, id="e_000000000001", sources=source), actor="test")
        memories.write(home.memory, lesson("paketler uv ile kurulur", id="l_000000000002"), actor="test")
        queue.enqueue(home.memory, sighting(SECRET, "m1"))
        home.memory.run(
            "INSERT INTO notices (kind, source, position, project, text, at) VALUES ('x', 'f', 1, 'p_x', ?, 1)",
            (SECRET,),
        )
        home.memory.run("INSERT INTO drops (project, item, reason, at) VALUES ('p_x', 'q_9', ?, 1)", (SECRET,))
        home.memory.run(
            "INSERT INTO applied (item, digest, receipt) VALUES ('q_1', 'd', ?)", (json.dumps({"reason": SECRET}),)
        )
        lines = '[["wisdom","l_000000000001",3,"told",{}]]'
        home.memory.run(
            "INSERT INTO receipts (id, session, project, event, at, state, units, lines) VALUES ('k_1', 's', 'p_x', 'e', 1, 'seen', 9, ?)",
            (lines,),
        )
    return home


def everything(home):
    """All bytes of all files of a home, read by a process of its own."""
    import subprocess
    import sys

    code = "import sys, pathlib; sys.stdout.buffer.write(b''.join(p.read_bytes() for p in sorted(pathlib.Path(sys.argv[1]).rglob('*')) if p.is_file()))"
    return subprocess.run([sys.executable, "-c", code, home.path], capture_output=True, check=True).stdout


def reach(home, *ids, **more):
    """What an order reaches."""
    return blast.reach(home, Asked("p_x", tuple(ids), **more))


def test_the_reach_of_one_row(known):
    """R116: one id reaches its revisions, the journal row of the same words, the message it was said in, and what waits."""
    found = reach(known, "l_000000000001")
    assert set(found.memories) == {"l_000000000001", "e_000000000001"}
    assert set(found.messages) == {"m1"}
    assert len(found.items) == 1
    counts = blast.counts(known, found)
    assert (counts["memories"], counts["revisions"], counts["messages"], counts["items"], counts["receipts"]) == (
        2,
        4,
        1,
        1,
        1,
    )


def test_a_dry_look_writes_nothing(known):
    """R116: looking at the reach changes no row of any table."""
    before = known.memory.value("SELECT total_changes()"), known.conversations.value("SELECT total_changes()")
    reach(known, "l_000000000001")
    reach(known, query="Zümrüdüanka")
    assert (known.memory.value("SELECT total_changes()"), known.conversations.value("SELECT total_changes()")) == before


def test_it_is_gone_from_every_byte(known):
    """R116: after it is proven no file of the home holds a piece of the words, spelled or folded; all else is as it was."""
    assert SECRET.encode() in everything(known)
    done = forgetting.carry_out(known, reach(known, "l_000000000001"), actor="person")
    assert (done.state, done.why) == ("proven", "")
    data = everything(known)
    for piece in (SECRET, "Zümrüdüanka", "zumruduanka", "Çırağan", "ciragan"):
        assert piece.encode() not in data
    assert b"paketler uv ile kurulur" in data
    assert "ondan sonra söylenen".encode() in data
    assert known.memory.value("SELECT count(*) FROM memories") == 1
    assert audit.verify(known.memory) == []
    assert forget.unexplained(known.memory) == []


def test_neither_index_finds_it(known):
    """R116: no word of it is found in either index, not even beside the messages that stood next to it."""
    forgetting.carry_out(known, reach(known, "l_000000000001"), actor="person")
    match = fts_query.match("Zümrüdüanka kolonisi")
    assert lookup.memories(known.memory, match) == []
    assert lookup.messages(known.conversations, match, parts.EVERYWHERE) == []
    assert [m.text for m in conversations.show(known.conversations, "s1")] == [
        "ondan önce söylenen",
        FORGOTTEN,
        "ondan sonra söylenen",
    ]


def test_it_does_not_come_back(known):
    """R115, R116: the same words are not queued, not written and, in a copied message, not kept."""
    forgetting.carry_out(known, reach(known, "l_000000000001"), actor="person")
    with known.memory.transaction():
        assert queue.enqueue(known.memory, sighting(SECRET, "m77")) == "never"


def test_a_reader_delays_the_scrub_and_not_the_hiding(known):
    """R116: while a process reads an older state the row is hidden already; when it is gone the next run proves it."""
    reader = open_database(known.memory.path, writable=False)
    reader.run("BEGIN")
    assert reader.value("SELECT count(*) FROM memories") == 3
    known.memory.run("PRAGMA busy_timeout = 50")
    done = forgetting.carry_out(known, reach(known, "l_000000000001"), actor="person")
    assert done.state == "scrubbed"
    assert "still reads" in done.why
    assert lookup.memories(known.memory, fts_query.match("Zümrüdüanka")) == []
    reader.close()
    assert [one.state for one in forget.finish(known)] == ["proven"]
    assert "Zümrüdüanka".encode() not in everything(known)
    assert forget.finish(known) == []


def test_a_persons_own_file_is_named_and_left(known):
    """R116: what stands in a file of the person's is said and not touched."""
    own = Path(known.path) / "config" / "identity.md"
    own.write_text(SECRET, encoding="utf-8")
    done = forgetting.carry_out(known, reach(known, "l_000000000001"), actor="person")
    assert (done.state, done.kept) == ("proven", [str(own)])
    assert own.read_text(encoding="utf-8") == SECRET


def test_words_that_another_row_holds_are_its_own(known):
    """R116: a row that has the words within others stays, is named before, and does not keep the proof waiting."""
    with known.memory.transaction():
        memories.write(
            known.memory, lesson(f"Not: {SECRET}, ama salı günleri değil", id="l_000000000003"), actor="test"
        )
    found = reach(known, "l_000000000001")
    assert found.also_in == ["l_000000000003"]
    assert forgetting.carry_out(known, found, actor="person").state == "proven"
    assert memories.read(known.memory, "l_000000000003").status == "current"


@pytest.mark.parametrize("query", ["Zümrüdüanka", "zumruduanka kolonisi", "ÇIRAĞAN sokağı"])
def test_by_words(known, query):
    """R116: every row and message that holds all the words, in any form of theirs, and no other."""
    found = reach(known, query=query)
    assert set(found.memories) == {"l_000000000001", "e_000000000001"}
    assert set(found.messages) == {"m1"}
    assert not reach(known, query="Zümrüdüanka paketler")


@pytest.mark.parametrize("source", ["m1", "s1", "q_1"])
def test_by_source(known, source):
    """R116: a message, a conversation or an item takes along what was made of it."""
    found = reach(known, source=source)
    assert set(found.memories) == {"l_000000000001", "e_000000000001"}
    assert set(found.messages) >= {"m1"}
    assert (len(found.messages) == 3) == (source == "s1")


def test_by_time_and_kind(known):
    """R116: a span of time, narrowed to a kind or to what was said."""
    span = {"since": AT - 1, "until": AT + 1, "keep_messages": True}
    assert len(reach(known, **span).memories) == 3
    assert set(reach(known, **{**span, "kinds": ("message",), "keep_messages": False}).messages) == {"m0", "m1", "m2"}
    assert not reach(known, since=AT + 1)


def test_what_an_agent_may_forget(known):
    """R122: an agent's row is an agent's to forget; a permanent row, the person's words, their messages and refusals are not."""
    assert blast.needs_person(reach(known, "l_000000000001")) == ""
    theirs = ({"tier": "T2"}, {"origin": "user"}, {"status": "quarantined"}, {"status": "refused", "note": "no"})
    for given in theirs:
        row = lesson("bir söz", **given)
        assert blast.needs_person(Blast(held={row.id: row}))
    conversations.append(known.conversations, "claude-code", [message("m9", "ben yazdım", author="user")])
    assert blast.needs_person(reach(known, "m9"))


def test_the_replay_of_a_store_that_forgot(known, make_home):
    """R130: a replay of its trail has neither the forgotten rows nor a hole, and blocks the value as well."""
    forgetting.carry_out(known, reach(known, "l_000000000001"), actor="person")
    other = make_home("other")
    memories.replay(known.memory, other.memory)
    assert other.memory.value("SELECT count(*) FROM memories") == 1
    assert check.check_home(other) == []
    assert not os.path.exists(other.path + "/backups")
