"""Claude Code's ears: which transcripts there are, and what their lines say. Used by hearing, never by the prompt hook."""

import os
from collections.abc import Iterator
from functools import lru_cache

from bellek.clients import claude_files
from bellek.clients.claude_transcript import LineRules, read_line
from bellek.curator.transcripts import Line
from bellek.schemas import fence
from bellek.schemas.conversation import Event, TranscriptFile, Unreadable


class ClaudeEars:
    """`config` is Claude Code's configuration folder, whose ``projects/`` holds the transcripts."""

    name = "claude-code"

    def __init__(self, config: str) -> None:
        self.config = config

    def transcripts(self, only: list[str]) -> Iterator[TranscriptFile | Unreadable]:
        """All transcripts, or the given ones with their subagents'; a given path may lie anywhere."""
        if not only:
            yield from claude_files.transcripts(self.config)
        for path in only:
            yield from claude_files.of_session(os.path.abspath(path))  # noqa: PTH100  links stay, `./` and `..` go

    def events(self, file: TranscriptFile, line: Line) -> tuple[Event, ...]:
        """What one complete line says."""
        return read_line(line.raw, number=line.number, offset=line.offset, rules=_rules(file.session, file.agent))


@lru_cache(maxsize=1)
def _rules(session: str, agent: str | None) -> LineRules:
    """The rules of one file: its lines come one after the other."""
    return LineRules(fence.find, fence.strip, session, agent)


def config_folder() -> str:
    """``CLAUDE_CONFIG_DIR``, else ``~/.claude``."""
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")  # noqa: PTH111, PTH118
