"""A network namespace that holds loopback and nothing else, for the model and the clients that talk to it.

The model's process owns the namespace, clients enter it by the model's process id. Where namespaces are not allowed
(no root, or not Linux) everything runs plainly. It must never change the namespace of the calling process.
"""

from __future__ import annotations

import functools
import shutil
import subprocess

UP = 'ip link set lo up && exec "$@"'


@functools.cache
def allowed() -> bool:
    """Whether this process may make a namespace and bring its loopback up; tried once, for real."""
    if any(shutil.which(tool) is None for tool in ("unshare", "nsenter", "ip")):
        return False
    return subprocess.run([*_made(), "true"], capture_output=True, check=False).returncode == 0


def _made() -> list[str]:
    """The words before a command that shall own a new namespace."""
    return ["unshare", "--net", "--", "sh", "-c", UP, "_"]


def owning() -> list[str]:
    """The words before the command that owns the namespace; none where that is not allowed."""
    return _made() if allowed() else []


def joining(owner: int) -> list[str]:
    """The words before a command that joins the namespace of process ``owner``; each execs, so the pid stays ours."""
    return ["nsenter", f"--net=/proc/{owner}/ns/net", "--"] if allowed() else []
