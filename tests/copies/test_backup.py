"""Copies: what one holds, when it counts, and which ones stay."""

import os
import resource
import signal
import stat
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pyrage
import pytest
import rows
from hypothesis import given
from hypothesis import strategies as st
from whole import DAY, VERSION, everything, without_notes
from world import PROGRAM

from bellek.kg import backups, check, restore, shelf
from bellek.kg.home import open_home
from bellek.kg.shelf import Copy
from bellek.schemas.backup import STORES, Manifest, Part
from bellek.schemas.errors import BellekError, Refused, StoreDamaged

AT = 1_796_000_000_000


def test_forty_days_leave_seven_and_four_and_each_restores(make_home, tmp_path, monkeypatch):
    """R106, R107: a copy a day for 40 days leaves 7 days and 4 weeks before them; each restores to the state of its day."""
    home, place, held = make_home("ev"), str(tmp_path / "kopyalar"), {}
    for day in range(40):
        monkeypatch.setenv("BELLEK_CLOCK", str(AT + day * DAY))
        rows.write(home, "p_0", rows.lesson(f"ders {day}"))
        rows.say(home, "p_0", f"{day} söylendi", talk=f"t-{day}")
        Path(home.path, "config/identity.md").write_text(f"day {day}")
        held[backups.make(home, place, program=VERSION).copy.manifest.id] = day
    copies, broken = shelf.listed(place)
    days = [held[copy.manifest.id] for copy in copies]
    assert (broken, days[:7]) == ([], [39, 38, 37, 36, 35, 34, 33])
    assert len(days) == 11
    assert [a - b for a, b in pairwise(days[7:])][1:] == [7, 7], days  # one a week, its last day
    assert len(os.listdir(place)) == 11
    for copy in copies:
        target = str(tmp_path / copy.manifest.id)
        done = restore.carry_out(target, copy, STORES)
        assert done.notes == ()
        day = held[copy.manifest.id]
        with open_home(target) as again:
            assert check.check_home(again) == []
            assert again.memory.value("SELECT count(*) FROM lessons") == day + 1
            assert again.conversations.value("SELECT count(*) FROM messages") == day + 1
        assert Path(target, "config/identity.md").read_text() == f"day {day}"


def test_a_copy_holds_everything_and_is_nobody_elses(lived, tmp_path):
    """B149, R106: all three stores are in it, equal row by row; its folder is 0700 and its files 0600 under any umask."""
    before = os.umask(0)
    try:
        copy = backups.make(lived, str(tmp_path / "kopyalar"), program=VERSION).copy
    finally:
        os.umask(before)
    assert [part.store for part in copy.manifest.parts] == list(STORES)
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in [Path(copy.path), *Path(copy.path).iterdir()]}
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}
    whole = without_notes(everything(lived.path))
    restore.carry_out(str(tmp_path / "other"), copy, STORES)
    assert without_notes(everything(tmp_path / "other")) == whole
    assert (copy.manifest.entries, copy.manifest.faults) == (lived.memory.value("SELECT count(*) FROM audit"), ())


WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
import rows
from bellek.kg.home import open_home
with open_home(sys.argv[1]) as home:
    for n in range(100_000):
        rows.say(home, "p_0", f"söz {n}", talk="canlı")
        rows.write(home, "p_0", {**rows.lesson(f"ders {n}"), "sources": [{"message": f"canlı-{n}"}]})
        print(n, flush=True)
"""


def test_a_copy_under_a_writer_is_of_one_moment(make_home, tmp_path):
    """R106, B141: taken while another process writes, a copy is sound, holds what was committed, and no row whose message is missing."""
    home = make_home("ev")
    stage = str(Path(rows.__file__).parent)
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, home.path, stage], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": PROGRAM}
    )  # fmt: skip
    try:
        for n in range(3):
            seen = int(writer.stdout.readline())
            copy = backups.make(home, str(tmp_path / "kopyalar"), program=VERSION).copy
            target = str(tmp_path / f"ev-{n}")
            assert restore.carry_out(target, copy, STORES).notes == ()
            with open_home(target) as again:
                talk = {row[0] for row in again.conversations.rows("SELECT id FROM messages")}
                told = {row[0] for row in again.memory.rows("SELECT message FROM sources")}
            assert len(told) > seen
            assert told <= talk
            assert writer.poll() is None
    finally:
        writer.kill()
        writer.communicate()


def limited():
    """What a full disk does to a process: no file may grow beyond 100 kB."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


def test_a_copy_that_fails_leaves_the_good_ones(lived, copied, tmp_path):
    """B166, B147: where no byte more can be written no copy appears, the error names the file, and no good copy goes, however old it is."""
    place = Path(copied.path).parent
    lived.close()
    done = subprocess.run(
        [sys.executable, "-m", "bellek", "backup", "--to", place, "--home", lived.path], preexec_fn=limited, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": PROGRAM, "BELLEK_CLOCK": str(AT + 900 * DAY)}, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 5, done
    assert f"{place}/.making-" in done.stderr
    assert [path.name for path in place.iterdir()] == [copied.manifest.id]
    assert shelf.listed(str(place))[1] == []


def manifest(at, *, held=1, node="n_1"):
    """A manifest of a copy made at an instant that holds so many memories."""
    part = Part(
        store="memory",
        file="memory.db.zst",
        size=1,
        sha256="",
        plain_size=1,
        plain_sha256="",
        version=1,
        rows={"memories": held},
    )
    return Manifest(
        format=1, id=f"{at}-{node}-{held}", made_at=at, offset_minutes=180, program="", node=node, entries=0, head="", encrypted=False, parts=(part,)
    )  # fmt: skip


AGES = st.lists(
    st.tuples(st.integers(0, 4_000), st.sampled_from([0, 1, 1, 1]), st.sampled_from(["n_1", "n_2"])), max_size=60
)


@given(AGES)
def test_what_stays(hours):
    """B147: at most 7 + 4 copies of a store stay, never fewer than there are days for them, the newest always, whatever their age;
    an empty copy takes no other's place, nor does another store's; choosing again changes nothing.
    """
    copies = {}
    for hour, held, node in hours:
        made = manifest(AT + hour * 3_600_000, held=held, node=node)
        copies[made.id] = Copy(made.id, made)
    every = list(copies.values())
    keep = shelf.kept(every)
    assert shelf.kept([copy for copy in every if copy.manifest.id in keep]) == keep
    for node in ("n_1", "n_2"):
        full = sorted(
            (c for c in every if c.manifest.node == node and not c.manifest.empty), key=lambda c: c.manifest.made_at
        )
        stay = [c for c in full if c.manifest.id in keep]
        days = {(c.manifest.made_at + 180 * 60_000) // DAY for c in full}
        assert stay[-1:] == full[-1:]
        assert min(len(days), 7) <= len(stay) <= 11
        assert len([c for c in every if c.manifest.node == node and c.manifest.empty and c.manifest.id in keep]) <= 1


def test_a_damaged_copy_is_known(lived, copied, tmp_path):
    """R107, B175: a copy of which one byte was changed is not restored, by whatever way it is asked for, and a drill says so."""
    stored = Path(copied.path, "memory.db.zst")
    data = bytearray(stored.read_bytes())
    data[len(data) // 2] ^= 1
    stored.write_bytes(data)
    with pytest.raises(StoreDamaged):
        restore.carry_out(str(tmp_path / "other"), copied, STORES)
    assert not Path(tmp_path, "other/memory.db").exists()
    assert "damaged" in backups.drill(lived, str(tmp_path / "kopyalar"), "")
    assert backups.drill_due(lived)


def test_a_drill_is_dated_and_due_after_a_week(lived, copied, tmp_path, monkeypatch):
    """B175: the newest copy is brought back on trial, the store keeps when, and a week later it is due again."""
    assert backups.drill_due(lived)
    monkeypatch.setenv("BELLEK_CLOCK", str(AT))
    assert backups.drill(lived, str(tmp_path / "kopyalar"), "") == ""
    assert backups.drilled(lived) == {"at": AT, "copy": copied.path, "why": ""}
    assert not backups.drill_due(lived)
    assert os.listdir(tmp_path / "kopyalar") == [copied.manifest.id]
    monkeypatch.setenv("BELLEK_CLOCK", str(AT + 7 * DAY))
    assert backups.drill_due(lived)


def test_an_encrypted_copy_opens_with_its_identity_alone(lived, tmp_path):
    """R106: with recipients set no stored word can be read in a copy, its identity restores it, and another one is refused."""
    mine, other = pyrage.x25519.Identity.generate(), pyrage.x25519.Identity.generate()
    for name, key in (("mine", mine), ("other", other)):
        Path(tmp_path, name).write_text(f"# a comment\n{key}\n")
    copy = backups.make(lived, str(tmp_path / "k"), program=VERSION, recipients=(str(mine.to_public()),)).copy
    assert copy.manifest.encrypted
    assert {path.name for path in Path(copy.path).iterdir()} == {
        "memory.db.zst.age", "conversations.db.zst.age", "config.tar.zst.age", "manifest.json",
    }  # fmt: skip
    for identity in ("", str(tmp_path / "other")):
        with pytest.raises(Refused):
            restore.carry_out(str(tmp_path / "no"), copy, STORES, identity=identity)
    whole = without_notes(everything(lived.path))
    restore.carry_out(str(tmp_path / "yes"), copy, STORES, identity=str(tmp_path / "mine"))
    assert without_notes(everything(tmp_path / "yes")) == whole
    with pytest.raises(BellekError, match="recipients"):
        backups.make(lived, str(tmp_path / "k"), program=VERSION, recipients=("age1nobody",))
    assert len(shelf.listed(str(tmp_path / "k"))[0]) == 1
