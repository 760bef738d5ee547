"""One SQLite library a file and process: two of them cancel each other's POSIX locks, and committed rows were lost so."""

import json

import pytest
from made import sighting

from bellek.kg import paths, queue
from bellek.kg.db import open_database
from bellek.schemas.errors import Busy

WATCH = """
import json, os, sys
home = os.path.realpath(sys.argv[1])
answer = os.fdopen(os.dup(1), "w")  # the hearing child lets go of its standard output when it has heard
spoken, opened = [], []

def watch(event, words):
    if event == "sqlite3.connect":
        spoken.append(str(words[0]))
    if event == "open" and isinstance(words[0], (str, bytes)):
        path = os.path.realpath(os.fsdecode(words[0]))
        if path.startswith(home) and ".db" in os.path.basename(path) and os.path.exists(path):
            opened.append(path)  # a plain open and close drops the locks as well

sys.addaudithook(watch)
import bellek
from bellek.cli.main import main
from bellek.hearing import child
for words in json.loads(sys.argv[2]):
    sys.argv = ["bellek", *words, "--home", home]
    try:
        main()
    except SystemExit as end:
        assert end.code == 0, (words, end.code)
child(home, "claude-code", "")
print(json.dumps([spoken, opened, "sqlite3" in sys.modules, "sqlite_utils" in sys.modules]), file=answer, flush=True)
"""
VERBS = (
    ("tick",), ("queue", "status"), ("queue", "take"), ("drain", "--offline"), ("search", "ders"), ("conversations", "list"), ("lessons", "list"),
    ("packet", "--prompt", "ders"), ("claims", "list"), ("status",), ("capture", "bir", "söz"),
)  # fmt: skip


def test_our_process_speaks_to_a_live_file_through_one_library(home, start):
    """B95: whatever verb runs, and in the hearing child, the standard library's sqlite3 is not even loaded, and no live file is opened beside SQLite."""
    with home.memory.transaction():
        queue.enqueue(home.memory, sighting())
    process = start(WATCH, home.path, json.dumps(VERBS))
    out, _ = process.communicate()
    assert process.returncode == 0
    assert json.loads(out.splitlines()[-1]) == [[], [], False, False]


WRITE = """
import sys
from bellek.kg.db import open_database
from bellek.schemas.errors import Busy
db = open_database(sys.argv[1], busy_ms=20)
try:
    with db.transaction():
        db.run("INSERT INTO settings (key, value) VALUES ('other', 'x')")
    print("written")
except Busy:
    print("refused")
"""


def test_a_second_connection_that_closes_drops_no_lock(home, start):
    """B95: while one connection writes, another of the same process is opened and closed: other processes are still kept out, and no row is lost."""
    path = paths.memory_db(home.path)
    with home.memory.transaction():
        home.memory.run("INSERT INTO settings (key, value) VALUES ('mine', 'x')")
        for writable in (True, False):
            beside = open_database(path, writable=writable)
            assert beside.value("SELECT count(*) FROM settings") == 0  # a connection opens its file when it first reads
            beside.close()
            other, _ = start(WRITE, path).communicate()
            assert other == "refused\n"
        with pytest.raises(Busy), (beside := open_database(path, busy_ms=0)).transaction():
            pass
        beside.close()
    other, _ = start(WRITE, path).communicate()
    assert other == "written\n"
    assert home.memory.rows("SELECT key FROM settings ORDER BY key") == [("mine",), ("other",)]
    assert home.memory.value("PRAGMA integrity_check") == "ok"
