"""A laboratory for one test: a work folder, a HOME of its own, a minimal environment, the real client, a scripted model.

::

    lab = Lab(tmp_path, claude_cli)
    result = lab.claude("hello", [reply("Hi", "hello")])
    result.rc, result.out, result.err, result.requests, result.transcripts()

Every run has a model process of its own. It must never read the HOME or the configuration of whoever runs the tests,
and it ends only the processes that it started, by their id.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar

from lab import netns
from lab.install import HERE, node
from lab.rules import Rule, dump_rules, strings_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

TURN_SECONDS = (
    120.0  # how long a client may take before the test fails; a turn takes one to five, on a busy machine more
)
AWAIT_SECONDS = 60.0  # how long something that a detached child does may take
POLL_SECONDS = 0.05
KEY = "sk-ant-not-a-key"
ALLOWED_TOOLS = "Bash,Read"  # root may not use --dangerously-skip-permissions


T = TypeVar("T")


def eventually(look: Callable[[], T], what: str, *, alive: Callable[[], bool] = lambda: True) -> T:
    """Call ``look`` until it gives something true, and give that. Fails the test after ``AWAIT_SECONDS``, or when
    ``alive`` says that nothing is there any more that could make it true.
    """
    end = time.monotonic() + AWAIT_SECONDS
    while not (found := look()):
        assert time.monotonic() < end, f"waited {AWAIT_SECONDS:.0f} s for: {what}"
        assert alive(), f"ended before: {what}"
        time.sleep(POLL_SECONDS)
    return found


@dataclass(frozen=True, slots=True)
class Request:
    """One request to the model: the session that sent it and the body as JSON."""

    session: str
    body: dict[str, Any]

    def messages_text(self) -> str:
        """Every string of the whole ``messages`` array, one a line. Where hook context lands differs by client
        version (in the user's message, or in a system message after it), so tests look at all of it.
        """
        return "\n".join(strings_in(self.body["messages"]))


@dataclass(frozen=True, slots=True)
class Result:
    """How one run of the client ended, and what the model was asked."""

    rc: int
    out: str
    err: str
    requests: tuple[Request, ...]
    config: Path

    def session(self) -> str:
        """The session's id, from ``--output-format json``."""
        return str(json.loads(self.out)["session_id"])

    def answer(self) -> str:
        """What the user is shown, from ``--output-format json``."""
        return str(json.loads(self.out)["result"])

    def transcripts(self) -> list[Path]:
        """The transcripts under this HOME, of this and of earlier runs."""
        return transcripts(self.config)


def transcripts(config: Path) -> list[Path]:
    """The session files under a client's configuration folder, by name."""
    return sorted((config / "projects").rglob("*.jsonl"))


class Running:
    """A client that runs. Use as a context manager, or call ``finish``: both end the client and its model."""

    __slots__ = ("_log", "_model", "config", "process")

    def __init__(self, process: subprocess.Popen[bytes], model: subprocess.Popen[str], log: Path, config: Path) -> None:
        self.process = process
        self.config = config
        self._model = model
        self._log = log

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def alive(self) -> bool:
        """Whether the client has not exited."""
        return self.process.poll() is None

    def kill(self) -> None:
        """SIGKILL the client, as a power cut or an impatient person would, and wait until it is gone."""
        self.process.kill()
        self.process.wait()

    def finish(self, timeout: float = TURN_SECONDS) -> Result:
        """Wait for the client's end. Raises ``subprocess.TimeoutExpired`` after ending it."""
        try:
            rc = self.process.wait(timeout)
        finally:
            self._end()
        out, err = ((self._log / name).read_text(encoding="utf-8", errors="replace") for name in ("out", "err"))
        return Result(rc, out, err, tuple(_requests(self._log / "requests.jsonl")), self.config)

    def _end(self) -> None:
        """End what we started, by id."""
        for process in (self.process, self._model):
            if process.poll() is None:
                process.kill()
                process.wait()
        if self._model.stdout is not None:
            self._model.stdout.close()


def _requests(record: Path) -> Iterator[Request]:
    """The model's record; ``split`` and not ``splitlines``, which would cut a line at U+2028."""
    for line in record.read_text(encoding="utf-8").split("\n"):
        if line:
            row = json.loads(line)
            yield Request(row["session"], row["body"])


class Lab:
    """The folders of one test and the ways to run a client in them."""

    __slots__ = ("_cli", "_runs", "config", "home", "root", "work")

    def __init__(self, root: Path, cli: Path) -> None:
        self.root = root
        self.work = root / "work"
        self.home = root / "home"
        self.config = self.home / ".claude"
        self._cli = cli
        self._runs = 0
        for folder in (self.work, self.home / "tmp", self.config):
            folder.mkdir(parents=True)

    def environment(self) -> dict[str, str]:
        """All that a process of this lab sees; nothing is inherited."""
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "SHELL": "/bin/bash",
            "CLAUDE_CONFIG_DIR": str(self.config),
        }

    def write_settings(self, settings: Mapping[str, object]) -> None:
        """The user's settings file."""
        (self.config / "settings.json").write_text(json.dumps(settings, indent=1), encoding="utf-8")

    def model(self, rules: Sequence[Rule]) -> tuple[subprocess.Popen[str], Path, dict[str, str]]:
        """Start a model: its process, the run's folder, and the environment of a client that shall talk to it."""
        self._runs += 1
        log = self.root / "runs" / f"{self._runs:02d}"
        log.mkdir(parents=True)
        model, port = _start_model(rules, log)
        return model, log, {**self.environment(), **_client_environment(port)}

    def client(self, model: subprocess.Popen[str]) -> list[str]:
        """The words that start the client where it can reach the model: a script by Node.js, a native program as it is."""
        script = [node()] if self._cli.suffix == ".js" else []
        return [*netns.joining(model.pid), *script, str(self._cli)]

    def start(
        self,
        prompt: str,
        rules: Sequence[Rule],
        args: Sequence[str] = (),
        *,
        env: Mapping[str, str] | None = None,
        tools: str = ALLOWED_TOOLS,
    ) -> Running:
        """Start ``claude -p PROMPT`` with JSON output against a model that answers by the rules.

        ``env``: more variables. ``tools``: those that the client runs without a question, which nobody would answer.
        """
        words = ["-p", prompt, "--output-format", "json", "--allowedTools", tools, *args]
        return self.launch(lambda model, _: [*self.client(model), *words], rules, env=env)

    def launch(
        self,
        order: Callable[[subprocess.Popen[str], str], Sequence[str]],
        rules: Sequence[Rule],
        *,
        env: Mapping[str, str] | None = None,
    ) -> Running:
        """Start any client: `order` gives its words for a model's process and address, once both are known."""
        model, log, environment = self.model(rules)
        words = order(model, environment["ANTHROPIC_BASE_URL"])
        # Files and not pipes: a detached child that kept the pipe open would hold up whoever waits for its end.
        with (log / "out").open("wb") as out, (log / "err").open("wb") as err:
            process = subprocess.Popen(
                words,
                cwd=self.work,
                env={**environment, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
        return Running(process, model, log, self.config)

    def claude(
        self,
        prompt: str,
        rules: Sequence[Rule],
        args: Sequence[str] = (),
        *,
        env: Mapping[str, str] | None = None,
        tools: str = ALLOWED_TOOLS,
    ) -> Result:
        """Run one turn to its end."""
        return self.start(prompt, rules, args, env=env, tools=tools).finish()


def _client_environment(port: int) -> dict[str, str]:
    """What makes the client talk to our model and to nobody else, and keep its own memory feature out of the way."""
    return {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
    }


def _start_model(rules: Sequence[Rule], log: Path) -> tuple[subprocess.Popen[str], int]:
    """Start the model's process and read its port, which it prints once it listens."""
    script, record = log / "rules.json", log / "requests.jsonl"
    script.write_text(dump_rules(rules), encoding="utf-8")
    record.touch()
    order = [*netns.owning(), sys.executable, "-m", "lab.fake_model", str(script), str(record)]
    plain = {"PATH": os.environ.get("PATH", os.defpath)}  # no PYTHONPATH: nobody else's `lab`
    model = subprocess.Popen(order, cwd=HERE.parent, env=plain, stdout=subprocess.PIPE, text=True)
    assert model.stdout is not None
    line = model.stdout.readline()
    if not line:
        raise RuntimeError(f"the model ended with {model.wait()} before it listened")
    return model, int(line)
