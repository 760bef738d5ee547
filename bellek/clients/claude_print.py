"""Claude Code without its screen (`claude -p`) as a model: the person's own login, no tool that writes, no hook of ours.

Each call is a session of its own whose id is noted as a machine's before it starts, and whose environment carries the
guard, so that hearing passes it by (R23). It must never be given a prompt on its command line, where others can read it.
"""

import json
import os
import subprocess
import uuid

from bellek import hook
from bellek.curator.models import Answer, Price, price_of
from bellek.kg import clock
from bellek.kg.db import Database
from bellek.schemas.errors import ModelFault
from bellek.schemas.settings import ModelSettings
from bellek.schemas.vocab import NO_PROJECT

TIMEOUT_S = 600
FRAME_TOKENS = (
    40_000  # the client's own instructions and tools, which it sends with every request, and what tools answered
)
TURNS = 4  # requests of one prompt where it may read files
READ_ONLY = ("Read", "Grep", "Glob")
FORBIDDEN = ("Bash", "Edit", "MultiEdit", "Write", "NotebookEdit", "WebFetch", "WebSearch", "Task", "Agent")
SETTINGS = '{"disableAllHooks": true}'


class ClaudePrint:
    """One way to start the client: `folder` is where it works and reads; `tools` "" for none."""

    def __init__(
        self, name: str, settings: ModelSettings, db: Database, *, folder: str, tools: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self.turns = TURNS if tools else 1
        self.price: Price = price_of(settings, frame=FRAME_TOKENS, turns=self.turns)
        self._settings = settings
        self._db = db
        self._folder = folder
        self._tools = tools

    def command(self, session: str) -> list[str]:
        """The words that start it; the prompt comes on standard input."""
        model = ["--model", self._settings.model] if self._settings.model else []
        kept = tuple(tool for tool in FORBIDDEN if tool not in self._tools)
        allowed = ["--allowedTools", ",".join(self._tools)] if self._tools else []
        forbidden = ["--disallowedTools", ",".join(kept if self._tools else (*kept, *READ_ONLY))]
        return [
            self._settings.program, "-p", "--output-format", "json", "--session-id", session, "--max-turns", str(self.turns), "--strict-mcp-config", "--settings", SETTINGS,
            *model, *allowed, *forbidden,
        ]  # fmt: skip

    def ask(self, prompt: str, *, schema: dict[str, object] | None = None, max_tokens: int) -> Answer:
        """One prompt, one answer."""
        session = str(uuid.uuid4())
        self._note(session)
        shape = f"\nAnswer with JSON of this schema alone:\n{json.dumps(schema)}\n" if schema else ""
        environment = {**os.environ, hook.GUARD: "1", "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(max_tokens)}
        try:
            done = subprocess.run(
                self.command(session), input=(prompt + shape).encode(), capture_output=True, check=False, cwd=self._folder,
                env=environment, timeout=TIMEOUT_S,
            )  # fmt: skip
        except FileNotFoundError as exc:
            raise ModelFault(
                f"{self._settings.program} cannot be started", why="it is not installed here", sent=False
            ) from exc
        except (OSError, subprocess.TimeoutExpired) as exc:
            raise ModelFault(f"{self._settings.program} did not answer", why=type(exc).__name__) from exc
        return self._answer(done)

    def _note(self, session: str) -> None:
        """A machine's session, noted before a line of it can be written."""
        at = clock.now()
        with self._db.transaction():
            self._db.run(
                "INSERT INTO sessions (id, client, project, reset, machine, first_at, last_at) VALUES (?, 'claude-code', ?, 0, 1, ?, ?)",
                (session, NO_PROJECT, at, at),
            )

    def _answer(self, done: "subprocess.CompletedProcess[bytes]") -> Answer:
        try:
            value = json.loads(done.stdout)
            text, usage = value["result"], value["usage"]
            fresh = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
            tokens_in = sum(int(usage.get(key) or 0) for key in fresh)
            tokens_out = int(usage.get("output_tokens") or 0)
            cost = value.get("total_cost_usd")
            micros = None if cost is None else round(float(cost) * 1_000_000)
        except (ValueError, KeyError, TypeError, AttributeError) as exc:
            why = f"exit status {done.returncode}, {type(exc).__name__}"
            raise ModelFault(f"{self._settings.program} answered in another form", why=why) from exc
        if value.get("is_error") or not isinstance(text, str):
            raise ModelFault(f"{self._settings.program} answered with an error", why=f"exit status {done.returncode}")
        return Answer(text, tokens_in, tokens_out, micros)
