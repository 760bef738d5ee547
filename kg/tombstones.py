"""Never again: a refused or a forgotten value leaves keyed marks, and every write path asks them first (R115).

A value comes back in its normal form (`kg.normal`): that is blocked. What only shares most of its words with a refused
value may be another thing: it is written, told to nobody, and waits for the person. It must never hold a word, only
hashes under the store's own key; and of what was forgotten only those of the whole value, so that nobody who has the
file and the key can ask it word by word.
"""

import json
from dataclasses import dataclass, field
from typing import Literal, assert_never

from bellek.kg import audit, names, normal, stones
from bellek.kg.db import Database
from bellek.kg.ids import mint
from bellek.schemas.claim import Claim
from bellek.schemas.entity import Entity, EntityField
from bellek.schemas.errors import NeverAgain
from bellek.schemas.memory import Memory

Why = Literal["refused", "forgotten"]
KIND = "tombstone"  # of its entries in the trail
MESSAGE_WORDS = 4  # of a forgotten message that are needed for a mark of its own: "evet, devam" is said every day


@dataclass(frozen=True, slots=True)
class Stone:
    """A tombstone as its revision in the trail tells it; marks are hexadecimal."""

    project: str
    why: Why
    memory: str
    forms: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    lifted: bool = False


STANDING = ("current", "contested", "quarantined")


def allowed(db: Database, memory: Memory, old: Memory | None) -> Memory:
    """The memory as it may be written over `old` (None: a new row); near a refusal it is quarantined. Raises NeverAgain.

    A row that keeps its value is not asked again, unless it would stand up from being hidden or refused.
    """
    same = old is not None and _asked(db, old) == _asked(db, memory)
    if old is not None and same and (old.status in STANDING or memory.status not in STANDING):
        return memory
    ruling = rule(db, memory)
    match ruling.how:
        case "free":
            return memory
        case "near":
            if same or memory.tier == "T2" or memory.status not in ("current", "contested"):
                return memory
            return memory.model_copy(update={"status": "quarantined", "note": f"near a refusal: {ruling.memory}"})
        case "refused" | "forgotten":
            if ruling.how == "refused" and memory.status == "refused":
                return memory
            raise NeverAgain(
                f"{ruling.how} before: this {memory.body.kind} is not written again",
                why=f"it says the same as {ruling.memory}" if ruling.memory else "it was forgotten in these words",
            )
        case other:
            assert_never(other)


def forgotten_by(db: Database, memory: Memory) -> list[str]:
    """Whose acts left the tombstones of a value that was forgotten: the actors of the trail; empty where none was."""
    marks = [stones.mark(key, form) for key in stones.keys_of(db) for form in _asked(db, memory)]
    rows = db.rows(
        "SELECT DISTINCT a.actor FROM tombstone_marks k JOIN tombstones t ON t.id = k.stone JOIN audit a ON a.id = t.id AND a.revision = 1"
        f" WHERE k.sort = 'form' AND k.mark IN ({', '.join('?' * len(marks))}) AND t.why = 'forgotten' AND t.lifted = 0 AND t.project = ?",
        (*marks, memory.project),
    )
    return [str(actor) for (actor,) in rows]


def about(db: Database, memory: str) -> list[str]:
    """The refusals of a row, taken back or not."""
    return [str(id_) for (id_,) in db.rows("SELECT id FROM tombstones WHERE memory = ? AND why = 'refused' ORDER BY id", (memory,))]  # fmt: skip


def rule(db: Database, memory: Memory) -> stones.Ruling:
    """What is said of a whole memory; a conflict is only a pointer to two claims and is always free."""
    if memory.body.kind == "conflict":
        return stones.FREE
    near = [] if memory.body.kind in ("entity", "field") else normal.bare(memory.text)
    return stones.ruled(db, memory.project, _asked(db, memory), near)


def _asked(db: Database, memory: Memory) -> tuple[str, ...]:
    """The forms that a value is asked by: its own, and that of its words as any other kind would have said them."""
    match memory.body:
        case Claim(subject=subject, predicate=predicate, object=object_):
            return (
                f"claim {names.key(subject)} {predicate} {normal.form(object_)}",
                "words " + normal.form(memory.text),
            )
        case Entity(name=name):
            return ("entity " + names.key(name),)
        case EntityField(entity=entity, name=name, value=value):
            holder = str(db.value("SELECT key FROM entities WHERE id = ?", (entity,)) or entity)
            return (f"field {holder} {names.snake(name)} {normal.form(value)}",)
        case _:
            return ("words " + normal.form(memory.text), "claimed " + normal.form(memory.text))


def _left(db: Database, memory: Memory) -> tuple[str, ...]:
    """The forms that a value leaves. The words of a claim do not block a claim of the other order: A knows B, B knows A."""
    asked = _asked(db, memory)
    match memory.body:
        case Claim():
            return (asked[0], "claimed " + normal.form(memory.text))
        case _:
            return asked[:1]


def refuse(db: Database, memory: Memory, *, actor: str = "person", batch: str = "") -> str:
    """Leave the tombstone of a refused row; its id. Write the row itself as refused first or afterwards, in one transaction."""
    words = () if memory.body.kind in ("entity", "field") else tuple(normal.bare(memory.text))
    key = stones.key_in(db, memory.project)
    stone = Stone(
        memory.project, "refused", memory.id, [stones.mark(key, form).hex() for form in _left(db, memory)],
        [stones.mark(key, "word " + word)[:8].hex() for word in words],
    )  # fmt: skip
    return _write(db, mint("z"), stone, actor=actor, batch=batch or memory.batch)


def mark_anew(db: Database, project: str, *, batch: str) -> int:
    """Leave the refusals of a project under the key that holds there now, where their words are still here; how many.

    What was forgotten has no words left: its tombstone holds in this store alone.
    """
    rows = db.rows(
        "SELECT t.id, r.body FROM tombstones t JOIN memories m ON m.id = t.memory JOIN revisions r ON r.id = m.id AND r.revision = m.revision"
        " WHERE t.project = ? AND t.why = 'refused' AND t.lifted = 0 AND m.status = 'refused'",
        (project,),
    )
    for id_, body in rows:
        _drop(db, str(id_), actor="cli", batch=batch)
        refuse(db, Memory.model_validate_json(str(body)), actor="cli", batch=batch)
    return len(rows)


def forget(db: Database, memory: Memory, *, actor: str, batch: str) -> str:
    """Leave the tombstone of a forgotten row: its whole form alone. What a refusal of it left by the word goes."""
    key = stones.key_in(db, memory.project)
    forms = [stones.mark(key, form).hex() for form in _left(db, memory)]
    for (id_,) in db.rows("SELECT id FROM tombstones WHERE memory = ? AND why = 'refused'", (memory.id,)):
        _drop(db, str(id_), actor=actor, batch=batch)
    return _write(db, mint("z"), Stone(memory.project, "forgotten", "", forms), actor=actor, batch=batch)


def forget_text(db: Database, project: str, text: str, *, actor: str, batch: str) -> str:
    """Leave the tombstone of a forgotten message or payload; "" where its words are too few to tell it from small talk."""
    if len(normal.stems(text)) < MESSAGE_WORDS:
        return ""
    stone = Stone(
        project, "forgotten", "", [stones.mark(stones.key_in(db, project), "words " + normal.form(text)).hex()]
    )
    return _write(db, mint("z"), stone, actor=actor, batch=batch)


def lift(db: Database, memory: str, *, actor: str, batch: str) -> int:
    """Take back the refusals of a row, as a person may; how many there were."""
    return _lift(
        db,
        db.rows("SELECT id FROM tombstones WHERE memory = ? AND why = 'refused' AND lifted = 0", (memory,)),
        actor,
        batch,
    )


def lift_batch(db: Database, of: str, *, actor: str, batch: str) -> int:
    """Take back the refusals that a batch left; how many there were. What was forgotten stays so."""
    return _lift(
        db, db.rows("SELECT id FROM tombstones WHERE batch = ? AND why = 'refused' AND lifted = 0", (of,)), actor, batch
    )


def _lift(db: Database, ids: list[tuple[str | int | float | bytes | None, ...]], actor: str, batch: str) -> int:
    for (id_,) in ids:
        newest = db.one("SELECT body, revision FROM revisions WHERE id = ? ORDER BY revision DESC LIMIT 1", (id_,))
        assert newest
        old = json.loads(str(newest[0]))
        _write(
            db, str(id_), Stone(**{**old, "lifted": True}), actor=actor, batch=batch, revision=int(str(newest[1])) + 1
        )
    return len(ids)


def _write(db: Database, id: str, stone: Stone, *, actor: str, batch: str, revision: int = 1) -> str:
    body = json.dumps({name: getattr(stone, name) for name in Stone.__slots__}, separators=(",", ":"))
    act = "lift" if stone.lifted else stone.why
    audit.append(db, actor=actor, act=act, kind=KIND, id=id, batch=batch, revision=revision, body=body)
    put(db, id, body, batch=batch)
    return id


def adopt(db: Database, id: str, body: str, *, actor: str, batch: str) -> None:
    """Take over a tombstone of another store, with its marks as they are: `stones.also_ask` names the key they were made under."""
    newest = db.value("SELECT coalesce(max(revision), 0) FROM audit WHERE id = ?", (id,))
    _write(db, id, Stone(**json.loads(body)), actor=actor, batch=batch, revision=1 + int(str(newest)))


def drop(db: Database, id: str, *, actor: str, batch: str) -> None:
    """Take away a tombstone that the store which left it took away."""
    _drop(db, id, actor=actor, batch=batch)


def put(db: Database, id: str, body: str, *, batch: str) -> None:
    """Make the tables hold this revision of a tombstone; called here and by the replay of a trail."""
    stone = Stone(**json.loads(body))
    db.run(
        "INSERT INTO tombstones (id, project, why, memory, words, lifted, batch) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET lifted = excluded.lifted, batch = excluded.batch",
        (id, stone.project, stone.why, stone.memory, len(stone.words), int(stone.lifted), batch),
    )
    marks = [("form", mark) for mark in stone.forms] + [("word", mark) for mark in stone.words]
    db.run_many(
        "INSERT OR IGNORE INTO tombstone_marks (mark, sort, stone) VALUES (?, ?, ?)",
        [(bytes.fromhex(mark), sort, id) for sort, mark in marks],
    )


def _drop(db: Database, id: str, *, actor: str, batch: str) -> None:
    """A tombstone and its bodies; its entries stay in the trail, as those of every forgotten body do."""
    take_away(db, id)
    audit.append(db, actor=actor, act="scrub", kind=KIND, id=id, batch=batch)


def take_away(db: Database, id: str) -> None:
    """Delete a tombstone with its marks and bodies; called by the act above and by the replay of one."""
    db.run("DELETE FROM tombstone_marks WHERE stone = ?", (id,))
    db.run("DELETE FROM tombstones WHERE id = ?", (id,))
    db.run("DELETE FROM revisions WHERE id = ?", (id,))
    db.run("UPDATE hub_entries SET body = NULL, salt = NULL WHERE id = ? AND body IS NOT NULL", (id,))
