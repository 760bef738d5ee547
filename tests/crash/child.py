"""A part of a test in a process of its own that dies where it is told to: forked, so that a round costs milliseconds.

It must never be forked while this process has a store open: the child would let go of locks that are not its own.
"""

import os
import signal
import traceback
import warnings

from bellek.kg import failpoints

FAILED = 70


def run(act, *, at="", nth=1):
    """Run an act in a child that is killed when it comes to a named place for the nth time; "killed" or "done". Raises where it failed."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # of forking beside threads: the test runner's own only wait
        pid = os.fork()
    if pid == 0:
        os.close(read)
        failpoints._NAME, failpoints._NTH, failpoints._SIGNAL = at, str(nth), ""
        failpoints._reached.clear()
        status = 0
        try:
            act()
        except BaseException:  # noqa: BLE001  told to the parent
            os.write(write, traceback.format_exc().encode()[-60_000:])
            status = FAILED
        os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as said:
        told = said.read().decode("utf-8", "replace")
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return "killed"
    assert os.waitstatus_to_exitcode(status) == 0, told
    return "done"
