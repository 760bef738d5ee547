"""T0: pointers to what was typed and touched; and capture by hand."""

import pytest

from bellek.curator import manual
from bellek.kg import check, conversations, lessons, observations
from bellek.schemas.errors import UsageFault


def test_hearing_points_at_typed_words_and_touched_files(home, talk):
    """R15: one pointer a typed message and a tool event with a path, no text; a second hearing adds none."""
    said = (
        talk()
        .user("şunu düzelt")
        .agent("bakıyorum")
        .tool("Edit", "/p/a.py")
        .tool("Edit", "/p/a.py")
        .user("p", promptSource="sdk")
    )
    said.hear()
    home.memory.run("DELETE FROM cursors")
    said.hear()
    found = observations.listed(home.memory, said.project)
    assert [(o.kind, o.path, o.message) for o in found] == [
        ("typed", "", "s1-1"),
        ("Edit", "/p/a.py", "s1-3"),
        ("Edit", "/p/a.py", "s1-4"),
    ]
    assert "düzelt" not in str(home.memory.rows("SELECT * FROM observations"))


def test_t0_is_disposable(home, talk):
    """R17: with every pointer deleted no row of T1 is lost and the store is sound."""
    said = talk().user("şunu düzelt").agent("<!-- learning: a çünkü b -->")
    said.hear()
    said.drain()
    home.memory.run("DELETE FROM observations")
    assert len(lessons.listed(home.memory, said.project)) == 1
    assert check.check_home(home) == []


def test_capture_keeps_one_message_of_agent_origin(home):
    """R16: a captured text is one message of the project's manual conversation with a T0 pointer, and never the person's own word."""
    kept = manual.capture(home, "p_000000000001", "uv kullan: key AKIAIOSFODNN7EXAMPLE")
    (message,) = conversations.show(home.conversations, kept.conversation)
    assert (message.id, message.origin, message.typed, message.project) == (kept.id, "agent", False, "p_000000000001")
    assert kept.conversation.startswith("manual")
    assert "AKIAIOSFODNN7EXAMPLE" not in message.text
    (pointer,) = observations.listed(home.memory, "p_000000000001")
    assert (pointer.kind, pointer.message) == ("captured", kept.id)
    with pytest.raises(UsageFault):
        manual.capture(home, "p_000000000001", " \n")
