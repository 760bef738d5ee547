"""Where things lie in the data home. Pure path arithmetic and one ownership check; never opens a database.

One of the prompt hook's rooms: imports nothing but what the interpreter has loaded already.
"""

import os
import stat

from bellek.schemas.errors import StoreReadOnly, UsageFault

MEMORY = "memory.db"
CONVERSATIONS = "conversations.db"
CONFIG = "config"
IDENTITY = "identity.md"
HOOK_LOG = "hook.log"
DISPLAY = "display"
VAULT = "vault"


def find_home(given: str | None = None) -> str:
    """The data home as an absolute path: the argument, else ``BELLEK_HOME``, else the XDG data folder.

    Raises UsageFault where none of them names a folder (no ``HOME`` either).
    """
    chosen = given or os.environ.get("BELLEK_HOME")
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    data = os.environ.get("XDG_DATA_HOME", "")
    if os.path.isabs(data):
        return os.path.join(data, "bellek")
    user = os.environ.get("HOME", "")
    if not user:
        raise UsageFault("no data home", why="HOME is not set", hint="set BELLEK_HOME or give --home DIR")
    return os.path.join(user, ".local", "share", "bellek")


def memory_db(home: str) -> str:
    """Path of the database of queue, typed tables, trail and receipts."""
    return home + "/" + MEMORY


def conversations_db(home: str) -> str:
    """Path of the database of every heard message."""
    return home + "/" + CONVERSATIONS


def identity_file(home: str) -> str:
    """Path of the person's identity file; bellek reads it and does not write it."""
    return home + "/" + CONFIG + "/" + IDENTITY


def hook_log(home: str) -> str:
    """Path of the hook's fault log: exception type, file and line, never a message."""
    return home + "/" + HOOK_LOG


def display_folder(home: str) -> str:
    """Folder of what is held back of messages that are being shown: one small file each, gone with the message."""
    return home + "/" + DISPLAY


def check_owner(home: str) -> None:
    """Refuse a home that belongs to another user: memory would be read or planted by them."""
    try:
        owner = os.stat(home).st_uid
    except FileNotFoundError:
        return
    except OSError as exc:
        raise StoreReadOnly(f"the data home {home} cannot be looked at", why=exc.strerror or "") from exc
    if owner != os.geteuid():
        raise StoreReadOnly(f"the data home {home} belongs to another user", why=f"its owner is uid {owner}")


def make_home(home: str) -> None:
    """Create the home (0700) with its config folder; narrow the mode of an existing home of ours."""
    check_owner(home)
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        if stat.S_IMODE(os.stat(home).st_mode) & 0o077:
            os.chmod(home, 0o700)
        os.makedirs(home + "/" + CONFIG, mode=0o700, exist_ok=True)
    except OSError as exc:
        raise StoreReadOnly(f"the data home {home} cannot be made", why=exc.strerror or type(exc).__name__) from exc
