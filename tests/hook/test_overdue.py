"""What nobody came for is drained by rule when a turn is over, and what may still be fetched is left."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bellek.hook
from bellek.kg import lessons, queue, registry
from bellek.schemas.queue import Sighting

HOUR_MS = 3_600_000


@pytest.mark.parametrize(("hours", "left"), [(25, 0), (23, 1)])
def test_an_item_that_waited_a_day_is_drained_by_the_child(home, tmp_path, monkeypatch, hours, left):
    """DESIGN, Hearing: in profile `work` the child drains offline only where an item has waited a day."""
    now = time.time_ns() // 1_000_000
    monkeypatch.setenv("BELLEK_CLOCK", str(now - hours * HOUR_MS))
    with home.memory.transaction():
        project = registry.register(home.memory, str(tmp_path / "proje"))
        payload = "Testleri uv ile çalıştır, çünkü kilit dosyası öyle okunuyor"
        sighting = Sighting(project, "claude-code", "s1", "learning", payload, "agent", "m1", 0, now, 0)
        assert queue.enqueue(home.memory, sighting) == "queued"
    environment = {**os.environ, "BELLEK_CLOCK": str(now), "CLAUDE_CONFIG_DIR": str(tmp_path / "none")}
    words = [sys.executable, str(Path(bellek.hook.__file__)), "Hear", "--client", "claude-code", "--home", home.path]
    done = subprocess.run(words, env=environment, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(queue.peek(home.memory, project)) == left
    assert len(lessons.listed(home.memory, project)) == 1 - left
