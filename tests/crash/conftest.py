"""What the crash tests share: the number of rounds, the size of large files, and a world with a client's folders."""

import os
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from road import World

ROUNDS = int(os.environ.get("BELLEK_TEST_ROUNDS", "12"))
MEGABYTES = int(os.environ.get("BELLEK_TEST_MEGABYTES", "60"))
TRANSCRIPTS = int(os.environ.get("BELLEK_TEST_TRANSCRIPTS", "1000"))
SEED = int(os.environ.get("BELLEK_TEST_SEED", "0"))


def pytest_addoption(parser):
    """Options of this folder; given to a run of the whole suite, the environment variables say the same."""
    group = parser.getgroup("crash")
    group.addoption("--rounds", type=int, default=ROUNDS, help="kill -9 so many rounds (BELLEK_TEST_ROUNDS)")
    group.addoption("--megabytes", type=int, default=MEGABYTES, help="size of the large file (BELLEK_TEST_MEGABYTES)")
    group.addoption("--transcripts", type=int, default=TRANSCRIPTS, help="files of a sweep (BELLEK_TEST_TRANSCRIPTS)")
    group.addoption("--seed", type=int, default=SEED, help="repeat the run with this seed (BELLEK_TEST_SEED)")


@pytest.fixture
def rounds(request):
    """How many rounds of kill -9."""
    return request.config.getoption("--rounds", default=ROUNDS)


@pytest.fixture
def megabytes(request):
    """The size of the large transcript."""
    return request.config.getoption("--megabytes", default=MEGABYTES)


@pytest.fixture
def transcripts(request):
    """How many transcripts a sweep finds."""
    return request.config.getoption("--transcripts", default=TRANSCRIPTS)


@pytest.fixture
def dice(request):
    """Random numbers whose seed is printed, so that a failed run can be repeated."""
    seed = request.config.getoption("--seed", default=SEED) or random.randrange(1, 1 << 32)
    print(f"seed {seed}")
    return random.Random(seed)


@pytest.fixture
def world(tmp_path):
    """A data home, a client's folder, a project; the store is checked when the test is over."""
    made = World(tmp_path)
    yield made
    made.check()
