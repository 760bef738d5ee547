"""The other real clients with our hooks, on demand: one is told what another taught, and its own mark is heard (R62, R85).

`BELLEK_TEST_CLIENTS` names a folder in which they were installed by hand (README.md); without it each skips by name.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from lab import others
from lab.install import NotHereError
from lab.product import packets
from lab.rules import reply

if TYPE_CHECKING:
    from lab.lab import Lab
    from lab.product import Bellek

pytestmark = [pytest.mark.node, pytest.mark.client]

KNOWN = "kural: sürümler her zaman main dalından çıkar, çünkü release dalı bayatladı"
LEARNED = "testler uv run pytest ile koşulur, çünkü düz pytest kilit dosyasını görmez"
RUNS = {
    "omp": others.omp,
    "codex": others.codex,
    "gemini": others.gemini,
    "opencode": others.opencode,
    "openclaw": others.openclaw,
    "hermes": others.hermes,
}


def bind(lab: Lab, bellek: Bellek, client: str) -> None:
    """By our installer; Hermes by the two commands that docs/clients.md names."""
    if client != "hermes":
        bellek.run("install", client)
        return
    start = f"{bellek.command()} hook %s --client hermes --home '{bellek.home}'"
    path = lab.home / ".hermes/hooks.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({event: start % event for event in ("pre_llm_call", "post_llm_call")}), encoding="utf-8")


@pytest.mark.parametrize("client", RUNS)
def test_a_client_is_told_and_heard(lab: Lab, bellek: Bellek, client: str) -> None:
    """Bound by our installer, the client's first request holds the packet, and the mark in its reply is queued once."""
    verdict = {
        "verdict": "write",
        "memory": {"kind": "lesson", "text": KNOWN, "learning": "convention", "importance": "high"},
    }
    (lab.work / "v.json").write_text(json.dumps([verdict]), encoding="utf-8")
    bellek.run("apply", "v.json")
    bind(lab, bellek, client)
    try:
        result = RUNS[client](
            lab, "testleri nasıl koşarız", [reply(f"Şöyle.\n\n<!-- learning: {LEARNED} -->", "nasıl koşarız")]
        )
    except NotHereError as missing:
        pytest.skip(str(missing))
    assert result.rc == 0, result.err + result.out
    asked = [request for request in result.requests if "nasıl koşarız" in request.messages_text()]
    told = [text for request in asked for text in (request.messages_text(), *packets(request))]
    assert any(KNOWN in text for text in told), [request.messages_text()[:3000] for request in asked]
    assert bellek.heard(1) == [LEARNED]
    said = json.loads(bellek.run("conversations", "search", "testleri nasıl koşarız", "--json"))
    assert any("testleri nasıl koşarız" in hit["text"] for hit in said)
