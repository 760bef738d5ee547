"""The interactive client on a screen that can be read: tmux, driven by keys, against the scripted model.

It must never attach to a terminal of whoever runs the tests: the server has a socket of its own, in a folder of its own
(a socket's path may have about a hundred bytes, a test's folder is longer).
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from lab.lab import KEY, eventually

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from lab.lab import Lab
    from lab.rules import Rule

SIZE = ("-x", "130", "-y", "50")


class Screen:
    """One interactive session, from its start to the end of the ``with`` block."""

    __slots__ = ("_model", "_socket")

    def __init__(self, lab: Lab, rules: Sequence[Rule]) -> None:
        self._socket = Path(tempfile.mkdtemp(prefix="screen-")) / "s"
        _skip_first_questions(lab)
        self._model, log, environment = lab.model(rules)
        words = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), "TERM=xterm-256color"]
        client = lab.client(self._model)
        inside = shlex.join([*words, *client])
        (log / "command").write_text(inside, encoding="utf-8")
        self._tmux("new-session", "-d", *SIZE, "-c", str(lab.work), inside)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._tmux("kill-server")
        self._model.kill()
        self._model.wait()
        if self._model.stdout is not None:
            self._model.stdout.close()
        shutil.rmtree(self._socket.parent, ignore_errors=True)

    def shot(self) -> str:
        """What stands on the screen now."""
        return self._tmux("capture-pane", "-p")

    def shows(self, text: str) -> str:
        """Wait until the screen holds ``text``; that screen."""
        return eventually(lambda: shot if text in (shot := self.shot()) else "", f"on the screen: {text}")

    def type(self, text: str) -> None:
        """Type a line and press Enter, once the client has taken the text in."""
        self._tmux("send-keys", "-l", text)
        self.shows(text)
        self._tmux("send-keys", "Enter")

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(["tmux", "-S", self._socket, *words], capture_output=True, text=True, check=False)
        return done.stdout


def _skip_first_questions(lab: Lab) -> None:
    """What a person has answered long ago: theme, key, trust in the folder."""
    known = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "numStartups": 5,
        "autoUpdates": False,
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        "projects": {
            str(lab.work): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True, "allowedTools": []}
        },
    }
    (lab.config / ".claude.json").write_text(json.dumps(known), encoding="utf-8")
