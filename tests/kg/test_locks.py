"""One at a time, held by the kernel."""

import os
import signal

from bellek.kg import locks

HOLD = """
import sys
from bellek.kg import locks
with locks.held(sys.argv[1], "hearing") as mine:
    print(mine, flush=True)
    sys.stdin.readline()
"""


def mine(folder):
    """Whether this process gets the lock right now."""
    with locks.held(str(folder), "hearing") as got:
        return got


def test_a_second_process_does_not_get_a_held_lock(tmp_path, start):
    """While one process holds a lock another is told so at once, and gets it when the first lets go."""
    other = start(HOLD, str(tmp_path))
    assert other.stdout.readline() == "True\n"
    assert mine(tmp_path) is False
    other.communicate("go\n")
    assert mine(tmp_path) is True


def test_a_killed_holder_frees_its_lock(tmp_path, start):
    """B94: a holder that was killed with -9 leaves nothing that a person must remove."""
    other = start(HOLD, str(tmp_path))
    assert other.stdout.readline() == "True\n"
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    assert mine(tmp_path) is True


def test_a_stale_lock_file_is_harmless(tmp_path):
    """B94: a lock file with a dead process's number, or with that of a living stranger, keeps nobody out."""
    for number in (2**22 + 1, os.getppid()):
        (tmp_path / "hearing.lock").write_text(f"{number}\n", encoding="ascii")
        assert mine(tmp_path) is True


def test_locks_of_different_names_are_apart(tmp_path):
    """Hearing and draining do not wait for each other."""
    with locks.held(str(tmp_path), "hearing") as one, locks.held(str(tmp_path), "drain") as other:
        assert (one, other) == (True, True)


def test_marks_are_taken_once_and_in_order(tmp_path):
    """What was asked of a holder meanwhile is handed over once, in the order in which it was asked."""
    folder = str(tmp_path)
    assert locks.take_marks(folder, "hearing") == []
    locks.leave_marks(folder, "hearing", ["/a/ğ"])
    locks.leave_marks(folder, "hearing", ["", "/b\nc"])
    assert locks.take_marks(folder, "hearing") == ["/a/ğ", "", "/b\nc"]
    assert locks.take_marks(folder, "hearing") == []
