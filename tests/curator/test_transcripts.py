"""New lines of a growing file are read once, in order, whatever happens to the file in between."""

import json
import os
import tempfile
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bellek.clients.claude_transcript import LineRules, read_line
from bellek.curator.transcripts import Batch, read_new
from bellek.schemas.conversation import Damaged, Said, Unreadable

STORY = next((Path(__file__).parents[1] / "fixtures" / "clients" / "claude" / "story").glob("*-*.jsonl")).read_bytes()
RULES = LineRules(find_packets=lambda _: (), strip=lambda text: text, session="s")


def spoken(text, number=0):
    """A line as an assistant writes it."""
    content = [{"type": "text", "text": text}]
    return json.dumps({"type": "assistant", "uuid": f"u-{number}", "message": {"content": content}}).encode()


class Ear:
    """Reads one file pass after pass, as hearing does: it keeps the last cursor and everything it was told."""

    def __init__(self, path, **limits):
        self.path = str(path)
        self.limits = limits
        self.cursor = None
        self.lines = []
        self.damaged = []
        self.events = []

    def listen(self):
        """One pass; gives the number of lines that were new."""
        before = len(self.lines)
        for batch in read_new(self.path, self.cursor, **self.limits):
            assert isinstance(batch, Batch)
            self.cursor = batch.cursor
            self.lines += batch.lines
            self.damaged += batch.damaged
            for line in batch.lines:
                self.events += read_line(line.raw, number=line.number, offset=line.offset, rules=RULES)
        return len(self.lines) - before

    def texts(self):
        """What was said so far."""
        return [event.text for event in self.events if isinstance(event, Said)]


@pytest.fixture
def file(tmp_path):
    """The path of a transcript that does not exist yet."""
    return tmp_path / "oturum.jsonl"


def append(path, data):
    """Write at the end as a client does."""
    with path.open("ab") as out:
        out.write(data)


def test_lines_carry_their_number_and_byte_offset(file):
    """Numbers count from 1 and offsets are bytes, also behind letters of two bytes, empty lines and a second pass."""
    file.write_bytes("ışık\n\nüç\n".encode())
    ear = Ear(file)
    ear.listen()
    append(file, b"son\n")
    ear.listen()
    assert [tuple(line) for line in ear.lines] == [
        (1, 0, "ışık".encode()),
        (2, 8, b""),
        (3, 9, "üç".encode()),
        (4, 14, b"son"),
    ]


def test_only_the_newline_byte_ends_a_line(file):
    """U+2028, U+0085, form feeds and lone returns are part of a line."""
    text = "a\u2028b\u2029c\x85d\x0ce\rf"
    file.write_bytes(spoken(text) + b"\n" + json.dumps(text, ensure_ascii=False).encode() + b"\n")
    ear = Ear(file)
    assert ear.listen() == 2
    assert ear.texts() == [text]


def test_a_second_pass_over_an_unchanged_file_is_a_no_op(file):
    """R13: nothing new gives no batch, five times over."""
    file.write_bytes(STORY)
    ear = Ear(file)
    assert ear.listen() == STORY.count(b"\n")
    assert [ear.listen() for _ in range(5)] == [0] * 5


def test_without_the_cursor_the_same_ids_come_again(file):
    """R14: a lost cursor repeats the very same events, so that ids alone keep them from doubling."""
    file.write_bytes(STORY)
    first, again = Ear(file), Ear(file)
    first.listen()
    again.listen()
    assert first.events == again.events != []


def test_a_half_written_line_is_heard_once_when_it_is_whole(file):
    """B25: the cursor stops before a tail without a newline; nothing is lost, read twice or called damaged."""
    line = spoken("yarım kalmış söz: ışık") + b"\n"
    cut = len(line) * 6 // 10
    file.write_bytes(line[:cut])
    ear = Ear(file)
    assert ear.listen() == 0
    assert (ear.cursor.offset, ear.cursor.size) == (0, cut)
    append(file, line[cut:])
    assert (ear.listen(), ear.listen()) == (1, 0)
    assert ear.texts() == ["yarım kalmış söz: ışık"]
    assert ear.events[0].id == "u-0"


def test_a_replaced_file_is_read_from_its_start(file):
    """B26: a different and shorter file at the same path is read whole, not taken for nothing new."""
    file.write_bytes(b"".join(spoken(f"eski {n}", n) + b"\n" for n in range(10)))
    ear = Ear(file)
    ear.listen()
    new = file.with_name("yeni")
    new.write_bytes(b"".join(spoken(f"yeni {n}", n) + b"\n" for n in range(3)))
    new.replace(file)
    assert ear.listen() == 3
    assert ear.texts()[10:] == ["yeni 0", "yeni 1", "yeni 2"]
    assert ear.lines[10].number == 1


LONG = b"".join(spoken(f"uzun söz {n} " + "x" * 40, n) + b"\n" for n in range(40))


@pytest.mark.parametrize(
    "rewritten",
    [LONG[:2000], LONG.replace(b"u-0", b"v-0") + LONG, LONG[:1500] + b'{"x":"' + b"y" * 90_000 + b'"}\n' + LONG],
    ids=["shorter", "other beginning", "same beginning, other middle"],
)
def test_a_file_rewritten_in_place_is_read_from_its_start(file, rewritten):
    """B26: with the same inode, a shorter file, other first bytes or no newline before the cursor mean: from the start."""
    file.write_bytes(LONG)
    ear = Ear(file)
    ear.listen()
    inode = file.stat().st_ino
    with file.open("r+b") as out:
        out.truncate(0)
        out.write(rewritten)
    assert file.stat().st_ino == inode
    assert ear.listen() == rewritten.count(b"\n")


def test_a_copy_with_the_same_beginning_is_another_file(file):
    """B26: equal first bytes do not make two files one; device and inode have to be the same too."""
    file.write_bytes(LONG)
    ear = Ear(file)
    ear.listen()
    new = file.with_name("kopya")
    new.write_bytes(LONG + spoken("ek") + b"\n")
    new.replace(file)
    assert ear.listen() == 41


def test_a_file_that_lost_its_tail_is_read_from_its_start(file):
    """B26: a file shorter than it was is not trusted, even where only an unread tail went."""
    file.write_bytes(LONG + b'{"type":"assist')
    ear = Ear(file)
    ear.listen()
    file.write_bytes(LONG)
    assert ear.listen() == 40


def test_torn_and_fused_lines_do_not_stop_the_rest(file):
    """B23, B24: each broken line is reported once with its number, and the lines around it are heard."""
    fused = b'{"type":"assistant","te{"type":"user","message":{"content":"merhaba"}}'
    lines = [spoken("bir", 1), b'{"type":"assistant","mess', spoken("iki", 2), fused, spoken("üç", 3), b""]
    file.write_bytes(b"\n".join(lines))
    ear = Ear(file)
    ear.listen()
    ear.listen()
    assert ear.texts() == ["bir", "iki", "üç"]
    damage = [event for event in ear.events if isinstance(event, Damaged)]
    assert [(event.line_number, event.byte_offset) for event in damage] == [
        (2, len(lines[0]) + 1),
        (4, sum(map(len, lines[:3])) + 3),
    ]


def test_an_overlong_line_is_reported_and_passed(file):
    """A line longer than the cap is one Damaged with its place, also across chunks; at the cap it is still a line."""
    file.write_bytes(b"a\n" + b"x" * 101 + b"\n" + b"y" * 100 + b"\n" + b"z" * 999)
    ear = Ear(file, chunk_size=16, line_cap=100)
    ear.listen()
    assert [(line.number, len(line.raw)) for line in ear.lines] == [(1, 1), (3, 100)]
    assert ear.damaged == [Damaged(2, 2, "longer than 100 bytes")]
    assert ear.cursor.offset == 2 + 102 + 101
    assert ear.listen() == 0
    assert len(ear.damaged) == 1


def test_memory_stays_flat_in_a_file_of_forty_megabytes(file):
    """B32: markers at both ends are heard once, a second pass is a no-op, and the peak is a few chunks."""
    with file.open("wb") as out:
        out.write(spoken("baş", 1) + b"\n")
        filler = b'{"type":"file-history-snapshot","x":"' + b"y" * 8000 + b'"}\n'
        for _ in range(5000):
            out.write(filler)
        out.write(spoken("son", 2) + b"\n")
    texts, cursor = [], None
    tracemalloc.start()
    try:
        for batch in read_new(str(file)):
            cursor = batch.cursor
            for line in batch.lines:
                events = read_line(line.raw, number=line.number, offset=line.offset, rules=RULES)
                texts += [event.text for event in events]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert texts == ["baş", "son"]
    assert [batch.lines for batch in read_new(str(file), cursor)] in ([], [()])
    assert file.stat().st_size > 40_000_000
    assert peak < 8_000_000


def test_an_overlong_line_is_not_held(file):
    """Of a line beyond the cap no more than the cap is ever in memory."""
    file.write_bytes(b"x" * 20_000_000 + b"\n")
    tracemalloc.start()
    try:
        batches = list(read_new(str(file), chunk_size=65_536, line_cap=1_000_000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sum(len(batch.damaged) for batch in batches) == 1
    assert peak < 2_000_000


def test_a_picture_in_the_first_line_is_no_obstacle(file):
    """B31: a first line of 200 KB, cut over many chunks, is read whole and the next one after it."""
    image = {"type": "image", "source": {"type": "base64", "data": "QUJD" * 51200}}
    first = {"type": "user", "uuid": "u", "message": {"content": [image, {"type": "text", "text": "bak"}]}}
    file.write_bytes(json.dumps(first).encode() + b"\n" + spoken("işaret") + b"\n")
    ear = Ear(file, chunk_size=4096)
    ear.listen()
    assert ear.texts() == ["bak", "işaret"]


def test_a_stub_beside_a_good_file_is_skipped(tmp_path):
    """B36: a transcript without turns gives a cursor and no event."""
    stub, good = tmp_path / "stub.jsonl", tmp_path / "iyi.jsonl"
    stub.write_bytes(b'{"type":"turn_ended","status":"aborted"}\n')
    good.write_bytes(spoken("iyi") + b"\n")
    ears = [Ear(stub), Ear(good)]
    assert [ear.listen() for ear in ears] == [1, 1]
    assert [ear.events == [] for ear in ears] == [True, False]


def test_records_after_the_assistants_line_do_not_hide_it(file):
    """B28: a line of speech is heard though system and attachment records follow it."""
    file.write_bytes(spoken("işaret") + b'\n{"type":"system","subtype":"x"}\n{"type":"attachment"}\n')
    ear = Ear(file)
    ear.listen()
    assert ear.texts() == ["işaret"]
    assert len(ear.events) == 1


def test_a_missing_file_is_nothing_and_a_wrong_one_is_told(tmp_path):
    """A vanished transcript gives no batch; a folder, a pipe or a path through a file is Unreadable, not an exception."""
    assert list(read_new(str(tmp_path / "yok.jsonl"))) == []
    os.mkfifo(tmp_path / "boru")
    (tmp_path / "dosya").write_text("x")
    for path in (tmp_path, tmp_path / "boru", tmp_path / "dosya" / "altı"):
        (told,) = read_new(str(path))
        assert isinstance(told, Unreadable)
        assert told.path == str(path)


def test_a_file_that_goes_while_it_is_read_ends_the_pass(file):
    """Removed or cut to nothing midway, the pass gives what it had and ends."""
    file.write_bytes(LONG)
    passing = read_new(str(file), chunk_size=500)
    first = next(passing)
    with file.open("r+b") as out:
        out.truncate(600)
    file.unlink()
    rest = list(passing)
    whole = [line for batch in (first, *rest) for line in batch.lines]
    assert [line.raw for line in whole] == LONG.split(b"\n")[: len(whole)]
    assert len(whole) < 40


def test_a_pass_ends_where_the_file_ended_when_it_began(file):
    """A writer that is faster than the reader cannot keep a pass alive; the next pass has the rest."""
    file.write_bytes(b"bir\niki\n")
    passing = read_new(str(file), chunk_size=7)
    first = next(passing)
    append(file, b"uzun\n")
    whole = [first, *passing]
    assert [line.raw for batch in whole for line in batch.lines] == [b"bir", b"iki"]
    assert [line.raw for batch in read_new(str(file), whole[-1].cursor) for line in batch.lines] == [b"uzun"]


PIECES = st.lists(
    st.sampled_from(
        [
            *STORY.split(b"\n")[16:40],
            spoken("a\u2028b ışık 😀", 1),
            json.dumps(
                {"type": "user", "uuid": "k", "message": {"content": "ham \u2028 satır"}}, ensure_ascii=False
            ).encode(),
            b"",
            b"\r",
            b'{"type":"assistant","te{"type":"user","message":{"content":"merhaba"}}',
            b'{"type":"assistant","mess',
            b"x" * 700,
        ]
    ),
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(st.data(), PIECES, st.integers(1, 3000))
def test_a_transcript_cut_anywhere_is_heard_exactly_once_in_order(data, pieces, chunk):
    """B25: written in any pieces, with a pass after each, a file gives the lines and events of one reading at the end."""
    whole = b"".join(piece + b"\n" for piece in pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.jsonl"
        path.touch()
        ear = Ear(path, chunk_size=chunk, line_cap=50_000)
        for start, end in pairwise([0, *cuts, len(whole)]):
            append(path, whole[start:end])
            ear.listen()
        once = Ear(path)
        once.listen()
    assert [line.raw for line in ear.lines] == pieces
    assert ear.lines == once.lines
    assert ear.events == once.events
    assert ear.cursor.offset == len(whole)


@pytest.mark.parametrize("cut", range(0, 1200, 37))
def test_every_cut_of_a_recorded_line_is_harmless(file, cut):
    """B25: a recorded assistant line, cut at many bytes and finished later, is heard once."""
    line = next(raw for raw in STORY.split(b"\n") if b"bundan sonra uv" in raw) + b"\n"
    file.write_bytes(b"{}\n" + line[:cut])
    ear = Ear(file)
    ear.listen()
    append(file, line[cut:])
    ear.listen()
    assert len(ear.texts()) == 1
    assert len(ear.events) == 1
