"""Large transcripts: memory stays flat, each marker counts once, and what was read is not read again."""

import json
import sys

from road import LIMIT_S, filler

from bellek.kg import cursors
from bellek.kg.home import open_home

FLAT_KB = 30_000  # kilobytes that a file ten times as large may cost more
LINE_CAP_KB = 230_000  # one line of 64 MB, the longest that is held: its parts, their sum, and what the allocator keeps


def large(world, path, megabytes, session):
    """Write a transcript of about so many megabytes with a marker at its start, its middle and its end."""
    block = filler(20_000) * 50
    with path.open("wb") as out:
        for part in ("baş", "orta", "son"):
            out.write(world.marked(f"{session}: {part}", id=f"{session}-{part}", session=session))
            for _ in range(megabytes // 3):
                out.write(block)
        out.write(world.marked(f"{session}: bitti", id=f"{session}-bitti", session=session))


# A process is charged with the peak of the one that started it (Linux keeps it over exec), so a small one stands between.
MEASURED = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-m", "bellek", *sys.argv[1:]], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""


def peak_kb(world, *words):
    """Run one command; its output and the peak of its memory in kilobytes."""
    process = world.start("-c", MEASURED, *words)
    out, told = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, told
    return out, int(told) // (1024 if sys.platform == "darwin" else 1)


def test_memory_stays_flat_however_large_the_transcript_is(world, megabytes):
    """B32: ten times the transcript costs at most 30 MB more; all markers are heard once; the second pass reads nothing."""
    small, big = world.transcript("small"), world.transcript("big")
    large(world, small, megabytes // 10, "small")
    large(world, big, megabytes, "big")
    assert big.stat().st_size > megabytes * 900_000
    _, low = peak_kb(world, "tick", "--file", str(small))
    _, high = peak_kb(world, "tick", "--file", str(big))
    assert high - low < FLAT_KB, f"{low} kB for {megabytes // 10} MB, {high} kB for {megabytes} MB"
    again = json.loads(world.must("tick", "--json"))
    assert (again["files"], again["messages"], again["queued"]) == (0, 0, 0)
    with open_home(str(world.home)) as home:
        cursor = cursors.load(home.memory, str(big))
    assert cursor.offset == cursor.size == big.stat().st_size
    world.drain()
    assert world.account() == (0, 0)


def test_a_line_of_seventy_megabytes_is_told_and_passed(world):
    """A line beyond the cap is told once with its number; the lines around it are heard; the memory it takes has a bound."""
    path = world.transcript()
    with path.open("wb") as out:
        out.write(world.marked("önce", id="m-1"))
        out.write(b'{"type":"user","message":{"content":"')
        for _ in range(70):
            out.write(b"y" * 1_000_000)
        out.write(b'"}}\n')
        out.write(world.marked("sonra", id="m-2"))
    out, peak = peak_kb(world, "tick", "--json")
    (note,) = json.loads(out)["notes"]
    assert note.endswith("line 2: longer than 67108864 bytes")
    assert peak < LINE_CAP_KB
    assert json.loads(world.must("tick", "--json"))["notes"] == []
    world.drain()
    assert world.account() == (0, 0)
