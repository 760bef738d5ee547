"""The laboratory itself: the scripted model, the pinned client, and a toy hook in place of ours."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from lab import netns
from lab.rules import OK, Rule, Script, Text, Thinking, Tool, dump_rules, load_rules, reply
from lab.wire import message, stream

if TYPE_CHECKING:
    from lab.lab import Lab

BLOCKS = (Thinking("düşünüyorum"), Text("ş" * 450), Tool("Bash", {"command": "echo 'ı'"}))

LOOK = "tail -n +3 /proc/net/dev | sed -E 's/^ *([a-z0-9]+):.*/interface=\\1/'; echo home=$HOME"


def body(*messages: tuple[str, object]) -> dict[str, object]:
    """A request body with these (role, content) messages."""
    return {"model": "m", "messages": [{"role": role, "content": content} for role, content in messages]}


def test_rules_survive_the_way_to_the_server() -> None:
    """What a test scripts is what the server's process reads."""
    rules = [Rule(BLOCKS, last_has="İ", tool_result=True, hangs=True), reply("x", any_has="y")]
    assert load_rules(dump_rules(rules)) == rules


def test_only_the_last_turn_is_matched() -> None:
    """A rule looks at what came after the model's own last message, context appended behind the prompt included."""
    script = Script([reply("first", "alpha", times=0)])
    assert script.answer(body(("user", "alpha"), ("user", "context"))) == reply("first", "alpha")
    assert script.answer(body(("user", "alpha"), ("assistant", "x"), ("user", "beta"))) is OK


def test_a_rule_is_used_up() -> None:
    """A rule answers as often as it says, then the next that matches does."""
    script = Script([reply("once", times=1), reply("then")])
    said = [script.answer(body(("user", "q"))).says for _ in range(3)]
    assert said == [(Text("once"),), (Text("then"),), (Text("then"),)]


def test_a_tool_result_is_told_from_a_prompt() -> None:
    """``tool_result`` holds for a turn that carries a tool's result, and for no other."""
    script = Script([Rule((Text("r"),), tool_result=True, times=0)])
    assert script.answer(body(("user", [{"type": "tool_result", "content": "x"}]))) is not OK
    assert script.answer(body(("user", "tool_result"))) is OK


def test_the_stream_adds_up_to_the_message() -> None:
    """The deltas of a streamed reply, put together, are the plain reply."""
    whole = message(BLOCKS, model="m", ident="i")
    got = {"text": "", "thinking": "", "partial_json": ""}
    for event in stream(whole):
        for part in got:
            got[part] += event.get("delta", {}).get(part, "")
    thinking, text, tool = whole["content"]
    assert (got["thinking"], got["text"]) == (thinking["thinking"], text["text"])
    assert json.loads(got["partial_json"]) == tool["input"]
    assert whole["stop_reason"] == "tool_use"


@pytest.mark.node
@pytest.mark.client
def test_toy_hook_reaches_the_model(lab: Lab) -> None:
    """A hook's additionalContext is in the request, the reply is on the screen and in the transcript, rc is 0."""
    answer = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "TOY-CONTEXT ığüş"}}
    toy = lab.root / "toy.json"
    toy.write_text(json.dumps(answer), encoding="utf-8")
    lab.write_settings({"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": f"cat {toy}"}]}]}})
    result = lab.claude("hello", [reply("Merhaba.", "hello")])
    assert (result.rc, result.answer()) == (0, "Merhaba."), result.err
    asked = [request for request in result.requests if "hello" in request.messages_text()]
    assert asked
    assert all("TOY-CONTEXT ığüş" in request.messages_text() for request in asked)
    (transcript,) = result.transcripts()
    assert transcript.stem == result.session()
    assert "Merhaba." in transcript.read_text(encoding="utf-8")


@pytest.mark.node
@pytest.mark.client
def test_tools_run_with_loopback_only(lab: Lab) -> None:
    """A scripted tool call runs in the client, and where namespaces are allowed it sees no interface but loopback."""
    rules = [
        Rule((Tool("Bash", {"command": LOOK, "description": "look"}),), last_has="hello"),
        Rule((Text("seen"),), tool_result=True),
    ]
    result = lab.claude("hello", rules)
    assert result.answer() == "seen", result.err
    seen = result.requests[-1].messages_text()
    assert f"home={lab.home}" in seen
    if netns.allowed():
        assert re.findall(r"interface=(\w+)", seen) == ["lo"]
