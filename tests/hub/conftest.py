"""What the tests of the hub stand on."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

ROUNDS = int(os.environ.get("BELLEK_TEST_HUB_ROUNDS", "16"))


def pytest_addoption(parser):
    """The suite in full: `pytest tests/hub --hub-rounds 1000`; to a run of the whole suite the environment variable says the same."""
    parser.getgroup("hub").addoption(
        "--hub-rounds", type=int, default=ROUNDS, help="rounds of random partitions (BELLEK_TEST_HUB_ROUNDS)"
    )


@pytest.fixture
def hub_rounds(request):
    """How many rounds of random partitions."""
    return request.config.getoption("hub_rounds", ROUNDS)
