"""The disk under a vault: read its tree, write a file, take one away, set one beside. No link is followed on the way.

Every folder is opened by its own handle with O_NOFOLLOW, so that a link which somebody puts in place of a folder leads nowhere.
A file is written whole beside its place and then moved there: a full disk leaves the old one as it was, and what a kill leaves
is cleared by the next export. It must never overwrite what it was not told to, and never leave the folder that it was given.
"""

import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from bellek.curator import person_files
from bellek.kg import failpoints
from bellek.schemas.channel import Fault
from bellek.schemas.errors import Refused, StoreReadOnly

ENDING = ".md"
SIZE_CAP = 1_000_000  # bytes of a file: a page has at most 20,000 letters
FILE_CAP = 200_000  # files: a vault is not a disk
DEEPEST = 12  # folders below each other
BESIDE = re.compile(r"\.kept-\d+\.md$")  # what an export set beside
_HALF = re.compile(r"\.bellek-[0-9a-f]{8}\.half$")  # a file on its way to its place, locked by its writer
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True)
class Tree:
    """A vault as it lies there: path → text, and path → why it cannot be read."""

    texts: dict[str, str] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)

    def hides(self, path: str) -> bool:
        """Whether a path cannot be read, by itself or by a folder above it: what lies there is not known."""
        parts = path.split("/")
        return any("/".join(parts[:n]) in self.faults for n in range(1, len(parts) + 1))


def read(root: str) -> Tree:
    """All markdown files of a folder, hidden ones and those set beside left out; {} where there is no such folder."""
    tree = Tree()
    for path, is_link in _walk(root, "", 0):
        if len(tree.texts) + len(tree.faults) >= FILE_CAP:
            raise Refused(
                f"{root} was not read", why=f"it holds more than {FILE_CAP} files", hint="give the vault's own folder"
            )
        if is_link:
            tree.faults[path] = "a symbolic link: it is not followed"
            continue
        text = person_files.read(f"{root}/{path}", cap=SIZE_CAP, follow=False)
        if isinstance(text, Fault):
            tree.faults[path] = text.what
        elif text is not None:
            tree.texts[path] = text
    return tree


def _walk(root: str, below: str, depth: int) -> Iterator[tuple[str, bool]]:
    try:
        with os.scandir(f"{root}/{below}") as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in found:
        path = below + entry.name
        if entry.name.startswith("."):
            continue
        if entry.is_symlink():
            yield path, True
        elif entry.is_dir(follow_symlinks=False):
            if depth < DEEPEST:
                yield from _walk(root, path + "/", depth + 1)
        elif entry.name.endswith(ENDING) and not BESIDE.search(entry.name):
            yield path, False


def make(root: str) -> str:
    """The vault's folder, made (0700) where it is missing; as a real path. Raises Refused, StoreReadOnly."""
    try:
        os.makedirs(root, mode=0o700, exist_ok=True)
    except FileExistsError as exc:
        raise Refused(f"{root} is no folder", why="a file of that name is there") from exc
    except OSError as exc:
        raise StoreReadOnly(f"{root} cannot be made", why=exc.strerror or "") from exc
    return os.path.realpath(root)


@contextmanager
def _folder(root: str, path: str, *, create: bool) -> Iterator[tuple[int, str]]:
    """(handle of the folder that holds a path, the path's last name). Raises OSError where a link is on the way."""
    *folders, name = path.split("/")
    if not name or any(part in ("", ".", "..") for part in (*folders, name)):
        raise Refused(f"{path!r} is no path inside a vault", why="it leads out of it")
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in folders:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o700, dir_fd=handle)
            inner = os.open(part, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = inner
        yield handle, name
    finally:
        os.close(handle)


def write(root: str, path: str, text: str) -> None:
    """Write a file whole (0600). Raises Refused where a link or a folder is in its place, StoreReadOnly where the disk refuses."""
    try:
        with _folder(root, path, create=True) as (handle, name):
            _mind(handle, name, path)
            try:
                _put(handle, name, text)
            except FileNotFoundError:  # another export took it for a dead one's in the moment before it was locked
                _put(handle, name, text)
    except OSError as exc:
        raise StoreReadOnly(
            f"{root}/{path} was not written", why=exc.strerror or "", hint="what lay there before is as it was"
        ) from exc


def _put(handle: int, name: str, text: str) -> None:
    half = f".bellek-{secrets.token_hex(4)}.half"
    out = os.open(half, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=handle)
    try:
        with os.fdopen(out, "wb") as file:
            with suppress(OSError):  # a file system without locks: a half that a kill leaves there stays
                fcntl.flock(out, fcntl.LOCK_EX)
            file.write(text.encode("utf-8"))
            file.flush()
            failpoints.reach("vault-half")
            os.replace(half, name, src_dir_fd=handle, dst_dir_fd=handle)
    except BaseException:
        with suppress(OSError):
            os.unlink(half, dir_fd=handle)
        raise


def _mind(handle: int, name: str, path: str) -> None:
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(os.lstat(name, dir_fd=handle).st_mode):
            raise Refused(f"{path} was not written", why="a link or a folder lies in its place", hint="move it away")


def remove(root: str, path: str) -> None:
    """Take a file away, and the folders that it leaves empty; nothing where it is gone already."""
    with suppress(OSError), _folder(root, path, create=False) as (handle, name):
        os.unlink(name, dir_fd=handle)
    folder = path.rpartition("/")[0]
    while folder:
        with suppress(OSError), _folder(root, folder, create=False) as (handle, name):
            os.rmdir(name, dir_fd=handle)
        folder = folder.rpartition("/")[0]


def clear(root: str) -> int:
    """Delete the halves that killed exports left, words and all; how many. One that is being written is locked, and stays."""
    halves = [path for path in _names(root) if _HALF.search(path)]
    return sum(_cleared(root, path) for path in halves)


def _names(root: str) -> Iterator[str]:
    for here, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (os.path.relpath(os.path.join(here, name), root) for name in names)


def _cleared(root: str, path: str) -> bool:
    with suppress(OSError), _folder(root, path, create=False) as (handle, name):
        half = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=handle)
        try:
            fcntl.flock(half, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(name, dir_fd=handle)
            return True
        finally:
            os.close(half)
    return False


def set_beside(root: str, path: str) -> str:
    """Move a file out of the way under a name of its own; that name. Its bytes stay as they are."""
    with _folder(root, path, create=False) as (handle, name):
        kept = _free(handle, name)
        os.rename(name, kept, src_dir_fd=handle, dst_dir_fd=handle)
    return _beside(path, kept)


def keep_beside(root: str, path: str) -> str:
    """Give a file that is about to be written anew a second name, so that its place is never empty: a file that is not there
    reads as one that somebody deleted. That name; the same one after a kill.
    """
    with _folder(root, path, create=False) as (handle, name):
        itself = os.lstat(name, dir_fd=handle)
        for kept in os.listdir(handle):
            if BESIDE.search(kept) and os.path.samestat(os.lstat(kept, dir_fd=handle), itself):
                return _beside(path, kept)
        kept = _free(handle, name)
        try:
            os.link(name, kept, src_dir_fd=handle, dst_dir_fd=handle, follow_symlinks=False)
        except OSError:  # a file system that knows no second names
            os.rename(name, kept, src_dir_fd=handle, dst_dir_fd=handle)
    return _beside(path, kept)


def _free(handle: int, name: str) -> str:
    taken, last = set(os.listdir(handle)), name.removesuffix(ENDING)
    return next(free for n in range(1, FILE_CAP) if (free := f"{last}.kept-{n}{ENDING}") not in taken)


def _beside(path: str, kept: str) -> str:
    folder = path.rpartition("/")[0]
    return f"{folder}/{kept}" if folder else kept


def is_there(path: str) -> bool:
    """Whether a file or folder lies there."""
    return os.path.exists(path)
