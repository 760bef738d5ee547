"""The one speaker of SQLite: transactions, files, and what becomes of a store that cannot be used."""

import os
import stat
import time
from pathlib import Path

import pytest

from bellek.kg import migrate, paths
from bellek.kg.db import Overdue, open_database
from bellek.kg.home import open_home
from bellek.schemas.errors import BellekError, Busy, StoreDamaged, StoreNewer, StoreReadOnly

HOLD = """
import sys
from bellek.kg.db import open_database
db = open_database(sys.argv[1])
with db.transaction():
    print("held", flush=True)
    sys.stdin.readline()
"""


def note(db, text):
    """Write one row of the simplest table."""
    db.run("INSERT INTO settings (key, value) VALUES (?, ?)", (text, text))


def test_a_block_that_raises_leaves_nothing(home):
    """A transaction whose block raises is rolled back whole, and the connection is ready for the next one."""
    db = home.memory
    with pytest.raises(ZeroDivisionError), db.transaction():
        note(db, "yarım")
        raise ZeroDivisionError
    assert not db.in_transaction()
    with db.transaction():
        note(db, "bütün")
    assert db.rows("SELECT key FROM settings") == [("bütün",)]


def test_a_statement_that_fails_takes_the_block_back(home):
    """An error of SQLite inside a block becomes one of ours and undoes what came before it in the block."""
    with pytest.raises(BellekError), home.memory.transaction():
        note(home.memory, "bir")
        note(home.memory, "bir")
    assert home.memory.value("SELECT count(*) FROM settings") == 0


def test_another_process_that_writes_makes_us_busy(home, start):
    """While another process writes, a writer that waited its time gets Busy (exit 4), readers read, and then writing works."""
    path = paths.memory_db(home.path)
    other = start(HOLD, path)
    assert other.stdout.readline() == "held\n"
    impatient = open_database(path, busy_ms=20)
    assert impatient.value("SELECT count(*) FROM settings") == 0
    with pytest.raises(Busy) as caught, impatient.transaction():
        pass
    assert caught.value.exit_code == 4
    other.communicate("go\n")
    with impatient.transaction():
        note(impatient, "sonra")
    impatient.close()


def test_a_waiting_writer_gets_its_turn(home, start):
    """A writer with the long timeout waits for the other process and then writes: nothing is lost and nothing raised."""
    other = start(HOLD, paths.memory_db(home.path))
    assert other.stdout.readline() == "held\n"
    other.stdin.write("go\n")
    other.stdin.flush()
    with home.memory.transaction():
        note(home.memory, "sırayla")
    assert other.wait() == 0


def test_the_change_to_the_log_waits_for_another_process(tmp_path, start, monkeypatch):
    """A file that another process is writing for the first time is waited for, though SQLite gives up on that change at once."""
    path = str(tmp_path / "new.db")
    open_database(path, create=True, keep_mode=True).close()
    other = start(HOLD.replace("sys.argv[1]", "sys.argv[1], keep_mode=True"), path)
    assert other.stdout.readline() == "held\n"
    waits = []

    def let_go(seconds):
        waits.append(seconds)
        other.communicate("go\n")

    monkeypatch.setattr(time, "sleep", let_go)
    db = open_database(path)
    assert db.value("PRAGMA journal_mode") == "wal"
    assert len(waits) == 1
    db.close()


def test_files_are_for_their_owner_alone(tmp_path):
    """The home is 0700 and its databases, logs and copies 0600, whatever the umask and however often it is opened."""
    path = tmp_path / "ev"
    before = os.umask(0)
    try:
        with open_home(str(path)) as home, home.memory.transaction():
            note(home.memory, "x")
            names = {p.name for p in path.iterdir() if p.is_file()}
            assert {"memory.db", "memory.db-wal", "memory.db-shm", "conversations.db"} <= names
            home.memory.rows("SELECT 1")
            modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in [path, *path.iterdir()]}
        with open_home(str(path)) as home:
            home.memory.backup_to(str(path / "copy.db"))
        modes["copy.db"] = stat.S_IMODE((path / "copy.db").stat().st_mode)
    finally:
        os.umask(before)
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}


def test_a_home_that_was_open_to_others_is_narrowed(tmp_path):
    """An existing home with a wide mode is narrowed to 0700 when it is opened."""
    path = tmp_path / "ev"
    path.mkdir(mode=0o755)
    open_home(str(path)).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_a_copy_holds_what_the_log_held(home, tmp_path):
    """A backup of a live store is one sound file with every committed row, those still in the write-ahead log included."""
    with home.memory.transaction():
        note(home.memory, "günlükte")
    target = str(tmp_path / "copy.db")
    home.memory.backup_to(target)
    assert not os.path.exists(target + "-wal")
    copy = open_database(target, writable=False)
    assert copy.rows("SELECT key FROM settings") == [("günlükte",)]
    assert copy.value("PRAGMA integrity_check") == "ok"
    copy.close()


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder with its bytes, without -shm: the index of a log that is empty, which any reader lays down."""
    found = {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.is_file()}
    return {name: data for name, data in found.items() if data and not name.endswith("-shm")}


def test_a_newer_store_is_refused_and_not_touched(tmp_path):
    """A store of a newer version is refused (exit 5) with not one byte changed and nothing in its log."""
    open_home(str(tmp_path)).close()
    db = open_database(paths.memory_db(str(tmp_path)))
    db.run("PRAGMA user_version = 9999")
    db.run("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    before = contents(tmp_path)
    with pytest.raises(StoreNewer) as caught:
        open_home(str(tmp_path))
    assert caught.value.exit_code == 5
    assert "9999" in str(caught.value)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("kind", ["memory", "conversations"])
def test_a_text_file_in_the_database_s_place_is_refused(tmp_path, kind):
    """A file that is no database is called damaged (exit 5) and keeps its bytes."""
    open_home(str(tmp_path)).close()
    path = tmp_path / f"{kind}.db"
    path.write_text("alışveriş listesi\n" * 100, encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(StoreDamaged) as caught:
        open_home(str(tmp_path))
    assert caught.value.exit_code == 5
    assert path.read_bytes() == before


def test_another_program_s_database_is_refused(tmp_path):
    """A sound SQLite database of another program is not made ours."""
    path = str(tmp_path / "memory.db")
    db = open_database(path, create=True)
    db.run("CREATE TABLE notes (x)")
    db.close()
    with pytest.raises(StoreDamaged):
        migrate.open_migrated(path, "memory")
    db = open_database(path, writable=False)
    assert db.rows("SELECT name FROM sqlite_master") == [("notes",)]
    db.close()


def test_an_empty_file_becomes_a_store(tmp_path):
    """A file of no bytes, as a killed first start leaves it, is made into a store."""
    path = tmp_path / "memory.db"
    path.touch(mode=0o600)
    db = migrate.open_migrated(str(path), "memory")
    assert migrate.version(db) >= 1
    db.close()


def test_reading_needs_no_permission_to_write(home):
    """A connection for reading reads, and a write through it is refused as read-only (exit 5)."""
    reader = open_database(paths.memory_db(home.path), writable=False)
    assert reader.value("SELECT count(*) FROM settings") == 0
    with pytest.raises(StoreReadOnly) as caught:
        note(reader, "x")
    assert caught.value.exit_code == 5
    reader.close()


def test_nothing_is_made_unless_asked(tmp_path):
    """Opening a database that does not exist raises and makes no file."""
    with pytest.raises(StoreReadOnly):
        open_database(str(tmp_path / "none.db"))
    assert list(tmp_path.iterdir()) == []


def test_a_query_is_cut_at_its_deadline(home):
    """A query over its deadline ends with Overdue, and the connection goes on."""
    home.memory.deadline(lambda: True)
    endless = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    with pytest.raises(Overdue):
        home.memory.value(endless)
    home.memory.deadline(None)
    assert home.memory.value("SELECT 1") == 1
