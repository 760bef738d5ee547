"""Coverage-guided fuzzing of what reads other people's bytes: transcript lines, marks, profile facts, queries, verdicts, archives, exports.

    python scripts/fuzz.py TARGET [--runs N] [--seconds N]        (pip install 'bellek[fuzz]')

TARGET is one of those in `TARGETS`. A reader may refuse with one of our errors or an empty answer; anything else it raises is a finding:
the input is written to tests/fuzz/findings/TARGET/, where `tests/fuzz` reads it from then on. Without atheris, `--plain` mutates the
seeds without looking at coverage, as the bounded test does.
"""

import argparse
import contextlib
import hashlib
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGETS = (
    "transcript",
    "marker",
    "yaml",
    "query",
    "verdict",
    "archive",
    "foreign",
    "front",
)  # before anything of ours is imported
FINDINGS = ROOT / "tests" / "fuzz" / "findings"


def readers() -> dict[str, tuple[Callable[[bytes], object], list[bytes]]]:
    """Target → its reader, and seeds of its form."""
    sys.path.insert(0, str(ROOT))
    from pydantic import ValidationError

    from bellek.clients.claude_transcript import LineRules, read_line
    from bellek.curator import markers, profile
    from bellek.curator.foreign import detect, notes
    from bellek.kg import fts_query
    from bellek.schemas import archive, fence
    from bellek.schemas.errors import BellekError, Refused
    from bellek.schemas.verdict import VERDICTS

    rules = LineRules(fence.find, fence.strip, "s", None)
    channels = ("learning", "task", "profile-fact")

    def text(raw: bytes) -> str:
        return raw.decode("utf-8", "replace")

    def verdict(raw: bytes) -> None:
        with contextlib.suppress(ValidationError):
            VERDICTS.validate_json(raw)

    def line(raw: bytes) -> None:
        with contextlib.suppress(ValueError):
            archive.row_of(raw)

    def foreign(raw: bytes) -> None:
        with contextlib.suppress(Refused):
            detect.of_bytes(raw, Path("export"))

    def fact(raw: bytes) -> None:
        with contextlib.suppress(BellekError):
            profile.parse(text(raw))

    return {
        "transcript": (lambda raw: read_line(raw, number=1, offset=0, rules=rules), [b'{"type":"assistant","uuid":"a","sessionId":"s","message":{"role":"assistant","content":[{"type":"text","text":"x"}]}}', b'{"type":"user","message":{"content":"hi"}}']),
        "marker": (lambda raw: markers.scan(text(raw), channels), [b"<!-- learning: x -->", b"```\n<!-- task: y\n-->\n```", "<!-- öğrenim: ğ --> `-->`".encode()]),
        "yaml": (fact, [b"entity: A\ntype: person\nfields:\n  a: [b, c]\n", b"entity: &x A\nfields: *x\n"]),
        "query": (lambda raw: (fts_query.match(text(raw)), fts_query.every(text(raw), column="own"), fts_query.nearly(text(raw), column="own", scope="pany")), [b"a OR b*", "İĞ'de \"x\" NEAR(y)".encode()]),
        "verdict": (verdict, [b'[{"do":"write","items":["q_1"],"new":{"kind":"lesson","text":"x"}}]', b"[]"]),
        "archive": (line, [b'{"id":"x","hash":{"$hex":"00ff"},"n":1.5,"z":null}', b"<<<<<<< HEAD"]),
        "foreign": (foreign, [b'[{"conversation_id":"g","mapping":{"a":{"message":{"id":"m","author":{"role":"user"},"content":{"parts":["x"]}}}},"current_node":"a"}]', b'{"type":"entity","name":"Z","entityType":"p","observations":["o"]}', b'[{"memory":"x","id":1,"categories":["a"]}]', b'{"observations":[{"title":"t","facts":"[1]"}],"summaries":[]}']),
        "front": (lambda raw: notes.front(text(raw)), [b"---\ntitle: x\n---\nbody", b"---\n"]),
    }  # fmt: skip


def mutated(seeds: list[bytes], dice: random.Random) -> bytes:
    """One of the seeds with a few random changes: bytes, pieces of others, doubled and cut pieces."""
    data = bytearray(dice.choice(seeds))
    for _ in range(dice.randrange(1, 8)):
        at = dice.randrange(len(data) + 1)
        match dice.randrange(6):
            case 0:
                data[at:at] = dice.randbytes(dice.randrange(1, 4))
            case 1:
                del data[at : at + dice.randrange(1, 6)]
            case 2:
                data[at : at + 1] = dice.choice(
                    (
                        b'"',
                        b"\\",
                        b"{",
                        b"]",
                        b"\n",
                        b"-->",
                        b"<!--",
                        b"\x00",
                        b"\xf0\x9f\x98\x80",
                        b"\xed\xa0\x80",
                        b"\\ud800",
                        b"null",
                        b"1e999",
                    )
                )
            case 3:
                other = dice.choice(seeds)
                start = dice.randrange(len(other) + 1)
                data[at:at] = other[start : start + dice.randrange(40)]
            case 4:
                data[at:at] = data[at : at + 30] * dice.randrange(1, 30)
            case _:
                if data:
                    data[at % len(data)] ^= 1 << dice.randrange(8)
    return bytes(data[:100_000])


def keep(target: str, raw: bytes) -> Path:
    """Write an input that was a finding where the tests read it."""
    folder = FINDINGS / target
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / hashlib.sha256(raw).hexdigest()[:16]
    path.write_bytes(raw)
    return path


def plain(target: str, runs: int, seconds: float, seed: int) -> int:
    """Mutate seeds without coverage; how many inputs were read. Raises the first finding, kept."""
    read, seeds = readers()[target]
    dice, until, done = random.Random(seed), time.monotonic() + seconds, 0
    while done < runs and time.monotonic() < until:
        raw = mutated(seeds, dice)
        try:
            read(raw)
        except BaseException:
            print(f"finding kept: {keep(target, raw)}", file=sys.stderr)
            raise
        done += 1
    return done


def guided(target: str, runs: int, seconds: float) -> None:
    """Let atheris look for inputs that reach new code. Never returns: libFuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=["bellek"]):
        read, seeds = readers()[target]
    corpus = ROOT / ".build" / "fuzz" / target
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (corpus / f"seed-{number}").write_bytes(seed)

    def one(raw: bytes) -> None:
        try:
            read(raw)
        except BaseException:
            print(f"finding kept: {keep(target, raw)}", file=sys.stderr)
            raise

    atheris.Setup(
        [sys.argv[0], f"-runs={runs}", f"-max_total_time={int(seconds)}", f"-artifact_prefix={corpus}/", str(corpus)],
        one,
    )
    atheris.Fuzz()


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--plain", action="store_true", help="without coverage, where atheris is not installed")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.plain:
        print(f"{plain(given.target, given.runs, given.seconds, given.seed)} inputs read, no finding")
    else:
        guided(given.target, given.runs, given.seconds)


if __name__ == "__main__":
    main()
