"""Changes → files: every client's install and uninstall goes through here.

It must never leave half of its changes behind, nor say that a file holds what another program wrote over it.
"""

from pathlib import Path

from bellek.install import files
from bellek.install.report import Change
from bellek.schemas.errors import Refused


def apply(changes: tuple[Change, ...]) -> None:
    """All of them or none: what was done before a refusal is put back."""
    done: list[Change] = []
    made: list[Path] = []
    try:
        for change in changes:
            made += files.missing_folders(change.path.parent) if change.after is not None else ()
            _put(change)
            done.append(change)
    except Refused:
        for change in reversed(done):
            _put(Change(change.path, change.after, change.before))
        for folder in reversed(made):
            files.remove_if_empty(folder)
        raise


def _put(change: Change) -> None:
    if change.after is not None:
        files.make_folders(change.path.parent)
        files.replace(change.path, change.after, expected=change.before)
    elif change.before is not None:
        files.remove(change.path, expected=change.before)
    if files.read(change.path) != change.after:
        raise Refused(
            f"{change.path} does not hold what was written",
            why="another program wrote it at the same moment",
            hint="run the command again",
        )
