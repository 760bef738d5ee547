"""A person's decisions over what a machine wrote: promote, refuse, answer. The only room that may reach T2 (`kg.tiers`).

It must never be called before the gate has said who acts: `actor` is a person's, and everything below checks it again.
Everything happens in the caller's transaction: rows, trail, and what a decision moves elsewhere (a claim's slot, its conflicts).
"""

from dataclasses import dataclass

from bellek.curator import claiming, contradictions, identity, inbox, route
from bellek.kg import audit, blast, conflicts, failpoints, memories, pages, signing, tiers
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.schemas.claim import Claim
from bellek.schemas.conflict import Conflict
from bellek.schemas.errors import PersonNeeded, Refused, UsageFault
from bellek.schemas.memory import Body, Memory
from bellek.schemas.page import Page
from bellek.schemas.proposal import Proposal

REPLACE = "replace the page "  # how a proposal's title names the topic of a page that a person made permanent
ANSWERED_ELSEWHERE = {"proposal": "bellek proposals answer", "conflict": "bellek conflicts resolve"}


@dataclass(frozen=True, slots=True)
class Decided:
    """A row before and after a decision; `also` are ids of other rows that it moved, `signed` whether it was signed."""

    before: Memory
    after: Memory
    also: tuple[str, ...] = ()
    signed: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """A proposal as answered. `carried` is the row that was written for it, "" where a person has to do it; `note` says so."""

    proposal: Memory
    carried: str = ""
    note: str = ""


def may_promote(db: Database, id: str) -> Memory:
    """The row, if it can be made permanent as it stands. Changes nothing. Raises NotFound, Refused."""
    row = memories.read(db, memories.find_id(db, id))
    tiers.check(row)
    rival = _permanent_rival(db, row)
    if rival:
        raise Refused(
            f"{row.id} contradicts {rival}, which is permanent",
            why="two permanent claims cannot contradict each other",
            hint=f"run `bellek conflicts`, then `bellek conflicts resolve ID {row.id}` or refuse one of them",
        )
    return row


def _permanent_rival(db: Database, row: Memory) -> str:
    """The permanent claim that a verdict set against this one from another slot; within a slot the newer takes the place."""
    conflict, strong = conflicts.open_about(db, row.id)
    if not conflict:
        return ""
    other = memories.read(db, strong)
    return strong if other.tier == "T2" and not _one_slot(row, other) else ""


def _one_slot(one: Memory, other: Memory) -> bool:
    match one.body, other.body:
        case Claim() as a, Claim() as b:
            return a.predicate == b.predicate
        case _:
            return False


def promote(home: Home, id: str, *, actor: str, passphrase: str = "") -> Decided:
    """Make a row permanent as it stands; a claim's slot is weighed anew. Raises NotFound, Refused, PersonNeeded."""
    db = home.memory
    key = signing.key(db, passphrase) if signing.is_set(db) else b""
    batch = mint("b")
    before = may_promote(db, id)
    tiers.promote(db, before.model_copy(update={"batch": batch}), actor=actor, key=key)
    failpoints.reach("promote-written")
    _weigh(db, before.id, batch, actor)
    return Decided(before, memories.read(db, before.id), _moved(db, batch, before.id), bool(key))


def _weigh(db: Database, id: str, batch: str, actor: str) -> None:
    """What the slot's law says now; a rival from another slot steps down, and the conflict turns round."""
    row = memories.read(db, id)
    claiming.relaw_of(db, row, batch=batch, actor=actor)
    if memories.read(db, id).status == "contested":
        contradictions.turn(db, id, batch=batch, actor=actor, relaw=claiming.relaw_of)


def refuse(home: Home, id: str, *, note: str, actor: str) -> Decided:
    """Refuse a row for good, with the reason. Raises NotFound, Refused, UsageFault without a note, PersonNeeded."""
    db = home.memory
    batch = mint("b")
    before = memories.read(db, memories.find_id(db, id))
    if other := ANSWERED_ELSEWHERE.get(before.body.kind):
        hint = f"run `{other} {before.id} …`"
        raise Refused(f"a {before.body.kind} is answered, not refused", why="it is a question", hint=hint)
    twins = [memories.read(db, twin) for twin in blast.twins(db, before)]
    tiers.refuse(db, before.model_copy(update={"batch": batch}), note=note, actor=actor)
    _free(db, before.id, batch, actor)
    for twin in twins:  # the same words as another kind, a learning's journal row above all: the no is to the value
        if twin.tier != "T2" and twin.status in ("current", "contested") and twin.body.kind not in ANSWERED_ELSEWHERE:
            tiers.refuse(db, twin.model_copy(update={"batch": batch}), note=note, actor=actor)
            _free(db, twin.id, batch, actor)
    return Decided(before, memories.read(db, before.id), _moved(db, batch, before.id))


def _free(db: Database, id: str, batch: str, actor: str) -> None:
    """A refused claim stands in no slot and in no open conflict any more."""
    row = memories.read(db, id)
    if not isinstance(row.body, Claim):
        return
    contradictions.mind(db, id, "refused", conflicts.open_about(db, id)[1], batch=batch, actor=actor)
    claiming.relaw_of(db, row, batch=batch, actor=actor)
    contradictions.free_from(db, id, batch=batch, actor=actor, relaw=claiming.relaw_of)


def _moved(db: Database, batch: str, but: str) -> tuple[str, ...]:
    rows = db.rows(
        "SELECT DISTINCT id FROM audit WHERE batch = ? AND id <> ? AND revision > 0 ORDER BY id", (batch, but)
    )
    return tuple(str(row[0]) for row in rows)


@dataclass(frozen=True, slots=True)
class _Act:
    """One decision: the store, its batch, whose it is, and the key that signs what it makes permanent (b"" for none)."""

    home: Home
    batch: str
    actor: str
    key: bytes = b""

    @property
    def db(self) -> Database:
        """The store's typed memory."""
        return self.home.memory


def answer(home: Home, id: str, *, yes: bool, note: str, actor: str, passphrase: str = "") -> Answered:
    """Answer a proposal; what can be carried out is carried out with a yes. Raises NotFound, Refused, PersonNeeded."""
    if not memories.by_person(actor):
        raise PersonNeeded("the proposal was not answered", why="only a person answers one")
    db = home.memory
    act = _Act(home, mint("b"), actor, signing.key(db, passphrase) if passphrase else b"")
    row = memories.read(db, memories.find_id(db, id, kind="proposal"))
    assert isinstance(row.body, Proposal)
    if row.body.state != "waiting":
        raise Refused(f"{row.id} was answered already", why=row.body.state)
    inbox.close(db, row, yes=yes, answer=note, batch=act.batch, actor=actor)
    carried, said = _carry_out(act, row, row.body) if yes else ("", "nothing of it is carried out")
    return Answered(memories.read(db, row.id), carried, said)


def _carry_out(act: _Act, row: Memory, proposal: Proposal) -> tuple[str, str]:
    """(row written, what is left to do). A structure outside this store is changed by the person, from the proposal's text."""
    match proposal.structure:
        case "page":
            return _page(act, row, proposal), ""
        case "identity":
            return "", identity.replace(act.home, row.id, row.text, proposal.target)
        case "edit":
            return edit(
                act.home, proposal.target, row.text, actor=act.actor, key=act.key, base=proposal.base
            ).after.id, ""
        case "forget":
            return "", f"accepted: `bellek forget {proposal.target}` forgets it"
        case "agent" | "skill" | "rule":
            return "", f"accepted; the {proposal.structure} itself is yours to change"


def _page(act: _Act, row: Memory, proposal: Proposal) -> str:
    """The topic's one page with the proposed text: permanent again by this answer where it was permanent, else provisional."""
    topic = route.kebab(proposal.title.removeprefix(REPLACE))
    known = pages.of_topic(act.db, row.project, topic)
    if not known:
        page = {
            **_fresh(row),
            "id": mint("w"),
            "tier": "T1",
            "batch": act.batch,
            "body": Page(topic=topic, title=topic),
        }
        return memories.write(act.db, Memory.model_validate(page), actor=act.actor).id
    old = memories.read(act.db, known)
    update = {"text": row.text, "origin": row.origin, "sources": row.sources, "batch": act.batch}
    new = old.model_copy(update=update)
    if old.tier != "T2":
        return memories.write(act.db, new, actor=act.actor, act="replace").id
    if signing.is_set(act.db) and not act.key:
        raise Refused(
            f"{old.id} is permanent and signed", why="its new text needs the passphrase", hint="answer in a terminal"
        )
    return tiers.promote(act.db, new, actor=act.actor, key=act.key, act="replace").id


def _fresh(row: Memory) -> dict[str, object]:
    kept = ("project", "agent", "session", "origin", "text", "said_at", "offset_minutes", "sources")
    return {name: getattr(row, name) for name in kept}


EDITABLE = ("lesson", "page", "claim")


def edit(home: Home, id: str, text: str, *, actor: str, key: bytes = b"", base: int = 0) -> Decided:
    """Give a row other words, by a person who saw the difference; a permanent one stays permanent. In the caller's transaction.

    `base` is the revision that the difference was made from (0: any). Its origin is then `file`: who typed it there is not
    known. Raises PersonNeeded, Refused.
    """
    if not memories.by_person(actor):
        raise PersonNeeded(f"{id} was not edited", why="only a person takes an edit of a file in")
    db = home.memory
    before = memories.read(db, id)
    if before.status not in ("current", "contested") or before.body.kind not in EDITABLE:
        raise Refused(f"{id} was not edited", why=f"it is a {before.body.kind} and {before.status}")
    if base and memories.revision(db, id) != base:
        raise Refused(
            f"{id} was not edited", why="it changed since", hint="export the vault again and look at the file"
        )
    update = {"text": text, "body": _reworded(before, text), "origin": "file", "batch": mint("b")}
    new = before.model_copy(update=update)
    if before.tier == "T2":
        _mind_permanent(db, id, actor, key)
        tiers.promote(db, new, actor=actor, key=key, act="edit")
    else:
        memories.write(db, new, actor=actor, act="edit")
    for side in (before, new):
        claiming.relaw_of(db, side, batch=new.batch, actor=actor)
    return Decided(before, memories.read(db, id), _moved(db, new.batch, id), bool(key))


def _reworded(row: Memory, text: str) -> Body:
    """The body that says these words: of a claim another object, under the same subject and predicate."""
    if not isinstance(row.body, Claim):
        return row.body
    head = claiming.sentence(row.body.model_copy(update={"object": ""}))
    said = text.removeprefix(head)
    if not text.startswith(head) or not said.strip():
        raise Refused(
            f"{row.id} was not edited",
            why=f"a claim begins with {head.strip()[:80]!r}",
            hint="change what stands behind that",
        )
    return row.body.model_copy(update={"object": said.strip()})


def _mind_permanent(db: Database, id: str, actor: str, key: bytes) -> None:
    if actor.startswith("person:typed"):
        raise Refused(
            f"{id} is permanent", why="a typed line changes provisional rows only", hint="answer in a terminal"
        )
    if signing.is_set(db) and not key:
        raise Refused(
            f"{id} is permanent and signed", why="its new words need the passphrase", hint="answer in a terminal"
        )


def resolve(home: Home, id: str, *, winner: str, note: str, actor: str) -> Memory:
    """Decide an open conflict: the id of the side that holds, or "" where both do, each in its scope. Raises Refused."""
    if not memories.by_person(actor):
        raise PersonNeeded("the conflict was not decided", why="only a person decides whatever they like")
    if not note.strip():
        raise UsageFault("the conflict was not decided", why="a decision needs a reason", hint="give --note TEXT")
    db = home.memory
    batch = mint("b")
    row = memories.read(db, memories.find_id(db, id, kind="conflict"))
    assert isinstance(row.body, Conflict)
    side = memories.find_id(db, winner, kind="claim") if winner else ""
    contradictions.resolve(db, row.id, side, note, batch=batch, actor=actor, relaw=claiming.relaw_of)
    return memories.read(db, row.id)


def set_passphrase(home: Home, passphrase: str, *, actor: str) -> None:
    """Sign promotions from now on. Raises PersonNeeded, Refused, UsageFault."""
    if not memories.by_person(actor):
        raise PersonNeeded("no passphrase was set", why="only a person sets one")
    signing.choose(home.memory, passphrase)
    audit.append(home.memory, actor=actor, act="set-passphrase", kind="gate", id="", batch=mint("b"))


def unsigned(db: Database, passphrase: str) -> list[str]:
    """Permanent rows that no signature under this passphrase vouches for, a sentence each; for `audit verify --passphrase`."""
    return tiers.unsigned(db, passphrase)
