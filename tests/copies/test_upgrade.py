"""Upgrades: an older file comes up in one transaction behind a verified copy of it; a newer one is left alone, byte by byte."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import apsw
import command
import pytest
import rows
from world import PROGRAM

from bellek.kg import migrate
from bellek.kg.db import open_database
from bellek.kg.home import open_home
from bellek.schemas.errors import BellekError, StoreNewer

NEWEST = migrate.newest("memory")
COLUMN = "ALTER TABLE notices ADD COLUMN more TEXT NOT NULL DEFAULT ''; CREATE INDEX notices_more ON notices (more);"
TABLE = "CREATE TABLE later (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID; INSERT INTO later SELECT id FROM memories;"
NEXT = [*migrate.migrations("memory"), (NEWEST + 1, COLUMN), (NEWEST + 2, TABLE)]  # what a later version would bring


@pytest.fixture
def old(tmp_path):
    """A store of today with rows, as a version two steps later finds it."""
    with open_home(str(tmp_path / "ev")) as home:
        rows.write(home, "p_0", *(rows.lesson(f"ders {n}") for n in range(5)))
    return str(tmp_path / "ev" / "memory.db")


def hash_of(path):
    """SHA-256 of a file."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@pytest.mark.parametrize("steps", [1, 2])
def test_stores_of_one_and_two_versions_ago_come_up_whole(old, steps):
    """R108: from N-1 and N-2 every row is there afterwards, and the file as it was lies beside, sound and whole."""
    if steps == 1:
        migrate.open_migrated(old, "memory", steps=NEXT[:-1]).close()
    db = migrate.open_migrated(old, "memory", steps=NEXT)
    assert migrate.version(db) == NEWEST + 2
    assert db.value("SELECT count(*) FROM later") == 5
    assert db.value("SELECT count(*) FROM notices WHERE more = ''") == 0
    db.close()
    keep = open_database(migrate.kept_as(old, NEWEST + 2 - steps), writable=False)
    assert (keep.value("SELECT count(*) FROM memories"), keep.value("PRAGMA integrity_check")) == (5, "ok")
    keep.close()
    assert os.stat(migrate.kept_as(old, NEWEST)).st_mode & 0o077 == 0


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_a_step_that_fails_leaves_the_old_store_usable(old, failing):
    """R108: whichever statement of whichever step fails, the file is what it was and this version works on with it."""
    before = open_home(str(Path(old).parent))
    shape = (
        before.memory.rows("SELECT type, name, sql FROM sqlite_master ORDER BY name"),
        before.memory.rows("SELECT * FROM memories"),
    )
    before.close()
    broken = [
        [(NEWEST + 1, "SELECT * FROM nowhere")],
        [(NEWEST + 1, COLUMN + "INSERT INTO meta VALUES ('node', 'x')")],
        [*NEXT[-2:], (NEWEST + 3, "x")],
    ][failing]
    with pytest.raises(BellekError):
        migrate.open_migrated(old, "memory", steps=[*migrate.migrations("memory"), *broken])
    with open_home(str(Path(old).parent)) as home:
        assert (
            home.memory.rows("SELECT type, name, sql FROM sqlite_master ORDER BY name"),
            home.memory.rows("SELECT * FROM memories"),
        ) == shape
        rows.write(home, "p_0", rows.lesson("goes on"))


RACE = """
import sys, json
from bellek.kg import migrate
sys.stdin.readline()
db = migrate.open_migrated(sys.argv[1], "memory", steps=[tuple(step) for step in json.loads(sys.argv[2])])
print(migrate.version(db), db.value("SELECT count(*) FROM later"))
"""


def test_two_processes_bring_one_store_up_at_once(old):
    """B90: two that start together on an older store both succeed and see one result; no step is done twice."""
    words = [sys.executable, "-c", RACE, old, json.dumps(NEXT)]
    pipes = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "text": True,
        "env": {**os.environ, "PYTHONPATH": PROGRAM},
    }
    both = [subprocess.Popen(words, **pipes) for _ in range(3)]
    for process in both:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert {process.communicate(timeout=60)[0] for process in both} == {f"{NEWEST + 2} 5\n"}


def test_a_store_from_the_future_is_refused_and_still_lets_go_of_its_rows(old, tmp_path):
    """B91, B171: the newest program refuses it with its bytes unchanged and says which version is needed; --read-only exports it."""
    migrate.open_migrated(old, "memory", steps=NEXT).close()
    before = hash_of(old)
    home = str(Path(old).parent)
    with pytest.raises(StoreNewer) as caught:
        open_home(home)
    assert f"its version is {NEWEST + 2}" in caught.value.why
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "TZ": os.environ["TZ"],
        "PYTHONPATH": PROGRAM,
    }
    refused = command.run(["status", "--home", home], cwd=tmp_path, env=environment)
    assert (refused.returncode, b"export DIR --read-only" in refused.stderr) == (5, True)
    done = command.run(
        ["export", tmp_path / "out", "--read-only", "--home", home, "--json"], cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "out/memory/lessons.jsonl").read_bytes().splitlines()) == 5
    assert len((tmp_path / "out/memory/later.jsonl").read_bytes().splitlines()) == 5
    assert hash_of(old) == before


def test_a_dry_run_goes_the_way_on_a_copy(old, tmp_path):
    """R108: `migrate --dry-run` names versions and faults; neither the files nor the folder of the home change."""
    home = Path(old).parent
    before = {path.name: hash_of(path) for path in home.iterdir() if path.is_file() and not path.name.endswith("-shm")}
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "TZ": os.environ["TZ"],
        "PYTHONPATH": PROGRAM,
    }
    done = command.run(["migrate", "--dry-run", "--json", "--home", home], cwd=tmp_path, env=environment)
    told = json.loads(done.stdout)
    assert (done.returncode, told["faults"], told["databases"]["memory"]) == (0, [], {"from": NEWEST, "to": NEWEST})
    after = {path.name: hash_of(path) for path in home.iterdir() if path.is_file() and path.name in before}
    assert after == before


def test_the_check_of_versions_knows_a_foreign_file(tmp_path):
    """B171: another program's database, a text file and random bytes are refused with their bytes unchanged."""
    con = apsw.Connection(str(tmp_path / "other.db"))
    con.execute("CREATE TABLE theirs (x)")
    con.close()
    (tmp_path / "text.db").write_text("dear diary\n" * 100)
    (tmp_path / "noise.db").write_bytes(os.urandom(8192))
    for name in ("other.db", "text.db", "noise.db"):
        before = hash_of(tmp_path / name)
        with pytest.raises(BellekError):
            migrate.open_migrated(str(tmp_path / name), "memory")
        assert hash_of(tmp_path / name) == before
