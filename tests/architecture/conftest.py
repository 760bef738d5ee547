"""What the tests of the house share: the reader of the source tree beside this file."""

import sys
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).resolve().parent)
)  # so that `tree` can be imported, as clients/ does with its lab
