"""The plugin and its marketplace: what they hold, that the real client takes them, and one answer where settings bind us too."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lab.install import REPOSITORY, node
from lab.product import packets
from lab.rules import reply

import bellek as package

if TYPE_CHECKING:
    from lab.lab import Lab
    from lab.product import Bellek

PLUGIN = REPOSITORY / "plugin"
LESSON = "kural: sürümler her zaman main dalından çıkar, çünkü release dalı bayatladı"
LEARNED = "testler uv run pytest ile koşulur, çünkü düz pytest kilit dosyasını görmez"


def read(*parts: str) -> dict[str, object]:
    """One of the plugin's JSON files."""
    found: dict[str, object] = json.loads(REPOSITORY.joinpath(*parts).read_text(encoding="utf-8"))
    return found


def test_versions_are_the_packages() -> None:
    """Plugin and marketplace say the version that the package has."""
    (entry,) = read(".claude-plugin", "marketplace.json")["plugins"]
    assert {read("plugin", ".claude-plugin", "plugin.json")["version"], entry["version"]} == {package.__version__}
    assert (REPOSITORY / entry["source"]).samefile(PLUGIN)


def test_every_hook_fails_open() -> None:
    """Each hook of the plugin calls the command by its name and ends with status 0, whatever becomes of it (R57)."""
    hooks = read("plugin", "hooks", "hooks.json")["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"}
    for event, groups in hooks.items():
        ((hook,),) = [group["hooks"] for group in groups]
        assert hook["command"] == f"bellek hook {event} --client claude-code || true"


@pytest.mark.node
@pytest.mark.client
def test_the_real_client_takes_the_plugin_and_is_answered_once(
    lab: Lab, bellek: Bellek, claude_cli: Path, product_python: Path
) -> None:
    """It validates, is installed from its marketplace; with plugin and settings bound a prompt gets one packet; with the plugin alone it gets it too, and is heard."""

    def plugin(*words: str) -> None:
        done = subprocess.run([node(), str(claude_cli), "plugin", *words], env=lab.environment(), capture_output=True, text=True, timeout=120, check=False)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    plugin("validate", str(PLUGIN))
    plugin("validate", str(REPOSITORY))
    plugin("marketplace", "add", str(REPOSITORY))
    plugin("install", "bellek@bellek")
    verdict = {
        "verdict": "write",
        "memory": {"kind": "lesson", "text": LESSON, "learning": "convention", "importance": "high"},
    }
    (lab.work / "v.json").write_text(json.dumps([verdict]), encoding="utf-8")
    bellek.run("apply", "v.json")
    command = lab.root / "bin" / "bellek"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{product_python}" -I "{bellek.program()}" "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    env = {"PATH": f"{command.parent}:{lab.environment()['PATH']}", "BELLEK_HOME": str(bellek.home)}
    both = lab.claude("dal hangisi", [reply("main", "hangisi")], env=env)
    told = [packet for request in both.requests if "hangisi" in request.messages_text() for packet in packets(request)]
    assert sum(LESSON in packet for packet in told) == 1, told
    found = json.loads(bellek.run("doctor", "--json"))
    assert [row["state"] for row in found if row["id"] == "plugin"] == ["WARN"], "doctor says that both are bound"
    bellek.run("uninstall", "claude-code")
    alone = lab.claude("testler nasıl", [reply(f"Şöyle.\n\n<!-- learning: {LEARNED} -->", "nasıl")], env=env)
    assert alone.rc == 0, alone.err
    told = [packet for request in alone.requests if "nasıl" in request.messages_text() for packet in packets(request)]
    assert sum(LESSON in packet for packet in told) == 1, told
    assert bellek.heard(1) == [LEARNED]
