"""The other clients: their own settings, written for one run, and the words that start them.

Each function runs one turn to its end. Pi talks the Messages protocol; the rest talk their own, which the model's server
takes down to the same rules (`wires.py`). It must never write outside the laboratory's folders.
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from lab import install, netns

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence
    from pathlib import Path

    from lab.lab import Lab, Result
    from lab.rules import Rule


def pi(lab: Lab, prompt: str, rules: Sequence[Rule], args: Sequence[str] = ()) -> Result:
    """One turn of Pi in print mode."""
    node, cli = install.node24(), install.pinned("pi", install.PI)
    quiet = {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"}
    model_entry = {"id": "fake-model", "reasoning": False, "contextWindow": 200_000, "maxTokens": 8_000}

    def order(model: subprocess.Popen[str], url: str) -> list[str]:
        provider = {"baseUrl": url, "api": "anthropic-messages", "apiKey": "none", "models": [model_entry]}
        _write(lab.home / ".pi/agent/models.json", {"providers": {"fake": provider}})
        return [
            *netns.joining(model.pid),
            str(node),
            str(cli),
            "-p",
            prompt,
            "--provider",
            "fake",
            "--model",
            "fake-model",
            *args,
        ]

    return lab.launch(order, rules, env=quiet).finish()


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=1), encoding="utf-8")


def copied(source: Path, to: Path) -> None:
    """A folder of packages that a client would otherwise fetch."""
    if not to.exists():
        shutil.copytree(source, to, symlinks=True)
