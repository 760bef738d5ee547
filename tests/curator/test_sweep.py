"""Sweep: windows over all of a project's talk, each letter once a channel."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bellek.curator import sweep
from bellek.kg import conversations
from bellek.kg.conversations import Message
from bellek.kg.home import Home, open_home
from bellek.schemas.errors import NotFound

P = "p_000000000001"


def say(home: Home, talk: str, texts: list[str], project: str = P, first: int = 1) -> None:
    """Store a talk of texts, the person first and then by turns."""
    conversations.append(home.conversations, "test", [
        Message(f"{talk}-{n}", talk, 0, project, "main", "user" if n % 2 else "assistant", "agent", False, False, False, 1000 * n, 0, text)
        for n, text in enumerate(texts, start=first)
    ])  # fmt: skip


def sweep_all(home: Home, channel: str, size: int) -> dict[str, str]:
    """All windows up to the last: message id → what was handed out of it, in order."""
    found: dict[str, str] = {}
    while window := sweep.next_window(home, P, channel, size=size):
        assert 0 < sum(len(piece.text) for piece in window.pieces) <= size
        for piece in window.pieces:
            assert piece.start == len(found.get(piece.message.id, ""))
            found[piece.message.id] = found.get(piece.message.id, "") + piece.text
        sweep.done(home, P, channel, window.id)
    return found


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.lists(st.text("aş😀 \n", max_size=30), max_size=5), min_size=1, max_size=3), st.integers(1, 25))
def test_windows_cover_every_letter_once_a_channel(tmp_path_factory, talks, size):
    """R19: consecutive windows of a channel give each character of each message exactly once, in order, however long they are."""
    with open_home(str(tmp_path_factory.mktemp("s"))) as home:
        for n, texts in enumerate(talks):
            say(home, f"t{n}", texts)
        wanted = {f"t{t}-{n}": text for t, texts in enumerate(talks) for n, text in enumerate(texts, start=1) if text}
        assert sweep_all(home, "learning", size) == wanted
        assert sweep_all(home, "learning", size) == {}
        assert sweep_all(home, "task", size) == wanted


def test_a_window_is_handed_out_until_it_is_closed(home):
    """`next` gives the same window again, also after the talk went on; what came later is the next window."""
    say(home, "t", ["bir", "iki"])
    first = sweep.next_window(home, P, "learning")
    say(home, "t", ["üç"], first=3)
    assert sweep.next_window(home, P, "learning") == first
    assert first is not None
    assert sweep.done(home, P, "learning") == first.id
    second = sweep.next_window(home, P, "learning")
    assert second is not None
    assert [piece.text for piece in second.pieces] == ["üç"]


def test_only_the_window_that_is_out_can_be_closed(home):
    """Closing twice, or another window, fails and moves nothing."""
    say(home, "t", ["bir"])
    with pytest.raises(NotFound):
        sweep.done(home, P, "learning")
    window = sweep.next_window(home, P, "learning")
    assert window is not None
    with pytest.raises(NotFound):
        sweep.done(home, P, "learning", "t:1.0-9.0")
    sweep.done(home, P, "learning", window.id)
    with pytest.raises(NotFound):
        sweep.done(home, P, "learning", window.id)


def test_other_projects_stay_out_and_marked_messages_say_so(home):
    """A window holds this project's messages alone; one that carries the channel's marker already is marked."""
    say(home, "t", ["benim <!-- learning: x çünkü y -->"])
    say(home, "t", ["başkasının"], project="p_000000000002", first=2)
    say(home, "t", ["yine benim"], first=3)
    window = sweep.next_window(home, P, "learning")
    assert window is not None
    assert [(piece.message.seq, piece.marked) for piece in window.pieces] == [(1, True), (3, False)]
