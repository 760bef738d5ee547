"""The hook as a client starts it: a process of its own, its event on standard input, one answer or none."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import command
from command import PROGRAM

from bellek import hook

REPOSITORY = Path(__file__).resolve().parents[2]
RECORDED = REPOSITORY / "tests" / "fixtures" / "clients" / "claude"
WAIT_S = 20.0


class Answer:
    """What a hook process left: exit status, raw output, and the context it gave ("" for none)."""

    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err

    @property
    def context(self):
        """The one JSON object's additionalContext; fails where the output is anything else than one such object or nothing."""
        if not self.out:
            return ""
        answer = json.loads(self.out)
        assert list(answer) == ["hookSpecificOutput"]
        assert set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
        return answer["hookSpecificOutput"]["additionalContext"]


class World:
    """A client's folders, a project and a data home under one test's folder."""

    def __init__(self, root):
        self.root = Path(root)
        self.home = self.root / "veri evi"
        self.work = self.root / "proje"
        self.config = self.root / "user" / ".claude"
        self.work.mkdir(parents=True, exist_ok=True)
        self.clock = 1_796_000_000_000
        self.check_at_end = True  # a test that breaks the store on purpose says so

    def environment(self, **more):
        """What the client hands on; the clock stands still."""
        kept = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root / "user"),
            "TZ": "Europe/Istanbul",
            "BELLEK_CLOCK": str(self.clock),
            "BELLEK_EMBEDDER": "none",  # to load one costs a second a process; tests of meaning say which they want
        }
        return {name: value for name, value in {**kept, **more}.items() if value is not None}

    def start(self, event, *, home=True, client="claude-code", env=None, **popen):
        """Start the hook; its standard input is open."""
        words = [sys.executable, "-I", hook.__file__, event, "--client", client]
        words += ["--home", str(self.home)] if home else []
        popen = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen}
        return subprocess.Popen(words, cwd=self.work, env=self.environment() if env is None else env, **popen)

    def raw(self, event, data, **given):
        """One event with these very bytes on standard input."""
        process = self.start(event, **given)
        out, err = process.communicate(data, timeout=60)
        return Answer(process.returncode, out, err)

    def fields(self, event, session="s-1", **more):
        """The fields that Claude Code sends with an event."""
        return {
            "session_id": session, "transcript_path": str(self.transcript(session)), "cwd": str(self.work), "hook_event_name": event,
            **more,
        }  # fmt: skip

    def send(self, event, session="s-1", given=None, **more):
        """One event in the client's form; it has to end with status 0 and say nothing on standard error."""
        answer = self.raw(event, json.dumps(self.fields(event, session, **more)).encode(), **(given or {}))
        assert (answer.code, answer.err) == (0, b"")
        return answer

    def prompt(self, text, session="s-1", **more):
        """The context that a prompt gets."""
        return self.send("UserPromptSubmit", session, prompt=text, **more).context

    def begin(self, source="startup", session="s-1"):
        """The context that a session's start gets."""
        return self.send("SessionStart", session, source=source).context

    def transcript(self, session="s-1"):
        """Where the client keeps this session."""
        return self.config / "projects" / "-proje" / f"{session}.jsonl"

    def run(self, *words, stdin=b"", env=None, **given):
        """Run the command line in the project; the finished process with bytes on both streams. `env` adds to its environment."""
        environment = self.environment(PYTHONPATH=PROGRAM, CLAUDE_CONFIG_DIR=str(self.config), **(env or {}))
        return command.run([*words, "--home", self.home], cwd=self.work, env=environment, stdin=stdin, **given)

    def bellek(self, *words, ok=True, **more):
        """Run the command line in the project; its standard output."""
        done = self.run(*words, env=more)
        if ok:
            assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def json(self, *words):
        """What a verb prints with --json."""
        return json.loads(self.bellek(*words, "--json"))

    def log(self):
        """The hook's fault log."""
        path = self.home / "hook.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""


class Session:
    """Writes a session's transcript as the client does: user line, attachment with our packet, assistant line."""

    def __init__(self, world, name="s-1"):
        self.world = world
        self.name = name
        self.count = 0

    def lines(self, *lines):
        """Append lines; each gets an id, the session's keys and the clock's time, a second later each."""
        path = self.world.transcript(self.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            for line in lines:
                self.count += 1
                self.world.clock += 1000
                stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(self.world.clock // 1000)) + ".000Z"
                common = {
                    "uuid": f"{self.name}-{self.count}", "sessionId": self.name, "timestamp": stamp, "cwd": str(self.world.work),
                    "version": "2.1.332", "entrypoint": "cli", "isSidechain": False,
                }  # fmt: skip
                file.write(json.dumps({**common, **line}, ensure_ascii=False) + "\n")

    def turn(self, prompt, reply, *, packet=""):
        """One turn: the person's line, what the hook added, the reply."""
        self.lines(
            {"type": "user", "message": {"role": "user", "content": prompt}, "promptSource": "typed"},
            *attached(packet),
            said(reply),
        )


def said(text):
    """An assistant line."""
    return {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}


def attached(packet, event="UserPromptSubmit"):
    """The attachment line in which Claude Code keeps a hook's context; none for no context."""
    if not packet:
        return []
    hook = {"type": "hook_additional_context", "content": [packet], "hookName": event, "hookEvent": event}
    return [{"type": "attachment", "attachment": hook}]


def eventually(look, what):
    """Ask until it is true, a bounded time; fails with what was waited for."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"never came: {what}")
