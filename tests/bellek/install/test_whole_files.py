"""Links are written through, and no failure leaves half a file or half an install."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bellek.install.claude_code import install, uninstall
from bellek.install.command import EVENTS
from bellek.schemas.errors import Refused

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
