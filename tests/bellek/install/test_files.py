"""Files are whole or not there."""

import os
import stat
import subprocess
import sys

import pytest

from bellek.install import files
from bellek.install.report import Change, Report
from bellek.schemas.errors import Refused


def test_a_file_changed_since_it_was_read_is_left(tmp_path):
    """A write that expects other bytes is refused, leaves the newer content and no temporary file."""
    path = tmp_path / "a"
    path.write_bytes(b"newer")
    with pytest.raises(Refused, match="changed by another program"):
        files.replace(path, b"ours", expected=b"older")
    with pytest.raises(Refused, match="changed by another program"):
        files.remove(path, expected=b"older")
    with pytest.raises(Refused, match="changed by another program"):
        files.replace(path, b"ours", expected=None)
    assert [(entry.name, entry.read_bytes()) for entry in tmp_path.iterdir()] == [("a", b"newer")]


def test_only_what_dead_writers_left_is_swept(tmp_path):
    """A killed writer's temporary file goes; a living writer's, and foreign files of like name, stay."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    names = [
        f".a.bellek-{ended.pid}.tmp",
        f".a.bellek-{os.getppid()}.tmp",
        ".a.bellek-x.tmp",
        f".b.bellek-{ended.pid}.tmp",
    ]
    for name in names:
        (tmp_path / name).write_bytes(b"")
    files.replace(tmp_path / "a", b"1", expected=None)
    assert {entry.name for entry in tmp_path.iterdir()} == {"a", *names[1:]}


def test_copies_never_overwrite(tmp_path):
    """Two copies of one name are two files, both 0600 in a 0700 folder."""
    folder = tmp_path / "x" / "y"
    assert [files.keep_copy(folder, "c", data).name for data in (b"1", b"2", b"3")] == ["c", "c.2", "c.3"]
    assert [(folder / name).read_bytes() for name in ("c", "c.2", "c.3")] == [b"1", b"2", b"3"]
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in folder.iterdir()} == {0o600}
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o700


def test_what_is_no_file_is_refused(tmp_path):
    """A folder or a pipe under a file's name is refused at once; a pipe is not waited for."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(Refused, match="is not a file"):
            files.read(path)


def test_a_diff_cuts_at_line_feeds_only(tmp_path):
    """U+2028 inside a string is no line end, and a missing final newline is said."""
    change = Change(tmp_path / "s", 'a\n"x\u2028y"'.encode(), 'a\n"x\u2028z"\n'.encode())
    report = Report(dry_run=True, changes=(change,), added=(), removed=(), notes=(), backup=None)
    tail = report.diff.split("@@\n")[1]
    assert tail == ' a\n-"x\u2028y"\n\\ No newline at end of file\n+"x\u2028z"\n'
