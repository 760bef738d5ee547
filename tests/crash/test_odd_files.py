"""Odd transcripts: each fault is told once, stops nothing, and costs no other line."""

import json
import os
import sys
from pathlib import Path

import pytest
from road import filler, marked

from bellek.curator import capture, turns
from bellek.kg import check, projects, queue
from bellek.kg.home import open_home
from bellek.schemas.conversation import Unreadable
from bellek.schemas.errors import StoreFault

OPENED = []
WATCHED = []


def _watch(event, arguments):
    if event == "open" and WATCHED and str(arguments[0]).startswith(WATCHED[0]):
        OPENED.append(str(arguments[0]))


sys.addaudithook(_watch)  # a hook cannot be taken out again; it looks only while a folder is watched


@pytest.fixture
def opened():
    """Paths opened below a folder: ``opened(folder)`` starts to watch, the list is what was opened since."""

    def watch(folder):
        OPENED.clear()
        WATCHED[:] = [str(folder)]
        return OPENED

    yield watch
    WATCHED.clear()


def good(world, n, **fields):
    """A line whose lesson must arrive."""
    return world.marked(f"ders {n}", id=f"m-{n}", **fields)


def notes(world):
    """What the next pass tells."""
    return [note for heard in world.hear() for note in heard.notes]


def waiting(world):
    """Payloads that wait, in order of arrival."""
    with open_home(str(world.home)) as home:
        return [item.payload for item in queue.peek(home.memory, projects.find(home.memory, str(world.work)))]


def test_torn_and_fused_lines_are_told_once_and_cost_nothing_else(world):
    """B23, B24: of two broken lines each is told once with its number, and the lines around them are heard."""
    torn = b'{"type":"assistant","mess\n'
    fused = b'{"type":"assistant","te{"type":"user","message":{"content":"merhaba"}}\n'
    world.transcript().write_bytes(good(world, 1) + torn + good(world, 2) + fused + good(world, 3))
    told = notes(world)
    assert [note.rpartition(", ")[2] for note in told] == ["line 2: not one JSON value", "line 4: not one JSON value"]
    world.transcript().write_bytes(world.transcript().read_bytes() + good(world, 4))
    assert notes(world) == []
    world.drain()
    assert world.account() == (0, 0)


@pytest.mark.parametrize(
    "data",
    [b"# not JSON\nat all\n", os.urandom(4096).replace(b"\n", b"\0") + b"\n", b"\xff\xfe\n\x00\n", b"[1]\n7\n"],
    ids=["text", "binary", "no UTF-8", "other JSON"],
)
def test_a_file_that_is_no_transcript_stops_nothing(world, data):
    """What is no transcript is told by its lines once, and the file behind it is heard."""
    world.transcript("a").write_bytes(data)
    world.transcript("b").write_bytes(good(world, 1))
    assert all("a.jsonl, line " in note for note in notes(world))
    assert notes(world) == []
    world.drain()
    assert world.account() == (0, 0)


def test_a_million_bad_lines_are_not_a_million_notices(world):
    """Of one file twenty damaged lines are told, the last of them says that there are more, and the good line is heard."""
    world.transcript().write_bytes(b"x\n" * 50_000 + good(world, 1))
    told = notes(world)
    assert len(told) == capture.DAMAGED_LISTED
    assert [note.endswith("further damaged lines of this file are not listed") for note in told] == [False] * 19 + [
        True
    ]
    world.drain()
    assert world.account() == (0, 0)


def test_things_with_a_transcripts_name_are_told_once(world):
    """A pipe, a link and a link to itself under a transcript's name are told once each; a folder is nothing; nobody waits."""
    os.mkfifo(world.transcript("boru"))
    world.transcript("bağ").symlink_to(world.root / "yok")
    world.transcript("klasör").mkdir()
    world.transcript("z").write_bytes(good(world, 1))
    assert sorted(note.rpartition(": ")[2] for note in notes(world)) == [
        "a symbolic link, not followed",
        "not a regular file",
        "not a regular file",
    ]
    assert notes(world) == []
    world.drain()
    assert world.account() == (0, 0)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_a_wrong_file_named_by_hand_is_told(world, make):
    """`tick --file` with a pipe or a folder says so and ends."""
    make(world.root / "x.jsonl")
    (heard,) = world.hear(world.root / "x.jsonl")
    assert heard.notes == [f"{world.root / 'x.jsonl'}: not a regular file"]


def test_the_store_itself_is_never_read_as_a_transcript(world, opened):
    """B95: a live database that is named as a transcript is refused unopened, also by a hard link."""
    world.transcript().write_bytes(good(world, 1))
    world.hear()
    database = world.home / "memory.db"
    link = world.transcript("bağ")
    os.link(database, link)
    for named in (database, link):
        seen = opened(named)
        (heard,) = world.hear(named)
        assert heard.notes == [f"{named}: a file of the store itself"]
        assert seen == []
    link.unlink()
    world.drain()
    assert world.account() == (0, 0)


def listed(world):
    """The world's only transcript as a sweep lists it."""
    (file,) = world.ears.transcripts([])
    return file


def test_a_file_that_was_unreadable_for_a_moment_is_heard_later(world):
    """What was listed but could not be opened is not taken for heard, though the file did not change in between."""
    path = world.transcript()
    path.write_bytes(good(world, 1))
    world.hear()
    with path.open("ab") as out:
        out.write(good(world, 2))
    file = listed(world)
    aside = path.rename(world.root / "aside")
    path.symlink_to(path)  # a link to itself cannot be opened, not even by root
    with open_home(str(world.home)) as home:
        told = capture.hear(home, world.ears, [file]).notes
        assert [note.partition(": ")[0] for note in told] == [str(path)]
        path.unlink()
        capture.hear(home, world.ears, [file])  # gone between the listing and the opening
        aside.rename(path)
        assert capture.hear(home, world.ears, [file]).queued == 1
    world.drain()
    assert world.account() == (0, 0)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_told_once_and_heard_when_it_is_allowed(world):
    """An unreadable transcript is told once; after `chmod` all of its lines are heard."""
    world.transcript().write_bytes(good(world, 1))
    world.transcript().chmod(0)
    assert [note.rpartition(": ")[2] for note in notes(world)] == ["Permission denied"]
    assert notes(world) == []
    world.transcript().chmod(0o600)
    world.settle()
    assert world.account() == (0, 0)


def rewritten(world, how, data):
    """Put other bytes at the transcript's path, in place or as another file."""
    path = world.transcript()
    if how == "in place":
        with path.open("r+b") as out:
            out.truncate(0)
            out.write(data)
    else:
        new = path.with_suffix(".new")
        new.write_bytes(data)
        new.replace(path)


@pytest.mark.parametrize("how", ["in place", "replaced"])
@pytest.mark.parametrize("lines", [3, 10, 30], ids=["shorter", "as long", "longer"])
def test_a_rewritten_transcript_is_read_from_its_start(world, how, lines):
    """B26: other content at the same path is heard whole, whether it is shorter, exactly as long, or longer."""
    world.transcript().write_bytes(b"".join(good(world, n) for n in range(10, 20)))
    world.hear()
    rewritten(world, how, b"".join(good(world, n) for n in range(50, 50 + lines)))
    world.settle()
    assert world.account() == (0, 0)


def test_the_same_length_and_the_same_times_do_not_hide_a_change(world):
    """A file of equal length whose times were set back is read all the same: its ctime cannot be set back."""
    path = world.transcript()
    path.write_bytes(good(world, 11))
    world.hear()
    state = path.stat()
    rewritten(world, "in place", good(world, 12))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (state.st_size, state.st_mtime_ns)
    world.settle()
    assert world.account() == (0, 0)


def test_a_message_taken_out_of_the_file_hides_no_later_one(world):
    """A client that takes a line out in place and writes on past the old length is heard from the start.

    All lines are of one length, so that a newline stands before the old cursor as it did.
    """
    path = world.transcript()
    lines = [good(world, n) for n in range(10, 40)]
    path.write_bytes(b"".join(lines))
    world.hear()
    rewritten(world, "in place", b"".join([*lines[:-2], lines[-1], good(world, 50), good(world, 51)]))
    world.settle()
    assert world.account() == (0, 0)


def test_a_tail_that_never_ends_is_not_read_again(world, opened):
    """A file that holds only an unfinished line is opened once; when the line is finished, it is heard once."""
    path = world.transcript()
    whole = good(world, 1)
    path.write_bytes(whole[:-30])
    os.utime(path)
    world.hear()
    settle_times(world)
    seen = opened(world.folder)
    assert world.hear()[0].files == 0
    assert seen == []
    with path.open("ab") as out:
        out.write(whole[-30:])
    world.settle()
    assert world.account() == (0, 0)


def settle_times(world):
    """Hear until no file is so young that its time could still be shared by a later change."""
    while True:
        world.hear()
        with open_home(str(world.home)) as home:
            if not home.memory.value("SELECT count(*) FROM cursors WHERE changed_ns = 0"):
                return


def test_growing_and_shrinking_while_it_is_read(world):
    """A file that is cut and written on between two batches of one reading loses nothing and doubles nothing."""
    path = world.transcript()
    first = b"".join(good(world, n) + filler(400_000) for n in range(8))
    later = b"".join(good(world, n) for n in range(20, 24))
    path.write_bytes(first)

    class Meddling(type(world.ears)):
        """Ears beside which the client cuts the file and writes on, once."""

        done = False

        def events(self, file, heard):
            if not self.done:
                self.done = True
                with path.open("r+b") as out:
                    out.truncate(len(first) // 2)
                    out.seek(0, os.SEEK_END)
                    out.write(first[len(first) // 2 :] + later)
            return super().events(file, heard)

    ears = Meddling(str(world.config))
    with open_home(str(world.home)) as home:
        capture.hear(home, ears, ears.transcripts([]))
    world.settle()
    assert world.account() == (0, 0)


@pytest.mark.parametrize("keep", [0, 900_000], ids=["to nothing", "to a part"])
def test_cut_while_it_is_read_and_written_anew(world, keep):
    """A file that is cut midway through a reading is heard from its start when it has grown again."""
    path = world.transcript()
    lines = [good(world, n) + filler(400_000) for n in range(8)]
    path.write_bytes(b"".join(lines))

    class Meddling(type(world.ears)):
        """Ears beside which the file is cut, once."""

        done = False

        def events(self, file, heard):
            if not self.done:
                self.done = True
                os.truncate(path, keep)
            return super().events(file, heard)

    ears = Meddling(str(world.config))
    with open_home(str(world.home)) as home:
        capture.hear(home, ears, ears.transcripts([]))
    rewritten(world, "in place", b"".join(reversed(lines)))
    world.settle()
    assert world.account() == (0, 0)


def test_a_fork_says_nothing_twice(world):
    """A forked session's copy carries the same message ids under another session: each marker and each message counts once."""
    parent = [good(world, n) for n in range(3)]
    world.transcript("a").write_bytes(b"".join(parent))
    copies = [
        json.dumps({**json.loads(each), "sessionId": "b"}, ensure_ascii=False).encode() + b"\n" for each in parent
    ]
    world.transcript("b").write_bytes(b"".join(copies) + good(world, 9, session="b"))
    world.settle()
    assert world.account() == (0, 0)


def test_a_line_without_a_folder_belongs_to_no_project(world):
    """A line without `cwd` is heard and kept under no project, also where the lines around it have one."""
    world.transcript().write_bytes(good(world, 1) + marked("evsiz", id="m-x", cwd="") + good(world, 2))
    world.hear()
    with open_home(str(world.home)) as home:
        assert [item.payload for item in queue.peek(home.memory, "-")] == ["evsiz"]
    assert waiting(world) == ["ders 1", "ders 2"]


def test_a_full_disk_leaves_the_cursor_where_it_was(world):
    """B166: a pass that the store refuses midway raises, keeps what was committed, and the next pass has the rest once."""
    world.transcript("a").write_bytes(good(world, 1))
    world.hear()
    world.transcript("b").write_bytes(b"".join(good(world, n) + filler(30_000) for n in range(100, 400)))
    with open_home(str(world.home)) as home:
        before = home.memory.rows("SELECT path, offset FROM cursors")
        pages = int(home.memory.value("PRAGMA page_count"))
        home.memory.rows(f"PRAGMA max_page_count = {pages + 20}")
        with pytest.raises(StoreFault, match="the disk is full"):
            capture.hear(home, world.ears, world.ears.transcripts([]))
        items = home.memory.value("SELECT count(*) FROM queue")
        seen = home.memory.value("SELECT count(*) FROM seen WHERE channel <> ?", (turns.LINE,))
        assert items == seen < 301
        assert set(home.memory.rows("SELECT path, offset FROM cursors")) >= set(before)
        assert check.check_conversations(home.conversations) == []
    world.settle()
    assert world.account() == (0, 0)


def test_a_sweep_opens_no_unchanged_file(world, opened, transcripts):
    """R14: of thousands of transcripts a second sweep opens none; where two have changed, it opens those two."""
    for n in range(transcripts):
        (world.folder / f"{n}.jsonl").write_bytes(b'{"type":"summary"}\n')
    world.transcript("x").write_bytes(good(world, 1))
    seen = opened(world.folder)
    world.hear()
    assert len(set(seen) - {str(world.folder)}) == transcripts + 1
    settle_times(world)
    seen = opened(world.folder)
    world.hear()
    assert [path for path in seen if path != str(world.folder)] == []
    for n in (7, 700):
        with (world.folder / f"{n}.jsonl").open("ab") as out:
            out.write(good(world, n + 100))
    seen = opened(world.folder)
    (heard,) = world.hear()
    assert sorted(Path(path).name for path in seen if path.endswith(".jsonl")) == ["7.jsonl", "700.jsonl"]
    assert (heard.files, heard.queued) == (2, 2)
    world.drain()
    assert world.account() == (0, 0)


def test_what_cannot_be_listed_is_told_once(world):
    """An entry that the client's adapter could not list is told in the first pass and not again."""
    with open_home(str(world.home)) as home:
        gone = [Unreadable("/yok/klasör", "Permission denied")]
        assert [capture.hear(home, world.ears, gone).notes for _ in range(2)] == [
            ["/yok/klasör: Permission denied"],
            [],
        ]
