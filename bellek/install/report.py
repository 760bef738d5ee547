"""What an install or uninstall changed, or would change: values that a command renders.

It must never show a file that is not named in ``changes``.
"""

import difflib
from dataclasses import dataclass
from pathlib import Path

_CONTEXT = 1  # lines: a settings file may hold keys, so no more of it is shown than says where


@dataclass(frozen=True, slots=True)
class Change:
    """One file of the client's: its bytes before and after, None where there is no file."""

    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def act(self) -> str:
        """``create``, ``edit`` or ``remove``."""
        if self.before is None:
            return "create"
        return "remove" if self.after is None else "edit"


@dataclass(frozen=True, slots=True)
class Report:
    """``added`` and ``removed`` are the events whose hooks came and went (a hook that another interpreter had is in
    both); ``notes`` are sentences on what was left alone; ``backup`` is the copy of the settings as they were, None where
    none was needed. On a dry run all of it is what would be, and nothing was written.
    """

    dry_run: bool
    changes: tuple[Change, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    notes: tuple[str, ...]
    backup: Path | None

    @property
    def changed(self) -> bool:
        """Whether a file of the client's differs."""
        return bool(self.changes)

    @property
    def diff(self) -> str:
        """All changes as one unified diff; empty where nothing changes."""
        return "".join(_diff(change) for change in self.changes)


def _diff(change: Change) -> str:
    old = "/dev/null" if change.before is None else str(change.path)
    new = "/dev/null" if change.after is None else str(change.path)
    lines = difflib.unified_diff(_lines(change.before), _lines(change.after), old, new, n=_CONTEXT)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes | None) -> list[str]:
    """Cut at line feeds only: ``splitlines`` would also cut inside a JSON string that holds U+2028."""
    text = (data or b"").decode(errors="replace")
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
