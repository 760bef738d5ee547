"""A PostgreSQL 15 of the test's own: on loopback, in a temporary folder, as a user who is not root, since initdb refuses root."""

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path


def programs():
    """The folder of initdb and postgres; None where PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    at = str(found[-1].parent) if found else os.path.dirname(shutil.which("initdb") or "")
    return at or None


class Postgres:
    """One server; `stop` and `start` keep its data, `kill` ends it as a power cut does."""

    def __init__(self):
        self.bin = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="bellek-pg-", dir="/tmp"))
        self.password = secrets.token_hex(16)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        (self.folder / "pw").write_text(self.password)
        if os.getuid() == 0:
            for path in (self.folder, self.folder / "pw"):
                shutil.chown(path, "postgres", "postgres")
        self._run(
            "initdb",
            "-D",
            f"{self.folder}/data",
            "-U",
            "keeper",
            "-A",
            "scram-sha-256",
            "--pwfile",
            f"{self.folder}/pw",
            "-N",
            "--no-instructions",
            "-E",
            "UTF8",
            "--locale",
            "C",
        )
        self.start()

    def _run(self, name, *words, timeout=60):
        before = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"] if os.getuid() == 0 else []
        subprocess.run(
            [*before, f"{self.bin}/{name}", *words], check=True, capture_output=True, timeout=timeout, cwd=self.folder
        )

    def start(self):
        """Start it and wait until it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder} -c shared_buffers=32MB -c max_connections=40"
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-o", options, "-l", f"{self.folder}/log", "start")

    def stop(self, how="fast"):
        """Stop it; "immediate" as a power cut would."""
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", how, "stop")

    @property
    def server(self):
        """Its address as whoever keeps it, without the password."""
        return f"postgresql://keeper@127.0.0.1:{self.port}/postgres"

    def close(self):
        """End it and take the folder away."""
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)
