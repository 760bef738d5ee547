"""Our program as a user of the laboratory meets it: its command line, its exit status and its JSON.

It must never import the package to look inside, and never open its database: what a test proves, a user can see.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.lab import eventually

if TYPE_CHECKING:
    from lab.lab import Lab, Request

PACKET_CAP = 10_000  # UTF-16 units; Claude Code replaces a longer hook context by a preview and a file path
PACKET = re.compile(r'<bellek-memory id="[^"]*">.*?</bellek-memory>', re.DOTALL)
COMMAND_SECONDS = 30.0


def package_parent() -> Path:
    """The folder from which ``bellek`` is imported: a checkout or a site-packages."""
    spec = importlib.util.find_spec("bellek")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).resolve().parents[1]


def packets(request: Request) -> list[str]:
    """The packets in all the messages of one request, oldest first, fences included."""
    return PACKET.findall(request.messages_text())


def utf16_units(text: str) -> int:
    """Length as a JavaScript client counts it."""
    return len(text.encode("utf-16-le")) // 2


class Bellek:
    """The program with a data home inside one laboratory, as run by a person in that work folder."""

    __slots__ = ("_lab", "home")

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self.home = lab.root / "veri evi ş"  # a blank and a letter beyond ASCII: the hook command must quote both

    def run(self, *words: str) -> str:
        """Run one command to its end and give its stdout; any other exit status than 0 fails the test."""
        # The client's own environment names no data home and no import path: hooks have only what they carry.
        environment = {**self._lab.environment(), "PYTHONPATH": str(package_parent())}
        done = subprocess.run(
            [sys.executable, "-m", "bellek", *words, "--home", str(self.home)],
            cwd=self._lab.work,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=COMMAND_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"bellek {' '.join(words)}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def rows(self, *words: str) -> list[dict[str, Any]]:
        """The array that a list verb prints with ``--json``."""
        rows: list[dict[str, Any]] = json.loads(self.run(*words, "--json"))
        return rows

    def install(self) -> None:
        """Write our hooks into this laboratory's client."""
        self.run("install", "claude-code")

    def pending(self) -> list[str]:
        """The payloads that wait in this project's queue."""
        return [str(row["payload"]) for row in self.rows("queue", "peek", "--project", str(self._lab.work))]

    def heard(self, count: int) -> list[str]:
        """The payloads, once the detached hearing child has queued ``count`` of them; fails if they never come."""
        return eventually(lambda: found if len(found := self.pending()) >= count else [], f"{count} queued learnings")

    def drain(self) -> None:
        """Turn what waits into rows, with no model."""
        self.run("drain", "--offline", "--project", str(self._lab.work))
