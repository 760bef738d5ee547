"""Make the tables say what the entries of a space say together: rows, tombstones, forgettings, each once and in any order of arrival.

All of it happens in the transaction that takes the entries in. Rows go through the one write path; what stands of claims and pages is
worked out anew (`curator.hub_law`). It must never change what a person here made permanent but by a person's act, and never bring
back what was forgotten.
"""

from dataclasses import dataclass, field

from bellek.curator import forgetting, hub_law, hub_versions
from bellek.curator.hub_versions import Merge
from bellek.kg import blast, hub_spaces, hub_streams, memories, stones, tombstones
from bellek.kg.home import Home
from bellek.kg.hub_spaces import Space
from bellek.kg.ids import mint
from bellek.schemas.errors import NotFound
from bellek.schemas.hub import Gone, Line, Nothing, Stands, Version
from bellek.schemas.memory import Memory

REFUSED = "the same was refused in this space"


def weighs(line: Line) -> bool:
    """Whether an entry that was written here changes what this node makes of others' rows: a merge has to look at it."""
    return line.act == "stone" or line.kind == "page"


_LATE = {"entity": 0, "conflict": 2}  # a field points to its entity, a conflict to two claims


@dataclass(slots=True)
class Merged:
    """What a merge did: rows written, rows forgotten, rows that wait for what they point to, ids whose words were dropped."""

    written: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Work:
    merge: Merge
    home: Home
    done: Merged
    before: dict[str, Memory] = field(default_factory=dict)  # rows that were written, as they were
    gone: dict[str, int] = field(default_factory=dict)  # id → who ordered it forgotten (2: a person who counts here)
    persons: bool = False  # a person's act is among what was merged


def merge(home: Home, space: Space, lines: list[Line]) -> Merged:
    """Merge what entries that were just taken in (or written here) are about; inside their transaction."""
    db = home.memory
    names = {one.name: one.project for one in hub_spaces.travels(db, space.name)}
    members = {node.node: node.member for node in hub_spaces.nodes(db, space.name)}
    at = _Work(Merge(db, space, names, {**members, space.token.node: space.token.member}, mint("b")), home, Merged())
    waiting = [str(row[0]) for row in db.rows("SELECT id FROM hub_waiting WHERE space = ?", (space.name,))]
    kinds = {**dict.fromkeys(waiting, ""), **{line.id: line.kind for line in lines}}
    marked = [id_ for id_, kind in kinds.items() if kind == tombstones.KIND]
    changed = [_stone(at, id_) for id_ in marked]
    told = any(changed) or any(line.act == "stone" for line in lines)  # also where this node left it
    for id_ in sorted(kinds.keys() - set(marked), key=lambda one: (_LATE.get(hub_versions.kind_of(one), 1), one)):
        _row(at, id_)
    if told:
        _sweep(at)
    _forget(at)
    hub_law.settle(at.merge, at.before, at.done.written, persons=at.persons)
    for id_ in kinds.keys() - set(marked):
        hub_law.offer(at.merge, id_)
    return at.done


def _stone(at: _Work, id: str) -> bool:
    """A tombstone as its newest version has it; whether that changed anything here."""
    db = at.merge.db
    found = hub_versions.versions(at.merge, id)
    row = db.one("SELECT lifted FROM tombstones WHERE id = ?", (id,))
    if any(v.line.act == "gone" for v in found):
        hub_streams.blank(db, at.merge.space.name, [id])
        if row is not None:
            tombstones.drop(db, id, actor=hub_streams.MERGED, batch=at.merge.batch)
        return False
    newest = max((v for v in found if v.body), key=lambda v: v.rank, default=None)
    said = hub_versions.stone(newest.body) if newest else None
    project = at.merge.names.get(said.project, "") if said else ""
    if newest is None or said is None or not project or (row and bool(row[0]) == said.lifted):
        return False
    if said.why == "refused" and hub_streams.is_gone(
        db, at.merge.space.name, said.memory
    ):  # what it refused was forgotten since
        hub_streams.blank(db, at.merge.space.name, [id])
        hub_streams.tell_gone(db, at.merge.space, [id])
        return False
    body = said.model_copy(update={"project": project}).model_dump_json()
    tombstones.adopt(db, id, body, actor=at.merge.actor(newest), batch=at.merge.batch)
    return True


def _row(at: _Work, id: str) -> None:
    db, name = at.merge.db, at.merge.space.name
    db.run("DELETE FROM hub_waiting WHERE space = ? AND id = ?", (name, id))
    match hub_versions.outcome(at.merge, id):
        case Nothing():
            return
        case Gone(person=person):
            about = tombstones.about(db, id)
            for stone in about:
                tombstones.drop(db, stone, actor=hub_streams.MERGED, batch=at.merge.batch)
            hub_streams.blank(db, name, [id])
            hub_streams.tell_gone(db, at.merge.space, about)
            at.gone[id] = person
        case Stands() as held:
            memory = hub_versions.here(at.merge, held)
            if memory is None:
                return
            missing = [one for one in hub_versions.points_to(memory) if not _known(at, one)]
            if missing:
                db.run("INSERT OR IGNORE INTO hub_waiting (space, id) VALUES (?, ?)", (name, id))
                at.done.waiting.append(id)
                return
            _write(at, held.version, _ruled(at, memory))


def _known(at: _Work, id: str) -> bool:
    return bool(at.merge.db.value("SELECT 1 FROM memories WHERE id = ?", (id,)))


def _ruled(at: _Work, memory: Memory) -> Memory | None:
    """What refusals and forgettings of the same value leave of a row; None: it is forgotten. A permanent row is a person's to forget."""
    if memory.status not in tombstones.STANDING or not stones.left_any(at.merge.db):
        return memory
    ruling = tombstones.rule(at.merge.db, memory)
    match ruling.how:
        case "refused" if ruling.memory != memory.id and memory.tier != "T2":
            return memory.model_copy(update={"status": "refused", "note": REFUSED, "batch": at.merge.batch})
        case "forgotten":
            by_person = any(memories.by_person(actor) for actor in tombstones.forgotten_by(at.merge.db, memory))
            if memory.tier == "T2" and not by_person:
                return memory
            at.gone[memory.id] = max(at.gone.get(memory.id, 0), 2 if by_person else 0)
            return None
        case _:
            return memory


def _write(at: _Work, version: Version, memory: Memory | None) -> None:
    if memory is None:
        return
    db = at.merge.db
    old = memories.read(db, memory.id) if _known(at, memory.id) else None
    if old is not None and hub_law.alike(old, memory):
        if version.person == 2 and memory.tier != old.tier:
            raise AssertionError("alike rows have one tier")
        return
    memories.take_in(db, memory, actor=at.merge.actor(version))
    at.persons = at.persons or version.person == 2
    if old is not None:
        at.before[memory.id] = old
    at.done.written.append(memory.id)


def _sweep(at: _Work) -> None:
    """A refusal or forgetting came (or was taken back): every standing row of the space's projects is asked once, whoever wrote it."""
    db = at.merge.db
    holes = ", ".join("?" * len(at.merge.names))
    rows = db.rows(
        f"SELECT id, status FROM memories WHERE project IN ({holes}) AND kind <> 'conflict'"
        " AND (status IN ('current', 'contested', 'quarantined') OR (status = 'refused' AND note = ?)) ORDER BY id",
        (*at.merge.names.values(), REFUSED),
    )
    for id_, status in rows:
        if status == "refused":
            _row(at, str(id_))  # the refusal may have been taken back
            continue
        now = memories.read(db, str(id_))
        ruled = _ruled(at, now)
        if ruled is not None and ruled is not now:
            memories.take_in(db, ruled, actor=hub_streams.MERGED)
            at.before.setdefault(now.id, now)
            at.done.written.append(now.id)


def _forget(at: _Work) -> None:
    """Hide and order the scrubbing of what is gone, with what hangs on it here; a permanent row only where a person said so."""
    db = at.merge.db
    for counts, actor in ((True, f"person:{hub_streams.MERGED}"), (False, hub_streams.MERGED)):
        ids = [id_ for id_, person in at.gone.items() if (person == 2) == counts and _may_go(at, id_, counts=counts)]
        if not ids:
            continue
        asked = blast.Asked(project=memories.read(db, ids[0]).project, ids=tuple(ids), keep_messages=not counts)
        try:
            reached = blast.reach(at.home, asked)
        except NotFound:
            continue
        if not counts:
            _leave_permanent(reached)
        forgetting.hide(at.home, reached, actor=actor)
        at.done.forgotten += reached.memories
        hub_streams.blank(db, at.merge.space.name, list(reached.memories))
        hub_streams.tell_gone(db, at.merge.space, list(reached.memories), person=counts)


def _may_go(at: _Work, id: str, *, counts: bool) -> bool:
    row = at.merge.db.one("SELECT tier FROM memories WHERE id = ?", (id,))
    return row is not None and (counts or row[0] != "T2")


def _leave_permanent(reached: blast.Blast) -> None:
    """What hangs on a row and is permanent stays: no person who counts here ordered this."""
    for id_ in [id_ for id_, memory in reached.held.items() if memory.tier == "T2"]:
        del reached.held[id_]
        del reached.memories[id_]
