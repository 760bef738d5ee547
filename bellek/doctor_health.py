"""What `doctor` says of what is kept: duplicates, how much of it was no good, how large index and files are, and room on the disk.

Reads only. Each share is of counted rows, with the count beside it.
"""

import os
import shutil
from collections.abc import Iterator

from bellek.doctor_finding import Finding
from bellek.kg import clock
from bellek.kg.home import Home

JUNK_DAYS, JUNK_ROWS, JUNK_SHARE = (
    30,
    20,
    0.5,
)  # of so many rows in so many days more than half was refused, dropped or set apart
ROOM = 3  # a copy, a migration or a rewrite needs the files' size again, and one more for the log
ROOM_LEAST = 200_000_000  # bytes


def health(store: Home) -> Iterator[Finding]:
    """Findings about content, index and disk."""
    yield from _twins(store)
    yield _junk(store)
    yield from _sizes(store)


def _twins(store: Home) -> Iterator[Finding]:
    rows, kinds = store.memory.rows(
        "SELECT coalesce(sum(n - 1), 0), count(*) FROM (SELECT count(*) AS n FROM memories WHERE status = 'current' AND kind IN ('lesson', 'claim', 'page')"
        " GROUP BY project, kind, shadow HAVING count(*) > 1)"
    )[0]
    if rows:
        yield Finding(
            "duplicates",
            "WARN",
            f"{rows} current rows say in the same words what another one says",
            f"in {kinds} groups",
            "bellek review",
        )
    else:
        yield Finding("duplicates", "OK", "no two current rows say the same in the same words")


def _junk(store: Home) -> Finding:
    since = clock.now() - JUNK_DAYS * clock.DAY_MS
    written, bad = store.memory.rows(
        "SELECT count(*), coalesce(sum(status IN ('refused', 'quarantined')), 0) FROM memories WHERE created >= ?",
        (since << clock.COUNTER_BITS,),
    )[0]
    dropped = store.memory.value("SELECT count(*) FROM drops WHERE at >= ?", (since,))
    whole, junk = int(str(written)) + int(str(dropped)), int(str(bad)) + int(str(dropped))
    share = junk / whole if whole else 0.0
    high = whole >= JUNK_ROWS and share > JUNK_SHARE
    what = f"{junk} of {whole} rows of the last {JUNK_DAYS} days were refused, dropped or set apart ({share:.0%})"
    return Finding("junk", "WARN" if high else "OK", what, "", "bellek quarantine list" if high else "")


def _sizes(store: Home) -> Iterator[Finding]:
    files = {name: os.path.getsize(f"{store.path}/{name}") for name in ("memory.db", "conversations.db")}  # noqa: PTH202
    index = sum(
        int(str(db.value(f"SELECT coalesce(sum(length(block)), 0) FROM {table}_data")))
        for db, table in ((store.memory, "memories_fts"), (store.conversations, "messages_fts"))
    )
    yield Finding(
        "size", "OK", f"{sum(files.values()) / 1e6:.1f} MB in two databases, {index / 1e6:.1f} MB of it index"
    )
    free = shutil.disk_usage(store.path).free
    need = max(ROOM_LEAST, ROOM * sum(files.values()))
    state = "OK" if free >= need else "WARN"
    yield Finding(
        "disk",
        state,
        f"{free / 1e9:.1f} GB free beside the store",
        "" if state == "OK" else f"a copy or a migration may need {need / 1e9:.1f} GB",
        "",
    )
