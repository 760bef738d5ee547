"""What a machine does to files: a full or read-only disk, no write-ahead log, spoilt pages, files that are none, a missing log, other locales."""

import hashlib
import os
import random
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import apsw
import child
import command
import pytest
import rows
from world import PROGRAM

from bellek.kg import archive, backups, check, restore, shelf
from bellek.kg.home import open_home
from bellek.schemas.backup import STORES
from bellek.schemas.errors import BellekError, StoreFault

P = "p_0"


@contextmanager
def mounted(folder, options):
    """A small disk of its own at a folder; skipped where this user may mount none."""
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()[:80]}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def bellek(*words, cwd, **variables):
    """A command of ours; (status, output, complaint)."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "TZ")} | {
        "PYTHONPATH": PROGRAM,
        "CLAUDE_CONFIG_DIR": str(cwd / "none"),
        **variables,
    }
    done = command.run(words, cwd=cwd, env=environment)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def hashes(folder):
    """File → hash, of a home's databases."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in Path(folder).glob("*.db")}


def test_a_full_disk_leaves_what_was_there_and_says_so(tmp_path):
    """B166: with no byte free, a write, a copy and an export fail with an error that names the disk; what was there is intact, and with
    room again all of them work.
    """
    with mounted(tmp_path / "disk", "size=3m") as disk:
        home = disk / "ev"
        with open_home(str(home)) as store:
            rows.write(store, P, *(rows.lesson(f"ders {n}") for n in range(20)))
        ballast = disk / "ballast"
        with ballast.open("wb", buffering=0) as out:
            try:
                while True:
                    out.write(b"x" * 4096)
                    out.flush()
            except OSError:
                pass
        for words in (("capture", "yeni " + "söz " * 4000), ("backup",), ("export", disk / "out")):
            status, _, said = bellek(*words, "--home", home, cwd=tmp_path)
            assert status in (1, 5), (words, said)
            assert "disk" in said or "space" in said, said
        assert not (disk / "out").exists()
        assert shelf.listed(str(home / "backups")) == ([], [])
        ballast.unlink()
        with open_home(str(home)) as store:
            assert check.check_home(store) == []
            assert store.memory.value("SELECT count(*) FROM lessons") == 20
            rows.write(store, P, rows.lesson("goes on"))


def test_a_read_only_home_is_told_from_and_not_written(tmp_path):
    """B169: in a home that cannot be written a prompt is still answered (status 0) or silent, and a command that would write ends with
    5 and says why; not a byte changes.
    """
    with mounted(tmp_path / "disk", "size=4m") as disk:
        home = disk / "ev"
        with open_home(str(home)) as store:
            rows.write(store, P, rows.lesson("paketler uv ile kurulur"))
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        before = hashes(home)
        status, _, said = bellek("capture", "x", "--home", home, cwd=tmp_path)
        assert (status, "read-only" in said.lower() or "cannot be" in said) == (5, True), said
        hook = Path(PROGRAM) / "bellek" / "hook.py"
        hook = hook if hook.exists() else Path(__import__("bellek.hook").hook.__file__)
        done = subprocess.run(
            [sys.executable, "-I", hook, "UserPromptSubmit", "--client", "claude-code", "--home", home], input=b'{"session_id": "s", "prompt": "uv?", "cwd": "/tmp"}',
            capture_output=True, check=False, env={"PATH": os.environ["PATH"]},
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        assert hashes(home) == before


def test_no_home_at_all_is_a_sentence(tmp_path):
    """B169: without HOME, BELLEK_HOME and --home a command ends with 2 and says what to give."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": PROGRAM}
    done = subprocess.run(
        [sys.executable, "-m", "bellek", "status"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "--home DIR" in done.stderr) == (2, True), done.stderr


def test_a_file_system_without_a_log_is_refused(tmp_path):
    """R108: where write-ahead logging cannot be used the store is not opened, with the reason and what to do."""

    class Flat(apsw.VFS):
        def __init__(self):
            super().__init__("flat", "unix-dotfile", makedefault=True)

    def act():
        flat = Flat()
        with pytest.raises(StoreFault) as caught:
            open_home(str(tmp_path / "ev"))
        assert "write-ahead logging" in caught.value.what
        assert "local disk" in caught.value.hint
        del flat

    assert child.run(act) == "done"


@pytest.mark.parametrize("how", ["zeroed", "random", "cut"])
def test_spoilt_pages_are_found_and_never_copied_over_a_good_copy(tmp_path, dice, how):
    """R45, R106, B147: a page of zeros or noise, or half a file: opening or checking says so, no copy counts that does not hold every row,
    the good copy stays, and restoring it brings all of it back.
    """
    home, place = str(tmp_path / "ev"), str(tmp_path / "k")
    with open_home(home) as store:
        rows.write(store, P, *(rows.lesson(f"ders {n} " + "söz " * 50) for n in range(60)))
        good = backups.make(store, place, program="t").copy
    whole = Path(home, "memory.db").read_bytes()
    pages = len(whole) // 4096
    for page in sorted(dice.sample(range(1, pages), 6)):
        data = bytearray(whole)
        if how == "cut":
            del data[page * 4096 :]
        else:
            data[page * 4096 : (page + 1) * 4096] = bytes(4096) if how == "zeroed" else dice.randbytes(4096)
        Path(home, "memory.db").write_bytes(data)
        for name in ("memory.db-wal", "memory.db-shm"):
            Path(home, name).unlink(missing_ok=True)
        try:
            with open_home(home) as store:
                faults = check.check_home(store)
                made = backups.make(store, place, program="t").copy
        except BellekError:
            made, faults = None, ["it was not opened or copied"]
        if made:
            assert made.manifest.part("memory").rows["lessons"] == 60, (page, faults)
            shutil.rmtree(made.path)
        assert [copy.manifest.id for copy in shelf.listed(place)[0]] == [good.manifest.id]
    restore.carry_out(home, good, STORES, force=True)
    with open_home(home) as store:
        assert check.check_home(store) == []
        assert store.memory.value("SELECT count(*) FROM lessons") == 60


@pytest.mark.parametrize(
    "content", [b"dear diary\n" * 500, random.Random(4).randbytes(20_000), b"SQLite format 3\0" + bytes(84)]
)
def test_a_file_that_is_no_database_is_named_and_left(tmp_path, content):
    """R108: text, noise or a bare header under a database's name: exit status 5, the bytes stay; `restore --force` puts it aside whole."""
    with open_home(str(tmp_path / "ev")) as store:
        rows.write(store, P, rows.lesson("ders"))
        good = backups.make(store, str(tmp_path / "k"), program="t").copy
    path = tmp_path / "ev" / "memory.db"
    path.write_bytes(content)
    status, _, said = bellek("status", "--home", tmp_path / "ev", cwd=tmp_path)
    assert (status, "restore" in said) == (5, True), said
    assert path.read_bytes() == content
    assert restore.obstacles(str(tmp_path / "ev"), good, STORES)
    done = restore.carry_out(str(tmp_path / "ev"), good, STORES, force=True)
    assert Path(done.replaced, "memory.db").read_bytes() == content


def test_a_log_that_somebody_deleted(tmp_path):
    """A -wal that was deleted after a crash takes its commits with it; what is in the file is sound and goes on."""
    home = str(tmp_path / "ev")
    with open_home(home) as store:
        rows.write(store, P, rows.lesson("in the file"))

    def act():
        store = open_home(home)
        rows.write(store, P, rows.lesson("in the log"))
        os._exit(0)

    child.run(act)
    for name in ("memory.db-wal", "memory.db-shm"):
        Path(home, name).unlink()
    with open_home(home) as store:
        assert check.check_home(store) == []
        assert [text for (text,) in store.memory.rows("SELECT text FROM memories")] == ["in the file"]
        rows.write(store, P, rows.lesson("goes on"))


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"LC_ALL": "tr_TR.UTF-8"}]
)
def test_copies_and_archives_under_other_locales(tmp_path, locale):
    """B149: with a locale without UTF-8 and a Turkish one, names and words of any script go out and come back as they are."""
    home = tmp_path / "ışık evi"
    with open_home(str(home)) as store:
        rows.write(store, P, rows.lesson("IĞDIR'da ışık söndü 東京"))
    out = tmp_path / "dışa İÇ"
    status, _, said = bellek("export", out, "--home", home, cwd=tmp_path, **locale)
    assert status == 0, said
    assert "IĞDIR'da ışık söndü 東京" in (out / "memory/lessons.jsonl").read_text("utf-8") + (
        out / "memory/memories.jsonl"
    ).read_text("utf-8")
    status, _, said = bellek("backup", "--to", tmp_path / "k", "--home", home, cwd=tmp_path, **locale)
    assert status == 0, said
    (copy,) = shelf.listed(str(tmp_path / "k"))[0]
    status, _, said = bellek("restore", copy.path, "--home", tmp_path / "yeni", cwd=tmp_path, **locale)
    assert status == 0, said
    assert archive.INDEX in os.listdir(out)


def test_a_clock_that_jumps(tmp_path, monkeypatch):
    """R106: copies made while the clock stood years ahead or back take no name twice, and the trail's clock never runs back."""
    at, place = 1_796_000_000_000, str(tmp_path / "k")
    with open_home(str(tmp_path / "ev")) as store:
        for jump in (0, 10**11, -(10**11), 0, 0):
            monkeypatch.setenv("BELLEK_CLOCK", str(at + jump))
            rows.write(store, P, rows.lesson(f"{jump} {random.random()}"))
            backups.make(store, place, program="t")
        assert check.check_home(store) == []
    copies, broken = shelf.listed(place)
    assert broken == []
    assert len(copies) == 3  # a day each
    assert max(copy.manifest.part("memory").rows["lessons"] for copy in copies) == 5
