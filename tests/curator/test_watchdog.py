"""The watchdog: one nudge for a long stretch of work without a marker, and none for anything less."""

import pytest

from bellek.context import sections
from bellek.curator.watchdog import small_talk

WORK = "şu modülü yeniden düzenle ve testlerini yaz"


def nudged(home, session="s1"):
    """Ids of the nudges that a session's next packet would carry."""
    return [line.id for line in sections.nudges(home.memory, session)]


@pytest.mark.parametrize(
    ("turns", "letters", "due"), [(2, 1000, True), (2, 999, False), (1, 5000, False), (3, 1000, True)]
)
def test_two_turns_and_a_thousand_letters(home, talk, turns, letters, due):
    """R18: 2 turns and 1000 code points of assistant text without the marker make one nudge; 999, or 1 turn, make none."""
    said = talk()
    for n in range(turns):
        said.user(f"{WORK} {n}").agent("ş" * (letters // turns + (letters % turns if n == 0 else 0)))
    said.hear()
    assert nudged(home) == (["watch-learning", "watch-profile-fact"] if due else [])


def test_a_marker_re_arms_its_own_channel_alone(home, talk):
    """The latch is a session's and a channel's: a learning marker silences learning, and only a new stretch is a new nudge."""
    said = talk().user(WORK).agent("x" * 800).user(WORK).agent("x" * 800)
    said.hear()
    assert [line.revision for line in sections.nudges(home.memory, "s1")] == [1, 1]
    said.user(WORK).agent("x" * 900 + " <!-- learning: a çünkü b -->").hear()
    assert nudged(home) == ["watch-profile-fact"]
    said.user(WORK).agent("x" * 600).hear()
    assert nudged(home) == ["watch-profile-fact"]
    said.user(WORK).agent("x" * 600).hear()
    assert [(line.id, line.revision) for line in sections.nudges(home.memory, "s1")] == [
        ("watch-learning", 2),
        ("watch-profile-fact", 1),
    ]
    assert nudged(home, "s2") == []


def test_a_second_reading_counts_nothing(home, talk):
    """With its cursor lost a transcript is read again from the start, and the count stays what it was."""
    said = talk().user(WORK).agent("x" * 500)
    said.hear()
    before = home.memory.rows("SELECT channel, turns, points FROM watch")
    for _ in range(3):
        home.memory.run("DELETE FROM cursors")
        said.hear()
    assert (
        home.memory.rows("SELECT channel, turns, points FROM watch")
        == before
        == [("learning", 1, 500), ("profile-fact", 1, 500)]
    )


def test_machine_text_and_subagents_are_not_counted(home, talk):
    """What a program prompts, what is answered to it, and what a subagent says count neither as turns nor as letters."""
    said = talk()
    for _ in range(3):
        said.user(WORK, promptSource="sdk").agent("x" * 2000)
        said.user("<task-notification>bitti</task-notification>").agent("x" * 2000, isSidechain=True)
    said.hear()
    assert nudged(home) == []


SMALL = [
    "merhaba", "selam, iyi günler", "teşekkürler!", "tamam", "hello there"[:5], "thanks, great", "good morning", "ok",
    "config dosyası nerede?", "JWT nedir?", "what is a keyset?", "where is the settings file?", "kaç tane test var", "show me the readme", "son hatayı göster",
    "durum ne?", "ne durumdayız, bitti mi?", "status?", "how is it going?", "are you done?",
]  # fmt: skip
BIG = [
    WORK, "fix the login bug", "merhaba, şu hatayı düzelt", "why does it crash on empty input?", "neden iki kez yönlendiriyor?", "config dosyasını yaz",
    "write a script that shows what is in the cache", "durum çubuğunu ekle",
]  # fmt: skip


@pytest.mark.parametrize("prompt", SMALL)
def test_small_talk_is_told_apart(prompt):
    """R5: greetings, look-ups and status talk are small talk, in Turkish and in English."""
    assert small_talk(prompt)


@pytest.mark.parametrize("prompt", BIG)
def test_work_is_not_small_talk(prompt):
    """A prompt that asks for work counts, even where it greets or asks as well."""
    assert not small_talk(prompt)


def test_the_watchdog_is_silent_on_small_talk(home, talk):
    """R5: however long the answers, a session of greetings, look-ups and status talk is not nudged."""
    said = talk()
    for prompt in SMALL:
        said.user(prompt).agent("x" * 1000)
    said.hear()
    assert nudged(home) == []


def test_a_session_is_told_each_nudge_once(home, talk):
    """The prompt after the stretch carries the nudge, the next one does not; a removed channel's nudge is never told."""
    from bellek.context.turn import tell
    from bellek.schemas.packet import Turn

    said = talk().user(WORK).agent("x" * 800).user(WORK).agent("x" * 800)
    said.hear()
    turn = Turn("claude-code", "UserPromptSubmit", "prompt", "s1", str(said.folder), "devam et")
    first, second = tell(home.path, turn, 9_800), tell(home.path, turn, 9_800)
    assert first is not None
    assert second is not None
    assert first.packet.text.count("without a `learning` marker") == 1
    assert "bellek sweep next" in first.packet.text
    assert "without a" not in second.packet.text
    machine = tell(
        home.path, Turn("claude-code", "UserPromptSubmit", "prompt", "s1", str(said.folder), "x", machine=True), 9_800
    )
    assert machine is not None
    assert "without a" not in machine.packet.text
