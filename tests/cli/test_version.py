"""What the program calls itself."""

import subprocess
import sys
from pathlib import Path

import bellek

PROGRAM = str(Path(bellek.__file__).parents[1])


def test_the_version_is_told():
    """`bellek --version` prints the one version literal and ends well, without a verb and without making a home."""
    told = subprocess.run(
        [sys.executable, "-m", "bellek", "--version"],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": PROGRAM},
    )
    assert told.stdout == f"bellek {bellek.__version__}\n"
