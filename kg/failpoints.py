"""Named places on the road where a test stops this process: ``BELLEK_FAILPOINT=name[:nth[:signal]]``.

What it is for: a kill at a random moment rarely falls between two commits, so the places that matter have names (see
``tests/crash/README.md``). KILL leaves what a crash leaves; STOP holds the process there, locks and all, until CONT.
Without the variable each place is one comparison. It must never be loaded on the prompt hook's path, and never clean up.
"""

import os
import signal

_NAME, _, _MORE = os.environ.get("BELLEK_FAILPOINT", "").partition(":")
_NTH, _, _SIGNAL = _MORE.partition(":")
_reached: list[str] = []


def reach(name: str) -> None:
    """Send this process the signal (KILL by default) if this place was named, the nth time it comes here (the first)."""
    if name != _NAME:
        return
    _reached.append(name)
    if len(_reached) == int(_NTH or 1):
        os.kill(os.getpid(), signal.Signals["SIG" + (_SIGNAL or "KILL")])
