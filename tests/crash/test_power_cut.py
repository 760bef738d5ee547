"""A power cut: what was written and not synced is gone, torn or there, in any mixture; the store is sound and a prefix of what was committed.

SQLite writes through a file system layer of ours (an apsw VFS) that lets each write through and remembers what no sync has
made durable. At the cut every file is put back to what was synced, and a drawn part of the rest is applied, sector by sector.
"""

import os

import apsw
import child
import pytest
import rows

from bellek.kg import backups, check, shelf
from bellek.kg.home import open_home

SECTOR = 512
UNDER = apsw.vfs_names()[0]  # the file system layer of SQLite's own
P = "p_0"


class Disk:
    """What is durable of each file, and what was written to it since."""

    def __init__(self, dice):
        self.dice = dice
        self.now = {}
        self.synced = {}
        self.loose = {}
        self.writes = 0

    def seen(self, path, content):
        """What a file holds when it is opened first, or anew, counts as durable. Read through SQLite: a file that was opened and
        closed beside it would lose SQLite's locks.
        """
        if path not in self.now or not content:
            self.now[path], self.synced[path], self.loose[path] = bytearray(content), content, []

    def write(self, path, data, offset):
        """A write that no sync has made durable yet."""
        now = self.now[path]
        now.extend(bytes(max(0, offset + len(data) - len(now))))
        now[offset : offset + len(data)] = data
        self.loose[path].append(("write", offset, bytes(data)))
        self.writes += 1

    def truncate(self, path, size):
        """Likewise a file that was cut."""
        del self.now[path][size:]
        self.loose[path].append(("truncate", size, b""))

    def sync(self, path):
        """What was written is durable from now on."""
        self.synced[path], self.loose[path] = bytes(self.now[path]), []

    def cut(self):
        """Put each file back to what was synced, with a drawn part of the rest on top."""
        for path, durable in self.synced.items():
            if not os.path.exists(path):
                continue  # deleted by whom it belonged to
            image = bytearray(durable)
            for kind, where, data in self.loose[path]:
                if kind == "truncate" and self.dice.random() < 0.5:
                    del image[where:]
                elif kind == "write":
                    for start in range(0, len(data), SECTOR):
                        if self.dice.random() < 0.5:
                            piece = data[start : start + SECTOR]
                            image.extend(bytes(max(0, where + start + len(piece) - len(image))))
                            image[where + start : where + start + len(piece)] = piece
            with open(path, "wb") as file:
                file.write(image)


class Layer(apsw.VFS):
    """The default file system of SQLite in this process, with a disk that forgets what was not synced."""

    def __init__(self, disk):
        self.disk = disk
        super().__init__("cut", UNDER, makedefault=True)

    def xOpen(self, name, flags):  # noqa: N802  apsw's name
        """Every named file goes through the disk."""
        return File(self.disk, name, flags)


class File(apsw.VFSFile):
    """A file that remembers what was written and not synced."""

    def __init__(self, disk, name, flags):
        self.disk = disk
        self.path = "" if name is None else (name.filename() if isinstance(name, apsw.URIFilename) else name)
        super().__init__(UNDER, name, flags)
        if self.path:
            size = self.xFileSize()
            disk.seen(self.path, self.xRead(size, 0) if size else b"")

    def xLock(self, level):  # noqa: N802
        """A lock that a read-only file cannot get is busy, as SQLite's own layer has it when such a connection closes."""
        try:
            super().xLock(level)
        except apsw.IOError as exc:
            raise apsw.BusyError from exc

    def xWrite(self, data, offset):  # noqa: N802
        """Through to the file, and on the list."""
        super().xWrite(data, offset)
        if self.path:
            self.disk.write(self.path, data, offset)

    def xTruncate(self, size):  # noqa: N802
        """Likewise."""
        super().xTruncate(size)
        if self.path:
            self.disk.truncate(self.path, size)

    def xSync(self, flags):  # noqa: N802
        """What stands in the file is durable."""
        super().xSync(flags)
        if self.path:
            self.disk.sync(self.path)


def living(home, dice, told):
    """Write row after row until the power goes; each committed number is told."""
    disk = Disk(dice)
    layer = Layer(disk)  # without a name it would be collected, and SQLite's own used
    last = dice.randrange(3, 40)
    store = open_home(home)
    for n in range(last):
        rows.write(store, P, rows.lesson(f"ders {n}"))
        rows.say(store, P, f"söz {n}", talk="t")
        os.write(told, b"x")
        if dice.random() < 0.15:
            store.memory.empty_log()
            store.conversations.empty_log()
    disk.cut()
    assert disk.writes > last, layer
    os._exit(0)


@pytest.mark.parametrize("start", range(2))
def test_after_a_power_cut_the_store_is_a_prefix_of_what_was_committed(tmp_path, dice, rounds, start, capsys):
    """FACTS, "synchronous = NORMAL": a cut may take the last commits, never the file, never one from between others, never half of one."""
    lost = 0
    for number in range(max(3, rounds // 5)):
        home = str(tmp_path / str(number))
        with open_home(home) as store:
            rows.write(store, P, rows.lesson("before"))
        read, write = os.pipe()
        child.run(lambda home=home, write=write: living(home, dice, write))
        os.close(write)
        with os.fdopen(read, "rb") as said:
            committed = len(said.read())
        dice.random()  # the child drew from a copy
        with open_home(home) as store:
            assert check.check_home(store) == []
            texts = [
                str(text)
                for (text,) in store.memory.rows("SELECT text FROM lessons JOIN memories USING (id) ORDER BY n")
            ]
            said = store.conversations.rows("SELECT text FROM messages ORDER BY n")
        assert texts == ["before", *(f"ders {n}" for n in range(len(texts) - 1))]
        assert [text for (text,) in said] == [f"söz {n}" for n in range(len(said))]
        assert len(texts) - 1 <= committed + 1
        lost += committed - (len(texts) - 1)
    with capsys.disabled():
        print(f"\n{number + 1} power cuts: {lost} last commits gone, every store sound and a prefix")


def test_a_copy_that_was_named_outlives_the_cut(tmp_path, dice):
    """R106: a copy is synced before it gets its name: after a cut right behind it, it verifies."""
    home, place = str(tmp_path / "ev"), str(tmp_path / "k")

    def act():
        disk = Disk(dice)
        layer = Layer(disk)
        store = open_home(home)
        rows.write(store, P, *(rows.lesson(f"ders {n}") for n in range(10)))
        backups.make(store, place, program="t")
        disk.cut()
        assert disk.writes, layer
        os._exit(0)

    child.run(act)
    (copy,) = shelf.listed(place)[0]
    (tmp_path / "w").mkdir()
    assert [one.rows.get("lessons") for one in backups.unpacked(copy, str(tmp_path / "w"), "", ("memory",))] == [10]
