"""The identity file: a person's own, changed by bellek only as the person answered to a proposal of that very text (R65).

It must never be written for anybody else, nor over words that the proposal did not know; the old text is kept beside it.
"""

import os

from bellek.curator import inbox, person_files
from bellek.kg import paths
from bellek.kg.home import Home
from bellek.kg.memories import Written
from bellek.kg.vault_files import digest
from bellek.schemas.channel import Fault
from bellek.schemas.errors import Refused, StoreReadOnly
from bellek.schemas.proposal import Proposal

SIZE_CAP = 64_000  # bytes; the packet takes 8,000


def text(home: str) -> str:
    """The file as it is, "" where there is none. Raises Refused where it cannot be read."""
    found = person_files.read(paths.identity_file(home), cap=SIZE_CAP)
    if isinstance(found, Fault):
        raise Refused("the identity file cannot be read", why=found.what, hint=f"look at {paths.identity_file(home)}")
    return found or ""


def mark(home: str) -> str:
    """What a proposal remembers of the text that it would replace."""
    return digest(text(home)).hex()


def propose(home: Home, project: str, new: str, *, actor: str) -> Written:
    """Ask for the whole new text of the file, in the caller's transaction. Raises Refused where the present one cannot be read."""
    body = Proposal(structure="identity", title="the identity file's new text", target=mark(home.path))
    return inbox.put(home.memory, project, body, new, origin="agent", actor=actor)


def replace(home: Home, proposal: str, new: str, before: str) -> str:
    """Write the proposed text, the old one kept beside; the sentence that says so. Raises Refused, StoreReadOnly.

    `before` is the `mark` of the text that was there when it was proposed, "" for a curator's proposal, which is a wish
    and no text: then the file is left to the person.
    """
    path = paths.identity_file(home.path)
    if not before:
        return "write it into config/identity.md yourself: it was proposed as a wish, not as the file's text"
    old = text(home.path)
    whole = new.rstrip("\n") + "\n"
    if old == whole:
        return f"{path} says so already"
    if digest(old).hex() != before:
        raise Refused(
            "the identity file was left as it is", why="it was changed since this was proposed", hint="propose it again"
        )
    beside = f"{path}.before-{proposal}"
    if old:
        _put(beside, old)
    _put(path, whole)
    return f"{path} was written" + (f"; its old text is in {beside}" if old else "")


def _put(path: str, whole: str) -> None:
    """Whole beside its place, then moved there: a full disk leaves the old file."""
    new = f"{path}.new"
    try:
        with os.fdopen(
            os.open(new, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW, 0o600), "w", encoding="utf-8"
        ) as file:
            file.write(whole)
        os.replace(new, os.path.realpath(path))
    except OSError as exc:
        raise StoreReadOnly(f"{path} was not written", why=exc.strerror or "") from exc
