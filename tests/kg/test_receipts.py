"""What a turn was told, and whether it arrived."""

import pytest
from made import AT

from bellek.kg import receipts
from bellek.schemas.conversation import Compacted, PacketSeen, Said
from bellek.schemas.errors import NotFound


def offer(home, packet="k_1", at=AT, session="s1", event="UserPromptSubmit"):
    """A receipt as the hook writes it."""
    with home.memory.transaction():
        home.memory.run(
            "INSERT INTO receipts (id, session, project, event, at, state, units, lines) VALUES (?, ?, 'p_x', ?, ?, 'offered', 120, ?)",
            (packet, session, event, at, '[["lessons","l_1",2,"told",{"words":1.5}],["lessons","l_2",1,"cut",{}]]'),
        )


def said(home, at, author="assistant", *, sidechain=False, session="s1"):
    """A line of the transcript is heard."""
    line = Said("m1", session, None, author, "agent", False, False, "söz", at, 180, "/p", "*", sidechain)
    with home.memory.transaction():
        receipts.answered(home.memory, line, receipts.open_books([line]), client="claude-code", project="p_x")


def seen(home, packet="k_1", session="s1"):
    """A packet's fence is read in a session's transcript."""
    with home.memory.transaction():
        receipts.read_back(home.memory, PacketSeen(packet, session, AT), receipts.Books())


def state(home, packet="k_1"):
    """What became of a packet."""
    return receipts.load(home.memory, packet).state


def test_an_offer_without_its_fence_is_lost(home):
    """A reply that came after an offer, with no fence before it, closes the books: the packet never arrived."""
    offer(home)
    said(home, AT + 5)
    assert state(home) == "lost"


def test_an_offer_that_was_read_back_is_kept_by_the_reply(home):
    """A packet whose fence stands in the transcript was seen, and the reply that follows keeps it; scanning again changes nothing."""
    offer(home)
    seen(home)
    assert state(home) == "seen"
    said(home, AT + 5)
    assert state(home) == "kept"
    seen(home)
    assert state(home) == "kept"


@pytest.mark.parametrize(
    "line",
    [
        {"at": AT - 5},
        {"at": AT + 5, "author": "user"},
        {"at": AT + 5, "sidechain": True},
        {"at": AT + 5, "session": "s2"},
    ],
)
def test_only_a_later_reply_of_the_same_session_decides(home, line):
    """An earlier line, a person's line, a subagent's and another session's line leave an offer open."""
    offer(home)
    said(home, **line)
    assert state(home) == "offered"


def test_a_fork_has_seen_what_its_parent_was_told(home):
    """A fork's transcript carries its parent's fence: the packet counts as seen there, and the parent's own state stays."""
    offer(home)
    seen(home, session="fork")
    assert home.memory.rows("SELECT session, packet FROM packet_seen") == [("fork", "k_1")]
    assert state(home) == "offered"


def test_a_foreign_packet_is_not_believed(home):
    """A fence with an id that this home never gave out is no packet of ours."""
    seen(home, packet="k_foreign", session="s9")
    assert home.memory.rows("SELECT * FROM packet_seen") == []


def test_after_a_compaction_nothing_stands(home):
    """A compaction resets what the session knows, but not what was told for its own start afterwards."""
    offer(home, "k_1")
    said(home, AT + 1)
    offer(home, "k_2", AT + 9, event="SessionStart:compact")
    with home.memory.transaction():
        receipts.forget_context(home.memory, Compacted("s1", AT + 10))
    first = home.memory.value("SELECT n FROM receipts WHERE id = 'k_1'")
    assert home.memory.value("SELECT reset FROM sessions WHERE id = 's1'") == first


def test_a_receipt_tells_what_became_of_each_row(home):
    """A row's receipts name the packets that considered it, newest first, with its fate and scores; no text is kept."""
    offer(home, "k_1")
    offer(home, "k_2", AT + 1)
    found = receipts.of_memory(home.memory, "l_1")
    assert [(receipt.id, line.fate, line.revision, line.scores) for receipt, line in found] == [
        ("k_2", "told", 2, {"words": 1.5}),
        ("k_1", "told", 2, {"words": 1.5}),
    ]
    assert [line.fate for _, line in receipts.of_memory(home.memory, "l_2", limit=1)] == ["cut"]
    assert receipts.of_memory(home.memory, "l_") == []


def test_an_unknown_packet_is_an_error(home):
    """Asking for a packet that was never told raises."""
    with pytest.raises(NotFound):
        receipts.load(home.memory, "k_none")
