"""One learning, walked from the agent's reply to the next session's packet: read it top to bottom as documentation.

Seven files carry it: ``bellek/hook.py`` → ``curator/capture.py`` → ``kg/queue.py`` → ``curator/drain.py`` → ``kg/lessons.py``
→ ``context/sections.py`` → ``context/packet.py``. Each stop below asks that file's own function what it holds now.
"""

from world import Session, attached, eventually

from bellek.clients.claude_ears import ClaudeEars
from bellek.context import packet, preview, sections
from bellek.curator import capture
from bellek.curator.drain import drain_offline
from bellek.kg import audit, journal, lessons, projects, queue
from bellek.kg.home import open_home
from bellek.schemas import fence

LEARNED = "paketler her zaman uv ile kurulur, pip ile değil, çünkü kilit dosyasını yalnız uv tutar"


def test_one_learning(world):
    """A hidden mark in a reply becomes one row of each kind it stands for, and the next session is told it once."""
    # The agent answers, and beside the visible line leaves a hidden mark. The client writes its transcript.
    talk = Session(world, "s-1")
    talk.turn("uv mi pip mi?", f"📝 Öğrenildi: uv kullanıyoruz.\n<!-- learning: {LEARNED} -->")

    # 1. bellek/hook.py: the turn is over. The hook prints nothing, returns at once, and leaves a child behind that hears.
    stop = world.send("Stop", given={"env": world.environment(CLAUDE_CONFIG_DIR=str(world.config))})
    assert stop.out == b""
    eventually(lambda: (world.home / "memory.db").exists() and world.json("queue", "peek"), "the child's work")

    with open_home(str(world.home)) as home:
        here = projects.find(home.memory, str(world.work))

        # 2. curator/capture.py: what the child did. Hearing the same transcript again adds nothing, however often.
        ears = ClaudeEars(str(world.config))
        again = capture.hear(home, ears, ears.transcripts([str(world.transcript("s-1"))]))
        assert (again.messages, again.queued) == (0, 0)

        # 3. kg/queue.py: one item, the mark's own words, with the message that carried it.
        (item,) = queue.peek(home.memory, here)
        assert (item.channel, item.payload, item.session, item.origin) == ("learning", LEARNED, "s-1", "agent")
        assert [line.text for line in sections.signals(home.memory, here, world.clock)] == [
            "1 item heard and not yet written in learning: run `bellek drain --offline` when convenient."
        ]

        # 4. curator/drain.py: rows, acknowledgement and trail in one transaction; the item is gone for ever.
        done = drain_offline(home, here)
        assert (done.written, done.acknowledged) == ({"event": 1, "lesson": 1}, 1)
        assert queue.peek(home.memory, here) == []
        assert {entry.act for entry in audit.entries(home.memory)} == {
            "write",
            "ack",
            "append",
        }  # the last: one line for the other agents
        assert audit.verify(home.memory) == []

        # 5. kg/lessons.py: the typed row. "her zaman" (always) makes it important; nobody has checked it: T1.
        (lesson,) = lessons.listed(home.memory, here)
        assert (lesson.text, lesson.tier, lesson.importance, lesson.learning) == (LEARNED, "T1", "high", "convention")
        (event,) = journal.listed(home.memory, here)
        assert event.text == LEARNED

        # 6. context/sections.py: it stands for every session of this project, behind its id, with its trust said.
        standing = sections.standing(home.memory, home.path, here)
        assert [(line.section, line.id) for line in standing] == [("wisdom", lesson.id), ("journal", event.id)]

        # 7. context/packet.py: one block, closed, the words once although two rows hold them.
        block = packet.build("k_journey", standing, {}, cap=9_800, token_cap=3_000)
        assert block.text.count(LEARNED) == 1
        assert block.text.endswith(fence.CLOSE)
        assert preview.next_packet(home, here, "").units == len(block.text) - len("k_journey") + len("k_preview")

    # The next session is told it at its start, reads it back in its own transcript, and is not told it again.
    told = world.begin(session="s-2")
    assert LEARNED in told
    assert "unverified" in told
    second = Session(world, "s-2")
    second.lines(*attached(told, "SessionStart"))
    second.turn("merhaba", "selam")
    world.bellek("tick")
    assert world.prompt("paketleri nasıl kuruyoruz?", "s-2") == ""

    # And nothing of what it was told came back as a new learning.
    assert world.json("queue", "status") == {}
    assert len(world.json("lessons", "list")) == 1
