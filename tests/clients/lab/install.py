"""Put the pinned client into a cache folder, once, however many test workers ask.

The version and the archive's hash stand in the committed ``package-lock.json``; ``npm ci`` refuses any other bytes.
The folder is ``$BELLEK_TEST_NPM`` or ``<repository>/.build/npm``. It must never run a package's install scripts, touch a
global npm folder, or leave a half-made folder under the final name.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[2]
LOCKED = ("package.json", "package-lock.json")
CLI = Path("node_modules/@anthropic-ai/claude-code/cli.js")
NPM_SECONDS = 300  # 48 MB; a slow line, not a slow machine


class NotHereError(Exception):
    """The client cannot run on this machine; the words say what is missing."""


def node() -> str:
    """The real path of Node.js. Raises ``NotHereError``."""
    found = shutil.which("node")
    if found is None:
        raise NotHereError("Node.js is not installed (no `node` on PATH)")
    return os.path.realpath(found)


def cache_folder() -> Path:
    """Where installed clients are kept, made if absent."""
    folder = Path(os.environ.get("BELLEK_TEST_NPM") or REPOSITORY / ".build/npm")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def lock_digest() -> str:
    """A short name for exactly these pinned bytes: a changed lock file installs beside the old folder, not over it."""
    return hashlib.sha256(b"\0".join((HERE / name).read_bytes() for name in LOCKED)).hexdigest()[:12]


def claude_cli() -> Path:
    """The client's ``cli.js``, installed if it is not yet there. Raises ``NotHereError``."""
    node()
    cache = cache_folder()
    home = cache / f"claude-code-{lock_digest()}"
    if not (home / CLI).exists():
        with (cache / ".lock").open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)  # the other workers wait here and then find the folder
            if not (home / CLI).exists():
                _install(home)
    return home / CLI


def _install(home: Path) -> None:
    """Fetch into a folder of its own and rename it: whoever sees the final name sees all of it."""
    npm = shutil.which("npm")
    if npm is None:
        raise NotHereError("npm is not installed (no `npm` on PATH)")
    making = Path(tempfile.mkdtemp(prefix="making-", dir=home.parent))
    try:
        for name in LOCKED:
            shutil.copy(HERE / name, making / name)
        order = [npm, "ci", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(order, cwd=making, capture_output=True, text=True, timeout=NPM_SECONDS, check=False)
        if done.returncode != 0 or not (making / CLI).exists():
            raise NotHereError(f"npm could not install the client: {done.stderr.strip()[-500:]}")
        making.rename(home)
    finally:
        shutil.rmtree(making, ignore_errors=True)
