"""What the curator's tests share: a small world of typed memory (`typed_world`)."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from typed_world import World


@pytest.fixture
def world(home):
    """A home with one project, in which things are said, heard and answered."""
    return World(home)
