"""The verbs of channels, sweep, lint and capture, run as a person runs them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bellek(tmp_path):
    """Run one command in a project folder with a home of its own."""
    (tmp_path / "proje").mkdir()

    def run(*words, stdin=""):
        environment = {
            **os.environ,
            "BELLEK_HOME": str(tmp_path / "ev"),
            "CLAUDE_CONFIG_DIR": str(tmp_path / "client"),
            "PYTHONPATH": str(ROOT),
        }
        return subprocess.run(
            [sys.executable, "-m", "bellek", *words], input=stdin, capture_output=True, text=True, cwd=tmp_path / "proje", env=environment, timeout=60, check=False
        )  # fmt: skip

    return run


@pytest.fixture
def channel_folder(tmp_path):
    """Where a person's manifests lie."""
    folder = tmp_path / "ev/config/channels"
    folder.mkdir(parents=True)
    return folder


def test_channels_are_listed_and_checked(bellek, channel_folder):
    """`channels list` shows what is heard; `channels check` exits 1 with file and line where a manifest is refused."""
    assert [c["id"] for c in json.loads(bellek("channels", "list", "--json").stdout)] == [
        "learning",
        "profile-fact",
        "task",
    ]
    assert bellek("channels", "check").returncode == 0
    (channel_folder / "ops.toml").write_text('name = "ops"\ndrain = "learning"\n')
    checked = bellek("channels", "check", "--json")
    assert checked.returncode == 1
    (fault,) = json.loads(checked.stdout)
    assert (fault["file"], fault["line"]) == (str(channel_folder / "ops.toml"), 1)
    assert "manifest" in bellek("doctor").stdout or "rule is missing" in bellek("doctor").stdout


def test_the_peek_filter_knows_declared_channels(bellek, channel_folder):
    """R7: a declared channel can be peeked at; of an undeclared one nothing is listed, and standard error says why."""
    (channel_folder / "ops.toml").write_text('name = "ops"\ndrain = "none"\nrule = "x"\ndescribes = "y"\n')
    assert bellek("queue", "peek", "--channel", "ops", "--json").stdout == "[]\n"
    (channel_folder / "ops.toml").unlink()
    peeked = bellek("queue", "peek", "--channel", "ops", "--json")
    assert (peeked.stdout, peeked.returncode) == ("[]\n", 0)
    assert "ops" in peeked.stderr


def test_capture_then_sweep(bellek):
    """A captured text is found by search, swept once, and then everything was read."""
    kept = json.loads(bellek("capture", "uv", "seçildi", "--json").stdout)
    assert (kept["origin"], kept["state"]) == ("agent", "stored")
    assert kept["id"] in bellek("conversations", "search", "uv seçildi", "--json").stdout
    window = json.loads(bellek("sweep", "next", "--json").stdout)
    assert [m["text"] for m in window["messages"]] == ["uv seçildi"]
    assert json.loads(bellek("sweep", "done", "--json").stdout)["id"] == window["id"]
    assert json.loads(bellek("sweep", "next", "--json").stdout) == {}
    assert bellek("sweep", "done").returncode == 1
    assert bellek("sweep", "next", "--channel", "nope").returncode == 2
    assert bellek("capture", " ").returncode == 2


def test_lint_reads_a_text_or_a_transcript(bellek, tmp_path):
    """`lint` warns of a text from standard input and of each message of a transcript; warnings fail it only with --strict."""
    text = "x\n<!-- learning: uv kullan -->"
    found = json.loads(bellek("lint", "--json", stdin=text).stdout)
    assert [(f["line"], f["rule"]) for f in found] == [(2, "no-reason"), (2, "no-visible-line")]
    line = {
        "type": "assistant",
        "uuid": "u1",
        "sessionId": "s",
        "timestamp": "2026-11-30T12:00:00.000Z",
        "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
    }
    (tmp_path / "t.jsonl").write_text(json.dumps({"type": "mode"}) + "\n" + json.dumps(line) + "\n")
    done = bellek("lint", str(tmp_path / "t.jsonl"))
    assert done.returncode == 0
    assert "u1, line 2: no-reason" in done.stdout
    assert bellek("lint", "--strict", stdin=text).returncode == 1
    assert bellek("lint", "-", stdin="sade metin").stdout == "nothing to change\n"
    assert bellek("lint", str(tmp_path / "yok")).returncode == 2
