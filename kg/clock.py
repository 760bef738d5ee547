"""The one clock. Instants are UTC milliseconds; the writer's offset is kept beside them; days are the person's own.

``BELLEK_CLOCK`` (milliseconds) fixes it, for tests and recorded demonstrations. A hybrid clock value is
``milliseconds << 16 | counter``: it never runs backwards in one store, even when the machine's clock does.
"""

import os
import time

from bellek.kg.db import Database

MINUTE_MS = 60_000
HOUR_MS = 3_600_000
DAY_MS = 86_400_000
COUNTER_BITS = 16


def now() -> int:
    """UTC milliseconds."""
    fixed = os.environ.get("BELLEK_CLOCK")
    return int(fixed) if fixed else time.time_ns() // 1_000_000


def offset_minutes(at: int) -> int:
    """Minutes east of UTC in the person's zone at that instant."""
    return (time.localtime(at // 1000).tm_gmtoff or 0) // 60


def day(at: int, offset: int) -> str:
    """The local date of an instant, YYYY-MM-DD."""
    return time.strftime("%Y-%m-%d", time.gmtime((at + offset * MINUTE_MS) // 1000))


def local_day(at: int, offset: int) -> int:
    """The local day of an instant as days since 1970."""
    return (at + offset * MINUTE_MS) // DAY_MS


def stamp(at: int, offset: int = 0) -> str:
    """ISO 8601 with the writer's offset, to the second."""
    local = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime((at + offset * MINUTE_MS) // 1000))
    if not offset:
        return local + "Z"
    sign = "+" if offset > 0 else "-"
    return f"{local}{sign}{abs(offset) // 60:02d}:{abs(offset) % 60:02d}"


def hybrid(db: Database) -> int:
    """The next value of the store's hybrid clock; call it inside the write transaction that uses it.

    Formula: max(now << 16, last + 1), after Kulkarni et al., "Logical Physical Clocks", 2014.
    """
    last = db.value("SELECT clock FROM audit ORDER BY seq DESC LIMIT 1")
    return after(int(last) if isinstance(last, int) else 0)


def after(last: int) -> int:
    """The hybrid clock's value that follows a store's last one."""
    return max(now() << COUNTER_BITS, last + 1)
