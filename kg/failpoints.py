"""Named places on the road where a test ends this process, as a power cut would: ``BELLEK_FAILPOINT=name[:nth]``.

What it is for: a kill at a random moment rarely falls between two commits, so the places that matter have names (see
``tests/crash/README.md``). Without the variable each place is one comparison. It must never be loaded on the prompt
hook's path, never raise, and never clean up: SIGKILL leaves what a crash leaves.
"""

import os
import signal

_NAME, _, _NTH = os.environ.get("BELLEK_FAILPOINT", "").partition(":")
_reached: list[str] = []


def reach(name: str) -> None:
    """End the process here if this place was named, at the nth time it is reached (the first by default)."""
    if name != _NAME:
        return
    _reached.append(name)
    if len(_reached) == (int(_NTH) if _NTH.isdecimal() else 1):
        os.kill(os.getpid(), signal.SIGKILL)
