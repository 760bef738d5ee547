"""The disk under a vault: read its tree, write a file, take one away, set one beside. No link is followed on the way.

Every folder is opened by its own handle with O_NOFOLLOW, so that a link which somebody puts in place of a folder leads nowhere.
A file is written whole beside its place and then moved there: a full disk leaves the old one as it was. It must never
overwrite what it was not told to, and never leave the folder that it was given.
"""

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from bellek.curator import person_files
from bellek.schemas.channel import Fault
from bellek.schemas.errors import Refused, StoreReadOnly

ENDING = ".md"
SIZE_CAP = 1_000_000  # bytes of a file: a page has at most 20,000 letters
FILE_CAP = 200_000  # files: a vault is not a disk
DEEPEST = 12  # folders below each other
BESIDE = re.compile(r"\.kept-\d+\.md$")  # what an export set beside
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
            new = f".{name[:60]}.{secrets.token_hex(4)}"
            out = os.open(
                new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=handle
            )
            try:
                with os.fdopen(out, "wb") as file:
                    file.write(text.encode("utf-8"))
                os.replace(new, name, src_dir_fd=handle, dst_dir_fd=handle)
            except BaseException:
                with suppress(OSError):
                    os.unlink(new, dir_fd=handle)
                raise
    except OSError as exc:
        raise StoreReadOnly(
            f"{root}/{path} was not written", why=exc.strerror or "", hint="what lay there before is as it was"
        ) from exc


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


def set_beside(root: str, path: str) -> str:
    """Move a file out of the way under a name of its own; that name. Its bytes stay as they are."""
    stem = path.removesuffix(ENDING)
    with _folder(root, path, create=False) as (handle, name):
        taken = set(os.listdir(handle))
        last = name.removesuffix(ENDING)
        number = next(n for n in range(1, FILE_CAP) if f"{last}.kept-{n}{ENDING}" not in taken)
        os.rename(name, f"{last}.kept-{number}{ENDING}", src_dir_fd=handle, dst_dir_fd=handle)
    return f"{stem}.kept-{number}{ENDING}"


def is_there(path: str) -> bool:
    """Whether a file or folder lies there."""
    return os.path.exists(path)
