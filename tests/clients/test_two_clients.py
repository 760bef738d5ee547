"""Two real clients in one repository: one decides, the other acknowledges, and each is told what the other taught.

Our database is asked only through our own command line; the scripted model proves the plumbing.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from lab import others
from lab.install import NotHereError
from lab.product import packets
from lab.rules import Rule, Text, Tool, reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.lab import Lab, Result
    from lab.product import Bellek

pytestmark = [pytest.mark.node, pytest.mark.client]

LESSON = "kural: sürümler her zaman main dalından çıkar, çünkü release dalı bayatladı"
MARK = f"Tamam.\n\n<!-- learning: {LESSON} -->"


@pytest.fixture
def pi(lab: Lab, bellek: Bellek) -> Callable[..., Result]:
    """Pi with our extension, laid down by our own installer, beside Claude Code in the same work folder."""
    bellek.run("install", "pi")
    try:
        return lambda *given: others.pi(lab, *given)
    except NotHereError as missing:
        if os.environ.get("CI"):
            pytest.fail(f"CI must run the real client: {missing}")
        pytest.skip(f"the real client is not here: {missing}")


def asked(result: Result, prompt: str) -> str:
    """The packets of the last request that holds a prompt, as one text."""
    return "\n".join(packets([request for request in result.requests if prompt in request.messages_text()][-1]))


def test_two_agents_decide_acknowledge_and_teach_each_other(
    lab: Lab, bellek: Bellek, pi: Callable[..., Result]
) -> None:
    """Claude Code decides; Pi's next packet shows it until Pi acknowledges it openly; what Pi marks there, both are told (R62, R73, R75, R76)."""
    decide = f"{bellek.command()} decide 'main dalı tek sürüm dalıdır' --reason 'release dalı bayatladı' --home '{bellek.home}'"
    rules = [
        Rule((Tool("Bash", {"command": decide, "description": "decide"}),), last_has="karar ver"),
        Rule((Text("kararlaştı"),), tool_result=True),
    ]
    decided = lab.claude("karar ver", rules)
    assert (decided.rc, decided.answer()) == (0, "kararlaştı"), decided.err
    (decision,) = [row for row in bellek.rows("log", "read") if row["type"] == "decision"]
    assert (decision["agent"], decision["text"]) == ("claude-code", "main dalı tek sürüm dalıdır")

    acknowledging = Rule(
        (Text(f"Gördüm. <!-- ack: «entry» -->\n\n{MARK}"),),
        last_has="nereden sürüm",
        copies={"entry": r"\[(g_[0-9a-z]+)\] main dalı"},
    )
    first = pi("nereden sürüm çıkaralım", [acknowledging])
    assert first.rc == 0, first.err
    told = asked(first, "nereden sürüm")
    assert "main dalı tek sürüm dalıdır; because: release dalı bayatladı" in told
    assert f"not acknowledged by you in the shared log: {decision['id']}" in told
    assert bellek.heard(1) == [LESSON]
    acknowledged = [row for row in bellek.rows("log", "read") if row["type"] == "ack"]
    assert [(row["agent"], row["about"]) for row in acknowledged] == [("pi", decision["id"])]
    bellek.drain()

    again = pi("sürüm dalı hangisi", [reply("main", "hangisi")])
    assert again.rc == 0, again.err
    told = asked(again, "hangisi")
    assert LESSON in told
    assert "main dalı tek sürüm dalıdır" not in told
    other = lab.claude("sürüm dalı hangisi", [reply("main", "hangisi")])
    assert LESSON in asked(other, "hangisi")
    bellek.run("tick", "--client", "pi")
    assert bellek.pending() == [], "a packet in Pi's session was taken for a new learning"
    said = json.loads(bellek.run("conversations", "search", "nereden sürüm", "--json"))
    assert {"nereden sürüm çıkaralım"} <= {hit["text"] for hit in said}
    assert "0 faults" in bellek.run("log", "verify")
