"""What `doctor` says of copies: how old the newest good one is, when one was last drilled, what is no copy, what a restore left.

Reads only. It must never call a copy good that was not verified when it was made.
"""

from collections.abc import Iterator
from pathlib import Path

from bellek.curator import config
from bellek.doctor_finding import Finding
from bellek.kg import backups, clock, restore, shelf
from bellek.kg.home import Home

OLD_COPY_MS = 2 * clock.DAY_MS  # nightly makes one a day; a machine that was off for a night is no news
OLD_DRILL_MS = 10 * clock.DAY_MS  # nightly drills once a week


def copies(store: Home) -> Iterator[Finding]:
    """Findings about the copies of a home."""
    place = shelf.folder(store.path, config.read(store.memory).backup_folder)
    good, broken = shelf.listed(place)
    newest = next((copy for copy in good if not copy.manifest.empty), None)
    if newest is None:
        yield Finding(
            "backup",
            "WARN",
            "no copy was made yet",
            f"{place} holds none",
            "bellek backup, or each night: bellek install --nightly",
        )
    else:
        age = clock.now() - newest.manifest.made_at
        state = "WARN" if age > OLD_COPY_MS else "OK"
        said = clock.stamp(newest.manifest.made_at, newest.manifest.offset_minutes)
        yield Finding(
            "backup",
            state,
            f"{len(good)} copies, the newest of {said}",
            f"{age // clock.DAY_MS} days ago",
            "bellek backup" if state == "WARN" else "",
        )
        for fault in newest.manifest.faults:
            yield Finding(
                "backup",
                "WARN",
                f"the newest copy has a fault of the store: {fault}",
                newest.path,
                "bellek doctor --fix --dry-run",
            )
        yield _drilled(store)
    for one in broken:
        yield Finding(
            "backup",
            "WARN",
            f"{one.path} is no copy that could be restored",
            one.why,
            "look at it, and delete it by hand",
        )
    if half := restore.half_done(store.path):
        yield Finding(
            "restore",
            "FAIL",
            "a restore was stopped while files were put in place",
            f"it was of {half}",
            f"bellek restore {half} --force",
        )
    kept = f"{store.path}/{restore.REPLACED}"
    if Path(kept).is_dir():
        yield Finding("replaced", "OK", f"what restores replaced is kept in {kept}", "nothing deletes it by itself")


def _drilled(store: Home) -> Finding:
    noted = backups.drilled(store)
    at = noted.get("at")
    if not isinstance(at, int):
        return Finding(
            "drill",
            "WARN",
            "no copy was ever restored on trial",
            "a copy counts when it was brought back once",
            "bellek backup --drill",
        )
    said = f"{noted['copy']} was restored on trial {clock.stamp(at)}"
    if noted.get("why"):
        return Finding(
            "drill", "FAIL", said + " and is not good", str(noted["why"]), "bellek backup, then bellek backup --drill"
        )
    old = clock.now() - at > OLD_DRILL_MS
    return Finding("drill", "WARN" if old else "OK", said, "", "bellek backup --drill" if old else "")
