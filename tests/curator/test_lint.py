"""Lint: what a person would want changed in a message's markers."""

import pytest

from bellek.curator import channels, lint


def rules(home, text):
    """What lint says of a text: rules with their lines."""
    return [(f.rule, f.line) for f in lint.lint(text, channels.load(home.path))]


GOOD = "Bitti.\n📝 Öğrenildi: uv kullan\n<!-- learning: uv kullan, çünkü pip kilit tutmaz -->"


def test_a_good_message_passes(home):
    """R3, R4: a marker with a reason and its visible line, in either language, is left in peace."""
    assert rules(home, GOOD) == []
    assert rules(home, "📝 **Learned:** use uv\n\n<!-- learning: use uv because pip does not lock -->") == []


@pytest.mark.parametrize(
    "reason",
    ["because pip is slow", "so that builds repeat", "to avoid drift", "otherwise it breaks", "due to the lock", "çünkü yavaş", "yavaş olduğu için",
     "kilit tutmadığından", "kilit yüzünden", "aksi halde bozulur", "karışmasın diye", "sürüm olduğundan dolayı"],
)  # fmt: skip
def test_reasons_are_known_in_both_languages(reason):
    """A reason clause is recognised by Turkish and English cue words and by the Turkish ending -dığından."""
    assert lint.has_reason(f"uv: {reason}")
    assert not lint.has_reason("uv kullan, pip kullanma")


def test_a_marker_without_a_reason_is_warned_of(home):
    """R4: a marker that does not say why gets a warning at its line."""
    assert rules(home, "📝 Learned: use uv\n<!-- learning: use uv -->") == [("no-reason", 2)]


def test_marker_and_visible_line_belong_together(home):
    """R3: a marker without its visible line is warned of, and the reverse; in code neither counts."""
    assert rules(home, "x\n<!-- learning: a çünkü b -->") == [("no-visible-line", 2)]
    assert rules(home, "x\n\n📝 Öğrenildi: a") == [("no-marker", 3)]
    assert rules(home, "```\n📝 Learned: a\n<!-- learning: a -->\n```\n> 📝 Learned: b") == []


@pytest.mark.parametrize(
    "payload",
    [
        "- a çünkü b\n- c çünkü d",
        "Use WAL because x. Use UTC because y.",
        "uv kullan çünkü x. Ayrıca pnpm kullan.",
        "use uv because x. Also, use pnpm.",
    ],
)
def test_two_topics_in_one_marker_are_warned_of(home, payload):
    """R4: a list, two reasoned sentences, or a sentence that begins another matter are two learnings."""
    text = f"📝 Learned: x\n<!-- learning: {payload} -->"
    assert ("two-topics", 2) in rules(home, text)
    assert not lint.has_two_topics("use uv because pip does not lock. It also is faster for us.")


def test_other_channels_are_not_linted(home):
    """A task or a profile fact needs neither a reason nor a visible line."""
    assert rules(home, "<!-- task: raporu gönder -->\n<!-- profile-fact: entity: x -->\n[SELF_TASK: y]") == []
