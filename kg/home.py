"""An open data home: both databases, migrated and ready. A class that owns two connections, nothing more."""

from types import TracebackType
from typing import Self

from bellek.kg import paths
from bellek.kg.db import Database, open_database
from bellek.kg.migrate import open_migrated


class Home:
    """The two databases of a data home. Use as a context manager; one a thread."""

    __slots__ = ("conversations", "memory", "path")

    def __init__(self, path: str, memory: Database, conversations: Database) -> None:
        self.path = path
        self.memory = memory
        self.conversations = conversations

    def close(self) -> None:
        """Close both connections."""
        self.memory.close()
        self.conversations.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_home(path: str) -> Home:
    """Open (and make, 0700/0600) the home at an absolute path. Raises StoreFault, Busy."""
    paths.make_home(path)
    memory = open_migrated(paths.memory_db(path), "memory")
    try:
        conversations = open_migrated(paths.conversations_db(path), "conversations")
    except BaseException:
        memory.close()
        raise
    return Home(path, memory, conversations)


def open_to_read(path: str) -> Home:
    """Open a home without changing a byte, of whatever version; only for what goes by the names of tables and columns."""
    memory = open_database(paths.memory_db(path), writable=False)
    try:
        return Home(path, memory, open_database(paths.conversations_db(path), writable=False))
    except BaseException:
        memory.close()
        raise
