"""What the installer does not touch, and how it says so."""

import json

import pytest

from bellek.install.claude_code import install, uninstall
from bellek.install.command import EVENTS
from bellek.install.jsontext import parsed
from bellek.schemas.errors import Refused


@pytest.mark.parametrize(
    ("text", "where", "reason"),
    [
        ('{\r\n  "a": 1, // yorum\r\n  "b": 2\r\n}\r\n', "line 2, column 11", "comment"),
        ('/* yorum */\n{"a": 1}', "line 1, column 1", "comment"),
        ('{"a": 1}\n// son', "line 2, column 1", "comment"),
        ('{\n  "a": [1,\n  ]\n}', "line 3, column 3", "comma"),
        ('{\n  "a": 1,\n}', "line 3, column 1", "comma"),
        ('{"a": {"b": 1,\n "b": 2}}', "line 2, column 2", '"b" stands twice'),
        ('{"a": NaN}', "line 1, column 7", "number"),
        ('{"a": ', "line 1, column 7", "ends too early"),
        ("", "line 1, column 1", "ends too early"),
        ('{"a" 1}', "line 1, column 6", "delimiter"),
        ("[" * 100_000, "line 1", "nested too deeply"),
        ("[1, 2]", "does not hold an object", ""),
        ('{"hooks": []}', '"hooks" does not hold an object', ""),
        ('{"hooks": {"Stop": {}}}', '"hooks.Stop" does not hold an array', ""),
    ],
)
def test_b151_what_is_not_plain_json_is_refused(stage, text, where, reason):
    """B151: comments, trailing commas, double keys and broken JSON are refused with their place and the snippet."""
    raw = stage.put(text)
    with pytest.raises(Refused) as caught:
        install(stage.target)
    assert where in caught.value.why
    assert reason in caught.value.why
    assert '"UserPromptSubmit": [' in caught.value.hint
    assert stage.settings.read_bytes() == raw
    assert not stage.target.home.exists()
    assert not stage.target.skill.exists()


def test_b151_bytes_that_are_not_utf8_are_refused(stage):
    """B151: a file in another encoding is refused with the place of the first foreign byte."""
    raw = stage.put('{\n "a": "ş"}'.encode("iso-8859-9"))
    with pytest.raises(Refused, match="line 2, column 8"):
        install(stage.target)
    assert stage.settings.read_bytes() == raw


def test_b151_the_snippet_is_what_install_would_write(stage):
    """B151: a person who pastes the snippet has the very hooks that install writes, and doctor's pattern knows them."""
    raw = stage.put("// yorum\n{}")
    with pytest.raises(Refused) as caught:
        install(stage.target)
    hint = caught.value.hint
    pasted = json.loads(hint[hint.index("{") : hint.rindex("}") + 1])
    stage.put("{}")
    install(stage.target)
    assert json.loads(stage.settings.read_bytes())["hooks"] == pasted["hooks"]
    assert raw.startswith(b"//")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_line_ends_mark_and_last_line_are_kept(stage, mark, end, foreign):
    """B151: CRLF, byte order mark and a missing final newline are kept, and come back after uninstall."""
    raw = stage.put(mark + (foreign.rstrip() + end).replace("\n", "\r\n").encode())
    install(stage.target)
    after = stage.settings.read_bytes()
    assert after.startswith(mark + b"{")
    assert after.count(b"\n") == after.count(b"\r\n")
    assert after.endswith(("}" + end).replace("\n", "\r\n").encode())
    uninstall(stage.target.config_dir, stage.target.home)
    assert stage.settings.read_bytes() == raw


def test_a_broken_file_with_hooks_of_ours_is_not_uninstalled_from(stage):
    """Uninstall refuses a file it cannot read while something of ours may be in it, and passes over one without."""
    install(stage.target)
    raw = stage.put(stage.settings.read_bytes() + b"// son\n")
    with pytest.raises(Refused, match="nothing was written"):
        uninstall(stage.target.config_dir, stage.target.home)
    assert stage.settings.read_bytes() == raw
    assert stage.target.skill.exists()
    stage.put("// yorum\n{}")
    report = uninstall(stage.target.config_dir, stage.target.home)
    assert "left alone" in report.notes[0]
    assert not stage.target.skill.exists()


def test_the_installed_text_is_one_that_the_parser_accepts(stage):
    """What was written is read back by the same strict parser that guards the next edit."""
    stage.put('{"a":1,"hooks":{"Stop":[]}}')
    install(stage.target)
    assert set(parsed(stage.settings.read_text(encoding="utf-8"))["hooks"]) == set(EVENTS)


def test_a_file_where_a_folder_is_needed_is_refused_before_any_change(stage, foreign):
    """A file named `skills` stops the install before the settings are touched."""
    raw = stage.put(foreign)
    (stage.target.config_dir / "skills").write_text("a file")
    with pytest.raises(Refused, match="could not read"):
        install(stage.target)
    assert stage.settings.read_bytes() == raw
    assert not stage.target.home.exists()
