"""Worldview: versioned inferences about patterns. Only the weekly reflection writes; nothing resets it."""

import json
from dataclasses import dataclass

from bellek.kg.db import Database
from bellek.schemas.errors import Refused
from bellek.schemas.worldview import Worldview

WRITER = "evolve"


@dataclass(frozen=True, slots=True)
class WorldviewRow:
    """A worldview row for a list; `evidence` are memory ids."""

    id: str
    project: str
    agent: str
    tier: str
    origin: str
    topic: str
    week: str
    evidence: tuple[str, ...]
    revision: int
    said_at: int
    offset_minutes: int
    text: str


def guard(db: Database, id: str, view: Worldview, actor: str) -> None:
    """Refuse a write by anyone but the reflection, and a second one of the same row in one week."""
    if actor != WRITER:
        raise Refused(
            "worldview is written by the weekly reflection alone", why=f"{actor} is not it", hint="run `bellek evolve`"
        )
    if db.value("SELECT week FROM worldviews WHERE id = ?", (id,)) == view.week:
        raise Refused(
            f"worldview {id} was written in {view.week} already",
            why="it changes once a week",
            hint="wait for the next week",
        )


def put(db: Database, id: str, view: Worldview) -> None:
    """Write the typed row; called by `memories.put` inside its transaction."""
    db.run(
        "INSERT INTO worldviews (id, topic, week, evidence) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET topic = excluded.topic, week = excluded.week, evidence = excluded.evidence",
        (id, view.topic, view.week, json.dumps(list(view.evidence))),
    )


def listed(db: Database, *, limit: int = 1000) -> list[WorldviewRow]:
    """Current rows by topic."""
    rows = db.rows(
        "SELECT m.id, m.project, m.agent, m.tier, m.origin, w.topic, w.week, w.evidence, m.revision, m.said_at, m.offset_minutes, m.text"
        " FROM worldviews w JOIN memories m ON m.id = w.id WHERE m.status = 'current' ORDER BY w.topic, m.id LIMIT ?",
        (limit,),
    )
    return [WorldviewRow(*row[:7], tuple(json.loads(str(row[7]))), *row[8:]) for row in rows]  # type: ignore[arg-type, call-arg]
