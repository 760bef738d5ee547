"""Values of the store with as few words as possible, and how a whole store is compared with another."""

from typing import Any

from bellek.kg.db import Database
from bellek.kg.ids import mint
from bellek.schemas.event import Event
from bellek.schemas.lesson import Lesson
from bellek.schemas.memory import Memory
from bellek.schemas.queue import Sighting

AT = 1_700_000_000_000  # UTC milliseconds: 2023-11-14T22:13:20Z


def sighting(
    payload: str = "uv kullan çünkü pip kilit tutmaz", message: str = "m1", position: int = 0, **more: Any
) -> Sighting:
    """One heard marker of project p_x."""
    fields = {
        "project": "p_x", "agent": "*", "session": "s1", "channel": "learning", "origin": "agent", "said_at": AT, "offset_minutes": 180,
    }  # fmt: skip
    return Sighting(payload=payload, message=message, position=position, **{**fields, **more})


def lesson(text: str = "uv kullan çünkü pip kilit tutmaz", **more: Any) -> Memory:
    """A lesson of project p_x."""
    body = Lesson(topic="uv-kullan", learning="convention", importance=2)
    fields = {
        "id": mint("l"), "project": "p_x", "agent": "*", "session": "*", "origin": "agent", "tier": "T1", "said_at": AT,
        "offset_minutes": 180, "batch": "b_1", "body": body,
    }  # fmt: skip
    return Memory.model_validate({**fields, "text": text, **more})


def event(text: str = "bugün uv seçildi", **more: Any) -> Memory:
    """A journal event of project p_x."""
    body = Event(day="2023-11-15", topic="uv-secildi", conversation="s1")
    return lesson(text, **{"id": mint("e"), "tier": "-", "body": body, **more})


def tables(db: Database, *left_out: str) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every own table, sorted, without row numbers (`n`); an index's inner tables are left to kg.check."""
    names = db.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%_fts%' ORDER BY name"
    )
    found = {}
    for (name,) in names:
        if name in left_out:
            continue
        columns = [str(row[1]) for row in db.rows(f"PRAGMA table_info({name})") if row[1] != "n"]
        found[str(name)] = sorted(db.rows(f"SELECT {', '.join(columns)} FROM {name}"), key=repr)
    return found
