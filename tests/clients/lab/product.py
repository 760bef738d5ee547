"""Our program as a user of the laboratory meets it: its command line, its exit status and its JSON.

It must never import the package to look inside, and never open its database: what a test proves, a user can see.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.install import REPOSITORY
from lab.lab import eventually

if TYPE_CHECKING:
    from lab.lab import Lab, Request

PACKET_CAP = 10_000  # UTF-16 units; Claude Code replaces a longer hook context by a preview and a file path
PACKET = re.compile(r'<bellek-memory id="[^"]*">.*?</bellek-memory>', re.DOTALL)
COMMAND_SECONDS = 60.0


def interpreter(folder: Path) -> Path:
    """A Python that imports our program with nothing but itself (``-I``), as hooks start it.

    Where the package is installed that is the running one. In a bare checkout it is a virtual environment, made in
    ``folder``, that names the checkout and the running interpreter's packages in a ``.pth`` file, as an editable
    installation does.
    """
    found = subprocess.run([sys.executable, "-I", "-c", "import bellek"], capture_output=True, check=False)
    if found.returncode == 0:
        return Path(sys.executable)
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin/python"
    ask = [str(python), "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    named = f"{sysconfig.get_path('purelib')}\n{REPOSITORY}\n"
    Path(packages, "checkout.pth").write_text(named, encoding="utf-8")
    return python


def packets(request: Request) -> list[str]:
    """The packets in all the messages of one request, oldest first, fences included."""
    return PACKET.findall(request.messages_text())


def utf16_units(text: str) -> int:
    """Length as a JavaScript client counts it."""
    return len(text.encode("utf-16-le")) // 2


class Bellek:
    """The program with a data home inside one laboratory, as run by a person in that work folder."""

    __slots__ = ("_lab", "_python", "home")

    def __init__(self, lab: Lab, python: Path) -> None:
        self._lab = lab
        self._python = python
        self.home = lab.root / "veri evi ş"  # a blank and a letter beyond ASCII: the hook command must quote both

    def run(self, *words: str) -> str:
        """Run one command to its end and give its stdout; any other exit status than 0 fails the test."""
        done = subprocess.run(
            [self._python, "-m", "bellek", *words, "--home", str(self.home)],
            cwd=self._lab.work,
            env=self._lab.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=COMMAND_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"bellek {' '.join(words)}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def program(self) -> str:
        """The start file of the command line, for whoever starts it by itself."""
        ask = [
            str(self._python),
            "-I",
            "-c",
            "import bellek, os; print(os.path.join(os.path.dirname(bellek.__file__), '__main__.py'))",
        ]
        return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()

    def command(self) -> str:
        """The words that start it, for a client that splits them as a shell does and starts none."""
        return f"'{self._python}' -I '{self.program()}'"

    def rows(self, *words: str) -> list[dict[str, Any]]:
        """The array that a list verb prints with ``--json``."""
        rows: list[dict[str, Any]] = json.loads(self.run(*words, "--json"))
        return rows

    def install(self, *options: str) -> None:
        """Write our hooks into this laboratory's client."""
        self.run("install", "claude-code", *options)

    def pending(self) -> list[str]:
        """The payloads that wait in this project's queue."""
        return [str(row["payload"]) for row in self.rows("queue", "peek", "--project", str(self._lab.work))]

    def heard(self, count: int) -> list[str]:
        """The payloads, once the detached hearing child has queued ``count`` of them; fails if they never come."""
        return eventually(lambda: found if len(found := self.pending()) >= count else [], f"{count} queued learnings")

    def drain(self) -> None:
        """Turn what waits into rows, with no model."""
        self.run("drain", "--offline", "--project", str(self._lab.work))
