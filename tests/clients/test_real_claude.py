"""The real Claude Code with our hooks: what the model is shown, and what our program knows afterwards.

The scripted model proves the plumbing, not that a real model would write markers. Our database is asked only through
our own command line.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from lab.lab import eventually, transcripts
from lab.product import PACKET_CAP, packets, utf16_units
from lab.rules import Rule, Text, Tool, reply

if TYPE_CHECKING:
    from lab.lab import Lab, Request, Result
    from lab.product import Bellek

pytestmark = [pytest.mark.node, pytest.mark.client]

# "her zaman" (always) makes it important enough to stand in every packet of the project.
LESSON = "kural: bu projede paketler her zaman uv ile kurulur, pip ile değil, çünkü kilit dosyasını yalnız uv tutar"
FULL_WINDOW = 190_000  # tokens; of a window of 200,000 so much makes the client compact by itself


def marked(text: str) -> str:
    """A reply that teaches ``text``: a visible line and its hidden marker."""
    return f"📝 Öğrenildi: {text}\n\n<!-- learning: {text} -->"


@pytest.fixture
def taught(lab: Lab, bellek: Bellek) -> Bellek:
    """A project that knows ``LESSON``: said by the model in a first session, heard, drained."""
    first = lab.claude("uv ile pip arasında karar ver", [reply(marked(LESSON), "karar ver")])
    assert first.rc == 0, first.err
    assert bellek.heard(1) == [LESSON]
    bellek.drain()
    return bellek


def asked(result: Result, prompt: str) -> Request:
    """The last request that holds this prompt; a client sends others of its own."""
    return [request for request in result.requests if prompt in request.messages_text()][-1]


def assert_told(request: Request, text: str) -> None:
    """A packet in the request holds ``text``, and no packet is longer than the client lets through."""
    found = packets(request)
    assert any(text in packet for packet in found), f"not in {len(found)} packets: {found}"
    assert all(utf16_units(packet) <= PACKET_CAP for packet in found)


def test_marker_becomes_a_lesson_in_the_next_session(lab: Lab, taught: Bellek) -> None:
    """A marker → Stop → one queue item → drain → one lesson → the packet of the next session's first request."""
    assert taught.pending() == []
    lessons = taught.rows("lessons", "list")
    assert [LESSON in json.dumps(row, ensure_ascii=False) for row in lessons] == [True]
    prompt = "uv ile paketler nasıl kurulur?"
    second = lab.claude(prompt, [reply("uv add", prompt)])
    assert (second.rc, second.answer()) == (0, "uv add"), second.err
    assert_told(asked(second, prompt), LESSON)
    taught.run("tick", "--project", str(lab.work))
    assert taught.pending() == [], "our own packet in the transcript was taken for a new learning"
    assert len(taught.rows("lessons", "list")) == 1


def test_a_killed_session_is_swept_by_the_next(lab: Lab, bellek: Bellek) -> None:
    """A client that dies by SIGKILL in the middle of a turn runs no hook; the next SessionStart hears what it wrote."""
    rules = [
        Rule((Text(marked(LESSON)), Tool("Bash", {"command": "echo on", "description": "go on"})), last_has="başla"),
        Rule((Text("never said"),), tool_result=True, hangs=True),
    ]
    with lab.start("başla", rules) as running:
        eventually(
            lambda: any(LESSON in path.read_text(encoding="utf-8") for path in transcripts(lab.config)),
            "the marker's line in the transcript",
            alive=running.alive,
        )
        running.kill()
    # The second session hangs too: neither its Stop nor its SessionEnd can be what heard the first.
    with lab.start("sonraki", [Rule((Text("never said"),), last_has="sonraki", hangs=True)]):
        assert bellek.heard(1) == [LESSON]


@pytest.mark.usefixtures("taught")
def test_compaction_inside_a_turn_brings_the_standing_part_back(lab: Lab) -> None:
    """When the client compacts by itself, the request after the summary holds the standing part again."""
    rules = [
        Rule((Tool("Bash", {"command": "echo", "description": "x"}),), last_has="uzun", input_tokens=FULL_WINDOW),
        reply("<summary>ÖZET</summary>", any_has="detailed summary", times=1),
        reply("bitti", "ÖZET"),
    ]
    result = lab.claude("uzun iş", rules)
    assert (result.rc, result.answer()) == (0, "bitti"), result.err
    assert_told(asked(result, "ÖZET"), LESSON)


@pytest.mark.usefixtures("taught")
def test_a_compacted_session_knows_the_standing_part_when_resumed(lab: Lab) -> None:
    """After ``/compact`` and ``--resume`` the request holds the summary and the standing part.

    This client stores the context given at the compaction on a branch that a resumed session does not read: a packet
    in the transcript is not yet a packet that the model has seen.
    """
    first = lab.claude("merhaba", [reply("selam", "merhaba")])
    compacted = lab.claude("/compact", [reply("<summary>ÖZET</summary>")], ["--resume", first.session()])
    assert compacted.rc == 0, compacted.err
    (transcript,) = [path for path in compacted.transcripts() if path.stem == first.session()]
    assert LESSON in transcript.read_text(encoding="utf-8").split("compact_boundary")[-1]
    resumed = lab.claude("devam", [reply("olur", "devam")], ["--resume", first.session()])
    request = asked(resumed, "devam")
    assert "ÖZET" in request.messages_text()
    assert_told(request, LESSON)


def test_four_clients_at_once_lose_and_double_nothing(lab: Lab, bellek: Bellek) -> None:
    """Four clients in one project at the same time: each marker is queued, once."""
    said = [f"{number} numaralı servis {9000 + number} kapısını dinler, çünkü öbürleri dolu" for number in range(4)]
    running = [lab.start(f"istek {at}", [reply(marked(text), f"istek {at}")]) for at, text in enumerate(said)]
    results = [client.finish() for client in running]
    assert [result.rc for result in results] == [0] * 4, [result.err for result in results]
    assert sorted(bellek.heard(4)) == said
    bellek.run("tick", "--project", str(lab.work))
    assert sorted(bellek.pending()) == said, "a second pass over the same transcripts added something"
