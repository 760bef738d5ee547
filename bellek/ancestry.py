"""Who started this process: its ancestors as the system tells of them, and the terminal they sit at.

Reads only. It must never guess: what cannot be read is `Unknown`, and the gate takes that for a no. Nothing of it is
looked up by PATH or by a variable, since whoever asks for a person's act chooses both.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

MOST = 128  # ancestors; a longer chain is no person's shell
PS = "/bin/ps"
PS_SECONDS = 10.0


class Unknown(Exception):
    """The ancestors cannot be told; the message says why."""


@dataclass(frozen=True, slots=True)
class Process:
    """One process: `names` are its own name and its program's path, `words` its command line, `variables` the names in
    the environment it was started with (empty where they may not be read), `terminal` whether it has a controlling one.
    """

    pid: int
    names: tuple[str, ...]
    words: tuple[str, ...]
    variables: frozenset[str]
    terminal: bool


def lineage(pid: int) -> list[Process]:
    """A process and its ancestors, itself first. Raises Unknown."""
    return _by_proc(pid) if sys.platform == "linux" else _by_ps(pid)


def _by_proc(pid: int) -> list[Process]:
    found: list[Process] = []
    while pid > 0:
        if len(found) >= MOST:
            raise Unknown("the chain of processes does not end")
        place = Path("/proc", str(pid))
        try:
            stat = (place / "stat").read_bytes().decode(errors="replace")
            words = (place / "cmdline").read_bytes()
        except OSError as exc:
            raise Unknown(f"process {pid} cannot be looked at ({exc.strerror})") from exc
        name, _, rest = stat.partition("(")[2].rpartition(")")
        _, parent, _, _, terminal, *_ = rest.split()
        found.append(Process(pid, (name, *_program(place)), _split(words), _variables(place), terminal != "0"))
        pid = int(parent)
    return found


def _program(place: Path) -> tuple[str, ...]:
    """Another user's program is not shown; its name and command line are."""
    try:
        return (os.readlink(place / "exe").removesuffix(" (deleted)"),)  # noqa: PTH115  a link into another namespace
    except OSError:
        return ()


def _variables(place: Path) -> frozenset[str]:
    try:
        raw = (place / "environ").read_bytes()
    except OSError:
        return frozenset()
    return frozenset(word.partition("=")[0] for word in _split(raw))


def _split(raw: bytes) -> tuple[str, ...]:
    """A process that renamed itself has one text with blanks; the name is what stands before them."""
    words = tuple(raw.decode(errors="replace").rstrip("\0").split("\0"))
    return tuple(words[0].split()) if len(words) == 1 else words


def _by_ps(pid: int) -> list[Process]:
    """Systems without /proc (macOS): the whole table from ``ps``, which lies where the system put it."""
    table = {int(row[0]): (int(row[1]), row[2], row[3]) for row in _ps("pid=,ppid=,tty=,comm=", 4)}
    return chain(pid, table, {int(row[0]): tuple(row[1].split()) for row in _ps("pid=,command=", 2)})


def _ps(columns: str, count: int) -> list[list[str]]:
    order = [PS, "-axww", "-o", columns]
    try:
        done = subprocess.run(order, capture_output=True, timeout=PS_SECONDS, check=True, env={"LC_ALL": "C"})
    except (OSError, subprocess.SubprocessError) as exc:
        raise Unknown(f"{PS} does not answer ({type(exc).__name__})") from exc
    lines = done.stdout.decode(errors="replace").splitlines()
    return [row for line in lines if len(row := line.split(None, count - 1)) == count]


def chain(pid: int, table: dict[int, tuple[int, str, str]], words: dict[int, tuple[str, ...]]) -> list[Process]:
    """The ancestors in a table of pid → (parent, terminal, program). Raises Unknown where it has a gap or a ring."""
    found: list[Process] = []
    while pid > 0:
        if pid not in table or len(found) >= MOST:
            raise Unknown(f"process {pid} is not in the table of processes")
        parent, terminal, program = table[pid]
        found.append(Process(pid, (program,), words.get(pid, ()), frozenset(), not terminal.startswith("?")))
        pid = parent
    return found
