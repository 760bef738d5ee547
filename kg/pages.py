"""Wiki pages: one current page a topic and project, replaced as a whole; its former texts stay in the trail."""

from dataclasses import dataclass

from bellek.kg import scope
from bellek.kg.db import Database
from bellek.schemas.page import Page


@dataclass(frozen=True, slots=True)
class PageRow:
    """A page for a list."""

    id: str
    project: str
    tier: str
    origin: str
    topic: str
    title: str
    revision: int
    said_at: int
    offset_minutes: int
    text: str


def put(db: Database, id: str, page: Page) -> None:
    """Write the typed row; called by `memories.put` inside its transaction."""
    db.run(
        "INSERT INTO pages (id, topic, title) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET topic = excluded.topic, title = excluded.title",
        (id, page.topic, page.title),
    )


def of_topic(db: Database, project: str, topic: str) -> str:
    """The id of the current page of a topic in this very project, or ''."""
    found = db.value(
        "SELECT m.id FROM pages p JOIN memories m ON m.id = p.id WHERE p.topic = ? AND m.project = ? AND m.status = 'current' ORDER BY m.id",
        (topic, project),
    )
    return str(found) if found else ""


def beginning(db: Database, project: str, topic: str) -> list[tuple[str, str, str]]:
    """(id, topic, title) of the current pages of this very project whose topic begins so, by topic."""
    rows = db.rows(
        "SELECT m.id, p.topic, p.title FROM pages p JOIN memories m ON m.id = p.id WHERE m.project = ?1 AND m.status = 'current'"
        " AND substr(p.topic, 1, length(?2)) = ?2 ORDER BY p.topic, m.id",
        (project, topic),
    )
    return [(str(id_), str(name), str(title)) for id_, name, title in rows]


def listed(db: Database, project: str, *, topic: str = "", limit: int = 1000) -> list[PageRow]:
    """Current pages of a project and of every project by topic."""
    rows = db.rows(
        "SELECT m.id, m.project, m.tier, m.origin, p.topic, p.title, m.revision, m.said_at, m.offset_minutes, m.text FROM pages p"
        f" JOIN memories m ON m.id = p.id WHERE {scope.sees('?1')} AND m.status = 'current' AND (?2 = '' OR p.topic = ?2) ORDER BY p.topic, m.id LIMIT ?3",
        (project, topic, limit),
    )
    return [PageRow(*row) for row in rows]  # type: ignore[arg-type]
