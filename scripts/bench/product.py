"""What the retrieval benchmarks share: a data home in a folder of its own, filled and asked through the product's rooms.

It must never fold, quote, weigh or rank anything itself: a figure is worth something only if the product's code made it.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bellek.kg import conversations, embedders, embedding, find, vectors
from bellek.kg.answers import Where
from bellek.kg.conversations import Message
from bellek.kg.embedders import Embedder
from bellek.kg.home import Home, open_home

__all__ = ["EMBEDDERS", "Said", "arm", "ask", "best_embedder", "fill", "home"]

EMBEDDERS = (*embedders.installed(), "none")  # arms of meaning, the best one first; "none" looks for words alone


class Said:
    """One text to be found by its `name`; `session` is what its neighbours share, `at` UTC milliseconds."""

    __slots__ = ("at", "author", "name", "session", "text")

    def __init__(self, name: str, text: str, *, session: str, author: str = "user", at: int = 0) -> None:
        self.name = name
        self.text = text
        self.session = session
        self.author = author
        self.at = at


def best_embedder() -> str:
    """The best arm that is installed."""
    return EMBEDDERS[0]


@contextmanager
def home() -> Iterator[Home]:
    """An empty data home that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder, open_home(folder + "/home") as opened:
        yield opened


def fill(store: Home, project: str, said: list[Said]) -> dict[int, Said]:
    """Append everything to one project; number of the message → what was said."""
    stored = [
        Message(
            id=f"{project}/{at}", conversation=f"{project}/{one.session}", seq=0, project=project, agent="*",
            author=one.author, origin="user", typed=False, machine=False, sidechain=False, at=one.at, offset_minutes=0,
            text=one.text,
        )
        for at, one in enumerate(said)
    ]  # fmt: skip
    conversations.append(store.conversations, "bench", stored)
    rows = store.conversations.rows("SELECT n, id FROM messages WHERE project = ?", (project,))
    return {int(str(n)): said[int(str(id_).rpartition("/")[2])] for n, id_ in rows}


def arm(store: Home, name: str) -> Embedder | None:
    """Embed what is stored with an embedder by name, as `bellek index` does; None for "none"."""
    if name == "none":
        return None
    os.environ[embedders.VARIABLE] = name
    embedder = embedders.load(store.memory)
    if embedder is None:
        raise SystemExit(f"no embedder {name}")
    embedding.catch_up(store, embedder)
    return embedder


def ask(store: Home, project: str, question: str, *, limit: int, embedder: Embedder | None = None) -> list[int]:
    """Numbers of the messages found, best first."""
    near = vectors.asked(store.conversations, embedder, question, Where(project)) if embedder else None
    if near is None or isinstance(near, vectors.Off):
        found = find.find(store.conversations, question, project=project, limit=limit)
    else:
        found = find.find(store.conversations, question, project=project, dense=near, weight=near.weight, limit=limit)
    return [hit.n for hit in found]
