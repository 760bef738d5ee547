"""What stands after a merge: slots of claims, pages of one topic, conflicts, and versions that lost. Functions of the rows that are here.

It must never let one of two values stand in silence where neither side knew the other: claims become an open conflict, other words
of one row a proposal, both kept.
"""

import hashlib

from bellek.curator import claiming, contradictions, hub_versions, inbox
from bellek.curator.hub_versions import Merge
from bellek.kg import claims, hub_streams, memories, names, proposals
from bellek.kg.db import Database
from bellek.kg.ids import ALPHABET, LENGTH
from bellek.schemas import hub
from bellek.schemas.claim import Claim
from bellek.schemas.conflict import LAW
from bellek.schemas.entity import Entity
from bellek.schemas.errors import Refused
from bellek.schemas.hub import Stands, Version
from bellek.schemas.memory import Memory
from bellek.schemas.page import Page
from bellek.schemas.predicates import CARDINALITY
from bellek.schemas.proposal import Proposal
from bellek.schemas.trust import trust
from bellek.schemas.vocab import ANY

EDITABLE = ("lesson", "page", "claim")  # whose words a person may give a row (`curator.review.edit`)
KNEW_BOTH = "a later version knew both"


def alike(one: Memory, other: Memory) -> bool:
    """Whether two values of a row say the same, apart from what the law works out of the others and from the batch."""
    return _bare(one) == _bare(other)


def _bare(memory: Memory) -> Memory:
    match memory.body:
        case Claim(end="" | "superseded") if memory.status in ("current", "contested", "superseded"):
            body = memory.body.model_copy(update={"end": "", "ended_by": "", "valid_to": 0})
            return memory.model_copy(update={"status": "current", "body": body, "batch": ""})
        case Page() if memory.status == "contested":
            return memory.model_copy(update={"status": "current", "batch": ""})
        case _:
            return memory.model_copy(update={"batch": ""})


def settle(merge: Merge, before: dict[str, Memory], written: list[str], *, persons: bool) -> None:
    """Weigh anew what the rows that a merge wrote take part in. `before`: those that were here, as they were."""
    db = merge.db
    actor = f"person:{hub_streams.MERGED}" if persons else hub_streams.MERGED
    rows = [memories.read(db, id_) for id_ in dict.fromkeys(written) if _there(db, id_)]
    for row in rows:
        match row.body:
            case Claim():
                _part(merge, row)
    _mend_conflicts(merge, rows, actor)
    sides = [*before.values(), *rows]
    slots = {_slot(row): row for row in sides if isinstance(row.body, Claim)}
    for row in slots.values():
        claiming.relaw_of(db, row, batch=merge.batch, actor=actor)
    for row in sides:
        match row.body:
            case Entity(name=name, aliases=aliases):
                keys = tuple(dict.fromkeys(names.key(one) for one in (name, *aliases)))
                claiming.relaw_names(db, keys, batch=merge.batch, actor=actor)
    topics = {(row.project, row.body.topic): 0 for row in sides if isinstance(row.body, Page)}
    for project, topic in {**topics, **_waiting_topics(merge)}:
        _one_page(merge, project, topic, actor)


def _there(db: Database, id: str) -> bool:
    return bool(db.value("SELECT 1 FROM memories WHERE id = ?", (id,)))


def _slot(row: Memory) -> tuple[str, ...]:
    assert isinstance(row.body, Claim)
    one = CARDINALITY[row.body.predicate] == "one"
    return row.project, names.key(row.body.subject), row.body.predicate, "" if one else names.words(row.body.object)


def _part(merge: Merge, row: Memory) -> None:
    """Note with which claims of its slot a claim was written apart: neither node knew the other's."""
    assert isinstance(row.body, Claim)
    if CARDINALITY[row.body.predicate] != "one":
        return
    mine = _first(merge, row.id)
    for rival in claims.in_slot(merge.db, row.project, row.body.subject, row.body.predicate) if mine else []:
        if rival.id == row.id or names.words(rival.object) == names.words(row.body.object):
            continue
        other = _first(merge, rival.id)
        if other and mine and not hub.knew(mine, other, merge.saw) and not hub.knew(other, mine, merge.saw):
            pair = sorted((row.id, rival.id))
            merge.db.run("INSERT OR IGNORE INTO hub_apart (one, other) VALUES (?, ?)", (pair[0], pair[1]))


def _first(merge: Merge, id: str) -> Version | None:
    """The version that made a row."""
    found = hub_versions.versions(merge, id)
    return min(found, key=lambda v: v.rank, default=None)


def _mend_conflicts(merge: Merge, rows: list[Memory], actor: str) -> None:
    """Open conflicts fit their sides: one that came open contests its weaker side, one with a side out of sight is over."""
    db = merge.db
    found = [
        str(id_)
        for row in rows
        for (id_,) in db.rows("SELECT id FROM conflicts WHERE state = 'open' AND ?1 IN (id, strong, weak)", (row.id,))
    ]
    for id_ in dict.fromkeys(found):
        conflict = memories.read(db, id_)
        strong, weak = (memories.read(db, str(getattr(conflict.body, side))) for side in ("strong", "weak"))
        if _takes_part(strong) and _takes_part(weak):
            if weak.status == "current" and getattr(conflict.body, "reason", "") not in LAW:
                contradictions.contest(db, weak, batch=merge.batch, actor=actor)
            continue
        stands = strong if _takes_part(strong) else weak
        contradictions.close(db, id_, stands.id if _takes_part(stands) else "", batch=merge.batch, actor=actor)
        for side in (strong, weak):
            claiming.relaw_of(db, side, batch=merge.batch, actor=actor)


def _takes_part(side: Memory) -> bool:
    return isinstance(side.body, Claim) and side.body.end in ("", "superseded") and side.status in ("current", "contested", "superseded")  # fmt: skip


def _waiting_topics(merge: Merge) -> dict[tuple[str, str], int]:
    """Topics with a page that waits for the one that stands: it may be gone, or refused, by now."""
    holes = ", ".join("?" * len(merge.names))
    rows = merge.db.rows(
        f"SELECT m.project, p.topic FROM memories m JOIN pages p ON p.id = m.id WHERE m.project IN ({holes}) AND m.kind = 'page' AND m.status = 'contested'",
        tuple(merge.names.values()),
    )
    return {(str(project), str(topic)): 0 for project, topic in rows}


def _one_page(merge: Merge, project: str, topic: str, actor: str) -> None:
    """Of pages of one topic the most trusted stands, of equals the one that was said first; the others are kept, contested."""
    db = merge.db
    rows = db.rows(
        "SELECT m.id FROM pages p JOIN memories m ON m.id = p.id WHERE p.topic = ? AND m.project = ? AND m.status IN ('current', 'contested')",
        (topic, project),
    )
    found = [memories.read(db, str(id_)) for (id_,) in rows]
    found.sort(key=lambda row: (-trust(row.tier, row.origin), row.said_at, row.id))
    for place, row in sorted(enumerate(found), reverse=True):
        status = "contested" if place else "current"
        stands = row.tier == "T2" and status == "current"  # by the act of the person who made it permanent
        if row.status != status and (row.tier != "T2" or stands or memories.by_person(actor)):
            who = f"person:{hub_streams.MERGED}" if stands else actor
            memories.write(db, row.model_copy(update={"status": status, "batch": merge.batch}), actor=who, act=status)


def offer(merge: Merge, id: str) -> None:
    """Keep a person's or agent's words that lost to another node's as a proposal to take them after all; take it back once they did not lose."""
    if hub_versions.kind_of(id) not in EDITABLE or not _there(merge.db, id):
        return
    if hub_streams.authors(merge.db, merge.space.name, id) < 2:  # most rows: their versions are not read again
        return
    found = hub_versions.versions(merge, id)
    outcome = hub.fold(found, merge.saw)
    lost = outcome.lost if isinstance(outcome, Stands) else ()
    wanted = {_proposal_id(merge, v): v for v in lost if _text(v) != memories.read(merge.db, id).text}
    for id_ in proposals.waiting_for(merge.db, "edit", id):
        if id_ not in wanted and id_ in {_proposal_id(merge, v) for v in found}:
            row = memories.read(merge.db, id_)
            inbox.close(merge.db, row, yes=False, answer=KNEW_BOTH, batch=merge.batch, actor=hub_streams.MERGED)
    for id_, version in wanted.items():
        if not _there(merge.db, id_):
            _propose(merge, id_, version)


def _text(version: Version) -> str:
    memory = hub_versions.said(version.body, version.line)
    return memory.text if memory else ""


def _proposal_id(merge: Merge, version: Version) -> str:
    """The same on every node: the proposal's letter, and bits of a hash of the entry's place."""
    place = f"{merge.space.name}\n{version.node}\n{version.seq}"
    bits = int.from_bytes(hashlib.blake2b(place.encode(), digest_size=8).digest(), "big")
    return "r_" + "".join(ALPHABET[(bits >> (5 * i)) & 31] for i in range(LENGTH))


def _propose(merge: Merge, id: str, version: Version) -> None:
    lost, now = hub_versions.said(version.body, version.line), memories.read(merge.db, version.line.id)
    if lost is None:
        return
    title = f"other words of {now.id}, written on {merge.members.get(version.node, '') or version.node}'s node before it knew these"
    proposal = Memory(
        id=id, project=now.project, agent=ANY, session=ANY, origin="inferred", tier="-", text=lost.text, said_at=lost.said_at,
        offset_minutes=lost.offset_minutes, batch=merge.batch, body=Proposal(structure="edit", title=title, target=now.id),
    )  # fmt: skip
    try:
        with merge.db.savepoint():
            memories.write(merge.db, proposal, actor=hub_streams.MERGED)
    except Refused:
        return  # the same words were refused or forgotten
