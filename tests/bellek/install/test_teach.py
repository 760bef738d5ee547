"""The texts that teach the marker habit."""

import re
from pathlib import Path

from bellek.install.laid import laid_files
from bellek.install.teach import TEACH

MARK = re.compile(r"<!-- learning: (.*?) -->", re.DOTALL)
REASONS = re.compile(r"\b(because|so that|çünkü|yüzden)\b")


def front_matter() -> tuple[dict[str, str], str]:
    """The skill's head as plain lines, and its body."""
    _, head, body = laid_files(Path("/config"))[0].template.split("---\n", 2)
    return dict(line.split(": ", 1) for line in head.splitlines()), body


def test_session_start_text_is_short_and_whole():
    """R121: at most 900 characters, a mark with its reason and visible line in Turkish and English, and the commands."""
    assert len(TEACH) <= 900
    marks = MARK.findall(TEACH)
    assert len(marks) == 2
    assert all(REASONS.search(mark) for mark in marks)
    for words in ("📝 Learned: ", "📝 Öğrenildi: ", "`bellek search", "`bellek conversations search"):
        assert words in TEACH


def test_skill_head_is_what_the_client_reads():
    """R121: the front matter holds name and description, one plain line each, within the client's lengths."""
    head, _ = front_matter()
    assert list(head) == ["name", "description"]
    assert head["name"] == "bellek-memory"
    assert len(head["description"]) <= 1024
    assert ": " not in head["description"]
    assert " #" not in head["description"]


def test_skill_examples_stand_in_fences():
    """R121: every whole mark of the skill stands in a fence or in backticks, so that it is an example for every reader."""
    _, body = front_matter()
    open_text = re.sub(r"`[^`\n]*`", "", re.sub(r"```.*?```", "", body, flags=re.DOTALL))
    assert "<!--" not in open_text
    assert body.count("```") % 2 == 0


def test_skill_teaches_both_languages_and_the_reason():
    """R3, R4, R121: the good examples carry a reason; both languages and both search commands are there."""
    _, body = front_matter()
    good = body.split("## What to skip")[0]
    marks = [mark for mark in MARK.findall(good) if mark != "…"]
    assert len(marks) == 3
    assert all(REASONS.search(mark) for mark in marks)
    for words in ("📝 Learned: ", "📝 Öğrenildi: ", "$ bellek search", "$ bellek conversations search"):
        assert words in body
