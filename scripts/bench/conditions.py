"""What a measured figure is worth: under which conditions it was taken, and how a row of times becomes a few numbers.

It must never hold a machine's name, a path or an account: results are committed. It imports only the standard library,
so that a process that starts others to measure them stays small itself.
"""

import os
import platform
import sys
import time
from importlib import metadata


def conditions(**given: object) -> dict[str, object]:
    """Machine class, interpreter, library, date, load; and what the script adds."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "apsw": metadata.version("apsw"),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "load": [round(x, 1) for x in os.getloadavg()],
        **given,
    }


def _processor() -> str:
    """The family of the processor as the kernel names it; "" where it does not."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            named = next((line for line in file if line.startswith("model name")), "")
    except OSError:
        return platform.processor()
    return named.partition(":")[2].strip()


def quantile(values: list[float], share: float) -> float:
    """The value below which a share of the sorted values lies (nearest rank); 0 where there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def spread(values: list[float], digits: int = 2) -> dict[str, float]:
    """Median and 95th percentile."""
    return {"p50": round(quantile(values, 0.5), digits), "p95": round(quantile(values, 0.95), digits)}


def peak_mb(maxrss: int) -> float:
    """``ru_maxrss`` in megabytes: kilobytes on Linux, bytes on macOS."""
    return round(maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6, 1)
