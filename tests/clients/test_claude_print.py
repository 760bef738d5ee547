"""The real client as a model: it answers, it cannot write, our hooks do not run, and its session is not heard."""

import os
import shlex

import pytest
from lab.rules import Rule, Text, Tool, reply

from bellek.clients.claude_ears import ClaudeEars
from bellek.clients.claude_print import READ_ONLY, ClaudePrint
from bellek.curator import capture, spend
from bellek.schemas.settings import Ceilings, ModelSettings

pytestmark = [pytest.mark.client, pytest.mark.node]
WIDE = Ceilings(10, 10, 10, 10**7, 10**7, 10**7)


@pytest.fixture
def asked(lab, home, monkeypatch):
    """Ask the real client with a scripted model behind it: the outcome."""
    started = []

    def ask(rules, prompt, *, tools=()):
        model, log, environment = lab.model(rules)
        started.append(model)
        for name in list(os.environ):
            if not name.startswith("PYTEST"):
                monkeypatch.delenv(name)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        program = log / "claude"
        program.write_text(f'#!/bin/sh\nexec {shlex.join(lab.client(model))} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        made = ModelSettings(runner="claude", program=str(program), input_usd=3.0, output_usd=15.0)
        runner = ClaudePrint("c", made, home.memory, folder=str(lab.work), tools=tools)
        return spend.ask(home.memory, runner, spend.Run("test", "s_1", WIDE), prompt, max_tokens=500)

    yield ask
    for model in started:
        model.kill()
        model.wait()
        model.stdout.close()


def test_the_real_client_answers_and_is_not_heard(lab, home, asked):
    """R23, R30, R58: an answer with its cost in the ledger; the session's transcript lies there and hearing passes it by."""
    lab.write_settings({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": f"touch {lab.work}/hook-ran"}]}]}})
    done = asked([reply("pnpm", "package manager")], "Which package manager?")
    assert isinstance(done, spend.Answered), done
    assert done.answer.text == "pnpm"
    assert [state for (state,) in home.memory.rows("SELECT state FROM spend")] == ["booked"]
    assert not (lab.work / "hook-ran").exists()
    ears = ClaudeEars(str(lab.config))
    files = list(ears.transcripts([]))
    assert len(files) == 1
    capture.hear(home, ears, files)
    assert home.conversations.value("SELECT count(*) FROM messages") == 0


def test_the_real_client_reads_and_does_not_write(lab, home, asked):
    """R60: with read-only tools a Read is answered; a Bash and a Write that the model asks for change nothing."""
    (lab.work / "a.txt").write_text("elma\n", encoding="utf-8")
    rules = [
        Rule((Tool("Read", {"file_path": str(lab.work / "a.txt")}),), last_has="do it"),
        Rule(
            (
                Tool("Bash", {"command": f"touch {lab.work}/bash-ran"}),
                Tool("Write", {"file_path": f"{lab.work}/b.txt", "content": "x"}),
            ),
            last_has="elma",
        ),
        Rule((Text("bitti"),), tool_result=True),
    ]
    done = asked(rules, "do it", tools=READ_ONLY)
    assert isinstance(done, spend.Answered), done
    assert done.answer.text == "bitti"
    assert sorted(path.name for path in lab.work.iterdir()) == ["a.txt"]
