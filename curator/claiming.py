"""Writing a claim: absorb what is known, keep both sides of what contradicts, and let the slot's law say what stands.

It must never decide by arrival: after every write the standing of the whole slot is computed anew and written.
"""

from dataclasses import dataclass

from bellek.curator import contradictions
from bellek.curator.context_of import Place, affirms, stamp
from bellek.kg import claims, conflicts, entities, memories, names
from bellek.kg.claims import ClaimRow
from bellek.kg.db import Database
from bellek.kg.ids import mint
from bellek.schemas.claim import Claim
from bellek.schemas.errors import Refused
from bellek.schemas.memory import Memory
from bellek.schemas.predicates import CARDINALITY, canonical
from bellek.schemas.trust import Rival, Standing, reinforced, settle, trust
from bellek.schemas.vocab import ANY


@dataclass(frozen=True, slots=True)
class Claimed:
    """What became of a claim: "written" or "absorbed", and the row's id."""

    state: str
    id: str


@dataclass(frozen=True, slots=True)
class _Act:
    """In whose name and batch standings are written."""

    db: Database
    batch: str
    actor: str

    def may_touch(self, tier: str) -> bool:
        return tier != "T2" or memories.by_person(self.actor)


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
    """Keep a claim in the caller's transaction. The same claim again only counts as a sighting.

    What somebody trusted less repeats is an echo: it is counted on the claim that stands and kept nowhere else, so it
    neither renews that claim nor comes forward when the claim falls one day.
    """
    db = place.home.memory
    new = stamp(place, mint("c"), claim, sentence(claim), origin=origin)
    known = _known(claims.in_slot(db, new.project, claim.subject, claim.predicate, says=names.words(claim.object)), new)
    if known:
        absorb(place, known.id, origin=origin, quote=claim.quote)
        return Claimed("absorbed", known.id)
    update = {
        "valid_from": claim.valid_from or place.said_at,
        "turns": int(origin == "user"),
        "position": place.position(claim.quote),
    }
    memories.write(db, new.model_copy(update={"body": claim.model_copy(update=update)}), actor=place.actor)
    _relaw(_Act(db, place.batch, place.actor), new.project, claim.subject, claim.predicate, names.words(claim.object))
    return Claimed("written", new.id)


def _known(same: list[ClaimRow], new: Memory) -> ClaimRow | None:
    """The claim of the same words that takes a new saying in. Never a weaker one: trust is not inherited upwards.

    What was found wrong takes in only those who are not trusted more than who said it then, and not the person: they
    alone may bring it back.
    """
    rank = trust(new.tier, new.origin)
    able = [row for row in same if trust(row.tier, row.origin) >= rank]
    standing = [row for row in able if row.status in ("current", "contested")]
    wrong = [row for row in able if row.ended == "wrong" and new.origin != "user"]
    return next(iter(standing or wrong), None)


def sentence(claim: Claim) -> str:
    """A claim as a line of text."""
    return f"{claim.subject} {claim.predicate.replace('_', ' ')} {claim.object}"


def absorb(place: Place, id: str, *, origin: str, quote: str = "") -> bool:
    """Count a sighting of a claim; whether it was. Only another typed turn of the person makes it surer (R89, R123).

    A mention inside a correction or a quotation is no evidence for it. A permanent claim is not rewritten to count.
    """
    db = place.home.memory
    old = memories.read(db, id)
    if not isinstance(old.body, Claim):
        raise Refused(f"{id} is no claim", why=f"it is a {old.body.kind}")
    if old.tier == "T2":
        return False
    fresh = bool({s.message for s in place.sources()} - {s.message for s in old.sources})
    typed = origin == "user" and fresh and affirms(place.message, quote, old.body)
    equal = trust("T1", origin) >= trust(old.tier, old.origin) and old.body.end != "wrong"
    said_later = equal and place.said_at > max(old.said_at, old.body.last_at)
    body = old.body.model_copy(
        update={
            "sightings": old.body.sightings + place.sightings,
            "turns": old.body.turns + int(typed),
            "confidence": reinforced(old.body.confidence) if typed else old.body.confidence,
            **({"last_at": place.said_at, "position": place.position(quote)} if said_later else {}),
        }
    )
    sources = (*old.sources, *(s for s in place.sources() if s not in old.sources))
    update = {"body": body, "sources": sources, "batch": place.batch}
    memories.write(db, old.model_copy(update=update), actor=place.actor, act="absorb")
    if said_later:
        relaw_of(db, old, batch=place.batch, actor=place.actor)
    return True


def relaw_of(db: Database, side: Memory, *, batch: str, actor: str) -> None:
    """Weigh the slot of a claim anew."""
    if isinstance(side.body, Claim):
        says = names.words(side.body.object)
        _relaw(_Act(db, batch, actor), side.project, side.body.subject, side.body.predicate, says)


def relaw_names(db: Database, keys: tuple[str, ...], *, batch: str, actor: str) -> None:
    """Weigh every slot anew that a change of these names (normal forms) may have joined or parted."""
    for project, subject, predicate_, says in claims.slots_of(db, entities.neighbour_keys(db, keys)):
        _relaw(_Act(db, batch, actor), project, subject, predicate_, says)


def _relaw(act: _Act, project: str, subject: str, predicate_: str, says: str) -> None:
    """Write what the law says of a slot: standings, ends and conflicts. Of many-valued predicates each object is a slot.

    What holds in every project is weighed by itself and then, as a rival that cannot move, in each project that has
    claims of its own: another project's claims never decide here.
    """
    one = "" if CARDINALITY[predicate_] == "one" else says
    if project == ANY:
        _weigh(act, ANY, subject, predicate_, one)
    for single in claims.projects_in_slot(act.db, subject, predicate_) if project == ANY else [project]:
        _weigh(act, single, subject, predicate_, one)


def _weigh(act: _Act, project: str, subject: str, predicate_: str, says: str) -> None:
    seen = [
        row
        for row in claims.in_slot(act.db, project, subject, predicate_, says=says)
        if row.ended not in ("wrong", "scoped")
    ]
    slot = {row.id: row for row in seen if row.project == project or row.status == "current"}
    standing = _standing(act.db, slot)
    fallen = []
    # First those that step down, so that no moment of the trail has two that stand.
    for id_, (state, by) in sorted(standing.items(), key=lambda entry: entry[1][0] == "current"):
        row = slot[id_]
        if row.project != project or not act.may_touch(row.tier):
            continue
        if _restated(act, row, state, slot.get(by)):
            fallen.append(id_)
        contradictions.mind(act.db, row.id, state, by, batch=act.batch, actor=act.actor)
    for id_ in fallen:
        contradictions.free_from(act.db, id_, batch=act.batch, actor=act.actor, relaw=relaw_of)


def _standing(db: Database, slot: dict[str, ClaimRow]) -> dict[str, tuple[Standing, str]]:
    """What the law says; a claim that a verdict contests from outside the slot does not stand, but may be superseded."""
    apart = claims.apart(db, tuple(slot))
    rivals = {
        row.id: Rival(
            row.id, trust(row.tier, row.origin), row.said_at, says=names.words(row.object), last_at=row.last_at, position=row.position,
            apart=apart.get(row.id, frozenset()),
        )
        for row in slot.values()
    }  # fmt: skip
    outside = {
        id_
        for id_, row in slot.items()
        if row.status == "contested" and conflicts.open_about(db, id_)[1] not in ("", *slot)
    }
    while True:
        standing = settle(list(rivals.values()))
        held = [id_ for id_ in outside & rivals.keys() if standing[id_][0] != "superseded"]
        if not held:
            return standing
        for id_ in held:
            del rivals[id_]


def _restated(act: _Act, row: ClaimRow, state: str, rival: ClaimRow | None) -> bool:
    """Write a changed standing; whether the claim stepped down. It held until its rival began, never less than not at all."""
    ended = state == "superseded" and rival is not None
    by = rival.id if ended and rival else ""
    until = 0
    if ended and rival:
        since = rival.valid_from if (rival.said_at, rival.position) >= (row.said_at, row.position) else rival.last_at
        until = max(since, row.valid_from)
    if (row.status, row.ended_by, row.valid_to) == (state, by, until):
        return False
    old = memories.read(act.db, row.id)
    assert isinstance(old.body, Claim)
    body = old.body.model_copy(update={"end": "superseded" if ended else "", "ended_by": by, "valid_to": until})
    update = {"status": state, "body": body, "batch": act.batch}
    memories.write(act.db, old.model_copy(update=update), actor=act.actor, act="supersede" if ended else state)
    return state != "current"


def open_conflict(place: Place, left: str, right: str, reason: str) -> str:
    """Open a conflict between two claims that no predicate sets against each other; its id. Raises Refused."""
    db = place.home.memory
    sides = [memories.read(db, given) for given in (left, right)]
    if sides[0].id == sides[1].id or any(side.status != "current" for side in sides):
        raise Refused(
            "left, right: two different claims that stand are needed", why="one of them does not stand, or both are one"
        )
    weak, strong = sorted(sides, key=lambda m: (trust(m.tier, m.origin), m.said_at))
    if weak.tier == "T2":
        raise Refused("left, right: both are permanent", why="only a person weighs what a person made permanent")
    if weak.project == ANY != strong.project:
        raise Refused(
            f"left, right: {weak.id} holds in every project, the other in this one alone",
            why="one project does not contest what all of them hold",
        )
    return contradictions.open_conflict(db, strong.id, weak.id, reason, batch=place.batch, actor=place.actor)


def resolve(place: Place, conflict: str, winner: str, reason: str) -> str:
    """Decide an open conflict as `place`'s actor may; its id. Raises Refused."""
    db = place.home.memory
    contradictions.resolve(db, conflict, winner, reason, batch=place.batch, actor=place.actor, relaw=relaw_of)
    return conflict
