"""What redaction and quarantine cost: a message of 4 KB, a megabyte that is made to be slow, and the import of both.

    python scripts/bench/filter.py [--rounds N] [--json]

Both are run over the same text one after the other, as hearing does it. Times are of processor time, which neighbours
disturb less than a clock; `message_ms` is the median over the kinds of message below. `growth` is the time of the largest
text over that of one an eighth of its size, divided by eight: 1 is linear, 8 would be quadratic. The import is a process of
its own that loads both rooms, less one that loads what they stand on (`re`, `base64`, `unicodedata`).
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from conditions import conditions, quantile, spread

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bellek.kg.quarantine import reason
from bellek.kg.redact import redact

ROOT = Path(__file__).resolve().parents[2]
SIZE = 4_096  # characters of a message
LARGE = 1 << 20
PROSE = "paketler her zaman uv ile kurulur, çünkü kilit dosyasını yalnız uv tutar. The agent runs the tests before each commit; the user said so. "
MESSAGES = {
    "prose": PROSE,
    "english": "The metrics service listens on port 9107, because 9100 is taken; see docs/metrics.md and run the tests again. ",
    "code": "def load(path: str) -> dict[str, int]:\n    with open(path) as file:\n        return json.load(file)  # line 42\n\n",
    "json": '{"file_path": "/home/u/proje/x.py", "old_string": "a = [1, 2]", "new_string": "a = [3]", "replace_all": false}, ',
    "log": "2026-11-30 09:00:01.123 INFO worker-3 took 12 ms for 0b1f6a3e-9c2d-4e57-8a11-2f3c4d5e6f70 (commit 3f786850e387)\n",
    "secret": PROSE * 28 + "token: ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R ",
}
ADVERSARIAL = (
    "sk-", "eyJ", "eyJaaaaaaaaaa.", "token=", "token ", "password: ", "://a:", "-----BEGIN RSA PRIVATE KEY-----", "1234567890", "4111 ", "+9", "TR33AAAA", '{"password": [',
    "\\u0073", "a ", "ignore ", "ignore all ", "önceki ", "önceki talimatları ", "you are now ", "send ", "\u200b", "aGVsbG8g", "ab ", "user ", "<|", '"', "|sh",
)  # fmt: skip


def timed(act: Callable[[], object]) -> float:
    """Processor milliseconds of one call."""
    began = time.process_time()
    act()
    return (time.process_time() - began) * 1000


def both(text: str) -> None:
    """What hearing does with a message that no person typed."""
    reason(redact(text))


def sized(piece: str, size: int) -> str:
    """A text of this many characters."""
    return (piece * (size // len(piece) + 1))[:size]


def messages(rounds: int) -> dict[str, dict[str, float]]:
    """Kind of message → median and 95th percentile in milliseconds."""
    found = {}
    for name, piece in MESSAGES.items():
        text = sized(piece, SIZE)
        both(text)  # patterns are compiled once a process
        found[name] = spread([timed(lambda text=text: both(text)) for _ in range(rounds)], 3)
    return found


def adversarial() -> dict[str, object]:
    """The slowest text of a megabyte, and how time grows from an eighth of it."""
    times = {}
    for piece in ADVERSARIAL:
        small, large = sized(piece, LARGE // 8), sized(piece, LARGE)
        both(small)
        times[piece] = (min(timed(lambda: both(small)) for _ in range(3)), timed(lambda: both(large)))  # noqa: B023  called at once
    worst = max(times, key=lambda piece: times[piece][1])
    growth = {piece: large / max(small, 1.0) / 8 for piece, (small, large) in times.items()}
    steepest = max(growth, key=lambda piece: growth[piece])
    return {
        "ms_per_mb": {"worst": round(times[worst][1]), "piece": worst, "p50": round(quantile([large for _, large in times.values()], 0.5))},
        "growth": {"worst": round(growth[steepest], 2), "piece": steepest, "p50": round(quantile(list(growth.values()), 0.5), 2)},
    }  # fmt: skip


def importing(rounds: int) -> dict[str, float]:
    """Milliseconds of processor time that importing both rooms adds to a process that has what they stand on."""
    base = "import sys, time; sys.path.insert(0, sys.argv[1]); import re, base64, binascii, unicodedata, typing, bisect, functools, bellek\n"
    code = (
        base
        + "began = time.process_time()\nimport bellek.kg.redact, bellek.kg.quarantine\nprint((time.process_time() - began) * 1000)"
    )
    times = [
        float(
            subprocess.run(
                [sys.executable, "-I", "-c", code, str(ROOT)],
                capture_output=True,
                text=True,
                check=True,
                env=dict(os.environ),
            ).stdout
        )
        for _ in range(rounds)
    ]
    return spread(times)


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    by_kind = messages(given.rounds)
    result = {
        "conditions": conditions(characters=SIZE, rounds=given.rounds),
        "message_ms": round(quantile([figures["p50"] for figures in by_kind.values()], 0.5), 3),
        "messages": by_kind,
        "adversarial": adversarial(),
        "import_ms": importing(min(given.rounds, 15)),
    }
    print(
        json.dumps(result, indent=1, ensure_ascii=False)
        if given.json
        else "\n".join(f"{name}: {value}" for name, value in result.items())
    )


if __name__ == "__main__":
    main()
