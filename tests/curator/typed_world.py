"""A small world for typed memory: messages, queue items and verdicts in few words."""

from bellek.curator.apply import apply
from bellek.kg import claims, clock, conflicts, conversations, memories, names, queue, tiers
from bellek.kg.conversations import Message
from bellek.kg.ids import mint
from bellek.schemas.claim import Claim
from bellek.schemas.memory import Memory
from bellek.schemas.queue import Sighting
from bellek.schemas.trust import trust

PROJECT = "p_one"
AT = 1_796_000_000_000  # 2026-11-30 00:53:20 UTC
DAY = 86_400_000


class World:
    """One home and one project, in which things are said, heard and answered."""

    def __init__(self, home, project=PROJECT):
        self.home = home
        self.db = home.memory
        self.project = project
        self.count = 0

    def say(self, text, *, at=0, typed=True, origin="user", talk="talk", project=""):
        """A message; its id. Typed by the person unless told otherwise."""
        self.count += 1
        id_ = f"m-{self.project}-{self.count}"
        author = "assistant" if origin == "agent" else "user"
        message = Message(
            id=id_, conversation=talk, seq=0, project=project or self.project, agent="claude-code", author=author, origin=origin,
            typed=typed and author == "user", machine=False, sidechain=False, at=at or AT + self.count * 1000, offset_minutes=180, text=text,
        )  # fmt: skip
        conversations.append(self.home.conversations, "claude-code", [message])
        return id_

    def hear(self, payload, *, message="", channel="learning", project="", at=0, position=0):
        """Queue a sighting; what the queue said of it."""
        message = message or self.say(payload, origin="agent", at=at)
        sighting = Sighting(
            project=project or self.project, agent="claude-code", session="talk", channel=channel, payload=payload, origin="agent",
            message=message, position=position, said_at=at or AT + self.count * 1000, offset_minutes=180,
        )  # fmt: skip
        with self.db.transaction():
            return queue.enqueue(self.db, sighting)

    def item(self, payload, **given):
        """A new item that waits; its id."""
        assert self.hear(payload, **given) == "queued"
        return str(
            self.db.value("SELECT id FROM queue WHERE payload = ? ORDER BY enqueued_at DESC, id DESC", (payload,))
        )

    def waiting(self):
        """Ids of waiting items."""
        return [item.id for item in queue.peek(self.db, self.project)]

    def apply(self, *verdicts, token="", actor="curator"):
        """Receipts of these verdicts."""
        return apply(self.home, self.project, list(verdicts), actor=actor, token=token)

    def told(
        self,
        predicate,
        object_,
        *,
        by="user",
        at=0,
        subject="user",
        category="person",
        confidence=0.7,
        text="",
        items=(),
    ):
        """Say a claim in one message and apply it; the receipt."""
        text = text or f"{subject} {predicate} {object_}"
        message = self.say(text, at=at, origin=by, typed=by == "user")
        return self.apply(
            claim(
                message,
                text,
                predicate,
                object_,
                subject=subject,
                category=category,
                confidence=confidence,
                items=items,
            )
        )[0]

    def claims(self, predicate="", **given):
        """Claims of the project, those that do not stand included."""
        return claims.listed(self.db, self.project, predicate=predicate, ended=True, **given)

    def current(self, predicate, **given):
        """Objects of the current claims of a predicate."""
        return sorted(row.object for row in self.claims(predicate, **given) if row.status == "current")

    def open_conflicts(self):
        """(object of the stronger side, object of the weaker side) of each open conflict."""
        rows = conflicts.listed(self.db, self.project)
        objects = {row.id: names.words(row.object) for row in self.claims()}
        return sorted((objects[row.strong], objects[row.weak]) for row in rows)

    def standings(self):
        """What stands, by slot: {(status, object, rank of trust)}, without what ended."""
        return sorted(
            (row.subject, row.predicate, row.status, names.words(row.object), trust(row.tier, row.origin))
            for row in self.claims()
            if row.status in ("current", "contested")
        )

    def permanent(self, body, text, *, origin="user", said_at=AT, project=""):
        """A T2 row, written and promoted as a person's act; its id."""
        letter = {"claim": "c", "lesson": "l", "page": "w", "entity": "n", "field": "f"}[body.kind]
        row = Memory.model_validate({
            "id": mint(letter), "project": project or self.project, "agent": "*", "session": "*", "origin": origin, "tier": "T1", "text": text,
            "said_at": said_at, "batch": "b_test", "body": body,
        })  # fmt: skip
        with self.db.transaction():
            memories.write(self.db, row, actor="person")
            return tiers.promote(self.db, row, actor="person").id

    def permanent_claim(self, predicate, object_, *, subject="user", origin="user", said_at=AT, project="*"):
        """A T2 claim."""
        body = Claim(
            category="person", subject=subject, predicate=predicate, object=object_, confidence=0.9, valid_from=said_at
        )
        return self.permanent(body, f"{subject} {predicate} {object_}", origin=origin, said_at=said_at, project=project)

    def rows(self, table):
        """A table's rows as dictionaries."""
        names_ = [str(row[1]) for row in self.db.rows(f"PRAGMA table_info({table})")]
        return [dict(zip(names_, row, strict=True)) for row in self.db.rows(f"SELECT * FROM {table}")]


def claim(message, quote, predicate, object_, *, subject="user", category="person", confidence=0.7, items=(), **more):
    """A verdict that writes a claim."""
    memory = {
        "kind": "claim", "category": category, "subject": subject, "predicate": predicate, "object": object_, "confidence": confidence,
        "quote": quote, **more,
    }  # fmt: skip
    return {"verdict": "write", "items": list(items), "evidence": [message] if message else [], "memory": memory}


def lesson(text, *, items=(), **more):
    """A verdict that writes a lesson."""
    return {
        "verdict": "write",
        "items": list(items),
        "memory": {"kind": "lesson", "text": text, "learning": "discovery", **more},
    }


def write(kind, *, items=(), evidence=(), **fields):
    """A verdict that writes any kind."""
    return {"verdict": "write", "items": list(items), "evidence": list(evidence), "memory": {"kind": kind, **fields}}


def now():
    """The clock's milliseconds."""
    return clock.now()
