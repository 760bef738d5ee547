"""doctor: each finding says what, why and the next command; the canary goes the whole way; --fix loses nothing."""

import json
import os
import stat
from pathlib import Path

import apsw
import command
import pytest
import rows
from world import PROGRAM

from bellek.curator import review
from bellek.doctor_canary import canary, run
from bellek.doctor_health import health
from bellek.kg import check, clock, mend, typed
from bellek.kg.home import open_home


def states(findings):
    """Finding → (state, what)."""
    return {found.name: (found.state, found.what) for found in findings}


def test_the_canary_goes_the_whole_way_and_leaves_nothing(home):
    """R118: a row is stored, found, told by recall and forgotten; when is kept, and no word of it."""
    assert canary(home).state == "WARN"
    found = run(home)
    assert (found.state, "readable after" in found.what) == ("OK", True)
    assert home.memory.value("SELECT count(*) FROM memories") == 0
    assert b"sings in the mine" not in b"".join(p.read_bytes() for p in Path(home.path).iterdir() if p.suffix == ".db")
    assert home.memory.value("SELECT state FROM forgettings") == "proven"


def broken_index(path):
    """Take the words of all rows out of an index behind the store's back."""
    con = apsw.Connection(path)
    table = "messages_fts" if "conversations" in path else "memories_fts"
    con.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
    con.close()


def test_a_broken_index_is_built_anew_and_no_row_is_touched(lived):
    """B138, B139, B174: an index that is out of step with its table is found by the rank 1 check and rebuilt from the table; nothing else changes."""
    before = lived.memory.rows("SELECT * FROM memories"), lived.conversations.rows("SELECT * FROM messages")
    for path in (lived.memory.path, lived.conversations.path):
        broken_index(path)
    assert len([fault for fault in check.check_home(lived) if "index" in fault]) >= 2
    steps = mend.plan(lived, lived.path + "/backups")
    assert [step.what for step in steps if step.what.startswith("build")] == [
        "build the index memories_fts anew from its table",
        "build the index messages_fts anew from its table",
    ]
    mend.carry_out(steps)
    assert check.check_home(lived) == []
    assert (lived.memory.rows("SELECT * FROM memories"), lived.conversations.rows("SELECT * FROM messages")) == before
    here = lived.memory.value("SELECT project FROM memories WHERE text LIKE 'paketler%'")
    assert typed.find(lived.memory, "paketler", here, now=clock.now(), limit=3).rows
    assert mend.plan(lived, lived.path + "/backups") == []


def test_wide_modes_and_what_a_kill_left_are_put_right(home):
    """B149: files that others may read are narrowed, folders of a killed restore or backup are cleared; a dry run changes nothing."""
    (Path(home.path) / ".restoring-1").mkdir()
    Path(home.path, "config/identity.md").write_text("x")
    os.chmod(Path(home.path, "config/identity.md"), 0o644)
    steps = mend.plan(home, home.path + "/backups")
    assert Path(home.path, ".restoring-1").exists()
    assert len(mend.carry_out(steps)) == 2
    assert not Path(home.path, ".restoring-1").exists()
    assert stat.S_IMODE(Path(home.path, "config/identity.md").stat().st_mode) == 0o600
    assert mend.plan(home, home.path + "/backups") == []


def test_twins_junk_and_sizes_are_counted(home):
    """R45: duplicates and the share of refused rows are told with their counts, index and disk with their sizes."""
    ids = rows.write(
        home,
        "p_0",
        *(rows.lesson(f"word{n} alpha{n} beta{n} gamma{n}") for n in range(21)),
        rows.lesson("twice said"),
        rows.lesson("twice said"),
    )
    for id_ in ids[:12]:
        review.refuse(home, id_, note="no", actor="person:terminal")
    told = states(health(home))
    assert told["duplicates"] == ("WARN", "1 current rows say in the same words what another one says")
    assert told["junk"] == ("WARN", "12 of 23 rows of the last 30 days were refused, dropped or set apart (52%)")
    assert (told["size"][0], told["disk"][0]) == ("OK", "OK")


@pytest.mark.parametrize("words", [("doctor", "--fix", "--dry-run"), ("doctor", "--fix"), ("doctor", "--canary")])
def test_by_command(world, words):
    """R45, B174: each form ends with status 0 or, only where a finding FAILs, 1; every finding that is not OK names its next step."""
    with open_home(str(world.home)) as home:
        rows.write(home, "p_0", rows.lesson("x"))
    broken_index(str(world.home / "memory.db"))
    done = command.run(
        (*words, "--home", world.home, "--json"),
        cwd=world.work,
        env={**world.environment(PYTHONPATH=PROGRAM), "CLAUDE_CONFIG_DIR": str(world.config)},
    )
    told = json.loads(done.stdout)
    assert done.returncode == int(any(one["state"] == "FAIL" for one in told)), done.stderr
    said = " ".join(one["what"] for one in told)
    if "--fix" in words:
        assert "build the index memories_fts anew" in said
    with open_home(str(world.home)) as home:
        sound = check.check_memory(home.memory) == []
        assert sound == (words == ("doctor", "--fix"))
        if not sound:
            mend.carry_out(mend.plan(home, str(world.home / "backups")))
