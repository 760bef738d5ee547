"""Everything at once for some minutes: sessions that prompt, a drain, a copy, a reader, over a store of a given size.

    python scripts/bench/load.py [--messages N] [--claims N] [--sessions N] [--seconds S] [--page] [--json]

In full: --messages 1000000 --claims 100000 --sessions 8 --seconds 300. Each session sends a prompt a second to a hook
process of its own and, when its turn is over, writes a marked line into its transcript and has it heard, as a client does; a
drain writes what waits, copies are made one after the other, and a reader asks and lists as the page does; with --page it is a
browser's requests to `bellek web` itself (needs the extra `web`). Counted: errors and
busy stores that reached anybody; the hook's wall time (p50, p99) against its deadline; marked lines against lessons in the end
(the ledger: lost, doubled); memory of each process and growth of the files.
"""

import argparse
import itertools
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

from conditions import conditions, quantile

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import made

from bellek import hearing, hook
from bellek.clients.claude_ears import ClaudeEars
from bellek.curator.drain import drain_offline
from bellek.kg import backups, check, clock, memories, registry, typed
from bellek.kg.home import open_home
from bellek.kg.ids import mint
from bellek.schemas.claim import Claim
from bellek.schemas.errors import BellekError, Busy
from bellek.schemas.memory import Memory

DEADLINE_MS = 300  # the hook's own, in the store; the process around it is measured as well
AT = "2026-11-30T12:00:00.000Z"


def fill(home: str, folder: str, messages: int, claims: int) -> list[str]:
    """A store of that size: made conversations, and claims of a thousand subjects. Its prompts."""
    with open_home(home) as store:
        texts = made.fill(store, folder, count=messages, typed=1000, seed=7)
        with store.memory.transaction():
            project = registry.register(store.memory, folder)
        for start in range(0, claims, 500):
            with store.memory.transaction():
                for n in range(start, min(claims, start + 500)):
                    body = Claim(
                        category="project",
                        subject=f"service {n % 1000}",
                        predicate="uses",
                        object=f"library {n}",
                        confidence=0.6,
                    )
                    memories.write(store.memory, Memory(
                        id=mint("c"), project=project, agent="*", session="*", origin="agent", tier="T1", text=f"service {n % 1000} uses library {n}",
                        said_at=1_796_000_000_000, batch="b_load", body=body,
                    ), actor="bench")  # fmt: skip
    return made.prompts(texts, 6, 7)


def session(
    number: int, home: str, folder: str, config: str, prompts: list[str], seconds: float, ready: Any, out: Any
) -> None:
    """A prompt a second, a marked line after each, heard by a pass of its own."""
    transcript = Path(config) / "projects" / "-load" / f"s{number}.jsonl"
    times, errors, said, n = [], [], [], 0
    ready.wait()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.monotonic()
        event = json.dumps(
            {
                "hook_event_name": "UserPromptSubmit",
                "session_id": f"s{number}",
                "cwd": folder,
                "prompt": prompts[n % len(prompts)],
                "transcript_path": str(transcript),
            }
        )
        done = subprocess.run(
            [sys.executable, "-I", hook.__file__, "UserPromptSubmit", "--client", "claude-code", "--home", home], input=event.encode(), capture_output=True, check=False,
        )  # fmt: skip
        times.append((time.monotonic() - began) * 1000)
        if done.returncode or done.stderr:
            errors.append(f"hook: {done.returncode} {done.stderr[-200:]!r}")
        payload = f"session {number} learned fact {(number + 1) * 1_000_000 + n}: the order of the steps matters"
        line = {"type": "assistant", "uuid": f"m-{number}-{n}", "sessionId": f"s{number}", "cwd": folder, "timestamp": AT,
                "message": {"role": "assistant", "content": [{"type": "text", "text": f"done <!-- learning: {payload} -->"}]}}  # fmt: skip
        with transcript.open("ab") as file:
            file.write(json.dumps(line).encode() + b"\n")
        said.append(payload)
        try:
            hearing.listen(home, ClaudeEars(config), [str(transcript)], lambda _: None)
        except BellekError as exc:
            errors.append(f"hearing: {exc.what}")
        n += 1
        time.sleep(max(0.0, began + 1 - time.monotonic()))
    out.put(("session", times, errors, said, _peak()))


def draining(home: str, project: str, seconds: float, ready: Any, out: Any) -> None:
    """Drain again and again; a second drain at work is no error."""
    _again(home, seconds, ready, out, "drain", lambda store: drain_offline(store, project, limit=200), 0.5)


def copying(home: str, place: str, seconds: float, ready: Any, out: Any) -> None:
    """One copy after the other."""
    _again(home, seconds, ready, out, "backup", lambda store: backups.make(store, place, program="load"), 5.0)


def reading(home: str, project: str, seconds: float, ready: Any, out: Any) -> None:
    """What a page asks: counts, lists, a search."""

    def look(store: Any) -> None:
        memories.counts(store.memory, project)
        typed.find(store.memory, "service library step", project, now=clock.now(), limit=20)
        store.memory.rows("SELECT id, text FROM memories WHERE project = ? ORDER BY updated DESC LIMIT 50", (project,))

    _again(home, seconds, ready, out, "page", look, 0.2)


def browsing(home: str, folder: str, seconds: float, ready: Any, out: Any) -> None:
    """A browser at the page: the link once, then its pages again and again; anything but an answer is an error."""
    server = subprocess.Popen(
        [sys.executable, "-m", "bellek", "web", "--home", home, "--project", folder], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout
    link = next(line.strip() for line in server.stdout if line.startswith("http"))
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    browser.open(link, timeout=60).read()
    at = link.split("/enter")[0].split("?")[0].rstrip("/")
    pages = itertools.cycle(("/", "/search?q=service+library", "/timeline", "/health"))
    times, errors, largest = [], [], 0.0
    ready.wait()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        began, where = time.monotonic(), next(pages)
        try:
            browser.open(at + where, timeout=60).read()
        except OSError as exc:
            errors.append(f"page: {where}: {exc}")
        times.append((time.monotonic() - began) * 1000)
        largest = max(largest, _size_of(server.pid))
        time.sleep(0.2)
    server.terminate()
    server.wait()
    out.put(("page", times, errors, [], largest))


def _size_of(pid: int) -> float:
    """The largest size of another process so far in MB; 0 where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0.0
    return max((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), default=0.0)


def _again(home: str, seconds: float, ready: Any, out: Any, name: str, act: Any, pause: float) -> None:
    times, errors = [], []
    ready.wait()
    until = time.monotonic() + seconds
    with open_home(home) as store:
        while time.monotonic() < until:
            began = time.monotonic()
            try:
                act(store)
            except Busy as exc:
                if "at work" not in exc.what:
                    errors.append(f"{name}: {exc.what}")
            except BellekError as exc:
                errors.append(f"{name}: {exc.what}")
            times.append((time.monotonic() - began) * 1000)
            time.sleep(pause)
    out.put((name, times, errors, [], _peak()))


def _peak() -> float:
    """The largest size of this process in MB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def _files(home: str) -> dict[str, float]:
    return {
        path.name: round(path.stat().st_size / 1e6, 1)
        for path in sorted(Path(home).iterdir())
        if path.name.startswith(("memory.db", "conversations.db"))
    }


def measure(at: str, given: argparse.Namespace) -> dict[str, object]:
    """Fill, run all of them, settle, account."""
    home, folder, config = f"{at}/home", f"{at}/work", f"{at}/client"
    for path in (folder, f"{config}/projects/-load"):
        os.makedirs(path)
    prompts = fill(home, folder, given.messages, given.claims)
    with open_home(home) as store, store.memory.transaction():
        project = registry.register(store.memory, folder)
    before = _files(home)
    context = multiprocessing.get_context("spawn")
    out, ready = context.Queue(), context.Barrier(given.sessions + 4)
    every = [
        context.Process(target=session, args=(n, home, folder, config, prompts, given.seconds, ready, out))
        for n in range(given.sessions)
    ]
    every += [
        context.Process(target=target, args=(home, where, given.seconds, ready, out))
        for target, where in (
            (draining, project),
            (copying, f"{at}/copies"),
            (browsing, folder) if given.page else (reading, project),
        )
    ]
    for process in every:
        process.start()
    ready.wait()
    ended = [out.get() for _ in every]
    for process in every:
        process.join()
    after = _files(home)
    hearing.listen(home, ClaudeEars(config), [], lambda _: None)
    with open_home(home) as store:
        while drain_offline(store, project, limit=1000).acknowledged:
            pass
        expected = Counter(text for _, _, _, said, _ in ended for text in said)
        held = Counter(
            str(text)
            for (text,) in store.memory.rows(
                "SELECT text FROM memories WHERE kind = 'lesson' AND text LIKE 'session %'"
            )
        )
        faults = check.check_home(store)
    prompts_ms = sorted(ms for name, times, *_ in ended if name == "session" for ms in times)
    page_ms = sorted(ms for name, times, *_ in ended if name == "page" for ms in times)
    return {
        "prompts": len(prompts_ms), "hook_p50_ms": round(quantile(prompts_ms, 0.5), 1), "hook_p99_ms": round(quantile(prompts_ms, 0.99), 1), "deadline_ms": DEADLINE_MS,
        "page_p50_ms": round(quantile(page_ms, 0.5), 1), "page_p99_ms": round(quantile(page_ms, 0.99), 1), "pages": len(page_ms),
        "errors": [error for _, _, errors, _, _ in ended for error in errors][:20], "marked": sum(expected.values()), "lost": sum((expected - held).values()),
        "doubled": sum((held - expected).values()), "faults": faults, "copies": sum(len(times) for name, times, *_ in ended if name == "backup"),
        "peak_mb": {f"{name}": max(peak for other, *_, peak in ended if other == name) for name in ("session", "drain", "backup", "page")},
        "files_mb_before": before, "files_mb_after": after,
    }  # fmt: skip


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=5_000)
    parser.add_argument("--claims", type=int, default=1_000)
    parser.add_argument("--sessions", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--page", action="store_true", help="ask `bellek web` instead of reading the store")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as at:
        figures = measure(at, given)
    asked = {name: getattr(given, name) for name in ("messages", "claims", "sessions", "seconds", "page")}
    result = {"conditions": conditions(**asked), **figures}
    print(
        json.dumps(result, indent=1) if given.json else "\n".join(f"{name}: {value}" for name, value in figures.items())
    )


if __name__ == "__main__":
    main()
