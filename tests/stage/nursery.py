"""Processes of the command line that need not load it: one process a test worker loads every room and forks the rest.

Each command is still a process of its own, with its own environment, folder, streams, session and exit status; what it does
not do anew is start Python and import. Run as ``nursery.py SOCKET`` by `command.py`; ends when its standard input does.
It must never open a store, and never serve a command whose environment asks for another start (see `command.forked`).
"""

import contextlib
import gc
import io
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import time
from importlib import import_module, reload


def main(path):
    """Load, listen, and fork for each request until the test worker is gone."""
    from loopback import only_loopback

    from bellek.cli.main import ROOMS

    only_loopback()

    for room in ROOMS:
        import_module(f"bellek.cli.{room}")
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the watchers
    with socket.socket(socket.AF_UNIX) as listening, selectors.DefaultSelector() as either:
        listening.bind(path)
        listening.listen()
        print("listening", flush=True)
        either.register(listening, selectors.EVENT_READ)
        either.register(0, selectors.EVENT_READ)
        while all(key.fileobj != 0 for key, _ in either.select()):
            connection, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                watch(connection)
            connection.close()


def watch(connection):
    """Fork the command, say its process id, wait for its end, say how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    data, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    while not data.endswith(b"\n"):
        data += connection.recv(1 << 20)
    asked = json.loads(data)
    command = os.fork()
    if command == 0:
        connection.close()
        be(asked, streams)
    for stream in streams:
        os.close(stream)
    with contextlib.suppress(OSError):  # who asked may be gone
        connection.sendall(f"{command}\n".encode())
    _, status = os.waitpid(command, 0)
    with contextlib.suppress(OSError):
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def be(asked, streams):
    """Become the command: what a fresh interpreter would find, then its start file."""
    if asked["new_session"]:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(asked["cwd"])
    coerced = {name: os.environ[name] for name in ("LC_CTYPE",) if name in os.environ}
    os.environ.clear()
    os.environ.update({**coerced, **asked["environment"]})
    time.tzset()
    sys.stdin, sys.stdout, sys.stderr = (
        _stream(number, old) for number, old in enumerate((sys.stdin, sys.stdout, sys.stderr))
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    sys.argv = ["bellek", *asked["words"]]
    if "BELLEK_FAILPOINT" in os.environ:
        reload(sys.modules["bellek.kg.failpoints"])  # it reads its variable when it is loaded
    os._exit(_ended())


def _stream(number, old):
    raw = open(number, "rb" if number == 0 else "wb", buffering=-1, closefd=False)  # noqa: SIM115  it lives as long as the process
    return io.TextIOWrapper(
        raw, encoding=old.encoding, errors=old.errors, line_buffering=number == 2 or os.isatty(number)
    )


def _ended():
    """Run the program as ``python -m bellek`` does; its exit status, with the streams written out."""
    status = 0
    try:
        runpy.run_module("bellek", run_name="__main__", alter_sys=True)
    except SystemExit as exc:
        status = exc.code if isinstance(exc.code, int) else int(exc.code is not None)
    except BaseException:  # noqa: BLE001  as an interpreter does with whatever comes up to it
        sys.excepthook(*sys.exc_info())
        status = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        status = status or 120  # what Python's own end says of it
    return status


if __name__ == "__main__":
    main(sys.argv[1])
