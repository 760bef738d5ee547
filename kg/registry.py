"""The home's registry of projects: register, list, link, move. The write side of the one resolver.

It must never take two folders for one project on the strength of a device and inode alone: inodes are given out again
after a deletion, so such a match is only ever offered to the person.
"""

import contextlib
import os
from dataclasses import dataclass

from bellek.kg import audit, clock, projects
from bellek.kg.db import Database
from bellek.kg.ids import mint
from bellek.kg.projects import ID_FILE, Place
from bellek.schemas.errors import NotFound, Refused


@dataclass(frozen=True, slots=True)
class Project:
    """A registered project. `path` is its root as last seen, `exists` whether it is there now."""

    id: str
    path: str
    git: str
    exists: bool
    paths: tuple[str, ...]
    memories: int
    waiting: int


def register(db: Database, folder: str) -> str:
    """The id of a folder's project, made on first sight. Call it inside a write transaction."""
    place = projects.locate(folder)
    found = projects.find_place(db, place)
    now = clock.now()
    if found:
        db.run(
            "UPDATE projects SET path = ?, git = ?, last_at = ? WHERE id = ?",
            (*_standing(db, found, place), now, found),
        )
        db.run("INSERT OR IGNORE INTO project_paths (path, project) VALUES (?, ?)", (place.root, found))
    else:
        found = mint("p")
        device, inode = _identity(place.root)
        db.run(
            "INSERT INTO projects (id, path, git, device, inode, first_at, last_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (found, place.root, place.git, device, inode, now, now),
        )
        db.run("INSERT OR REPLACE INTO project_paths (path, project) VALUES (?, ?)", (place.root, found))
    _leave_id(db, place.git, found)
    return found


def _standing(db: Database, project: str, place: Place) -> tuple[str, str]:
    """Root and git dir to keep: a moved checkout's new place, but a linked folder does not displace a living root."""
    row = db.one("SELECT path, git FROM projects WHERE id = ?", (project,))
    if row is not None and row[0] != place.root and os.path.exists(str(row[0])):
        return str(row[0]), str(row[1])
    return place.root, place.git


def _identity(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _leave_id(db: Database, git: str, project: str) -> None:
    """A home whose setting `leave_ids` is 0 (a demonstration's) writes into nobody's repository and knows paths only."""
    if git and db.value("SELECT value FROM settings WHERE key = 'leave_ids'") != "0":
        _write_id(git, str(db.value("SELECT value FROM meta WHERE key = 'node'")), project)


def _write_id(git: str, node: str, project: str) -> None:
    """Leave the id where a rename takes it along. A read-only repository is no fault: the registry still knows the path."""
    if projects.written_id(git, node) == project:
        return
    path = f"{git}/{ID_FILE}"
    with contextlib.suppress(OSError):
        try:
            with open(path, encoding="ascii", errors="replace") as file:
                kept = [
                    line
                    for line in file.read(projects.ID_FILE_MAX).split("\n")
                    if line and not line.startswith(node + " ")
                ]
        except FileNotFoundError:
            kept = []
        new = f"{path}.{os.getpid()}"
        with open(new, "w", encoding="ascii") as file:
            file.write("\n".join([*kept, f"{node} {project}"]) + "\n")
        os.replace(new, path)


def listed(db: Database) -> list[Project]:
    """All projects, last used first."""
    rows = db.rows(
        "SELECT p.id, p.path, p.git, (SELECT count(*) FROM memories m WHERE m.project = p.id),"
        " (SELECT count(*) FROM queue q WHERE q.project = p.id AND q.state <> 'dead') FROM projects p ORDER BY p.last_at DESC, p.id"
    )
    return [
        Project(
            str(id_), str(path), str(git), os.path.exists(str(path)),
            tuple(str(r[0]) for r in db.rows("SELECT path FROM project_paths WHERE project = ? ORDER BY path", (id_,))),
            int(str(memories)), int(str(waiting)),
        )
        for id_, path, git, memories, waiting in rows
    ]  # fmt: skip


def path_of(db: Database, project: str) -> str:
    """The folder of a project as last seen; "" where it is gone, or the project is not known."""
    path = str(db.value("SELECT path FROM projects WHERE id = ?", (project,)) or "")
    return path if os.path.isdir(path) else ""


def offers(db: Database) -> list[tuple[str, str, str]]:
    """(project id, old path, new path) of folders that seem to have moved: same device and inode under a registered path."""
    found = []
    for id_, path, device, inode in db.rows(
        "SELECT id, path, device, inode FROM projects WHERE inode <> 0 AND git = ''"
    ):
        if os.path.exists(str(path)):
            continue
        found += [
            (str(id_), str(path), entry)
            for entry in _siblings(str(path))
            if _identity(entry) == (device, inode)
            and not db.value("SELECT 1 FROM project_paths WHERE path = ?", (entry,))
        ]
    return found


def _siblings(path: str) -> list[str]:
    """Folders beside a vanished one: where a rename leaves it."""
    parent = os.path.dirname(path)
    try:
        with os.scandir(parent) as entries:
            return [e.path for e in entries if e.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def gone(db: Database) -> list[str]:
    """Ids of projects whose folder no longer exists."""
    return [str(id_) for id_, path in db.rows("SELECT id, path FROM projects") if not os.path.exists(str(path))]


def link(db: Database, folder: str, project: str) -> str:
    """A person says that a folder belongs to a known project. Answers the project's id."""
    with db.transaction():
        known = _known(db, project)
        place = projects.locate(folder)
        db.run("INSERT OR REPLACE INTO project_paths (path, project) VALUES (?, ?)", (place.root, known))
        _leave_id(db, place.git, known)
        audit.append(db, actor="cli", act="link", kind="project", id=known, batch=mint("b"))
    return known


def move(db: Database, old: str, new: str) -> str:
    """A person says that a project's folder is now elsewhere. Answers the project's id. Raises NotFound, Refused."""
    with db.transaction():
        known = _known(db, os.path.realpath(old))
        place = projects.locate(new)
        other = db.value("SELECT project FROM project_paths WHERE path = ?", (place.root,))
        if other not in (None, known):
            raise Refused(
                f"{new} is another project already",
                why=f"it is registered as {other}",
                hint="run `bellek project link` to join the two",
            )
        device, inode = _identity(place.root)
        db.run(
            "UPDATE projects SET path = ?, git = ?, device = ?, inode = ? WHERE id = ?",
            (place.root, place.git, device, inode, known),
        )
        db.run("INSERT OR REPLACE INTO project_paths (path, project) VALUES (?, ?)", (place.root, known))
        audit.append(db, actor="cli", act="move", kind="project", id=known, batch=mint("b"))
    return known


def _known(db: Database, given: str) -> str:
    """A project by its id or by a registered path."""
    row = db.one("SELECT id FROM projects WHERE id = ?", (given,)) or db.one(
        "SELECT project FROM project_paths WHERE path = ?", (os.path.realpath(given),)
    )
    if row is None:
        raise NotFound(
            f"no project {given}", why="it is neither an id nor a registered path", hint="run `bellek project list`"
        )
    return str(row[0])
