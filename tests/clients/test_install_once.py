"""The installer of the client, with stand-ins for Node.js and npm: one installation, whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from lab.install import CLI, HERE, NotHereError, claude_cli, lock_digest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ASK = "from lab.install import claude_cli; print(claude_cli())"
NPM_THAT_WORKS = f'echo "$@" >> "$BELLEK_TEST_NPM/calls"\nmkdir -p {CLI.parent}\n: > {CLI}\n'
NPM_THAT_FAILS = f"mkdir -p {CLI.parent}\n: > {CLI}\necho no such host >&2\nexit 1\n"


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Put a `node` and an `npm` with this script on PATH, and give the empty cache folder."""
    cache, path = tmp_path / "cache", tmp_path / "bin"
    cache.mkdir()
    path.mkdir()
    monkeypatch.setenv("BELLEK_TEST_NPM", str(cache))
    monkeypatch.setenv("PATH", f"{path}{os.pathsep}{os.environ['PATH']}")

    def put(npm: str) -> Path:
        for name, script in (("node", ""), ("npm", npm)):
            (path / name).write_text(f"#!/bin/sh\n{script}", encoding="utf-8")
            (path / name).chmod(0o755)
        return cache

    return put


def test_workers_install_once(tools: Callable[[str], Path]) -> None:
    """Four workers that ask at the same time get the same file from one `npm ci`, which runs no install script."""
    cache = tools(NPM_THAT_WORKS)
    order = [sys.executable, "-c", ASK]
    workers = [subprocess.Popen(order, cwd=HERE.parent, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    answers = {worker.communicate()[0].strip() for worker in workers}
    assert answers == {str(cache / f"claude-code-{lock_digest()}" / CLI)}
    (call,) = (cache / "calls").read_text(encoding="utf-8").splitlines()
    assert call.startswith("ci ")
    assert "--ignore-scripts" in call


def test_a_failed_install_leaves_nothing(tools: Callable[[str], Path]) -> None:
    """Where npm fails half way, the reason is told and no folder stands under the final name or beside it."""
    cache = tools(NPM_THAT_FAILS)
    with pytest.raises(NotHereError, match="no such host"):
        claude_cli()
    assert [path for path in cache.iterdir() if path.is_dir()] == []


def test_a_machine_without_node_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without Node.js the reason names it, and nothing is fetched."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotHereError, match=r"Node\.js is not installed"):
        claude_cli()
