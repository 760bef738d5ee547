"""How fast a transcript is heard, as a whole process, against plainly reading the same bytes.

    python scripts/bench/hearing.py [--mb N] [--rounds N] [--json]

The transcript is that of `made_transcript.py`: 18 words a prompt, 54 an answer, speech at its recorded share of all bytes.
Each round hears the file into a new home, as the detached child does, process start included; memory is measured on a
file of a quarter of the size as well. Vectors are not made: with an embedder installed the child makes them when all is heard,
within a time of its own (`bellek.hearing.EMBED_S`). `mb_per_cpu_s` counts processor time, which neighbours disturb less.
"""

import argparse
import json
import os
import re
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

from conditions import conditions, peak_mb, quantile, spread
from hook import HOOK, ROOT, Run, start

QUARTER = 4
_READ = "import sys\nwith open(sys.argv[1], 'rb', 0) as file:\n    while file.read(1 << 20): pass"


def output(words: list[str]) -> Any:
    """The JSON that a process prints. Started apart, so that this process stays small: a child's peak counts its parent's."""
    given, told = os.pipe()
    child = os.posix_spawn(words[0], words, dict(os.environ), file_actions=[(os.POSIX_SPAWN_DUP2, told, 1)])
    os.close(told)
    with open(given, encoding="utf-8") as said:
        text = said.read()
    os.waitpid(child, 0)
    return json.loads(text)


def make(path: str, megabytes: float) -> dict[str, float]:
    """Write a transcript; what it holds."""
    script = str(Path(__file__).with_name("made_transcript.py"))
    made: dict[str, float] = output([sys.executable, script, path, str(megabytes)])
    return made


def hear(path: str, home: str, now: int) -> Run:
    """The detached child's own command, on one file and a new home, at `now` (UTC ms): six hours later it would sleep as well."""
    words = [sys.executable, "-I", HOOK, "Hear", "--client", "claude-code", "--home", home, "--file", path]
    environment = {"HOME": os.path.dirname(home), "TZ": "Europe/Istanbul", "PATH": os.environ.get("PATH", "")}
    return start(words, "", {**environment, "BELLEK_CLOCK": str(now), "BELLEK_EMBEDDER": "none"})


def said_last(path: str) -> int:
    """When the last line of a transcript that has a time was written, UTC milliseconds."""
    with open(path, "rb") as file:
        file.seek(-min(os.path.getsize(path), 8_000_000), os.SEEK_END)
        stamps = re.findall(rb'"timestamp":"([^"]+)"', file.read())
    return int(datetime.fromisoformat(stamps[-1].decode()).timestamp() * 1000)


def stored(home: str) -> int:
    """Messages in a home: the figure of a pass that heard nothing would be worth nothing."""
    return int(output([sys.executable, "-c", _COUNT, home]))


_COUNT = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from bellek.kg.home import open_home
with open_home(sys.argv[1]) as home:
    print(home.conversations.value("SELECT count(*) FROM messages"))
"""


def measure(at: str, megabytes: float, rounds: int) -> dict[str, Any]:
    """Both sizes, read and heard in turn."""
    whole, part = f"{at}/whole.jsonl", f"{at}/part.jsonl"
    made = make(whole, megabytes)
    make(part, megabytes / QUARTER)
    size = made["bytes"] / 1e6
    now = said_last(whole) + 60_000
    read: list[float] = []
    heard: list[float] = []
    busy: list[float] = []
    peaks = {"whole": 0.0, "quarter": 0.0}
    messages = 0
    for turn in range(rounds):
        read.append(size / start([sys.executable, "-I", "-c", _READ, whole], "", {}).wall * 1000)
        run = hear(whole, f"{at}/home{turn}", now)
        heard.append(size / run.wall * 1000)
        busy.append(size / run.cpu * 1000)
        peaks["whole"] = max(peaks["whole"], peak_mb(run.peak))
        peaks["quarter"] = max(peaks["quarter"], peak_mb(hear(part, f"{at}/part{turn}", now).peak))
        messages = stored(f"{at}/home{turn}")
    if not messages:
        raise SystemExit("nothing was heard")
    return {
        "transcript": {**made, "messages": messages},
        "mb_per_s": round(quantile(heard, 0.5), 1),
        "mb_per_cpu_s": round(quantile(busy, 0.5), 1),
        "messages_per_s": round(messages / size * quantile(heard, 0.5)),
        "read_mb_per_s": spread(read, 0),
        "times_reading": round(quantile([r / h for r, h in zip(read, heard, strict=True)], 0.5), 1),
        "peak_mb": peaks,
    }


def main() -> None:
    """Parse, make the files, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, default=100.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as at:
        figures = measure(os.path.realpath(at), given.mb, given.rounds)
    result = {"conditions": conditions(mb=given.mb, rounds=given.rounds), **figures}
    if given.json:
        print(json.dumps(result, indent=1))
        return
    print(f"{figures['mb_per_s']} MB/s, {figures['messages_per_s']} messages/s, peak {figures['peak_mb']} MB")


if __name__ == "__main__":
    main()
