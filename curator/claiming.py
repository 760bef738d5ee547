"""Writing a claim: absorb what is known, keep both sides of what contradicts, and let the slot's law say what stands.

It must never decide by arrival: after every write the standing of the whole slot is computed anew and written.
"""

from dataclasses import dataclass

from bellek.curator.context_of import Place, stamp
from bellek.kg import claims, conflicts, memories, names
from bellek.kg.claims import ClaimRow
from bellek.kg.db import Database
from bellek.kg.ids import mint
from bellek.schemas.claim import Claim
from bellek.schemas.conflict import Conflict
from bellek.schemas.errors import Refused
from bellek.schemas.memory import Memory
from bellek.schemas.predicates import CARDINALITY, canonical
from bellek.schemas.trust import Rival, reinforced, settle, trust
from bellek.schemas.vocab import ANY

LATER = "a later claim of equal or higher trust took its place"


@dataclass(frozen=True, slots=True)
class Claimed:
    """What became of a claim: "written" or "absorbed", and the row's id."""

    state: str
    id: str


def predicate(name: str) -> str:
    """The vocabulary's predicate for any spelling. Raises Refused naming the field."""
    found = canonical(names.snake(name))
    if found is None:
        raise Refused(
            f"predicate: {name[:60]!r} is not in the vocabulary",
            why="claims are typed",
            hint="take one that `bellek apply --schema` lists, or `describes`",
        )
    return found


def write(place: Place, claim: Claim, *, origin: str) -> Claimed:
    """Keep a claim in the caller's transaction. The same claim again only counts as a sighting."""
    db = place.home.memory
    new = stamp(place, mint("c"), claim, sentence(claim), origin=origin)
    slot = claims.in_slot(db, new.project, claim.subject, claim.predicate)
    wanted = names.words(claim.object)
    known = next(
        (row for row in slot if names.words(row.object) == wanted and row.status in ("current", "contested")), None
    )
    if known and not _is_stronger(new, known):
        absorb(place, known.id, origin=origin)
        return Claimed("absorbed", known.id)
    valid = claim.model_copy(update={"valid_from": claim.valid_from or place.said_at, "turns": int(origin == "user")})
    memories.write(db, new.model_copy(update={"body": valid}), actor=place.actor)
    relaw(db, new.project, claim.subject, claim.predicate, batch=place.batch, actor=place.actor)
    return Claimed("written", new.id)


def _is_stronger(new: Memory, known: ClaimRow) -> bool:
    """The person's own words for what an agent claimed are a row of their own: trust is not inherited upwards."""
    return trust(new.tier, new.origin) > trust(known.tier, known.origin)


def sentence(claim: Claim) -> str:
    """A claim as a line of text."""
    return f"{claim.subject} {claim.predicate.replace('_', ' ')} {claim.object}"


def absorb(place: Place, id: str, *, origin: str) -> None:  # noqa: A002
    """Count a sighting of a claim. Only another typed turn of the person makes it surer (R89, R123)."""
    db = place.home.memory
    old = memories.read(db, id)
    if not isinstance(old.body, Claim):
        raise Refused(f"{id} is no claim", why=f"it is a {old.body.kind}")
    if old.tier == "T2":
        return  # what a person made permanent is not rewritten to count a sighting
    fresh = [s for s in place.sources() if s.message not in {o.message for o in old.sources}]
    typed = origin == "user" and bool(fresh)
    body = old.body.model_copy(
        update={
            "sightings": old.body.sightings + 1,
            "turns": old.body.turns + int(typed),
            "confidence": reinforced(old.body.confidence) if typed else old.body.confidence,
        }
    )
    sources = (*old.sources, *(s for s in place.sources() if s not in old.sources))
    memories.write(
        db,
        old.model_copy(update={"body": body, "sources": sources, "batch": place.batch}),
        actor=place.actor,
        act="absorb",
    )


def relaw(db: Database, project: str, subject: str, predicate_: str, *, batch: str, actor: str) -> None:
    """Write what the law says of a slot: standings, ends and conflicts. Many-valued predicates have none.

    What holds in every project is weighed by itself and then, as a rival that cannot move, in each project that has
    claims of its own: another project's claims never decide here.
    """
    if CARDINALITY[predicate_] != "one":
        return
    if project == ANY:
        _weigh(db, ANY, subject, predicate_, batch, actor)
    for single in claims.projects_in_slot(db, subject, predicate_) if project == ANY else [project]:
        _weigh(db, single, subject, predicate_, batch, actor)


def _weigh(db: Database, project: str, subject: str, predicate_: str, batch: str, actor: str) -> None:
    seen = [row for row in claims.in_slot(db, project, subject, predicate_) if row.ended not in ("wrong", "scoped")]
    slot = {row.id: row for row in seen if row.project == project or row.status == "current"}
    standing = settle([Rival(row.id, trust(row.tier, row.origin), row.said_at) for row in slot.values()])
    # First those that step down, so that no moment of the trail has two that stand.
    for id_, (state, by) in sorted(standing.items(), key=lambda entry: entry[1][0] == "current"):
        row = slot[id_]
        if row.project != project:
            continue
        until = slot[by].valid_from if state == "superseded" else 0
        if (row.status, row.ended_by, row.valid_to) != (state, by if state == "superseded" else "", until):
            _restate(db, row, state, by, until, batch, actor)
        _mind_conflict(db, row, state, by, batch, actor)


def _restate(db: Database, row: ClaimRow, state: str, by: str, until: int, batch: str, actor: str) -> None:
    old = memories.read(db, row.id)
    assert isinstance(old.body, Claim)
    ended = state == "superseded"
    body = old.body.model_copy(
        update={"end": "superseded" if ended else "", "ended_by": by if ended else "", "valid_to": until}
    )
    memories.write(
        db,
        old.model_copy(update={"status": state, "body": body, "batch": batch}),
        actor=actor,
        act="supersede" if ended else state,
    )


def _mind_conflict(db: Database, row: ClaimRow, state: str, by: str, batch: str, actor: str) -> None:
    conflict, strong = conflicts.open_about(db, row.id)
    if state == "contested" and not conflict:
        open_conflict(db, by, row.id, "a weaker claim says otherwise", batch=batch, actor=actor)
    elif state == "contested" and strong != by:
        _amend(db, conflict, {"strong": by}, batch, actor)
    elif state != "contested" and conflict:
        _amend(db, conflict, {"state": "resolved", "winner": by or row.id, "reason": LATER}, batch, actor)


def _amend(db: Database, conflict: str, change: dict[str, str], batch: str, actor: str) -> None:
    old = memories.read(db, conflict)
    closed = "closed" if change.get("state") == "resolved" else old.status
    memories.write(
        db,
        old.model_copy(update={"body": old.body.model_copy(update=change), "status": closed, "batch": batch}),
        actor=actor,
        act="amend",
    )


def open_conflict(db: Database, strong: str, weak: str, reason: str, *, batch: str, actor: str) -> str:
    """Make a contradiction a row of its own; its id. The weaker side is contested, the stronger stays current."""
    one, other = memories.read(db, strong), memories.read(db, weak)
    conflict = Memory.model_validate(
        {
            "id": mint("x"), "project": one.project if one.project != "*" else other.project, "agent": "*", "session": "*", "origin": "inferred",
            "tier": "-", "text": f"{one.text} / {other.text}", "said_at": other.said_at, "offset_minutes": other.offset_minutes,
            "batch": batch, "body": Conflict(strong=strong, weak=weak, reason=reason),
        }
    )  # fmt: skip
    if other.status != "contested":
        memories.write(
            db, other.model_copy(update={"status": "contested", "batch": batch}), actor=actor, act="contested"
        )
    return memories.write(db, conflict, actor=actor).id


def resolve(
    db: Database, conflict: str, winner: str, reason: str, *, batch: str, actor: str, person: bool = False
) -> None:
    """Decide an open conflict. Without a person the stronger side cannot lose. Raises Refused."""
    row = memories.read(db, memories.find_id(db, conflict, kind="conflict"))
    assert isinstance(row.body, Conflict)
    if row.body.state != "open":
        raise Refused(f"conflict {row.id} is resolved already", why=row.body.reason)
    strong, weak = memories.read(db, row.body.strong), memories.read(db, row.body.weak)
    if winner not in ("", strong.id, weak.id):
        raise Refused(f"winner: {winner[:40]!r} is no side of {row.id}", why=f"its sides are {strong.id} and {weak.id}")
    if winner == weak.id and not person and trust(weak.tier, weak.origin) < trust(strong.tier, strong.origin):
        raise Refused(
            "winner: the weaker side cannot win without a person",
            why="the stronger claim outranks it",
            hint="leave the conflict open; a person decides it",
        )
    memories.write(
        db,
        row.model_copy(
            update={
                "status": "closed",
                "batch": batch,
                "body": row.body.model_copy(update={"state": "resolved", "winner": winner, "reason": reason}),
            }
        ),
        actor=actor,
        act="resolve",
    )
    if winner:
        _end(db, weak if winner == strong.id else strong, "wrong", winner, reason, batch, actor)
    else:
        _end(db, weak, "scoped", "", reason, batch, actor)
    for side in (strong, weak):
        if isinstance(side.body, Claim):
            relaw(db, side.project, side.body.subject, side.body.predicate, batch=batch, actor=actor)


def _end(db: Database, side: Memory, end: str, by: str, note: str, batch: str, actor: str) -> None:
    assert isinstance(side.body, Claim)
    body = side.body.model_copy(update={"end": end, "ended_by": by, "note": note})
    status = "superseded" if end == "wrong" else "current"
    memories.write(db, side.model_copy(update={"status": status, "body": body, "batch": batch}), actor=actor, act=end)
