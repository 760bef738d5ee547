"""The prompt hook as a whole process, against an interpreter that does nothing.

    python scripts/bench/hook.py [--messages N] [--memories N] [--rounds N] [--json]

Every case is started as the installer writes it (without the shell around it) and each run of it stands between two runs
of ``python -I -c pass``; a ratio is taken pair by pair, so that a busy machine slows both. Between two runs the store is
left as hearing leaves it: checkpointed, no write-ahead log. Cases:

- `start`: SessionStart with the standing part and a receipt. It also starts the hearing child and waits up to .25 s for it.
- `prompt`: a new session's first prompt: standing part and receipt, six words that stand nowhere.
- `recall_6`, `recall_25`: the same with prompts of that many content words from what was said.

`answered` is the share of runs that recalled something before the hook's own deadline, which is wall time: on a busy machine
it falls. `cpu_ratio` counts processor time, which neighbours disturb less. Memory is the process's own peak, of all its runs.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

from conditions import conditions, peak_mb, quantile, spread

ROOT = Path(__file__).resolve().parents[2]
HOOK = str(ROOT / "bellek" / "hook.py")
NOWHERE = "qqwxa qqwxe qqwxi qqwxo qqwxu qqwxy"  # no vowel follows a q in the made languages
IDENTITY = "# Kişi\n\n" + "- Kısa cevap sever; short answers, tests first, no invented figures.\n" * 12

# Opens and closes both files when told to, as a hearing pass does; a process of its own keeps SQLite out of this one.
_HEAR = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from bellek.kg.home import open_home
for line in sys.stdin:
    open_home(line.rstrip("\\n")).close()
    print(flush=True)
"""


class Run:
    """One process: wall and processor time in milliseconds, its peak in bytes or kilobytes, its output's length."""

    __slots__ = ("cpu", "peak", "size", "wall")

    def __init__(self, wall: float, cpu: float, peak: int, size: int) -> None:
        self.wall = wall
        self.cpu = cpu
        self.peak = peak
        self.size = size


def start(words: list[str], event: str, world: dict[str, str]) -> Run:
    """Run a process to its end with `event` on its standard input."""
    given, told = os.pipe()
    heard, said = os.pipe()
    os.write(told, event.encode())
    os.close(told)
    actions = [(os.POSIX_SPAWN_DUP2, given, 0), (os.POSIX_SPAWN_DUP2, said, 1)]
    began = time.perf_counter()
    child = os.posix_spawn(words[0], words, world, file_actions=actions)
    os.close(said)
    size = 0
    while part := os.read(heard, 65536):
        size += len(part)
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - began
    os.close(given)
    os.close(heard)
    if status:
        raise SystemExit(f"{words} ended with {status}")
    return Run(wall * 1000, (used.ru_utime + used.ru_stime) * 1000, used.ru_maxrss, size)


class World:
    """A made home, the folder that prompts come from, and an account without any client's files."""

    __slots__ = ("_hear", "folder", "home", "prompts", "world")

    def __init__(self, at: str, messages: int, memories: int) -> None:
        self.home, self.folder = f"{at}/home", f"{at}/project"
        Path(self.folder).mkdir()
        self.world = {"HOME": at, "PATH": os.environ.get("PATH", ""), "TZ": "Europe/Istanbul"}
        maker = [sys.executable, str(Path(__file__).with_name("made.py")), self.home, self.folder]
        made = subprocess.run(
            [*maker, f"--messages={messages}", f"--memories={memories}"],
            env=self.world,
            stdout=subprocess.PIPE,
            check=True,
        )
        self.prompts: dict[str, list[str]] = json.loads(made.stdout)
        Path(self.home, "config", "identity.md").write_text(IDENTITY, "utf-8")
        self._hear = subprocess.Popen(
            [sys.executable, "-c", _HEAR], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.world
        )

    def settle(self) -> None:
        """Leave the files as hearing leaves them."""
        self._hear.stdin.write(self.home + "\n")
        self._hear.stdin.flush()
        self._hear.stdout.readline()

    def hook(self, name: str, prompt: str) -> Run:
        """One whole hook process for a new session."""
        words = shlex.split(installed(name, self.home))
        event = {
            "session_id": str(uuid.uuid4()), "transcript_path": f"{self.folder}/none.jsonl", "cwd": self.folder,
            "permission_mode": "default", "hook_event_name": name, "prompt": prompt, "source": "startup" if name == "SessionStart" else "",
        }  # fmt: skip
        run = start(words, json.dumps(event), self.world)
        if not run.size:
            raise SystemExit(f"the hook said nothing: see {self.home}/hook.log")
        return run

    def close(self) -> None:
        """End the process that settles."""
        self._hear.stdin.close()
        self._hear.wait()


def installed(event: str, home: str) -> str:
    """The command of `bellek.install.command.bare_command`, which is not imported: it would make this process large."""
    return f"'{sys.executable}' -I '{HOOK}' {event} --client claude-code --home '{home}'"


def measure(world: World, rounds: int) -> dict[str, dict[str, object]]:
    """All cases in turn, round by round."""
    cases = {
        "start": ("SessionStart", [""]),
        "prompt": ("UserPromptSubmit", [NOWHERE]),
        "recall_6": ("UserPromptSubmit", world.prompts["6"]),
        "recall_25": ("UserPromptSubmit", world.prompts["25"]),
    }
    nothing = [sys.executable, "-I", "-c", "pass"]
    pairs: dict[str, list[tuple[Run, Run]]] = {case: [] for case in cases}
    for turn in range(-1, rounds):
        for case, (event, prompts) in cases.items():
            world.settle()
            before = start(nothing, "", world.world)
            run = world.hook(event, prompts[turn % len(prompts)])
            after = start(nothing, "", world.world)
            if turn >= 0:  # the first round fills the caches
                pairs[case].append((run, before if turn % 2 else after))
    figures = {case: _figures(runs) for case, runs in pairs.items()}
    standing = max(run.size for run, _ in pairs["prompt"])
    for case in ("recall_6", "recall_25"):
        figures[case]["answered"] = round(sum(run.size > standing for run, _ in pairs[case]) / rounds, 2)
    return figures


def _figures(pairs: list[tuple[Run, Run]]) -> dict[str, object]:
    return {
        "ratio": round(quantile([run.wall / bare.wall for run, bare in pairs], 0.5), 2),
        "cpu_ratio": round(quantile([run.cpu / bare.cpu for run, bare in pairs], 0.5), 2),
        "ms": spread([run.wall for run, _ in pairs]),
        "bare_ms": spread([bare.wall for _, bare in pairs]),
        "peak_mb": max(peak_mb(run.peak) for run, _ in pairs),
        "output_bytes": quantile([run.size for run, _ in pairs], 0.5),
        "n": len(pairs),
    }


def main() -> None:
    """Parse, make a home, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as at:
        world = World(os.path.realpath(at), given.messages, given.memories)
        cases = measure(world, given.rounds)
        world.close()
    result = {
        "conditions": conditions(messages=given.messages, memories=given.memories, rounds=given.rounds),
        "cases": cases,
    }
    if given.json:
        print(json.dumps(result, indent=1))
        return
    for case, figures in cases.items():
        print(f"{case:10} {figures['ratio']:5} x bare start   {figures['ms']} ms   {figures['peak_mb']} MB")


if __name__ == "__main__":
    main()
