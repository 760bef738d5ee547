"""One at a time across processes: a kernel lock on a file of the home. It dies with its holder, however that ends.

A lease that expires would be robbed from a slow but living holder, or keep everybody out after a crash; flock does
neither. It must never be waited for: who finds it taken says so, or leaves a mark and goes.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bellek.schemas.errors import StoreReadOnly


@contextmanager
def held(home: str, name: str) -> Iterator[bool]:
    """Hold a lock for the block, or learn that another process does.

    ``with held(home, "hearing") as mine:`` — `mine` is False where another process holds it.
    """
    try:
        handle = os.open(f"{home}/{name}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as exc:
        raise StoreReadOnly(f"the lock {name} cannot be opened in {home}", why=exc.strerror or "") from exc
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        with suppress(OSError):  # for people who look; a full disk must not keep anybody from working
            os.ftruncate(handle, 0)
            os.write(handle, f"{os.getpid()}\n".encode())
        yield True
    finally:
        os.close(handle)


def leave_marks(home: str, name: str, asked: list[str]) -> None:
    """Ask whoever holds the lock to do this too before it is done. Leave the marks first, then try the lock again.

    ``asked`` are texts without NUL, such as paths; the empty one is allowed.
    """
    with _marks(home, name) as handle:
        os.lseek(handle, 0, os.SEEK_END)
        os.write(handle, b"".join(os.fsencode(mark) + b"\0" for mark in asked))


def take_marks(home: str, name: str) -> list[str]:
    """Take away the marks that were left, in order. Look again after letting the lock go, so that none is overseen."""
    with _marks(home, name) as handle:
        left = os.read(handle, os.fstat(handle).st_size)
        os.ftruncate(handle, 0)
    return [os.fsdecode(mark) for mark in left.split(b"\0")[:-1]]


@contextmanager
def _marks(home: str, name: str) -> Iterator[int]:
    """The file of the marks, under a lock of its own that is held for one read or write and so may be waited for."""
    try:
        handle = os.open(f"{home}/{name}.again", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as exc:
        raise StoreReadOnly(f"the marks of {name} cannot be opened in {home}", why=exc.strerror or "") from exc
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle
    finally:
        os.close(handle)
