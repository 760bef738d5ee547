"""Links are written through, and no failure leaves half a file or half an install."""

import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from bellek.schemas.errors import Refused

from bellek.install import receipt
from bellek.install.claude_code import install, skill_text, uninstall
from bellek.install.command import EVENTS

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


@pytest.mark.parametrize("relative", [False, True])
def test_a_linked_settings_file_is_written_through(stage, relative, foreign):
    """A settings file that links into a dotfiles folder stays a link; its target is edited and given back, mode kept."""
    dotfiles = stage.root / "dotfiles"
    dotfiles.mkdir()
    real = dotfiles / "claude.json"
    real.write_text(foreign, encoding="utf-8")
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
    assert real.read_text(encoding="utf-8") == foreign


def test_a_dangling_link_is_written_through_and_a_loop_is_refused(stage):
    """A link to a file that is not there yet gets that file; a link to itself is refused."""
    stage.target.config_dir.mkdir(parents=True)
    real = stage.root / "later.json"
    stage.settings.symlink_to(real)
    install(stage.target)
    assert stage.settings.is_symlink()
    assert len(stage.commands()) == len(EVENTS)
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


def test_a_kill_before_the_rename_leaves_the_old_file_whole(stage, foreign):
    """A writer killed between temporary file and rename leaves the old bytes; the next install ends and clears up."""
    raw = stage.put(foreign)
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


def test_a_write_that_fails_late_is_taken_back(stage):
    """When the settings cannot be written after the skill file was, the skill file goes again; nothing is half done."""
    stage.target.config_dir.mkdir(parents=True)
    stage.settings.symlink_to(stage.root / "no such folder" / "settings.json")
    with pytest.raises(Refused, match="could not write"):
        install(stage.target)
    assert [path.name for path in stage.target.config_dir.iterdir()] == ["settings.json"]
