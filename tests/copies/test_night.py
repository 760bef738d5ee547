"""The night makes the copy, the timer starts the night, and doctor tells how old both are."""

import os
import plistlib
import stat
import subprocess
import sys
from pathlib import Path

import rows
from whole import DAY
from world import PROGRAM

from bellek import nightly
from bellek.curator import config
from bellek.doctor_copies import copies
from bellek.install import timer
from bellek.kg import restore, shelf

AT = 1_796_000_000_000
ROOT = Path(__file__).parents[2]


def night(home):
    """One night; step → what became of it."""
    return {done.step.name: done for done in nightly.carry_out(home, nightly.plan(home, config.read(home.memory)))}


def states(home):
    """Finding → state, of what doctor says of copies."""
    return {found.name: found.state for found in copies(home)}


def test_a_night_ends_with_a_verified_copy_and_a_weekly_trial(home, monkeypatch):
    """R106, R45: each night leaves a copy, the first of a week is restored on trial, and doctor shows both with their dates."""
    monkeypatch.setenv("BELLEK_CLOCK", str(AT))
    rows.write(home, "p_0", rows.lesson("ders"))
    assert states(home) == {"backup": "WARN"}
    first = night(home)
    assert (first["snapshot"].failed, first["drill"].what) == (False, "the newest copy restores")
    assert states(home) == {"backup": "OK", "drill": "OK"}
    monkeypatch.setenv("BELLEK_CLOCK", str(AT + DAY))
    assert night(home)["drill"].what == "drilled within the week"
    assert len(shelf.listed(shelf.folder(home.path))[0]) == 2
    monkeypatch.setenv("BELLEK_CLOCK", str(AT + 12 * DAY))
    assert states(home) == {"backup": "WARN", "drill": "WARN"}


def test_a_night_without_a_place_for_the_copy_says_so(home, tmp_path):
    """B147: where no copy can be made the night goes on, says why, and fails."""
    (tmp_path / "file").write_text("")
    Path(home.path, "config/config.toml").write_text(f'[backup]\nfolder = "{tmp_path}/file/x"\n')
    config.compile_into(home.memory, home.path)
    done = night(home)
    assert done["snapshot"].failed
    assert "cannot be made" in done["snapshot"].what
    assert done["drill"].failed


def test_doctor_names_what_is_no_copy_and_a_restore_that_was_stopped(home):
    """R45, B175: a folder without a sound manifest is named, a half-done restore is a failure with the command to finish it."""
    place = Path(shelf.folder(home.path))
    (place / "20200101T000000Z").mkdir(parents=True)
    Path(home.path, restore.MARK).write_text('{"copy": "/somewhere/x"}')
    found = list(copies(home))
    assert ("WARN", "backup") in [(f.state, f.name) for f in found if "no copy that could be restored" in f.what]
    (stopped,) = [f for f in found if f.name == "restore"]
    assert (stopped.state, stopped.next) == ("FAIL", "bellek restore /somewhere/x --force")


def test_the_script_for_cron(lived):
    """R106: scripts/nightly-backup makes a verified copy, drills it, and ends with 0."""
    done = subprocess.run(
        [ROOT / "scripts/nightly-backup", "--home", lived.path], capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "PYTHONPATH": PROGRAM, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "verified and kept" in done.stdout
    assert "restored on trial" in done.stdout


def test_timer_files(tmp_path):
    """R106: systemd's and launchd's files start this very program in this very home; a second writing changes nothing, a file of
    somebody else's is left alone, and only ours are taken away.
    """
    home = tmp_path / 'ev "100%" $x'
    for platform in ("linux", "darwin"):
        plan = timer.planned(
            {"HOME": str(tmp_path / platform)}, "/p y/python", Path("/b/__main__.py"), home, platform=platform
        )
        assert all(line.startswith("wrote") for line in timer.write(plan, dry_run=False))
        assert all(line.endswith("there already") for line in timer.write(plan, dry_run=False))
        if platform == "darwin":
            (path,) = plan.files
            assert plistlib.loads(path.read_bytes())["ProgramArguments"] == [
                "/p y/python",
                "-I",
                "/b/__main__.py",
                "nightly",
                "--home",
                str(home),
            ]
        else:
            service, clock = plan.files
            assert 'ExecStart="/p y/python" "-I" "/b/__main__.py" "nightly" "--home"' in service.read_text()
            assert '\\"100%%\\" $$x"' in service.read_text()
            assert "OnCalendar=*-*-* 03:17:00" in clock.read_text()
            service.write_text("[Service]\n# mine\n")
            assert timer.write(plan, dry_run=False)[0].endswith("left alone")
        assert len(timer.remove(plan, dry_run=False)) == 1
    assert stat.S_ISREG(service.stat().st_mode)
