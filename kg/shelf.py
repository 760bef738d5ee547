"""The copies that lie in a folder: which there are, which one a word means, and which ones stay. Reads only.

What has a name there is good: a copy is made under another one (`kg.backups`). It must never count an empty or a broken copy.
"""

import os
import time
from dataclasses import dataclass

from pydantic import ValidationError

from bellek.kg import clock
from bellek.schemas.backup import FORMAT, Manifest
from bellek.schemas.errors import BellekError, NotFound, StoreDamaged, StoreNewer

FOLDER = "backups"
MANIFEST = "manifest.json"
DAILY, WEEKLY = 7, 4


@dataclass(frozen=True, slots=True)
class Copy:
    """One good copy: where it lies and what it says of itself."""

    path: str
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class Broken:
    """A folder among the copies that is none, and why."""

    path: str
    why: str


def folder(home: str, given: str = "") -> str:
    """Where a home's copies lie: the folder that was set, else one inside the home."""
    return os.path.abspath(os.path.expanduser(given)) if given else f"{home}/{FOLDER}"


def listed(place: str) -> tuple[list[Copy], list[Broken]]:
    """The copies below a folder, newest first, and what only looks like one."""
    found: list[Copy] = []
    broken: list[Broken] = []
    try:
        names = sorted(os.listdir(place))
    except OSError:
        return [], []
    for name in names:
        path = f"{place}/{name}"
        if name.startswith(".") or not os.path.isdir(path):
            continue
        try:
            found.append(read(path))
        except BellekError as exc:
            broken.append(Broken(path, exc.why or exc.what))
    return sorted(found, key=_age, reverse=True), broken


def _age(copy: Copy) -> tuple[int, int, str]:
    """Of two copies of one instant the later one has the longer trail, or the later name."""
    return copy.manifest.made_at, copy.manifest.entries, copy.path


def read(path: str) -> Copy:
    """The copy in a folder; its files are not looked at yet. Raises NotFound, StoreDamaged, StoreNewer."""
    try:
        with open(f"{path}/{MANIFEST}", encoding="utf-8") as file:
            manifest = Manifest.model_validate_json(file.read())
    except FileNotFoundError as exc:
        raise NotFound(f"{path} is no copy", why=f"it has no {MANIFEST}", hint="run `bellek backup --list`") from exc
    except (OSError, UnicodeDecodeError, ValidationError) as exc:
        raise StoreDamaged(f"{path}/{MANIFEST} cannot be read", why=type(exc).__name__) from exc
    if manifest.format > FORMAT:
        raise StoreNewer(
            f"{path} was made by a newer bellek", why=f"its format is {manifest.format}, this program knows {FORMAT}"
        )
    return Copy(path, manifest)


def find(place: str, given: str) -> Copy:
    """The copy that a word names: "" is the newest that holds something; an id, or the path of its folder. Raises NotFound."""
    copies, _ = listed(place)
    if not given:
        for copy in copies:
            if not copy.manifest.empty:
                return copy
        raise NotFound(
            f"no copy in {place}", why="none was made yet", hint="run `bellek backup`, or name a copy's folder"
        )
    if os.sep in given or os.path.exists(f"{given}/{MANIFEST}"):
        return read(os.path.abspath(os.path.expanduser(given)))
    for copy in copies:
        if copy.manifest.id == given:
            return copy
    raise NotFound(f"no copy {given[:60]!r}", why=f"{place} has none of that id", hint="run `bellek backup --list`")


def free(place: str, at: int) -> str:
    """A name in a folder by the time (UTC ms), that nothing else there has."""
    name = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(at // 1000))
    taken = set(os.listdir(place))
    return name if name not in taken else next(f"{name}-{n}" for n in range(2, 10_000) if f"{name}-{n}" not in taken)


def kept(copies: list[Copy]) -> set[str]:
    """The ids that stay: of each store (its node) the newest good copy of seven days, and of four weeks before those.

    Days and weeks that have a copy count, not the calendar's: a month without a backup deletes nothing. An empty copy takes
    no place of one that holds something; the newest empty one stays besides.
    """
    keep: set[str] = set()
    ordered = sorted(copies, key=_age, reverse=True)
    for node in {copy.manifest.node for copy in ordered}:
        mine = [copy for copy in ordered if copy.manifest.node == node]
        full = [copy for copy in mine if not copy.manifest.empty]
        days = _newest(full, "%Y-%m-%d", DAILY)
        oldest = min((copy.manifest.made_at for copy in days), default=0)
        first = {_local(copy, "%Y-%m-%d") for copy in days}
        rest = [copy for copy in full if copy.manifest.made_at < oldest and _local(copy, "%Y-%m-%d") not in first]
        empty = [copy for copy in mine if copy.manifest.empty][:1]
        keep.update(copy.manifest.id for copy in (*days, *_newest(rest, "%G-%V", WEEKLY), *empty))
    return keep


def _newest(copies: list[Copy], form: str, most: int) -> list[Copy]:
    """The newest copy of each of the newest periods."""
    found: dict[str, Copy] = {}
    for copy in copies:
        found.setdefault(_local(copy, form), copy)
    return list(found.values())[:most]


def _local(copy: Copy, form: str) -> str:
    at = copy.manifest.made_at + copy.manifest.offset_minutes * clock.MINUTE_MS
    return time.strftime(form, time.gmtime(at // 1000))
