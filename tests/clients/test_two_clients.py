"""Two real clients in one repository: what Pi taught, Claude Code is told, and the other way round (R62).

Our database is asked only through our own command line; the scripted model proves the plumbing.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from lab import others
from lab.install import NotHereError
from lab.lab import eventually
from lab.product import packets
from lab.rules import reply

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


def test_what_pi_taught_claude_code_is_told(lab: Lab, bellek: Bellek, pi: Callable[..., Result]) -> None:
    """A mark in Pi's reply → agent_end → queue → lesson → the packet of Pi's next session and of Claude Code's."""
    first = pi("nereden sürüm çıkaralım", [reply(MARK, "nereden sürüm")])
    assert first.rc == 0, first.err
    assert bellek.heard(1) == [LESSON]
    bellek.drain()
    again = pi("sürüm dalı hangisi", [reply("main", "hangisi")])
    assert again.rc == 0, again.err
    asked = [request for request in again.requests if "hangisi" in request.messages_text()][-1]
    assert any(LESSON in packet for packet in packets(asked))
    other = lab.claude("sürüm dalı hangisi", [reply("main", "hangisi")])
    asked = [request for request in other.requests if "hangisi" in request.messages_text()][-1]
    assert any(LESSON in packet for packet in packets(asked))
    bellek.run("tick", "--client", "pi")
    assert bellek.pending() == [], "a packet in Pi's session was taken for a new learning"
    said = json.loads(bellek.run("conversations", "search", "nereden sürüm", "--json"))
    assert {"nereden sürüm çıkaralım"} <= {hit["text"] for hit in said}
    receipts = eventually(
        lambda: [
            row for row in bellek.rows("why", bellek.rows("lessons", "list")[0]["id"]) if row["state"] != "offered"
        ],
        "a packet that was read back",
    )
    assert receipts
