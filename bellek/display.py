"""The MessageDisplay hook's body: what the person sees in place of one piece of a message.

The text is `curator.hiding`'s business; here is what one hook process leaves for the next. The client numbers the
pieces, has up to three hooks at once at work on them, and shows their answers in order, so a process waits until the
one before it has left its file: that delays nothing, since its own answer would not be shown earlier. The file
(``<home>/display/<message>``, 0600) holds what is held back and nothing that was shown. It goes with the last piece;
what a killed client leaves is swept by the next message.

It must never fail and never lose text: where the piece before is missing, or the file cannot be written, the piece is
shown as it came, after whatever was held. It reads the store only where a comment is open, and never waits for it.
"""

import json
import os
import time
from contextlib import suppress

from bellek.curator.hiding import Screen, may_hide
from bellek.curator.markdown import Blocks
from bellek.kg import paths
from bellek.schemas.errors import BellekError
from bellek.schemas.vocab import HIDDEN_CHANNELS

SETTING = "hidden_channels"  # names, parted by blanks; absent: the vocabulary's own
WAIT_S = 2.0  # for the process before: it was started earlier, so only one that died takes this long
LOOK_S = 0.005
STALE_S = 3_600.0  # no message is under way so long
MAX_NAME = 200  # bytes of a file name, with room for the suffix of a half-written one


def replaced(home: str, message: str, index: int, final: bool, piece: str) -> "str | None":
    """What is shown in place of ``piece``, the ``index``-th of ``message``; None to leave it as it is.

    Raises OSError, ValueError where the folder or a file is not as this module leaves it: show the piece then.
    """
    paths.check_owner(home)
    path = _file(home, message)
    screen = Screen() if index == 0 else _wait_for(home, path, index - 1)
    if screen is None:
        # Later pieces go on from here, so that one that is lost costs the wait once.
        _leave(path, index, Screen(), final=final)
        return None
    held = screen.held
    shown = screen.show(piece, _channels(home, held + piece), final=final)
    try:
        if index == 0 and not final:
            _make_folder(os.path.dirname(path))
        _leave(path, index, screen, final=final)
    except OSError:
        shown = shown if final else held + piece
    return None if shown == piece else shown


def _file(home: str, message: str) -> str:
    """The message's file. An id is the client's word: letters, digits and hyphens stay, all else is spelled out."""
    name = "".join(c if c.isascii() and (c.isalnum() or c == "-") else f"_{ord(c):x}_" for c in message)
    if not name or len(name) > MAX_NAME:
        raise ValueError("no usable message id")
    return paths.display_folder(home) + "/" + name


def _channels(home: str, text: str) -> "tuple[str, ...]":
    """The channels whose markers are hidden, in lower case; none are asked for where the text opens no comment."""
    if not may_hide(text) or not os.path.exists(paths.memory_db(home)):
        return HIDDEN_CHANNELS
    from bellek.kg.db import open_database

    try:
        db = open_database(paths.memory_db(home), writable=False, busy_ms=0)
        named = db.value("SELECT value FROM settings WHERE key = ?", (SETTING,))
    except BellekError:  # busy, damaged or of another version: hiding does not depend on it
        return HIDDEN_CHANNELS
    return tuple(named.lower().split()) if isinstance(named, str) else HIDDEN_CHANNELS


def _wait_for(home: str, path: str, index: int) -> "Screen | None":
    """What the process of piece ``index`` left; None if it left nothing in time, or a later one has gone on without us."""
    end = time.monotonic() + WAIT_S
    while os.access(home, os.W_OK):  # nobody leaves anything in a home that is gone or read-only
        found = _read(path)
        if found is not None and found[0] >= index:
            return found[1] if found[0] == index else None
        if time.monotonic() > end:
            return None
        time.sleep(LOOK_S)
    return None


def _read(path: str) -> "tuple[int, Screen] | None":
    try:
        with open(path, encoding="ascii") as handle:
            index, held, after_blank, indented, fence, items = json.load(handle)
    except FileNotFoundError:
        return None
    return index, Screen(held, Blocks.resumed(after_blank, indented, fence, items))


def _leave(path: str, index: int, screen: Screen, *, final: bool) -> None:
    """Write the file whole or not at all, or remove it after the last piece."""
    if final:
        if os.path.exists(path):
            os.unlink(path)
        return
    making = path + "." + str(os.getpid())
    handle = os.open(making, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            json.dump((index, screen.held, *screen.blocks.state()), file)
        os.replace(making, path)
    except OSError:
        os.unlink(making)
        raise


def _make_folder(folder: str) -> None:
    """Make the folder where it is missing, and sweep the files of messages that never ended; other hooks do so too."""
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    oldest = time.time() - STALE_S
    for entry in os.scandir(folder):
        with suppress(FileNotFoundError):
            if entry.stat(follow_symlinks=False).st_mtime < oldest:
                os.unlink(entry.path)
