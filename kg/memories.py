"""The envelope and the one write path of every memory: redact, judge, write both rows, index, revision, trail entry.

All of it happens inside the caller's transaction. It must never be bypassed: a row written elsewhere would be missing
from search, from the trail, or would carry a secret.
"""

from dataclasses import dataclass
from typing import assert_never

from bellek.kg import (
    audit,
    claims,
    conflicts,
    entities,
    intake,
    journal,
    lessons,
    pages,
    promotions,
    proposals,
    scope,
    shared_log,
    stones,
    tasks,
    tombstones,
    worldview,
)
from bellek.kg.audit import Entry
from bellek.kg.db import Database
from bellek.kg.fold import index_text
from bellek.kg.ids import ALPHABET, the_one
from bellek.schemas.claim import Claim
from bellek.schemas.conflict import Conflict
from bellek.schemas.entity import Entity, EntityField
from bellek.schemas.errors import NotFound, PersonNeeded, Refused
from bellek.schemas.event import Event
from bellek.schemas.kinds import KINDS
from bellek.schemas.lesson import Lesson
from bellek.schemas.log import LogEntry
from bellek.schemas.memory import Memory
from bellek.schemas.page import Page
from bellek.schemas.proposal import Proposal
from bellek.schemas.task import Task
from bellek.schemas.tier import state_of, who_may
from bellek.schemas.worldview import Worldview

LETTERS = {kind.name: kind.letter for kind in KINDS.values()}  # first letter of an id, a kind each


@dataclass(frozen=True, slots=True)
class Written:
    """What a write answers: the row's id, its revision, the hybrid clock from which on it can be read, status and why."""

    id: str
    revision: int
    clock: int
    status: str = "current"
    note: str = ""


def by_person(actor: str) -> bool:
    """Whether an act is a person's: "person", or "person:" and the way it came (terminal, page, typed line)."""
    return actor == "person" or actor.startswith("person:")


def write(db: Database, memory: Memory, *, actor: str, act: str = "write") -> Written:
    """Write a new memory, or a new revision of one. It is redacted here, before the first byte is stored, and set apart
    as `quarantined` where no person wrote it and its words ask for it (`kg.intake`), or where it is near a refusal.

    A revision is permanent only by a promotion of its own (`kg.tiers`). A person's other acts on a row (a standing, a consent,
    an undo) carry a promotion on to the words that it was given for. Raises NeverAgain for a value that was refused or forgotten.
    """
    old = _standing(db, memory.id)
    _guard(db, memory, old, actor, act)
    clean = intake.redacted(memory)
    if not by_person(actor):
        clean = intake.judged(old, clean)
    if stones.left_any(db):
        clean = tombstones.allowed(db, clean, old)
    return _store(db, clean, actor=actor, act=act)


def _store(db: Database, clean: Memory, *, actor: str, act: str) -> Written:
    """A memory that was judged, as a revision in the trail and in its tables."""
    revision = next_revision(db, clean.id)
    if clean.tier == "T2":
        _permit(db, clean, revision, actor)
    entry = audit.append(
        db, actor=actor, act=act, kind=clean.body.kind, id=clean.id, batch=clean.batch, revision=revision, body=clean.canonical()
    )  # fmt: skip
    if clean.tier == "T2":
        promotions.stamp(db, entry)
    put(db, clean, revision=revision, clock=entry.clock)
    return Written(clean.id, revision, entry.clock, clean.status, clean.note)


def take_in(db: Database, memory: Memory, *, actor: str) -> Written:
    """Write what all nodes of a space together say of a row, redacted and judged as `curator.hub_versions` does.

    It may lead from any state to any other, since the way to it was gone elsewhere; only what a person here made permanent stays
    a person's. `actor` is a person's where the version is: it brings its promotion along. Called by the merge of a hub alone.
    """
    old = _standing(db, memory.id)
    if not by_person(actor) and "T2" in (memory.tier, old.tier if old else ""):
        raise PersonNeeded(f"{memory.id} stays as it is", why="only a person changes what a person made permanent")
    if memory.tier == "T2":
        promotions.grant(db, memory.id, next_revision(db, memory.id), actor)
    return _store(db, memory, actor=actor, act="merge")


def revision(db: Database, id: str) -> int:
    """The number of a row's revision as it stands, 0 where there is none."""
    return int(str(db.value("SELECT coalesce(max(revision), 0) FROM memories WHERE id = ?", (id,))))


def next_revision(db: Database, id: str) -> int:
    """The number of a row's next revision, 1 for a new one. By the trail: a row may be gone from the tables."""
    return 1 + int(str(db.value("SELECT coalesce(max(revision), 0) FROM audit WHERE id = ?", (id,))))


RETURNING = ("forget", "undo")  # acts that hide or bring back a whole revision of any kind


def _guard(db: Database, memory: Memory, old: Memory | None, actor: str, act: str) -> None:
    """The write rules of tiers and of single kinds; tiers that a kind does not have are refused for all."""
    if memory.tier not in KINDS[memory.body.kind].tiers:
        raise Refused(
            f"a {memory.body.kind} has no tier {memory.tier}",
            why=f"its tiers are {', '.join(KINDS[memory.body.kind].tiers)}",
        )
    if not by_person(actor):
        if old is not None and old.tier == "T2":
            raise PersonNeeded(f"{memory.id} is permanent", why="only a person changes what a person made permanent")
        if memory.tier == "T2":
            raise PersonNeeded(f"{memory.id} was not made permanent", why="only a person makes a memory permanent")
    _guard_move(memory, old, actor)
    if act in RETURNING:
        return
    match memory.body:
        case Worldview() as view if old is None or (old.text, old.body) != (memory.text, view) or not by_person(actor):
            worldview.guard(db, memory.id, view, actor)
        case LogEntry() as entry:
            shared_log.guard(db, memory.id, entry, memory.agent, memory.text)
        case _:
            pass


def _guard_move(memory: Memory, before: Memory | None, actor: str) -> None:
    old = state_of(before.tier, before.status) if before else state_of("", "")
    new = state_of(memory.tier, memory.status)
    match who_may(old, new):
        case "anybody":
            return
        case "person" if by_person(actor):
            return
        case "person":
            raise PersonNeeded(f"{memory.id} stays {old}", why=f"only a person moves a row from {old} to {new}")
        case None:
            raise Refused(f"{memory.id} cannot go from {old} to {new}", why="no tier leads there")


def _permit(db: Database, memory: Memory, revision: int, actor: str) -> None:
    """A promotion of this very revision, or one that a person gave these words before: their act leaves or brings back what
    they promoted.
    """
    if promotions.granted(db, memory.id, revision):
        return
    if not promotions.has_words(db, memory.id, memory.text):
        raise PersonNeeded(f"{memory.id} was not promoted in these words", why="each text is made permanent by itself")
    promotions.grant(db, memory.id, revision, actor)


def put(db: Database, memory: Memory, *, revision: int, clock: int) -> None:
    """Make the tables hold this revision; called by `write` and by the replay of a trail, by nobody else."""
    first = revision == 1  # nothing of it is there yet that would have to be taken out
    if not first:
        _unindex(db, memory.id)
        db.run("DELETE FROM sources WHERE memory = ?", (memory.id,))
    db.run(
        "INSERT INTO memories (id, kind, project, agent, session, origin, tier, status, note, let_in, text, shadow, said_at,"
        " offset_minutes, created, updated, batch, revision)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET project = excluded.project, agent = excluded.agent, session = excluded.session,"
        " origin = excluded.origin, tier = excluded.tier, status = excluded.status, note = excluded.note,"
        " let_in = excluded.let_in, text = excluded.text, shadow = excluded.shadow,"
        " said_at = excluded.said_at, offset_minutes = excluded.offset_minutes, updated = excluded.updated,"
        " batch = excluded.batch, revision = excluded.revision",
        (
            memory.id, memory.body.kind, memory.project, memory.agent, memory.session, memory.origin, memory.tier, memory.status,
            memory.note, int(memory.let_in), memory.text, index_text(_words(memory)), memory.said_at, memory.offset_minutes, clock, clock, memory.batch, revision,
        ),
    )  # fmt: skip
    _put_body(db, memory, clock)
    db.run_many(
        "INSERT OR IGNORE INTO sources (memory, item, conversation, message) VALUES (?, ?, ?, ?)",
        [(memory.id, s.item, s.conversation, s.message) for s in memory.sources],
    )
    db.run(
        "INSERT INTO memories_fts (rowid, scope, own) SELECT n, scope, own FROM memory_words WHERE n = " + _NUMBER,
        (memory.id,),
    )


_NUMBER = "(SELECT n FROM memories WHERE id = ?)"


def _unindex(db: Database, id: str) -> None:
    """External content: the old words must be taken out with the very values that were put in."""
    db.run(
        "INSERT INTO memories_fts (memories_fts, rowid, scope, own) SELECT 'delete', n, scope, own FROM memory_words WHERE n = "
        + _NUMBER,
        (id,),
    )


def _put_body(db: Database, memory: Memory, clock: int) -> None:  # noqa: C901  one arm a kind
    match memory.body:
        case Claim() as claim:
            claims.put(db, memory.id, claim, status=memory.status, clock=clock)
        case Lesson() as lesson:
            lessons.put(db, memory.id, lesson, origin=memory.origin, tier=memory.tier)
        case Event() as event:
            journal.put(db, memory.id, event)
        case Page() as page:
            pages.put(db, memory.id, page)
        case Entity() as entity:
            entities.put(db, memory.id, entity)
        case EntityField() as field:
            entities.put_field(db, memory.id, field)
        case Worldview() as view:
            worldview.put(db, memory.id, view)
        case Task() as task:
            tasks.put(db, memory.id, task)
        case LogEntry() as entry:
            shared_log.put(db, memory.id, entry)
        case Proposal() as proposal:
            proposals.put(db, memory.id, proposal)
        case Conflict() as conflict:
            conflicts.put(db, memory.id, conflict)
        case other:
            assert_never(other)


def _words(memory: Memory) -> str:
    """What a search can find a memory by: its text, and the words of its body that the text need not hold."""
    match memory.body:
        case Lesson(topic=topic) | Event(topic=topic) | Worldview(topic=topic):
            return memory.text + "\n" + topic.replace("-", " ")
        case Page(title=title, topic=topic):
            return f"{memory.text}\n{title}\n{topic.replace('-', ' ')}"
        case Claim(quote=quote):
            return memory.text + "\n" + quote
        case Entity(name=name, aliases=aliases):
            return "\n".join((memory.text, name, *aliases))
        case EntityField(withheld=True):
            return ""  # not even found
        case _:
            return memory.text


def out_of_sight(memory: Memory, *, batch: str, why: str) -> Memory:
    """The revision that hides a memory; an open conflict is closed with it, since nobody could answer it."""
    update: dict[str, object] = {"status": "hidden", "batch": batch}
    if isinstance(memory.body, Conflict) and memory.body.state == "open":
        update["body"] = memory.body.model_copy(update={"state": "resolved", "winner": "", "reason": why})
    return memory.model_copy(update=update)


def remove(db: Database, ids: list[str]) -> None:
    """Delete rows with all that was written of them, bodies included: their entries in the trail stay, and still verify.

    Call it inside the transaction that records the act; called by `kg.forget` alone.
    """
    for id_ in ids:
        _unindex(db, id_)
        db.run("DELETE FROM sources WHERE memory = ?", (id_,))
        db.run("DELETE FROM aliases WHERE entity = ?", (id_,))
        db.run("DELETE FROM lesson_outcomes WHERE lesson = ?", (id_,))
        db.run("DELETE FROM revisions WHERE id = ?", (id_,))
        db.run("UPDATE hub_entries SET body = NULL, salt = NULL WHERE id = ? AND body IS NOT NULL", (id_,))
        db.run(
            "INSERT OR IGNORE INTO settled (project, channel, digest, memory, at) SELECT project, channel, digest, '', at FROM settled WHERE memory = ?",
            (id_,),
        )
        db.run("DELETE FROM settled WHERE memory = ?", (id_,))
    for table in _BODIES:  # conflicts and fields point to others of their kind's envelope: bodies first, then envelopes
        for id_ in ids:
            db.run(f"DELETE FROM {table} WHERE id = ?", (id_,))
    for id_ in ids:
        db.run("DELETE FROM memories WHERE id = ?", (id_,))


_BODIES = (
    "conflicts", "fields", "claims", "lessons", "events", "pages", "entities", "worldviews", "tasks", "logs", "proposals",
)  # fmt: skip


def read(db: Database, id: str) -> Memory:
    """The memory as it stands, read from its last revision. Raises NotFound."""
    found = _standing(db, id)
    if found is None:
        raise NotFound(f"no memory {id}", why="no row has that id")
    return found


def _standing(db: Database, id: str) -> Memory | None:
    row = db.one(
        "SELECT r.body, m.tier, m.note FROM memories m JOIN revisions r ON r.id = m.id AND r.revision = m.revision WHERE m.id = ?",
        (id,),
    )
    return as_it_stands(str(row[0]), str(row[1]), str(row[2])) if row else None


def as_it_stands(body: str, tier: str, note: str) -> Memory:
    """The memory of a row's last body, with the row's own tier and note where the body says more than the row may."""
    memory = Memory.model_validate_json(body)
    if memory.tier == "T2" and tier == "T1":  # came in with an archive and was not confirmed by a person
        return memory.model_copy(update={"tier": "T1", "note": note})
    return memory


def of_revision(db: Database, id: str, revision: int) -> Memory | None:
    """The memory as one of its revisions says it; None where there is no body: it was forgotten, or never was."""
    body = db.value("SELECT body FROM revisions WHERE id = ? AND revision = ?", (id, revision))
    return Memory.model_validate_json(str(body)) if body else None


def shown(memory: Memory) -> Memory:
    """A memory as it may be shown: a sensitive value without consent is left out, in the text as well."""
    match memory.body:
        case EntityField(withheld=True) as field:
            hidden = field.model_copy(update={"value": ""})
            return memory.model_copy(
                update={"text": f"{field.name}: withheld, about {field.sensitivity}", "body": hidden}
            )
        case _:
            return memory


def counts(db: Database, project: str) -> dict[str, int]:
    """Kind → number of rows that stand in a project or in every project, for each kind there is."""
    rows = db.rows(
        f"SELECT kind, count(*) FROM memories m WHERE {scope.sees('?')} AND status IN ('current', 'contested') GROUP BY kind",
        (project,),
    )
    return {**dict.fromkeys(KINDS, 0), **{str(kind): int(str(count)) for kind, count in rows}}


def find_id(db: Database, given: str, *, kind: str = "") -> str:
    """The one full id that starts with what was given. Raises NotFound or Refused (ambiguous)."""
    if not given or set(given) - set(ALPHABET + "_" + "".join(LETTERS.values())):
        raise NotFound(f"no memory {given!r}", why="an id is a letter, an underscore and twelve letters or digits")
    low = db.rows(
        "SELECT id FROM memories WHERE id >= ? AND id < ? AND (? = '' OR kind = ?) ORDER BY id LIMIT 3",
        (given, given + "~", kind, kind),
    )
    return the_one(given, [str(row[0]) for row in low], NotFound(f"no memory {given!r}", why="no id starts so"))


def replay(source: Database, target: Database) -> None:
    """Write the trail of one store into an empty one, entry by entry; equal tables come out (R130)."""
    with target.transaction():
        for key in ("node", "key"):
            target.run(
                "UPDATE meta SET value = ? WHERE key = ?",
                (source.value("SELECT value FROM meta WHERE key = ?", (key,)), key),
            )
        for entry in audit.entries(source):
            row = source.one(
                "SELECT body, salt FROM revisions WHERE id = ? AND revision = ?", (entry.id, entry.revision)
            )
            play(target, entry, (str(row[0]), row[1]) if entry.revision and row and isinstance(row[1], bytes) else None)


def play(target: Database, entry: Entry, body: tuple[str, bytes] | None) -> None:
    """Do what one entry of another store's trail says, with its body and salt (None: it has none, or it was forgotten)."""
    if body:
        target.run(
            "INSERT INTO revisions (id, revision, body, salt) VALUES (?, ?, ?, ?)", (entry.id, entry.revision, *body)
        )
    if body and entry.kind == tombstones.KIND:
        tombstones.put(target, entry.id, body[0], batch=entry.batch)
    elif body:
        memory = Memory.model_validate_json(body[0])
        if memory.tier == "T2" and by_person(entry.actor):
            promotions.grant(target, entry.id, entry.revision, entry.actor)
            promotions.stamp(target, entry)
        put(target, memory, revision=entry.revision, clock=entry.clock)
    elif entry.act == "scrub":
        _play_scrub(target, entry)
    promotions.replayed(target, entry)
    audit.copy(target, entry)


def _play_scrub(target: Database, entry: Entry) -> None:
    """A row or tombstone that the other store had forgotten, where this one still has it."""
    if entry.kind == tombstones.KIND:
        tombstones.take_away(target, entry.id)
    elif target.value("SELECT 1 FROM memories WHERE id = ?", (entry.id,)):
        remove(target, [entry.id])
