"""The files of ours that lie in a client's config folder: the skill, and the agents that a session may start.

Each ships as a template in which the command for this machine is written. It must never need an interpreter to tell
whether a file is ours: a file that was not edited is known by the receipt, or by its form without one.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bellek.install import files
from bellek.install.report import Change
from bellek.install.target import agent_path, skill_path

CURATOR = "memory-curator"  # writes what waits: the signal names it
QUICK = "memory-quick"  # looks something up; reads only
AGENTS = (CURATOR, QUICK)
COMMAND = "{{bellek}}"  # in a template: the command that runs bellek here, from any folder, without PATH


@dataclass(frozen=True, slots=True)
class Laid:
    """One file: where it lies, and its template as it ships."""

    path: Path
    template: str

    def rendered(self, command: str) -> bytes:
        """The file as it is written for a machine on which ``command`` runs bellek."""
        return self.template.replace(COMMAND, command).encode()

    def is_unedited(self, there: bytes, digest: str) -> bool:
        """Whether ``there`` is what we wrote: by the receipt's ``digest``, or as this template with any one command."""
        if files.digest(there) == digest:
            return True
        first, *others = map(re.escape, self.template.split(COMMAND))
        form = first + "".join(
            (r"(?P<command>[^\n]+?)" if n == 0 else r"(?P=command)") + part for n, part in enumerate(others)
        )
        return re.fullmatch(form, there.decode(errors="replace")) is not None


def laid_files(config_dir: Path) -> tuple[Laid, ...]:
    """All files that an install lays down, in the order in which they are written."""
    skill = Laid(skill_path(config_dir), (Path(__file__).parent / "skill.md").read_text(encoding="utf-8"))
    return (skill, *(Laid(agent_path(config_dir, name), shipped(name)) for name in AGENTS))


def shipped(name: str) -> str:
    """An agent's file as it ships, in Claude Code's form."""
    return (Path(__file__).parent / "agents" / f"{name}.md").read_text(encoding="utf-8")


def laying(
    all_files: Iterable[Laid], command: str, sums: Mapping[str, str]
) -> tuple[list[Change], list[str], dict[str, str]]:
    """What an install changes, what it tells, and the sums for its receipt. ``sums`` are the last receipt's, by path."""
    changes, notes, new = [], [], {}
    for laid in all_files:
        there, ships, written = files.read(laid.path), laid.rendered(command), sums.get(str(laid.path), "")
        if there is None or laid.is_unedited(there, written):
            changes.append(Change(laid.path, there, ships))
            new[str(laid.path)] = files.digest(ships)
            continue
        notes.append(f"{laid.path} was edited by hand and was kept; bellek's own text was not written")
        if written:
            new[str(laid.path)] = written
    return changes, notes, new


def lifting(all_files: Iterable[Laid], sums: Mapping[str, str]) -> tuple[list[Change], list[str]]:
    """What an uninstall removes, and what it tells about files that it leaves."""
    changes, notes = [], []
    for laid in all_files:
        there = files.read(laid.path)
        if there is None:
            continue
        if laid.is_unedited(there, sums.get(str(laid.path), "")):
            changes.append(Change(laid.path, there, None))
        else:
            notes.append(f"{laid.path} was edited by hand and was kept")
    return changes, notes
