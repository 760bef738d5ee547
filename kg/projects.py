"""The one resolver of projects: a working folder → the id under which its memory is kept.

One of the prompt hook's rooms: it reads files, starts no process, and writes nothing. A project is, in this order: the
id that this home left in the git common dir (worktrees share it, a renamed checkout keeps it), else the real path as
this home registered it. An id file is believed only in lines signed with this home's own node id, so a foreign
repository that carries one gets nothing; and a copy of a checkout that still exists is another project.
"""

import os

from bellek.kg.db import Database

ID_FILE = "bellek-project"  # in the git common dir: never tracked, never cloned
ID_FILE_MAX = 4096
GITFILE_MAX = 4096
MAX_DEPTH = 64  # folders between a working folder and the root of its checkout


class Place:
    """What the file system says of a folder: `root` (real path) and `git`, the common dir's real path or ''."""

    __slots__ = ("git", "root")

    def __init__(self, root: str, git: str) -> None:
        self.root = root
        self.git = git


def locate(folder: str) -> Place:
    """Look a folder up; it may no longer exist. Outside git the root is the folder itself, by its real path."""
    real = os.path.realpath(folder)
    at = real
    for _ in range(MAX_DEPTH):
        dot_git = at + "/.git"
        if os.path.isdir(dot_git):
            return Place(at, dot_git)
        if os.path.isfile(dot_git):
            return _linked(at, dot_git)
        parent = os.path.dirname(at)
        if parent == at:
            break
        at = parent
    return Place(real, "")


def _linked(root: str, dot_git: str) -> Place:
    """A worktree or a submodule: `.git` is a file that names its git dir, whose `commondir` names the shared one."""
    git_dir = _line(dot_git, "gitdir: ")
    if not git_dir:
        return Place(root, "")
    git_dir = os.path.realpath(os.path.join(root, git_dir))
    common = _line(git_dir + "/commondir", "")
    if not common:  # a submodule has a git dir of its own and no common one
        return Place(root, git_dir if os.path.isdir(git_dir) else "")
    common = os.path.realpath(os.path.join(git_dir, common))
    if not os.path.isdir(common):
        return Place(root, "")
    main = os.path.dirname(common) if common.endswith("/.git") else common
    return Place(main, common)


def _line(path: str, start: str) -> str:
    """The first line of a small file after its expected start, or ''."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            line = file.readline(GITFILE_MAX)
    except OSError:
        return ""
    return line[len(start) :].strip() if line.startswith(start) else ""


def written_id(git: str, node: str) -> str:
    """The project id that this home (its node id) left in a git common dir, or ''."""
    try:
        with open(git + "/" + ID_FILE, encoding="ascii", errors="replace") as file:
            lines = file.read(ID_FILE_MAX).split("\n")
    except OSError:
        return ""
    for line in lines:
        owner, _, project = line.partition(" ")
        if owner == node:
            return project.strip()
    return ""


def find(db: Database, folder: str) -> str:
    """The id of the project a folder belongs to, or '' where this home has none for it. Reads only."""
    if not folder.startswith("/") or "\0" in folder:
        return ""  # a relative path would be taken from wherever this process happens to be
    return find_place(db, locate(folder))


def find_place(db: Database, place: Place) -> str:
    """As `find`, for a place that was located already."""
    if place.git:
        node = db.value("SELECT value FROM meta WHERE key = 'node'")
        project = written_id(place.git, str(node))
        row = db.one("SELECT path FROM projects WHERE id = ?", (project,)) if project else None
        if row is not None and (row[0] == place.root or not os.path.exists(str(row[0]))):
            return project
    row = db.one("SELECT project FROM project_paths WHERE path = ?", (place.root,))
    return "" if row is None else str(row[0])
