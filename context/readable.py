"""A home as markdown, to be read without any program: a file a kind of memory in each project, a file a conversation.

Deterministic, from rows alone. Stored text is data: it stands behind `> ` line by line, so that no line of it looks like a
heading of ours. It is a window, not a form to come back from: what comes back are the JSON lines beside it.
"""

from collections.abc import Iterator

from bellek.kg import clock, memories, packing
from bellek.kg.conversations import show
from bellek.kg.home import Home
from bellek.schemas.kinds import KINDS
from bellek.schemas.memory import Memory

SAFE = "abcdefghijklmnopqrstuvwxyz0123456789-_"


def write(home: Home, folder: str) -> int:
    """Write the files below a new folder; how many."""
    packing.folders(f"{folder}/conversations")
    count = 0
    for project, kind, lines in _memories(home):
        packing.folders(f"{folder}/{safe(project)}")
        count += _file(f"{folder}/{safe(project)}/{kind}.md", lines)
    for number, (id_,) in enumerate(
        home.conversations.rows("SELECT id FROM conversations ORDER BY first_at, id"), start=1
    ):
        count += _file(f"{folder}/conversations/{number:06d}-{safe(str(id_))[:60]}.md", _talk(home, str(id_)))
    return count


def safe(name: str) -> str:
    """A file name that no stored text can lead anywhere with; two names may share one, so a number stands before it where it matters."""
    if name == "*":
        return "everywhere"
    return "".join(char if char in SAFE else "-" for char in name.lower()) or "-"


def quoted(text: str) -> list[str]:
    """Text line by line behind `> `."""
    return [("> " + line).rstrip() for line in text.splitlines() or [""]]


def _file(path: str, lines: Iterator[str]) -> int:
    with packing.created(path) as out:
        for line in lines:
            out.write((line + "\n").encode())
    return 1


def _memories(home: Home) -> Iterator[tuple[str, str, Iterator[str]]]:
    pairs = home.memory.rows("SELECT DISTINCT project, kind FROM memories ORDER BY project, kind")
    for project, kind in pairs:
        ids = home.memory.rows("SELECT id FROM memories WHERE project = ? AND kind = ? ORDER BY n", (project, kind))
        yield str(project), str(kind), _of_kind(home, str(project), str(kind), [str(id_) for (id_,) in ids])


def _of_kind(home: Home, project: str, kind: str, ids: list[str]) -> Iterator[str]:
    yield f"# {kind} rows of {_place(home, project)}"
    yield ""
    tiers = "T1 is unverified, T2 permanent" if "T2" in KINDS[kind].tiers else "this kind has no tiers"
    yield f"{len(ids)} rows; {tiers}."
    for id_ in ids:
        yield ""
        yield from _row(memories.shown(memories.read(home.memory, id_)))


def _place(home: Home, project: str) -> str:
    path = home.memory.value("SELECT path FROM projects WHERE id = ?", (project,))
    return "every project" if project == "*" else f"`{str(path or project).replace('`', ' ')}`"


def _row(memory: Memory) -> Iterator[str]:
    yield f"## {memory.id}"
    yield ""
    yield f"- {clock.stamp(memory.said_at, memory.offset_minutes)}, {memory.tier}, {memory.status}, said by: {memory.origin}"
    for name, value in memory.body.model_dump().items():
        if name != "kind" and value not in ("", 0, (), [], None):
            yield f"- {name}: " + " ".join(str(value).split())
    for source in memory.sources:
        if source.message:
            yield f"- from message {' '.join(source.message.split())}"
    if memory.note:
        yield f"- note: {' '.join(memory.note.split())}"
    yield ""
    yield from quoted(memory.text)


def _talk(home: Home, id: str) -> Iterator[str]:
    yield f"# Conversation {' '.join(id.split())}"
    for message in show(home.conversations, id):
        yield ""
        yield f"## {clock.stamp(message.at, message.offset_minutes)} {' '.join(message.author.split())}"
        yield ""
        yield from quoted(message.text)
