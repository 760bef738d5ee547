"""What an archive holds besides the trail: messages, each once by its id, and the person's own files.

It must never store words that were forgotten here, nor write over a file of the person's.
"""

import os

from bellek.kg import archive_read, conversations, forgotten, packing, paths
from bellek.kg.archive_read import Read
from bellek.kg.conversations import Message
from bellek.kg.home import Home
from bellek.schemas.archive import Value
from bellek.schemas.errors import Refused
from bellek.schemas.vocab import FORGOTTEN

_MESSAGES = 500  # a write


def messages(home: Home, found: Read) -> int:
    """Messages by their ids, as many as are new; what was forgotten here or there has no words."""
    clients = {
        str(row["id"]): str(row["client"]) for row, _ in archive_read.rows(found, "conversations/conversations.jsonl")
    }
    stored, batch, blank = 0, list[Message](), list[str]()
    for row, where in archive_read.rows(found, "conversations/messages.jsonl"):
        message = _message(row, where)
        if message.text == FORGOTTEN:
            blank.append(message.id)
        batch.append(message)
        if len(batch) == _MESSAGES:
            stored += _store(home, batch, clients)
            batch = []
    stored += _store(home, batch, clients)
    conversations.blank(home.conversations, blank)
    return stored


def _message(row: dict[str, Value], where: str) -> Message:
    try:
        flags = {name: bool(row[name]) for name in ("typed", "machine", "sidechain")}
        texts = {
            name: str(row[name]) for name in ("id", "conversation", "project", "agent", "author", "origin", "text")
        }
        return Message(seq=0, at=int(str(row["at"])), offset_minutes=int(str(row["offset_minutes"])), **texts, **flags)  # type: ignore[arg-type]
    except (KeyError, ValueError) as exc:
        raise Refused("the archive was not imported", why=f"{where}: no message") from exc


def _store(home: Home, batch: list[Message], clients: dict[str, str]) -> int:
    """Runs of messages of one client, in the order in which they were stored there."""
    stored, run, last = 0, list[Message](), ""
    for message in forgotten.kept(home.memory, batch):
        client = clients.get(message.conversation, "import")
        if run and client != last:
            stored += conversations.append(home.conversations, last, run)
            run = []
        run.append(message)
        last = client
    return stored + (conversations.append(home.conversations, last, run) if run else 0)


def take_config(home: Home, found: Read) -> tuple[list[str], list[str]]:
    """Copy the person's files of an archive that this home does not have; (those, and those that are others here and stay).

    Called for a person alone: a file of config names programs and models.
    """
    taken, differ = [], []
    base = f"{found.path}/{paths.CONFIG}"
    for here, _, names in os.walk(base):
        for name in names:
            source = os.path.join(here, name)
            inner = os.path.relpath(source, base)
            place = f"{home.path}/{paths.CONFIG}/{inner}"
            if os.path.islink(source) or not os.path.isfile(source):
                continue
            if os.path.lexists(place):
                if packing.digest_of(source) != packing.digest_of(place):
                    differ.append(inner)
                continue
            packing.copied(source, place)
            taken.append(inner)
    return sorted(taken), sorted(differ)
