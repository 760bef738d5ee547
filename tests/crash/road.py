"""The road from a transcript to typed rows as real processes walk it, and the account that is taken at its end.

It must never mock our own code, and never wait for luck: a process is killed at a drawn moment or held at a named place.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import Counter

import command
from command import PROGRAM

from bellek import hearing
from bellek.clients.claude_ears import ClaudeEars
from bellek.curator.drain import drain_offline
from bellek.kg import check, journal, lessons, projects, queue, talks
from bellek.kg.answers import Where
from bellek.kg.home import open_home

AT = "2026-11-30T12:00:00.000Z"
LIMIT_S = 120  # no step of these tests takes a tenth of it


def line(text, *, id, session="s", cwd="/proj", author="assistant", **more):
    """One line of a transcript as the client writes it, with its newline."""
    fields = {
        "parentUuid": None, "isSidechain": False, "type": author, "uuid": id, "sessionId": session, "cwd": cwd,
        "timestamp": AT, "message": {"role": author, "content": [{"type": "text", "text": text}]}, **more,
    }  # fmt: skip
    return json.dumps({key: value for key, value in fields.items() if value != ""}, ensure_ascii=False).encode() + b"\n"


def marked(payload, **fields):
    """A line of an assistant that carries a hidden marker."""
    return line(f"Tamam, bakıyorum. <!-- learning: {payload} -->", **fields)


def filler(size):
    """A tool's result of about so many bytes: nothing in it is heard."""
    content = [{"type": "tool_result", "tool_use_id": "t", "content": "x" * size}]
    return json.dumps({"type": "user", "uuid": "f", "message": {"content": content}}).encode() + b"\n"


class World:
    """A data home with everything around it. ``expected`` are the payloads and ``said`` the message ids written so far."""

    def __init__(self, root):
        self.root = root
        self.home = root / "home"
        self.config = root / "claude"
        self.work = root / "iş"
        self.folder = self.config / "projects" / "-p"
        for folder in (self.folder, self.work):
            folder.mkdir(parents=True)
        self.ears = ClaudeEars(str(self.config))
        self.expected = []
        self.said = []

    def transcript(self, name="s"):
        """The path of a session's transcript."""
        return self.folder / f"{name}.jsonl"

    def marked(self, payload, *, id, session="s"):
        """A line with a marker, kept in the account."""
        self.expected.append(payload)
        self.said.append(id)
        return marked(payload, id=id, session=session, cwd=str(self.work))

    def _environment(self, failpoint=""):
        kept = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "TZ": os.environ["TZ"], "PYTHONPATH": PROGRAM}
        given = {"CLAUDE_CONFIG_DIR": str(self.config), "BELLEK_HOME": str(self.home), "BELLEK_FAILPOINT": failpoint}
        return {**kept, **given}

    def start(self, *words, failpoint="", stdin=None):
        """Start one command of ours."""
        return subprocess.Popen(
            [sys.executable, *(words if words[0] == "-c" else ("-m", "bellek", *words))],
            cwd=self.work,
            env=self._environment(failpoint),
            stdin=stdin or subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def must(self, *words):
        """Run one command that has to succeed without a word of complaint; its output."""
        done = command.run(words, cwd=self.work, env=self._environment(), timeout=LIMIT_S)
        assert (done.returncode, done.stderr.decode()) == (0, "")
        return done.stdout.decode()

    def crash(self, *words, at):
        """Run one command that dies at a named place."""
        done = command.run(words, cwd=self.work, env=self._environment(at), timeout=LIMIT_S)
        assert done.returncode == -signal.SIGKILL, f"{at} was not reached"

    def hold(self, *words, at):
        """Start one command and let it run until it stands still at a named place."""
        process = self.start(*words, failpoint=f"{at}:1:STOP")
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            process.returncode = os.waitstatus_to_exitcode(status)
            raise AssertionError(f"{at} was not reached: {process.communicate()}")
        return process

    def check(self):
        """Every invariant of the store, where there is one."""
        if self.home.exists():
            with open_home(str(self.home)) as home:
                assert check.check_home(home) == []

    def account(self):
        """What was lost and what was doubled, over events, lessons and messages; the queue must be empty."""
        with open_home(str(self.home)) as home:
            here = projects.find(home.memory, str(self.work))
            rows = {
                "events": Counter(row.text for row in journal.listed(home.memory, here, limit=1_000_000)),
                "lessons": Counter(row.text for row in lessons.listed(home.memory, here, limit=1_000_000)),
            }
            said = [str(id_) for (id_,) in home.conversations.rows("SELECT id FROM messages")]
            assert queue.counts(home.memory, here) == {}
            assert queue.dead(home.memory, here) == []
            held = talks.listed(home.conversations, Where(here, limit=1_000_000))
            assert sum(talk.messages for talk in held) == len(said)
        lost = sum((Counter(self.said) - Counter(said)).values())
        doubled = sum((Counter(said) - Counter(self.said)).values())
        for found in rows.values():
            lost += sum((Counter(self.expected) - found).values())
            doubled += sum((found - Counter(self.expected)).values())
        return lost, doubled

    def hear(self, *files):
        """Hear in this process; what each round did."""
        rounds = []
        assert hearing.listen(str(self.home), self.ears, [str(file) for file in files], rounds.append)
        return rounds

    def drain(self):
        """Drain in this process."""
        with open_home(str(self.home)) as home:
            return drain_offline(home, projects.find(home.memory, str(self.work)), limit=1_000_000)

    def settle(self):
        """Let both steps run to their end."""
        self.hear()
        assert self.drain().failed == []


def kill_at(process, moment):
    """SIGKILL a process at a moment of the monotonic clock; whether it was still at work."""
    descriptor = os.pidfd_open(process.pid)
    try:
        ended, _, _ = select.select([descriptor], [], [], max(moment - time.monotonic(), 0))
    finally:
        os.close(descriptor)
    if not ended:
        process.kill()
    process.communicate(timeout=LIMIT_S)
    return not ended


def seconds_of(start):
    """How long a whole run takes, in seconds."""
    began = time.monotonic()
    process = start()
    process.communicate(timeout=LIMIT_S)
    return time.monotonic() - began
