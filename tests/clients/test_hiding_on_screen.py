"""R120 with the real client: a reply that comes in pieces shows no marker, and the transcript keeps it.

On demand: 2.1.332 and later fire MessageDisplay; they are native programs of 390 MB and are not fetched by the suite.
``BELLEK_TEST_CLAUDE`` names one, e.g. ``node_modules/@anthropic-ai/claude-code-linux-x64/claude``.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from lab.lab import Lab, Result, eventually, transcripts
from lab.product import Bellek
from lab.rules import Rule, Text
from lab.screen import Screen

pytestmark = pytest.mark.client

FIRST = (2, 1, 332)
MARKER = '<!-- learning:\n{"type": "convention", "text": "use uv, not pip"}\n-->'
CODE = "```html\n<!-- learning: an example -->\n```"
REPLY = f"Başladım.\n\n{MARKER}\n\nOrta satır.\n\n{CODE}\n\nBitti. <!-- task: write the note -->"


@pytest.fixture(scope="session")
def display_cli() -> Path:
    """A client that fires MessageDisplay."""
    named = os.environ.get("BELLEK_TEST_CLAUDE", "")
    if not named:
        pytest.skip("BELLEK_TEST_CLAUDE names no client of 2.1.332 or later (native, 390 MB; not fetched by the suite)")
    said = subprocess.run([named, "--version"], capture_output=True, text=True, check=True).stdout
    version = tuple(int(part) for part in re.findall(r"\d+", said)[:3])
    if version < FIRST:
        pytest.skip(f"{named} is {said.strip()}; MessageDisplay is measured from 2.1.332 on")
    return Path(named)


@pytest.fixture
def display_lab(tmp_path: Path, display_cli: Path) -> Lab:
    """A laboratory with that client, and a hook of somebody else's that keeps each piece."""
    lab = Lab(tmp_path, display_cli)
    pieces = tmp_path / "pieces"
    pieces.mkdir()
    record = {"type": "command", "command": f"cat > '{pieces}'/$$.json", "timeout": 5}
    lab.write_settings({"hooks": {"MessageDisplay": [{"hooks": [record]}]}})
    return lab


@pytest.fixture
def hiding(display_lab: Lab, product_python: Path) -> Bellek:
    """Our program, installed with ``--hide-markers``."""
    bellek = Bellek(display_lab, product_python)
    bellek.install("--hide-markers")
    return bellek


def chunked(piece: int, pause: float) -> Rule:
    """The reply, a few characters at a time."""
    return Rule((Text(REPLY),), last_has="hello", times=0, piece=piece, pause=pause)


def recorded(lab: Lab) -> list[dict[str, object]]:
    """The pieces that the client handed to its hooks, in order."""
    found = [json.loads(file.read_text(encoding="utf-8")) for file in (lab.root / "pieces").glob("*.json")]
    return sorted(found, key=lambda row: (row["message_id"], row["index"]))


def kept(config: Path) -> str:
    """The assistant's text in the transcripts."""
    lines = [
        json.loads(line)
        for file in transcripts(config)
        for line in file.read_text(encoding="utf-8").split("\n")
        if line
    ]
    blocks = [block for line in lines if line["type"] == "assistant" for block in line["message"]["content"]]
    return "".join(block.get("text", "") for block in blocks)


def test_print_mode_shows_no_marker_and_the_transcript_keeps_it(display_lab: Lab, hiding: Bellek) -> None:
    """R120: ``-p`` gives the reply without its markers, the example in code with it; the transcript holds all of it."""
    result: Result = display_lab.claude("hello", [chunked(7, 0.01)])
    assert result.answer() == f"Başladım.\n\n\nOrta satır.\n\n{CODE}\n\nBitti. "
    assert kept(display_lab.config) == REPLY
    assert [row["delta"] for row in recorded(display_lab)] == [REPLY], "print mode hands over the whole message at once"
    assert hiding.heard(2), "what is hidden on screen is heard all the same"


def test_the_screen_never_shows_a_marker_that_came_in_pieces(display_lab: Lab, hiding: Bellek) -> None:
    """R120: no screen from the first letter to the last holds a part of the markers that the client's pieces cut in two."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    shots: list[str] = []
    with Screen(display_lab, [chunked(6, 0.12)]) as screen:
        screen.shows("❯")
        screen.type("hello")

        def over() -> str:
            shots.append(screen.shot())
            return shots[-1] if "Bitti." in shots[-1] else ""

        eventually(over, "the end of the reply")
        eventually(lambda: "task: write" in kept(display_lab.config), "the transcript's last line")
        shots.append(screen.shot())
    parts = recorded(display_lab)
    assert "".join(str(row["delta"]) for row in parts) == REPLY
    opened = next(row for row in parts if "<!-- learning:\n" in str(row["delta"]))
    assert "-->" not in str(opened["delta"]).split("```")[0], "the client cut the marker in two"
    assert any("Başladım." in shot and "Bitti." not in shot for shot in shots), "the screen was read while it grew"
    for shot in shots:
        assert "use uv" not in shot
        assert "write the note" not in shot
        assert "<!--" not in shot.replace("<!-- learning: an example -->", "")
    assert "Orta satır." in shots[-1]
    assert "an example" in shots[-1]
    assert kept(display_lab.config) == REPLY
    assert not (hiding.home / "hook.log").exists()
    assert list((hiding.home / "display").iterdir()) == []
