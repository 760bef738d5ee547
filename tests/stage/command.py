"""One command of ours as a process: started plainly, or forked from one that has loaded it (nursery.py), which is the same
to the test and saves two thirds of the processor time of a suite that starts a thousand of them.
"""

import atexit
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from bellek import hook

PROGRAM = str(Path(hook.__file__).parents[1])  # what is under test: the checkout, or where the wheel lies
# A command is forked only where nothing in its environment would have made its interpreter start in another way.
_PLAIN = ("PATH", "HOME", "TZ", "PYTHONPATH")
_OURS = ("BELLEK_", "CLAUDE")
_nursery = {}  # process id of this worker → where its nursery listens


def run(words, *, cwd, env, stdin=b"", new_session=False, timeout=60):
    """Run ``bellek WORDS`` to its end; the finished process with bytes on both streams. `stdin` None: the null device."""
    words = [str(word) for word in words]
    if not forked(env):
        given = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
        return subprocess.run(
            [sys.executable, "-m", "bellek", *words], cwd=cwd, env=env, capture_output=True, check=False, timeout=timeout,
            start_new_session=new_session, **given,
        )  # fmt: skip
    asked = {"words": words, "cwd": str(cwd), "environment": env, "new_session": new_session}
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin or b"")
        given.seek(0)
        status = _ask(asked, (given, out, err), timeout)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(["bellek", *words], status, out.read(), err.read())


def forked(env):
    """Whether an environment lets a forked command be as good as a started one: no locale, no switch of Python's, no other program."""
    if env.get("PYTHONPATH", PROGRAM) != PROGRAM or not hasattr(socket, "send_fds"):
        return False
    return all(name in _PLAIN or name.startswith(_OURS) for name in env)


def _ask(asked, streams, timeout):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(timeout)
        connection.connect(_listening())
        socket.send_fds(connection, [b" "], [stream.fileno() for stream in streams])
        connection.sendall(json.dumps(asked).encode() + b"\n")
        with connection.makefile() as said:
            pid = int(said.readline())
            try:
                return int(said.readline())
            except TimeoutError:
                os.kill(pid, 9)
                raise subprocess.TimeoutExpired(asked["words"], timeout) from None


def _listening():
    """The socket of this worker's nursery, which is started on first use and ends with the worker."""
    if os.getpid() not in _nursery:
        folder = tempfile.TemporaryDirectory(prefix="nursery-")
        path = f"{folder.name}/s"
        environment = {"PATH": os.environ["PATH"], "HOME": folder.name, "TZ": "Europe/Istanbul", "PYTHONPATH": PROGRAM}
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("nursery.py")), path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=environment, start_new_session=True,
        )  # fmt: skip
        assert process.stdout.readline() == b"listening\n"
        atexit.register(lambda: (process.stdin.close(), process.wait(), folder.cleanup()))
        _nursery[os.getpid()] = path
    return _nursery[os.getpid()]
