"""The installer as a whole, on real files and with real processes."""

import json
import os
import shutil
import stat
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bellek.install import receipt
from bellek.install.claude_code import install, skill_text, uninstall
from bellek.install.command import EVENTS, HIDING_EVENT
from bellek.install.jsontext import parsed
from bellek.install.receipt import NoReceipt, Receipt
from bellek.schemas.errors import Refused

FOREIGN = """{
    "env": {"KEY": "değer"},
    "hooks": {
        "Stop": [ {"hooks": [{"type": "command", "command": "say done"}]} ],
        "PreToolUse": []
    },
    "model": "opus"
}
"""


def commands(raw: bytes) -> list[str]:
    """Every hook command of a settings file."""
    groups = [group for event in json.loads(raw)["hooks"].values() for group in event]
    return [hook["command"] for group in groups for hook in group["hooks"]]


def own_command(stage, event: str) -> str:
    """Our command of ``event`` as it stands in the file."""
    return json.loads(stage.settings.read_bytes())["hooks"][event][-1]["hooks"][0]["command"]


def test_second_run_changes_nothing(stage):
    """R63: a second run makes no diff, no new backup and leaves every byte."""
    stage.put(FOREIGN)
    assert install(stage.target).added == EVENTS
    before = stage.tree()
    again = install(stage.target)
    assert (again.changed, again.diff, again.backup, again.added) == (False, "", None, ())
    assert stage.tree() == before


def test_dry_run_leaves_the_tree_byte_identical(stage):
    """R63: a dry run writes nothing and tells the diff and the files."""
    stage.put(FOREIGN)
    before = stage.tree()
    report = install(stage.target, dry_run=True)
    assert stage.tree() == before
    assert [(change.path, change.act) for change in report.changes] == [
        (stage.target.skill, "create"),
        (stage.settings, "edit"),
    ]
    assert "+++ " + str(stage.settings) in report.diff
    assert "UserPromptSubmit" in report.diff
    assert "değer" not in report.diff, "no more of the settings is shown than says where"


def test_dry_run_tells_what_the_run_does(stage):
    """A dry run's changes are those of the run that follows."""
    stage.put(FOREIGN)
    now = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    planned = install(stage.target, dry_run=True, now=now)
    done = install(stage.target, now=now)
    assert replace(planned, dry_run=False) == done


def test_foreign_hooks_and_keys_stay(stage):
    """R63: foreign hooks, other keys, their order and their formatting are untouched."""
    stage.put(FOREIGN)
    install(stage.target)
    after = stage.settings.read_text(encoding="utf-8")
    was = iter(after)
    assert all(sign in was for sign in FOREIGN), "the old text is still there, in order"
    assert list(json.loads(after)) == ["env", "hooks", "model"]
    assert "say done" in commands(after.encode())


def test_uninstall_gives_back_the_bytes_and_the_folders(stage):
    """R63: uninstall by the receipt leaves the config folder as it was before us."""
    stage.put(FOREIGN)
    before = {name: kept for name, kept in stage.tree().items() if name.startswith(str(stage.target.config_dir))}
    install(stage.target)
    report = uninstall(stage.target.config_dir, stage.target.home)
    after = {name: kept for name, kept in stage.tree().items() if name.startswith(str(stage.target.config_dir))}
    assert after == before
    assert set(report.removed) == set(EVENTS)
    assert receipt.load(stage.target.home, stage.target.config_dir) == NoReceipt()


def test_a_missing_config_folder_is_made_and_taken_away(stage):
    """A new config folder is 0700, its files 0600, and uninstall takes both away again."""
    install(stage.target)
    assert stat.S_IMODE(stage.target.config_dir.stat().st_mode) == 0o700
    assert stat.S_IMODE(stage.target.skill.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(stage.settings.stat().st_mode) == 0o600
    assert stat.S_IMODE(stage.target.skill.stat().st_mode) == 0o600
    uninstall(stage.target.config_dir, stage.target.home)
    assert not stage.target.config_dir.exists()


def test_what_others_put_into_a_new_file_stays(stage):
    """A settings file that we made stays when somebody else's key is in it at uninstall."""
    install(stage.target)
    data = json.loads(stage.settings.read_bytes())
    stage.put(json.dumps({"model": "opus", **data}))
    uninstall(stage.target.config_dir, stage.target.home)
    assert json.loads(stage.settings.read_bytes()) == {"model": "opus"}


def test_backup_and_receipt(stage):
    """R63: the settings as they were are kept 0600 under their UTC time, with a receipt that says what was done."""
    raw = stage.put(FOREIGN)
    report = install(stage.target, now=datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC))
    copy = stage.target.home / "install" / "claude-code" / "settings.json.20260304T050607Z"
    assert report.backup == copy
    assert copy.read_bytes() == raw
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    kept = receipt.load(stage.target.home, stage.target.config_dir)
    assert isinstance(kept, Receipt)
    assert (kept.backup, kept.python, kept.events) == (str(copy), str(stage.target.python), EVENTS)
    assert list(kept.files) == [str(stage.target.skill)]
    assert stat.S_IMODE(receipt.path(stage.target.home).stat().st_mode) == 0o600


def test_two_config_folders_share_a_home(stage):
    """One data home keeps a receipt for each config folder, and each is taken back by itself."""
    other = replace(stage.target, config_dir=stage.root / "iş")
    install(stage.target)
    install(other)
    uninstall(other.config_dir, other.home)
    assert not other.config_dir.exists()
    assert isinstance(receipt.load(stage.target.home, stage.target.config_dir), Receipt)
    assert len(commands(stage.settings.read_bytes())) == len(EVENTS)


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
    assert json.loads(stage.settings.read_bytes()) == pasted
    assert raw.startswith(b"//")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_line_ends_mark_and_last_line_are_kept(stage, mark, end):
    """B151: CRLF, byte order mark and a missing final newline are kept, and come back after uninstall."""
    raw = stage.put(mark + (FOREIGN.rstrip() + end).replace("\n", "\r\n").encode())
    install(stage.target)
    after = stage.settings.read_bytes()
    assert after.startswith(mark + b"{")
    assert after.count(b"\n") == after.count(b"\r\n")
    assert after.endswith(("}" + end).replace("\n", "\r\n").encode())
    uninstall(stage.target.config_dir, stage.target.home)
    assert stage.settings.read_bytes() == raw


def test_b155_awkward_paths_run_in_a_shell(stage, run_as_client):
    """B155: with blanks, quotes, ş, $ and ` in every path each written command runs and reaches the right home."""
    install(stage.target)
    for event in EVENTS:
        ran = run_as_client(own_command(stage, event), json.dumps({"hook_event_name": event}))
        assert (ran.returncode, ran.stderr) == (0, b"")
    assert (stage.target.home / "seen").read_text().split() == list(EVENTS)


def test_the_self_test_leaves_the_home_alone(stage):
    """R63: the trial runs use a temporary home; ours holds nothing but receipt and backup afterwards."""
    install(stage.target)
    assert [path.name for path in stage.target.home.iterdir()] == ["install"]


@pytest.mark.parametrize(
    ("hook", "reason"),
    [
        ("import sys; sys.exit(2)", "exit status 2"),
        ("raise ValueError('boom')", "ValueError: boom"),
        ("def broken(:", "SyntaxError"),
        ('print(\'{"bellek": "0.0.1"}\')', "version 0.0.1"),
        ("print('hello')", "did not answer with its version"),
        ("import sys; print('{\"bellek\": \"9.9.9\"}' if 'SelfTest' in sys.argv else 'log line')", "not JSON"),
        (
            "import sys; print('{\"bellek\": \"9.9.9\"}'); sys.exit(0 if 'SelfTest' in sys.argv else 1)",
            "exit status 1",
        ),
        (
            (
                "import sys; s = 'SelfTest' in sys.argv\n"
                'print(\'{"bellek": "9.9.9"}\' if s else \'{"hookSpecificOutput": {"hookEventName": "X"}}\')'
            ),
            "another event",
        ),
    ],
)
def test_a_failing_self_test_aborts_before_any_change(stage, hook, reason):
    """R63: a hook that fails (which `|| true` would hide) stops the install with its reason; nothing is changed."""
    stage.put(FOREIGN)
    stage.target.hook.write_text(hook)
    before = stage.tree()
    with pytest.raises(Refused) as caught:
        install(stage.target)
    assert reason in caught.value.why
    assert stage.tree() == before


def test_b156_a_deleted_environment_fails_open(stage, run_as_client):
    """B156: with the venv deleted each command exits 0 with no output, and uninstall and a new install still work."""
    venv = stage.root / "My Tools" / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    target = replace(stage.target, python=venv / "bin" / "python")
    raw = stage.put(FOREIGN)
    install(target)
    shutil.rmtree(venv)
    for event in EVENTS:
        ran = run_as_client(own_command(stage, event))
        assert (ran.returncode, ran.stdout) == (0, b"")
    uninstall(target.config_dir, target.home)
    assert stage.settings.read_bytes() == raw


@pytest.mark.parametrize("half", ["gone", "empty folder", "cut"])
def test_b156_a_half_done_upgrade_fails_open(stage, run_as_client, half):
    """B156: with the hook file gone or cut in the middle each command exits 0 with no output."""
    install(stage.target)
    if half == "cut":
        stage.target.hook.write_text(stage.target.hook.read_text()[:-40])
    elif half == "gone":
        stage.target.hook.unlink()
    else:
        shutil.rmtree(stage.target.hook.parent)
    for event in EVENTS:
        ran = run_as_client(own_command(stage, event))
        assert (ran.returncode, ran.stdout) == (0, b"")


def test_b156_orphans_of_older_environments_are_replaced(stage):
    """B156: an install from a new environment takes the old one's hooks away, and uninstall still gives the bytes."""
    raw = stage.put(FOREIGN)
    old = stage.root / "old python"
    old.symlink_to(stage.target.python)
    install(replace(stage.target, python=old))
    report = install(stage.target)
    assert set(report.added) == set(report.removed) == set(EVENTS)
    assert len(commands(stage.settings.read_bytes())) == len(EVENTS) + 1
    assert not any("old python" in command for command in commands(stage.settings.read_bytes()))
    uninstall(stage.target.config_dir, stage.target.home)
    assert stage.settings.read_bytes() == raw


def test_b156_uninstall_without_a_receipt_goes_by_the_pattern(stage):
    """B156: with the whole data home gone uninstall still removes our hooks and skill, and no others."""
    raw = stage.put('{\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"command": "say"}]}\n    ]\n  }\n}\n')
    install(stage.target)
    shutil.rmtree(stage.target.home)
    uninstall(stage.target.config_dir, stage.target.home)
    assert stage.settings.read_bytes() == raw
    assert not stage.target.skill.parent.exists()


def test_b156_a_damaged_receipt_is_kept_aside(stage):
    """A receipt that cannot be read hinders neither uninstall nor install, and is not thrown away."""
    raw = stage.put(FOREIGN.replace('        "PreToolUse": []\n', "").replace("} ],", "} ]"))
    install(stage.target)
    receipt.path(stage.target.home).write_text("{", encoding="utf-8")
    install(stage.target)
    assert isinstance(receipt.load(stage.target.home, stage.target.config_dir), Receipt)
    aside = [path for path in receipt.folder(stage.target.home).iterdir() if ".damaged." in path.name]
    assert [path.read_text() for path in aside] == ["{"]
    uninstall(stage.target.config_dir, stage.target.home)
    assert stage.settings.read_bytes() == raw


def test_b157_shape_and_timeouts(stage):
    """B157: the settings have the client's shape; timeouts are seconds, small, and whole numbers."""
    install(replace(stage.target, hide_markers=True))
    data = json.loads(stage.settings.read_bytes())
    assert list(data) == ["hooks"]
    assert list(data["hooks"]) == [*EVENTS, HIDING_EVENT]
    for groups in data["hooks"].values():
        assert [list(group) for group in groups] == [["hooks"]]
        (hook,) = groups[0]["hooks"]
        assert {name: type(value) for name, value in hook.items()} == {"type": str, "command": str, "timeout": int}
        assert hook["type"] == "command"
        assert 1 <= hook["timeout"] <= 60
        assert hook["command"].endswith(" || true")


def test_hiding_is_off_until_asked_for_and_can_go_again(stage):
    """R120: MessageDisplay is bound only when asked for; an install without it takes it away."""
    install(stage.target)
    plain = stage.settings.read_bytes()
    assert HIDING_EVENT.encode() not in plain
    assert install(replace(stage.target, hide_markers=True)).added == (HIDING_EVENT,)
    assert install(stage.target).removed == (HIDING_EVENT,)
    assert stage.settings.read_bytes() == plain


@pytest.mark.parametrize("relative", [False, True])
def test_a_linked_settings_file_is_written_through(stage, relative):
    """A settings file that links into a dotfiles folder stays a link; its target is edited and given back, mode kept."""
    dotfiles = stage.root / "dotfiles"
    dotfiles.mkdir()
    real = dotfiles / "claude.json"
    real.write_text(FOREIGN, encoding="utf-8")
    real.chmod(0o640)
    stage.target.config_dir.mkdir(parents=True)
    stage.settings.symlink_to(os.path.relpath(real, stage.settings.parent) if relative else real)
    install(stage.target)
    assert stage.settings.is_symlink()
    assert b"UserPromptSubmit" in real.read_bytes()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert [path.name for path in dotfiles.iterdir()] == ["claude.json"]
    uninstall(stage.target.config_dir, stage.target.home)
    assert stage.settings.is_symlink()
    assert real.read_text(encoding="utf-8") == FOREIGN


def test_a_dangling_link_is_written_through_and_a_loop_is_refused(stage):
    """A link to a file that is not there yet gets that file; a link to itself is refused."""
    stage.target.config_dir.mkdir(parents=True)
    real = stage.root / "later.json"
    stage.settings.symlink_to(real)
    install(stage.target)
    assert stage.settings.is_symlink()
    assert len(commands(real.read_bytes())) == len(EVENTS)
    uninstall(stage.target.config_dir, stage.target.home)
    assert not real.exists()
    stage.settings.unlink()
    stage.settings.symlink_to(stage.settings)
    with pytest.raises(Refused, match="could not read"):
        install(stage.target)


def test_a_linked_config_folder_is_kept(stage):
    """A config folder that is a link stays one, and what it leads to is edited."""
    real = stage.root / "gerçek"
    real.mkdir()
    stage.target.config_dir.parent.mkdir(parents=True)
    stage.target.config_dir.symlink_to(real)
    install(stage.target)
    assert stage.target.config_dir.is_symlink()
    assert (real / "settings.json").exists()
    uninstall(stage.target.config_dir, stage.target.home)
    assert list(real.iterdir()) == []


def test_an_edited_skill_file_is_kept(stage):
    """A skill file that a person changed is neither overwritten nor removed, and both runs say so."""
    install(stage.target)
    stage.target.skill.write_text("benim sözlerim", encoding="utf-8")
    again = install(stage.target)
    assert not again.changed
    assert "edited by hand" in again.notes[0]
    gone = uninstall(stage.target.config_dir, stage.target.home)
    assert "edited by hand" in gone.notes[0]
    assert stage.target.skill.read_text(encoding="utf-8") == "benim sözlerim"


def test_an_unedited_skill_of_an_older_version_is_renewed(stage):
    """A skill file that still has the bytes of our receipt is replaced by the text that ships now."""
    install(stage.target)
    kept = receipt.load(stage.target.home, stage.target.config_dir)
    older = b"an older text of ours\n"
    stage.target.skill.write_bytes(older)
    digest = __import__("hashlib").sha256(older).hexdigest()
    path = receipt.path(stage.target.home)
    path.write_bytes(receipt.text_with(path.read_bytes(), replace(kept, files={str(stage.target.skill): digest})))
    assert install(stage.target).changed
    assert stage.target.skill.read_bytes() == skill_text()


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


def test_uninstall_dry_run_and_where_nothing_is(stage):
    """Uninstall's dry run writes nothing; uninstalling what is not installed changes nothing."""
    stage.put(FOREIGN)
    before = stage.tree()
    assert not uninstall(stage.target.config_dir, stage.target.home).changed
    assert stage.tree() == before
    install(stage.target)
    before = stage.tree()
    report = uninstall(stage.target.config_dir, stage.target.home, dry_run=True)
    assert [change.act for change in report.changes] == ["edit", "remove"]
    assert stage.tree() == before


KILLED = """
import os, signal, sys
from pathlib import Path
real = os.replace
def deadly(old, new):
    if str(new).endswith("settings.json"):
        os.kill(os.getpid(), signal.SIGKILL)
    real(old, new)
os.replace = deadly
from bellek.install.claude_code import install
from bellek.install.target import Target
install(Target(*map(Path, sys.argv[1:5]), sys.argv[5]))
"""


def test_a_kill_before_the_rename_leaves_the_old_file_whole(stage):
    """A writer killed between temporary file and rename leaves the old bytes; the next install ends and clears up."""
    raw = stage.put(FOREIGN)
    target = stage.target
    words = [str(path) for path in (target.config_dir, target.home, target.python, target.hook)]
    ran = subprocess.run(
        [sys.executable, "-c", KILLED, *words, target.version],
        check=False,
        capture_output=True,
        cwd=Path(__file__).parents[3],
    )
    assert ran.returncode == -9, ran.stderr
    assert stage.settings.read_bytes() == raw
    assert any(path.name.endswith(".tmp") for path in target.config_dir.iterdir())
    install(target)
    assert not any(path.name.endswith(".tmp") for path in target.config_dir.iterdir())
    uninstall(target.config_dir, target.home)
    assert stage.settings.read_bytes() == raw


def test_the_installed_text_is_one_that_the_parser_accepts(stage):
    """What was written is read back by the same strict parser that guards the next edit."""
    stage.put('{"a":1,"hooks":{"Stop":[]}}')
    install(stage.target)
    assert set(parsed(stage.settings.read_text(encoding="utf-8"))["hooks"]) == set(EVENTS)


def test_a_write_that_fails_late_is_taken_back(stage):
    """When the settings cannot be written after the skill file was, the skill file goes again; nothing is half done."""
    stage.target.config_dir.mkdir(parents=True)
    stage.settings.symlink_to(stage.root / "no such folder" / "settings.json")
    with pytest.raises(Refused, match="could not write"):
        install(stage.target)
    assert [path.name for path in stage.target.config_dir.iterdir()] == ["settings.json"]


def test_a_file_where_a_folder_is_needed_is_refused_before_any_change(stage):
    """A file named `skills` stops the install before the settings are touched."""
    raw = stage.put(FOREIGN)
    (stage.target.config_dir / "skills").write_text("a file")
    with pytest.raises(Refused, match="could not read"):
        install(stage.target)
    assert stage.settings.read_bytes() == raw
    assert not stage.target.home.exists()
