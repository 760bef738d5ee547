"""Rows for tests, written through the one write path."""

from bellek.kg import clock, conversations, memories, registry
from bellek.kg.conversations import Message
from bellek.kg.ids import mint
from bellek.schemas.claim import Claim
from bellek.schemas.entity import Entity, EntityField
from bellek.schemas.event import Event
from bellek.schemas.lesson import Lesson
from bellek.schemas.memory import Memory
from bellek.schemas.task import Task

AT = 1_796_000_000_000  # 2026-11-30 00:53:20 UTC: the fixed clock of these tests
LETTERS = {
    "lesson": "l",
    "event": "e",
    "task": "t",
    "claim": "c",
    "entity": "n",
    "field": "f",
    "page": "w",
    "proposal": "r",
}


def lesson(text, **given):
    """A lesson's fields; importance 0 to 3."""
    body = Lesson(topic=given.pop("topic", "note"), learning="discovery", importance=given.pop("importance", 1))
    return {"text": text, "body": body, "tier": "T1", **given}


def event(text, **given):
    """A journal row's fields."""
    return {
        "text": text,
        "body": Event(day=clock.day(given.get("said_at", AT), 0), topic=given.pop("topic", "note")),
        "tier": "-",
        **given,
    }


def task(text, **given):
    """A task's fields."""
    return {"text": text, "body": Task(), "tier": "-", **given}


def claim(subject, predicate, said, **given):
    """A claim's fields."""
    body = Claim(
        category=given.pop("category", "project"),
        subject=subject,
        predicate=predicate,
        object=said,
        confidence=given.pop("confidence", 0.7),
    )
    return {"text": f"{subject} {predicate} {said}", "body": body, "tier": "T1", **given}


def entity(name, *aliases, **given):
    """An entity's fields."""
    return {
        "text": name,
        "body": Entity(name=name, type=given.pop("type", "person"), aliases=aliases),
        "tier": "T1",
        **given,
    }


def field(entity_id, name, value, **given):
    """A field's fields; `sensitivity` and `consent` as in the body."""
    body = EntityField(
        entity=entity_id, name=name, value=value, **{k: given.pop(k) for k in ("sensitivity", "consent") if k in given}
    )
    return {"text": f"{name}: {value}", "body": body, "tier": "T1", **given}


def write(home, project, *rows):
    """Write rows in one transaction; their ids."""
    ids = []
    with home.memory.transaction():
        for row in rows:
            fields = {
                "id": mint(LETTERS[row["body"].kind]), "project": project, "agent": "*", "session": "*", "origin": "agent",
                "said_at": AT, "batch": "b_test", **row,
            }  # fmt: skip
            ids.append(memories.write(home.memory, Memory.model_validate(fields), actor="test").id)
    return ids


def say(home, project, *texts, talk="talk-1", author="user", origin="user"):
    """Store messages of one talk, a minute apart."""
    known = len(conversations.show(home.conversations, talk))
    said = [
        Message(
            id=f"{talk}-{known + i}", conversation=talk, seq=0, project=project, agent="claude-code", author=author, origin=origin,
            typed=True, machine=False, sidechain=False, at=AT + i * 60_000, offset_minutes=0, text=text,
        )
        for i, text in enumerate(texts)
    ]  # fmt: skip
    conversations.append(home.conversations, "claude-code", said)


def project(home, folder):
    """The id of a folder's project."""
    with home.memory.transaction():
        return registry.register(home.memory, str(folder))
