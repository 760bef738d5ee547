"""A person at a terminal of their own, played by tmux: a server of its own that init adopts, with a cleared environment.

The suite may itself be started by an agent or by CI, where nobody sits at a terminal: what a pane of this server runs has
a controlling terminal, a shell above it, and no ancestor but that server. It must never attach to a server of whoever
runs the tests, and ends its own by its own socket.
"""

import os
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from world import eventually

SECONDS = 60


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    rc: int
    out: str
    err: str


class Person:
    """Runs commands one after the other, each in a pane of its own. ``close`` ends the server."""

    def __init__(self, folder, environment):
        if shutil.which("tmux") is None:
            missing = "tmux is not here: a person at a terminal cannot be played (apt-get install tmux)"
            pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
        self.place = Path(tempfile.mkdtemp(prefix="person-"))  # a socket's path may have about a hundred bytes
        self.folder = Path(folder)
        self.environment = environment
        self.count = 0
        # A server whose last session ends goes away, and the next command could meet it just then.
        self._tmux("new-session", "-d", "-s", "base", "cat")

    def run(self, *words, types=(), wrap="{}"):
        """Run a command to its end. `types`: (what the terminal shows, the line that is typed then; with a third part, keys without Enter). `wrap`: a shell line."""
        self.count += 1
        place = self.place / str(self.count)
        place.mkdir()
        line = wrap.format(shlex.join(map(str, words)))
        # Its standard input and the terminal are the pane's; what it prints goes to files, so that nothing is cut to a screen.
        inside = f"{line} > {place}/out 2> {place}/err; echo $? > {place}/rc.new; mv {place}/rc.new {place}/rc"
        cleared = ["env", "-i", *(f"{name}={value}" for name, value in self.environment.items())]
        self._tmux(
            "new-session",
            "-d",
            "-s",
            f"n{self.count}",
            "-x",
            "200",
            "-y",
            "50",
            "-c",
            str(self.folder),
            shlex.join([*cleared, "sh", "-c", inside]),
        )
        for shows, typed, *keys_alone in types:
            eventually(
                lambda shows=shows: shows in self._tmux("capture-pane", "-p", "-t", f"n{self.count}"),
                f"on the terminal: {shows}",
            )
            self._tmux("send-keys", "-t", f"n{self.count}", "-l", typed)
            if not keys_alone:
                self._tmux("send-keys", "-t", f"n{self.count}", "Enter")
        eventually((place / "rc").exists, f"the end of {line}")
        return Done(int((place / "rc").read_text()), *((place / name).read_text("utf-8") for name in ("out", "err")))

    def close(self):
        """End the server, by its own socket."""
        self._tmux("kill-server")
        shutil.rmtree(self.place, ignore_errors=True)

    def _tmux(self, *words):
        order = ["tmux", "-S", str(self.place / "s"), "-f", "/dev/null", *words]
        cleared = {"PATH": os.environ["PATH"], "HOME": str(self.place), "LANG": "C.UTF-8"}
        done = subprocess.run(
            order, env=cleared, capture_output=True, text=True, timeout=SECONDS, check=False, start_new_session=True
        )
        assert done.returncode == 0 or words[0] == "capture-pane", done.stderr  # a pane that ended shows nothing
        return done.stdout
