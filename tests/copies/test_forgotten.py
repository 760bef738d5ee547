"""What copies hold of what was forgotten: the ones before still do and are named, the ones after do not."""

import os
from pathlib import Path

import command
import rows
from whole import VERSION
from world import PROGRAM

from bellek.kg import archive, backups
from bellek.schemas.backup import STORES

WORD = b"KANARYA-7731"


def plain(copy, folder):
    """All bytes of a copy, unpacked."""
    folder.mkdir()
    backups.unpacked(copy, str(folder), "", STORES)
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def test_a_forgotten_word_is_in_no_later_copy_and_the_earlier_ones_are_named(home, tmp_path):
    """B137, R116: after a forgetting neither the databases, nor the next copy, nor an export hold the word; the order names the copy
    of before, which does.
    """
    (id_,) = rows.write(home, "p_0", rows.lesson("the sign is KANARYA-7731 in the mine"))
    before = backups.make(home, home.path + "/backups", program=VERSION).copy
    home.close()
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "TZ")} | {"PYTHONPATH": PROGRAM}
    done = command.run(["forget", id_, "--home", home.path], cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert before.path in done.stdout.decode()
    done = command.run(["backup", "--to", tmp_path / "k", "--home", home.path], cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    done = command.run(["export", tmp_path / "out", "--home", home.path], cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    (after,) = backups.shelf.listed(str(tmp_path / "k"))[0]
    assert WORD in plain(before, tmp_path / "a")
    assert WORD not in plain(after, tmp_path / "b")
    for file in [*Path(home.path).glob("*.db*"), *(path for path in (tmp_path / "out").rglob("*") if path.is_file())]:
        assert WORD not in file.read_bytes(), file
    assert (tmp_path / "out" / archive.INDEX).exists()
