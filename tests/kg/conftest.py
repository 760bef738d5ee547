"""What the store's tests share: values made with as few words as possible, and processes of their own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(
    0, str(Path(__file__).resolve().parent)
)  # so that `made` can be imported, as clients/ does with its lab


@pytest.fixture
def start() -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Start Python code in a process of its own, with lines over its standard streams; whatever still runs is killed."""
    running: list[subprocess.Popen[str]] = []

    def begin(code: str, *words: str, **more: str) -> "subprocess.Popen[str]":
        pipe = subprocess.PIPE
        environment = {**os.environ, **more}
        command = [sys.executable, "-c", code, *words]
        running.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment))
        return running[-1]

    yield begin
    for process in running:
        process.kill()
        process.communicate()
