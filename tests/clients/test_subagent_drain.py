"""What waits is written by a subagent of the real client: the signal asks for it, it takes, answers and is done.

The scripted model does what our agent file says and nothing else: the commands it runs are copied out of the system
prompt that the client made of that file. That a real model follows the file is not proved here.
"""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING

import pytest
from lab.lab import eventually, transcripts
from lab.product import packets
from lab.rules import Rule, Text, Tool, reply

if TYPE_CHECKING:
    from lab.lab import Lab, Request, Result
    from lab.product import Bellek

pytestmark = [pytest.mark.node, pytest.mark.client]

ALLOWED = "Bash,Task,Agent"
TOLD = "Bana hep kısa yanıtlar ver, uzun açıklamaları okumuyorum"
TURKISH = "dışa aktarmayı anlık kopyadan yap, çünkü ikinci bir SQLite kilitleri düşürür"
ENGLISH = "run pytest through uv, because plain pytest misses the lock file"
TALK = "durum: testler geçti"
START = "start the agent memory-curator in the background; do not wait for it or mention it."
CURATOR = "You write down what was heard"  # how the agent file begins, so what its system prompt holds
DONE = "4 written, 1 dropped kuratörbitti"
TEN_MINUTES_MS = 10 * 60_000

COMMAND = r"('[^'\n]+' -I '[^'\n]+' --home '[^'\n]+') queue take"
ITEM = r'"id": "(q_[^"]+)"(?:(?!"id")[\s\S])*?"payload": "%s'
LESSON = {"kind": "lesson", "learning": "convention", "importance": "high"}
CLAIM = {
    "kind": "claim", "category": "preference", "subject": "user", "predicate": "prefers", "object": "kısa yanıtlar", "confidence": 0.9,
    "quote": "Bana hep kısa yanıtlar ver",
}  # fmt: skip
VERDICTS = json.dumps(
    [
        {"verdict": "write", "items": ["«turkish»"], "evidence": ["«typed»"], "memory": CLAIM},
        {"verdict": "write", "items": ["«turkish»"], "memory": {**LESSON, "text": TURKISH}},
        {"verdict": "write", "items": ["«english»"], "memory": {**LESSON, "text": ENGLISH}},
        {"verdict": "write", "items": ["«english»"], "memory": {"kind": "task", "text": "pin the lock file"}},
        {"verdict": "drop", "items": ["«talk»"], "reason": "status talk"},
    ],
    ensure_ascii=False,
)
COPIES = {
    "bellek": COMMAND,
    "token": r'"token": "(\w+)"',
    "turkish": ITEM % TURKISH[:20],
    "english": ITEM % ENGLISH[:20],
    "talk": ITEM % TALK,
    "typed": r'"id": "([^"]+)",\s+"author": "user",\s+"typed": true,\s+"at": "[^"]+",\s+"text": "Bana hep',
}


def bash(command: str) -> tuple[Tool, ...]:
    """One call of the client's shell."""
    return (Tool("Bash", {"command": command, "description": "memory"}),)


def launch(signal: str) -> Rule:
    """The main agent does what the signal says."""
    given = {
        "description": "memory",
        "prompt": "take what waits",
        "subagent_type": "memory-curator",
        "run_in_background": True,
    }
    return Rule((Tool("Agent", given),), last_has=signal)


TAKE = Rule(bash("«bellek» queue take --limit 8 --json"), any_has=CURATOR, tool_result=False, copies=COPIES)
LAUNCHED = reply("Tamam.", "agentId")  # in 2.1.112 the tool's result names the agent that was started
NOTIFIED = reply("Tamam.", "<task-notification>")
AT_WORK = [
    TAKE,
    Rule(bash("«bellek» search 'anlık kopya kilit' --json"), last_has='"token"', any_has=CURATOR, copies=COPIES),
    Rule(
        bash(f"«bellek» apply - --token «token» <<'VERDICTS'\n{VERDICTS}\nVERDICTS"),
        last_has="[]",
        any_has=CURATOR,
        copies=COPIES,
    ),
    reply(f"{DONE}\n\n<!-- learning: küratör de işaret bıraktı, çünkü öyle öğrendi -->", "written", any_has=CURATOR),
]


def in_a_terminal(lab: Lab, prompt: str, answer: str) -> None:
    """A session as this client keeps it when a person typed: ``-p`` marks its lines as a program's, whatever one does."""
    common = {
        "sessionId": "0b6f3b1e-8d3f-4b57-9c43-6f6d2f5f7a10", "timestamp": "2026-11-30T09:00:00.000Z", "cwd": str(lab.work),
        "version": "2.1.112", "entrypoint": "cli", "userType": "external", "isSidechain": False,
    }  # fmt: skip
    lines = [
        {"type": "user", "uuid": "terminal-1", "parentUuid": None, "message": {"role": "user", "content": prompt}},
        {"type": "assistant", "uuid": "terminal-2", "parentUuid": "terminal-1",
         "message": {"id": "msg_1", "role": "assistant", "model": "m", "content": [{"type": "text", "text": answer}]}},
    ]  # fmt: skip
    folder = lab.config / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(lab.work))
    folder.mkdir(parents=True)
    text = "".join(json.dumps({**common, **line}, ensure_ascii=False) + "\n" for line in lines)
    (folder / f"{common['sessionId']}.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture
def said(lab: Lab, bellek: Bellek) -> Result:
    """A person's line with a Turkish mark after it, then a session with an English mark and an empty one: three wait."""
    in_a_terminal(lab, TOLD, f"Olur.\n\n<!-- learning: {TURKISH} -->")
    first = lab.claude(
        "how are the tests run?", [reply(f"<!-- learning: {ENGLISH} -->\n\n<!-- learning: {TALK} -->", "tests run")]
    )
    assert first.rc == 0, first.err
    bellek.heard(3)
    return first


def asked(result: Result, words: str) -> list[Request]:
    """The requests that hold these words anywhere."""
    return [request for request in result.requests if words in json.dumps(request.body, ensure_ascii=False)]


def signals(request: Request) -> list[str]:
    """The lines on what waits in all packets of a request, oldest first."""
    return [line for packet in packets(request) for line in packet.splitlines() if "heard and not yet written" in line]


def test_the_signal_a_background_subagent_and_typed_rows(lab: Lab, bellek: Bellek, said: Result) -> None:
    """R27, R29, R30, R32, R37, R40: marks → the next prompt's signal → the client's own subagent takes, searches and
    applies → typed rows with the person's words and the items as sources → an empty queue and a silent next session that
    knows the lesson; the subagent's own transcript is not heard (R23), nor does its notice start it once more.
    """
    items = {row["payload"]: row["id"] for row in bellek.rows("queue", "peek", "--project", str(lab.work))}
    rules = [LAUNCHED, *AT_WORK, NOTIFIED, launch(START), reply("Merhaba.", "devam edelim")]
    second = lab.claude("devam edelim", rules, ["--resume", said.session()], tools=ALLOWED)
    assert second.rc == 0, second.err
    told = signals(asked(second, "devam edelim")[0])
    assert told[-1] == f"- 3 items heard and not yet written (3 learning): {START}"
    assert len(asked(second, '"name": "Agent"')) >= 1
    curator = [r for r in second.requests if CURATOR in json.dumps(r.body.get("system", ""), ensure_ascii=False)]
    assert len(curator) == 4, [request.messages_text()[-600:] for request in curator]
    assert all(packets(request) == [] for request in curator), "a subagent is told nothing"
    assert bellek.pending() == []

    lessons = bellek.rows("lessons", "list", "--project", str(lab.work))
    assert sorted(row["text"] for row in lessons) == sorted([TURKISH, ENGLISH])
    assert [row["text"] for row in bellek.rows("tasks", "list", "--project", str(lab.work))] == ["pin the lock file"]
    (claim,) = bellek.rows("claims", "list", "--project", str(lab.work))
    assert (claim["origin"], claim["object"]) == ("user", "kısa yanıtlar")
    shown = json.loads(bellek.run("show", claim["id"], "--json"))
    assert [source["item"] for source in shown["sources"]] == [items[TURKISH]]
    assert "curator" in {entry["actor"] for entry in shown["history"]}

    assert any("subagents" in path.parts for path in transcripts(lab.config)), (
        "this client keeps no subagent transcript"
    )
    bellek.run("tick", "--project", str(lab.work))
    assert bellek.pending() == [], "the curator's own mark was heard"
    assert bellek.rows("conversations", "search", "kuratörbitti", "--project", str(lab.work)) == []

    third = lab.claude("pytest nasıl koşulur?", [reply("uv ile", "nasıl koşulur")])
    (packet, *_) = packets(asked(third, "nasıl koşulur")[0])
    assert ENGLISH in packet
    assert [line for request in third.requests for line in signals(request)] == []


def test_while_a_curator_works_one_line_says_so(lab: Lab, bellek: Bellek, said: Result) -> None:
    """R27, R29: while a token lives the next prompt gets one line that says so, and no second curator is asked for."""
    bellek.run("queue", "take", "--project", str(lab.work))
    second = lab.claude("devam edelim", [reply("Olur.", "devam")], ["--resume", said.session()])
    # The newest line counts: what the first session was told, when nobody drained yet, is sent again with its turns.
    newest = {signals(request)[-1] for request in asked(second, "devam edelim")}
    assert newest == {"- 3 items heard and not yet written: being drained now."}


def test_what_a_killed_curator_took_waits_again(lab: Lab, bellek: Bellek, said: Result) -> None:
    """R29, R40: a client killed while its curator works leaves the items taken; once the token has expired the next
    session is asked again, and its curator finishes the work.
    """
    hanging = [
        LAUNCHED,
        TAKE,
        Rule((Text("never said"),), last_has='"token"', any_has=CURATOR, hangs=True),
        NOTIFIED,
        launch(START),
    ]
    with lab.start("devam edelim", hanging, ["--resume", said.session()], tools=ALLOWED) as running:
        eventually(
            lambda: "being drained now" in bellek.run("packet", "--project", str(lab.work)),
            "items taken by the curator",
            alive=running.alive,
        )
        running.kill()
    later = {"BELLEK_CLOCK": str(time.time_ns() // 1_000_000 + 2 * TEN_MINUTES_MS)}
    rules = [LAUNCHED, *AT_WORK, NOTIFIED, launch(START), reply("Olur.", "sonra")]
    after = lab.claude("sonra", rules, tools=ALLOWED, env=later)
    assert after.rc == 0, after.err
    assert bellek.pending() == []
    assert len(bellek.rows("lessons", "list", "--project", str(lab.work))) == 2


def test_the_laid_permission_rules_let_the_curator_work(lab: Lab, bellek: Bellek, said: Result) -> None:
    """R30, R37: in a client that asks before each command, the rules that the installer lays let the curator do all its work
    in the background, where nobody could be asked; without them nothing is written and everything still waits. This client
    does not look into a here-document, so under a rule the answer goes as one line.
    """
    settings = json.loads((lab.config / "settings.json").read_text(encoding="utf-8"))
    lab.write_settings({key: value for key, value in settings.items() if key != "permissions"})
    rules = [LAUNCHED, *AT_WORK, reply("not allowed", "denied", any_has=CURATOR), NOTIFIED, launch(START)]
    bare = lab.claude("devam edelim", rules, ["--resume", said.session()], tools="Read,Agent")
    assert bare.rc == 0, bare.err
    assert len(bellek.pending()) == 3
    one_line = f"«bellek» apply - --token «token» <<< '{VERDICTS}'"  # no apostrophe is in them
    again = Rule(bash(one_line), last_has="has been denied", any_has=CURATOR, copies=COPIES)
    lab.write_settings(settings)
    allowed = lab.claude("yine", [LAUNCHED, again, *AT_WORK, NOTIFIED, launch(START)], tools="Read,Agent")
    assert allowed.rc == 0, allowed.err
    assert bellek.pending() == []
    assert len(asked(allowed, "has been denied")) >= 1, (
        "this client accepts the here-document now: the second form may go"
    )
