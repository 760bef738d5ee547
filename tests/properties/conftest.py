"""The laws use the curator's small world of typed memory."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "curator"))
