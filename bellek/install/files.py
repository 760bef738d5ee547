"""Files that are whole or not there: written beside, flushed, renamed; a link is written through, its mode kept.

It must never leave a half-written file under a name that a client reads, and never overwrite what somebody else wrote
since it was read. A hard link's other name keeps the old content.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bellek.kg import packing
from bellek.schemas.errors import Refused

FILE_MODE = 0o600
FOLDER_MODE = 0o700


def read(path: Path) -> bytes | None:
    """The bytes of the file (through links), None where there is none.

    :raises Refused: something is there that cannot be read as a file.
    """
    with _told("read", path):
        try:
            info = path.stat()
            if not stat.S_ISREG(info.st_mode):
                raise Refused(f"{path} is not a file", why="something else has its name", hint="move it away first")
            return path.read_bytes()
        except FileNotFoundError:
            return None


def digest(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def replace(path: Path, data: bytes, *, expected: bytes | None) -> None:
    """Put ``data`` at ``path``, through links, if the file still holds ``expected`` (None: if there is none).

    The old mode and owner are kept; a new file is 0600.

    :raises Refused: the file changed since it was read, or could not be written; it is whole in either case.
    """
    real = Path(os.path.realpath(path))
    with _told("write", path):
        _sweep(real)
        beside = _beside(real, os.getpid())
        try:
            _write_new(beside, data, _info(real))
            if read(real) != expected:
                raise _changed(path)
            os.replace(beside, real)  # noqa: PTH105  the one rename that matters, named as what it is
        finally:
            beside.unlink(missing_ok=True)
        packing.synced(str(real.parent))


def keep_copy(folder: Path, name: str, data: bytes) -> Path:
    """A new file ``name`` in ``folder`` (``name.2`` and so on where it is taken), 0600."""
    with _told("write a copy into", folder):
        make_folders(folder)
        path, number = folder / name, 1
        while True:
            try:
                _write_new(path, data, None)
            except FileExistsError:
                number += 1
                path = folder / f"{name}.{number}"
            else:
                packing.synced(str(folder))
                return path


def missing_folders(path: Path) -> tuple[Path, ...]:
    """The folders from ``path`` upwards that are not there yet, outermost first."""
    missing = []
    while not path.exists() and path != path.parent:
        missing.append(path)
        path = path.parent
    return tuple(reversed(missing))


def make_folders(path: Path) -> None:
    """Make ``path`` and what it lies in, each new folder 0700."""
    with _told("make the folder", path):
        for folder in missing_folders(path):
            folder.mkdir(mode=FOLDER_MODE, exist_ok=True)


def remove(path: Path, *, expected: bytes) -> None:
    """Remove the file that ``path`` leads to, if it still holds ``expected``; links to it stay.

    :raises Refused: it changed since it was read, or cannot be removed.
    """
    with _told("remove", path):
        if read(path) != expected:
            raise _changed(path)
        Path(os.path.realpath(path)).unlink()


def remove_if_empty(folder: Path) -> None:
    """Remove ``folder`` if nothing is in it."""
    with suppress(OSError):  # not empty, or gone: both are what is wanted
        folder.rmdir()


@contextmanager
def _told(act: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise Refused(
            f"could not {act} {path}",
            why=fault.strerror or type(fault).__name__,
            hint="the file is as it was; make room, or make the place writable, and run the command again",
        ) from fault


def _changed(path: Path) -> Refused:
    return Refused(
        f"{path} was changed by another program just now; it was left as it is",
        why="a client writes its settings too",
        hint="run the command again",
    )


def _info(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _write_new(path: Path, data: bytes, like: os.stat_result | None) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, FILE_MODE)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        if like is not None:
            if (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
                os.fchown(file.fileno(), like.st_uid, like.st_gid)
            os.fchmod(file.fileno(), stat.S_IMODE(like.st_mode))
        file.flush()
        os.fsync(file.fileno())


def _beside(path: Path, pid: int) -> Path:
    return path.with_name(f".{path.name}.bellek-{pid}.tmp")


def _sweep(path: Path) -> None:
    """Remove what writers that were killed have left beside ``path``."""
    start, end = f".{path.name}.bellek-", ".tmp"
    for name in os.listdir(path.parent):  # noqa: PTH208  a glob would read the name's own signs
        pid = name.removeprefix(start).removesuffix(end)
        if name == f"{start}{pid}{end}" and pid.isdecimal() and not _alive(int(pid)):
            path.with_name(name).unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    if pid == os.getpid():
        return False  # a namesake of ours that was killed: this process is not writing now
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
