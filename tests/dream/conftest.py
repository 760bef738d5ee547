"""What the tests of dreaming share: a person at work in one project, and in another."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from dreaming import Person


@pytest.fixture
def person(home, tmp_path):
    """A person at work in one project."""
    return Person(home, tmp_path / "proje", tmp_path / "client")


@pytest.fixture
def stranger(home, tmp_path):
    """The same person in another project."""
    return Person(home, tmp_path / "öbür", tmp_path / "client")
