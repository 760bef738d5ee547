"""What the README pages say can be done, is done here."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from pages import READMES, ROOT, blocks, text_of

import bellek

PROGRAM = str(Path(bellek.__file__).parents[1])
RECORDED = Path(bellek.__file__).parent / "data" / "demo"
SECONDS = 120.0  # a hang, not a speed


@pytest.fixture
def shell(tmp_path: Path):
    """A person's shell: `bellek` on PATH, a Claude Code folder with the recorded sessions of the project they stand in."""
    project = tmp_path / "bookshop"
    sessions = tmp_path / "user" / ".claude" / "projects" / "-bookshop"
    for folder in (project, sessions, tmp_path / "bin"):
        folder.mkdir(parents=True)
    for file in RECORDED.glob("*.jsonl"):
        (sessions / file.name).write_bytes(file.read_bytes().replace(b'"/demo/bookshop"', f'"{project}"'.encode()))
    command = tmp_path / "bin" / "bellek"
    start = f"PYTHONPATH={shlex.quote(PROGRAM)} exec {shlex.quote(sys.executable)} -m bellek"
    command.write_text(f'#!/bin/sh\n{start} "$@"\n', encoding="utf-8")
    command.chmod(0o755)

    def run(script: str) -> str:
        done = subprocess.run(
            ["sh", "-e"],
            input=script,
            cwd=project,
            env={**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout

    return run


@pytest.mark.parametrize("page", READMES)
def test_every_block_is_run_or_says_why_not(page):
    """Each block of shell carries a mark: run, or not and why."""
    found = blocks(page)
    assert [script for mark, script in found if not mark] == []
    assert sum(mark == "run" for mark, _ in found) >= 2


@pytest.mark.parametrize("page", READMES)
def test_the_marked_blocks_work_in_order(page, shell):
    """Pasted one after the other into a fresh account, the blocks end well and show what the sessions taught."""
    said = "".join(shell(script) for mark, script in blocks(page) if mark == "run")
    assert "claude-code: bound" in said
    assert "OK    hooks bound in" in said
    assert "2 transcripts read, 14 messages stored, 5 learnings queued" in said
    assert "5 acknowledged (4 event, 4 lesson, 1 task)" in said
    assert "Kupon kodlarını asla lower() ile karşılaştırma" in said
    assert "<bellek-memory id=" in said
    assert ">> 2026-11-2" in said


@pytest.mark.parametrize("page", READMES)
def test_the_two_commands_exist(page):
    """The scripts that the first screen names are there and can be started."""
    for script in ("scripts/demo", "scripts/test"):
        assert f"./{script}" in text_of(page)
        assert os.access(ROOT / script, os.X_OK)


def test_both_readmes_run_the_same_verbs():
    """The Turkish page shows the same commands as the English one, whatever words are looked for."""
    verbs = [[line.split()[:2] for _, s in blocks(page) for line in s.splitlines() if line] for page in READMES]
    assert verbs[0] == verbs[1]


@pytest.mark.parametrize("page", READMES)
def test_the_road_names_seven_files_in_order(page):
    """The road of one learning is the same seven files in both languages, from the hook to the packet."""
    road = ["bellek/hook.py", "curator/capture.py", "kg/queue.py", "curator/drain.py", "kg/lessons.py"]
    road += ["context/sections.py", "context/packet.py"]
    rows = [line.split("]")[0].removeprefix("| [") for line in text_of(page).splitlines() if line.startswith("| [")]
    assert rows == road
