"""One at a time across processes: a kernel lock on a file of the home. It dies with its holder, however that ends.

A lease that expires would be robbed from a slow but living holder, or keep everybody out after a crash; flock does
neither. It must never be waited for: who finds it taken says so or leaves a mark and goes.
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
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())  # for people who look
        yield True
    finally:
        os.close(handle)


def leave_mark(home: str, name: str) -> None:
    """Ask whoever holds the lock to look once more before it is done. Leave the mark first, then try the lock."""
    with suppress(FileExistsError):
        os.close(os.open(f"{home}/{name}.again", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def take_mark(home: str, name: str) -> bool:
    """Whether a mark was left; it is taken away. Look again after letting the lock go, so that no mark is overseen."""
    try:
        os.unlink(f"{home}/{name}.again")
    except FileNotFoundError:
        return False
    return True
