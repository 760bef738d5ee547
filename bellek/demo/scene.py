"""What a demonstration is shown over: the recorded sessions that come with the package, or a person's own, read-only.

It must never write outside the folder it is given, and never promise more than it can read within a few seconds.
"""

import os
import time
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path

from bellek.clients.claude_ears import ClaudeEars
from bellek.curator.transcripts import Line
from bellek.schemas.conversation import Event, TranscriptFile, Unreadable

MOST_FILES = 40  # newest transcripts of a person's own; a look, not an import
MOST_BYTES = 32 << 20  # of all of them: some seconds of hearing
MOST_SECONDS = 6.0  # no further transcript is begun after that

Progress = Callable[[int, int], None]  # transcripts begun so far, and how many there are to hear


class NewestEars:
    """Claude Code's ears for a bounded look: newest transcripts first, as many as the limits allow, counted aloud.

    ``found`` is how many transcripts there are in all.
    """

    __slots__ = ("_ears", "_progress", "found", "name")

    def __init__(self, config: str, progress: Progress) -> None:
        self._ears = ClaudeEars(config)
        self._progress = progress
        self.name = self._ears.name
        self.found = len(self._all([]))

    def transcripts(self, only: list[str]) -> Iterator[TranscriptFile | Unreadable]:
        """The chosen transcripts; what cannot be read is passed over, a demonstration is no inventory."""
        chosen = newest(self._all(only))
        end = time.monotonic() + MOST_SECONDS
        for begun, file in enumerate(chosen, start=1):
            if time.monotonic() > end:
                return
            self._progress(begun, len(chosen))
            yield file

    def _all(self, only: list[str]) -> list[TranscriptFile]:
        return [file for file in self._ears.transcripts(only) if isinstance(file, TranscriptFile)]

    def events(self, file: TranscriptFile, line: Line) -> tuple[Event, ...]:
        """What one complete line says."""
        return self._ears.events(file, line)


def newest(
    files: list[TranscriptFile], *, most_files: int = MOST_FILES, most_bytes: int = MOST_BYTES
) -> list[TranscriptFile]:
    """The newest files whose sizes come to at most `most_bytes` together; one that does not fit is passed over.

    Where none fits, the newest alone: a single long session is still worth a look.
    """
    ordered = sorted(files, key=lambda f: (-f.changed_ns, f.path))
    chosen: list[TranscriptFile] = []
    room = most_bytes
    for file in ordered:
        if len(chosen) < most_files and file.size <= room:
            chosen.append(file)
            room -= file.size
    return chosen or ordered[:1]


def lay_out_recorded(config: Path) -> None:
    """Put the package's recorded sessions under `config`, where Claude Code would have written them."""
    folder = config / "projects" / "-demo-bookshop"
    folder.mkdir(parents=True)
    for file in resources.files("bellek").joinpath("data", "demo").iterdir():
        if file.name.endswith(".jsonl"):
            (folder / file.name).write_bytes(file.read_bytes())


def hook_environment() -> dict[str, str]:
    """The environment for the hook: without the mark that keeps clients started by bellek from starting it again."""
    return {name: value for name, value in os.environ.items() if name != "BELLEK_NESTED"}
