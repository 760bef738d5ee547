"""Our MCP server behind real clients: the MCP Inspector's command line, and a tool call inside Claude Code (R81)."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from lab import install
from lab.rules import Rule, Text, Tool, reply

if TYPE_CHECKING:
    from pathlib import Path

    from lab.lab import Lab
    from lab.product import Bellek

pytestmark = [pytest.mark.node, pytest.mark.client]

LESSON = "kural: sürümler her zaman main dalından çıkar, çünkü release dalı bayatladı"
SECONDS = 120.0


@pytest.fixture
def knowing(lab: Lab, bellek: Bellek) -> Bellek:
    """A project that knows one lesson."""
    verdict = {
        "verdict": "write",
        "memory": {"kind": "lesson", "text": LESSON, "learning": "convention", "importance": "high"},
    }
    (lab.work / "v.json").write_text(json.dumps([verdict]), encoding="utf-8")
    bellek.run("apply", "v.json")
    return bellek


@pytest.fixture
def server(lab: Lab, bellek: Bellek, product_python: Path) -> list[str]:
    """The words that start our server for this project."""
    return [str(product_python), "-I", bellek.program(), "mcp", "--home", str(bellek.home), "--project", str(lab.work)]


def inspected(lab: Lab, server: list[str], *words: str) -> tuple[int, str]:
    """One run of the Inspector's command line: exit status and what it printed."""
    try:
        order = [str(install.node24()), str(install.pinned("inspector", install.INSPECTOR)), "--cli", *server, *words]
    except install.NotHereError as missing:
        if os.environ.get("CI"):
            pytest.fail(f"CI must run the Inspector: {missing}")
        pytest.skip(f"the Inspector is not here: {missing}")
    done = subprocess.run(
        order, cwd=lab.work, env=lab.environment(), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.usefixtures("knowing")
def test_the_inspector_finds_our_server_conformant(lab: Lab, server: list[str]) -> None:
    """The Inspector connects, lists tools with annotations, calls one, and is told what a wrong call should be."""
    status, said = inspected(lab, server, "--method", "tools/list")
    assert status == 0, said
    tools = json.loads(said)["tools"]
    assert len(tools) <= 10
    assert all(
        tool["inputSchema"]["type"] == "object" and tool["annotations"]["destructiveHint"] is False for tool in tools
    )
    status, said = inspected(
        lab,
        server,
        "--method",
        "tools/call",
        "--tool-name",
        "recall",
        "--tool-arg",
        "question=sürümler hangi daldan çıkar",
    )
    assert status == 0, said
    assert LESSON in json.loads(said)["content"][0]["text"]
    status, said = inspected(lab, server, "--method", "tools/call", "--tool-name", "search", "--tool-arg", "limit=900")
    assert status != 0
    assert "This tool takes question" in said


@pytest.mark.usefixtures("knowing")
def test_recall_over_mcp_inside_claude_code(lab: Lab, server: list[str]) -> None:
    """Claude Code starts our server, its model calls recall, and the answer holds what this project's memory knows."""
    settings = {"mcpServers": {"bellek": {"type": "stdio", "command": server[0], "args": server[1:]}}}
    (lab.root / "mcp.json").write_text(json.dumps(settings), encoding="utf-8")
    rules = [
        Rule(
            (Tool("mcp__bellek__recall", {"question": "sürümler hangi daldan çıkar"}),),
            last_has="anımsa",
            tool_result=False,
        ),
        Rule((Text("main dalından"),), tool_result=True),
        reply("?"),
    ]
    args = ["--mcp-config", str(lab.root / "mcp.json"), "--strict-mcp-config", "--setting-sources", ""]
    result = lab.claude("anımsa", rules, args, env={"ENABLE_TOOL_SEARCH": "false"}, tools="mcp__bellek__recall")
    assert (result.rc, result.answer()) == (0, "main dalından"), result.err
    answered = next(request for request in result.requests if "tool_result" in json.dumps(request.body["messages"]))
    assert LESSON in answered.messages_text().replace("\\", "")
    assert any(tool["name"] == "mcp__bellek__recall" for tool in answered.body["tools"])
