"""Install and uninstall as a whole, on real files and with real processes."""

import json
import stat
from dataclasses import replace
from datetime import UTC, datetime

from bellek.install import files, laid, receipt
from bellek.install.claude_code import install, uninstall
from bellek.install.command import EVENTS, HIDING_EVENT, program_command
from bellek.install.receipt import NoReceipt, Receipt


def laid_paths(stage):
    """The files of ours beside the settings, in the order in which they are written."""
    return [one.path for one in laid.laid_files(stage.target.config_dir)]


def test_second_run_changes_nothing(stage, foreign):
    """R63: a second run makes no diff, no new backup and leaves every byte."""
    stage.put(foreign)
    assert install(stage.target).added == EVENTS
    before = stage.tree()
    again = install(stage.target)
    assert (again.changed, again.diff, again.backup, again.added) == (False, "", None, ())
    assert stage.tree() == before


def test_dry_run_leaves_the_tree_byte_identical(stage, foreign):
    """R63: a dry run writes nothing and tells the diff and the files."""
    stage.put(foreign)
    before = stage.tree()
    report = install(stage.target, dry_run=True)
    assert stage.tree() == before
    assert [(change.path, change.act) for change in report.changes] == [
        *((path, "create") for path in laid_paths(stage)),
        (stage.settings, "edit"),
    ]
    assert "+++ " + str(stage.settings) in report.diff
    assert "UserPromptSubmit" in report.diff
    assert "değer" not in report.diff, "no more of the settings is shown than says where"


def test_dry_run_tells_what_the_run_does(stage, foreign):
    """A dry run's changes are those of the run that follows."""
    stage.put(foreign)
    now = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    planned = install(stage.target, dry_run=True, now=now)
    done = install(stage.target, now=now)
    assert replace(planned, dry_run=False) == done


def test_foreign_hooks_and_keys_stay(stage, foreign):
    """R63: foreign hooks, other keys, their order and their formatting are untouched."""
    stage.put(foreign)
    install(stage.target)
    after = stage.settings.read_text(encoding="utf-8")
    was = iter(after)
    assert all(sign in was for sign in foreign), "the old text is still there, in order"
    assert list(json.loads(after)) == ["env", "hooks", "model", "permissions"]
    assert "say done" in stage.commands()


def test_uninstall_gives_back_the_bytes_and_the_folders(stage, foreign):
    """R63: uninstall by the receipt leaves the config folder as it was before us."""
    stage.put(foreign)
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


def test_backup_and_receipt(stage, foreign):
    """R63: the settings as they were are kept 0600 under their UTC time, with a receipt that says what was done."""
    raw = stage.put(foreign)
    report = install(stage.target, now=datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC))
    copy = stage.target.home / "install" / "claude-code" / "settings.json.20260304T050607Z"
    assert report.backup == copy
    assert copy.read_bytes() == raw
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    kept = receipt.load(stage.target.home, stage.target.config_dir)
    assert isinstance(kept, Receipt)
    assert (kept.backup, kept.python, kept.events) == (str(copy), str(stage.target.python), EVENTS)
    assert list(kept.files) == [str(path) for path in laid_paths(stage)]
    assert stat.S_IMODE(receipt.path(stage.target.home).stat().st_mode) == 0o600


def test_two_config_folders_share_a_home(stage):
    """One data home keeps a receipt for each config folder, and each is taken back by itself."""
    other = replace(stage.target, config_dir=stage.root / "iş")
    install(stage.target)
    install(other)
    uninstall(other.config_dir, other.home)
    assert not other.config_dir.exists()
    assert isinstance(receipt.load(stage.target.home, stage.target.config_dir), Receipt)
    assert len(stage.commands()) == len(EVENTS)


def test_hiding_is_off_until_asked_for_and_can_go_again(stage):
    """R120: MessageDisplay is bound only when asked for; an install without it takes it away."""
    install(stage.target)
    plain = stage.settings.read_bytes()
    assert HIDING_EVENT.encode() not in plain
    assert install(replace(stage.target, hide_markers=True)).added == (HIDING_EVENT,)
    assert install(stage.target).removed == (HIDING_EVENT,)
    assert stage.settings.read_bytes() == plain


def test_uninstall_dry_run_and_where_nothing_is(stage, foreign):
    """Uninstall's dry run writes nothing; uninstalling what is not installed changes nothing."""
    stage.put(foreign)
    before = stage.tree()
    assert not uninstall(stage.target.config_dir, stage.target.home).changed
    assert stage.tree() == before
    install(stage.target)
    before = stage.tree()
    report = uninstall(stage.target.config_dir, stage.target.home, dry_run=True)
    assert [change.act for change in report.changes] == ["edit", *(["remove"] * len(laid_paths(stage)))]
    assert stage.tree() == before


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
    digest = files.digest(older)
    path = receipt.path(stage.target.home)
    path.write_bytes(receipt.text_with(path.read_bytes(), replace(kept, files={str(stage.target.skill): digest})))
    assert install(stage.target).changed
    assert stage.target.skill.read_bytes() == laid.laid_files(stage.target.config_dir)[0].rendered(
        program_command(stage.target)
    )
