"""What could not be read is said, and said once."""

from pathlib import Path

from bellek.kg import notices


def say(home, text="kapanmamış", **more):
    """Keep a notice in a transaction; whether it was new."""
    fields = {"kind": "Unclosed", "source": "m1", "position": 4, "project": "p_x"}
    with home.memory.transaction():
        return notices.say_once(home.memory, text=text, **{**fields, **more})


def test_a_place_is_reported_once(home):
    """The same kind at the same place of the same source is one notice, however often it is scanned."""
    assert [say(home) for _ in range(5)] == [True, False, False, False, False]
    assert say(home, position=5)
    assert say(home, source="m2")
    assert say(home, kind="InCode")
    assert notices.count(home.memory, kind="Unclosed", source="m1") == 2


def test_the_newest_notices_come_first(home):
    """A list of notices begins with the last one and keeps to its limit."""
    for number in range(5):
        say(home, text=f"n{number}", position=number)
    assert [notice.text for notice in notices.latest(home.memory, limit=2)] == ["n4", "n3"]


def test_a_notice_holds_no_secret(home):
    """A notice's words are redacted like all stored text."""
    say(home, text="yakın: <!-- lerning: AKIAIOSFODNN7EXAMPLE -->")
    assert "[redacted:aws-key]" in notices.latest(home.memory)[0].text
    assert not any(b"AKIAIOSFODNN7" in path.read_bytes() for path in Path(home.path).glob("*.db*"))
