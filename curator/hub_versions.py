"""The versions of one row in a space, parsed once, and the one that holds as this home may keep it. Reads only.

It must never believe more of a version than its node may say: a promotion counts where its member is trusted, and a body that is not
what its entry says it is counts as none.
"""

from dataclasses import dataclass

from pydantic import ValidationError

from bellek.kg import hub_streams, intake, memories
from bellek.kg.db import Database
from bellek.kg.hub_spaces import Space
from bellek.schemas import hub
from bellek.schemas.conflict import Conflict
from bellek.schemas.entity import EntityField
from bellek.schemas.hub import Line, Outcome, Sent, StoneLine, Version
from bellek.schemas.kinds import KINDS
from bellek.schemas.memory import Memory
from bellek.schemas.vocab import ANY


@dataclass(frozen=True, slots=True)
class Merge:
    """One merge at work: the space, which projects it holds here (name → id), whose each node is, and in which batch is written."""

    db: Database
    space: Space
    names: dict[str, str]
    members: dict[str, str]
    batch: str

    def saw(self, node: str, seq: int, other: str) -> int:
        """Up to where of another's stream a node had merged."""
        return hub_streams.saw(self.db, self.space.name, node, seq, other)

    def actor(self, version: Version) -> str:
        """In whose name a version is written here."""
        who = f"{self.members.get(version.node, '')}@{version.node}"
        return f"person:{hub_streams.MERGED}:{who}" if version.person == 2 else f"{hub_streams.MERGED}:{who}"


def person(merge: Merge, node: str, line: Line) -> int:
    """2: a person whose promotions count here; 1: another person; 0: nobody's act."""
    if not memories.by_person(line.actor):
        return 0
    return 2 if merge.members.get(node, "") in merge.space.trusted else 1


def kind_of(id: str) -> str:
    """The kind that an id is of, by its letter; "" for none."""
    return next((kind for kind, letter in memories.LETTERS.items() if id.startswith(letter + "_")), "")


def outcome(merge: Merge, id: str) -> Outcome:
    """What the entries about a row mean together."""
    return hub.fold(versions(merge, id), merge.saw)


def versions(merge: Merge, id: str) -> list[Version]:
    """The entries about a row, as versions."""
    return [_version(merge, sent) for sent in hub_streams.of_row(merge.db, merge.space.name, id)]


def _version(merge: Merge, sent: Sent) -> Version:
    line = Line.model_validate_json(sent.line)
    who = person(merge, sent.node, line)
    memory = said(sent.body, line) if sent.act == "row" else None
    if memory is None:
        return Version(sent.node, sent.seq, line, sent.body if sent.act == "stone" else None, who)
    return Version(sent.node, sent.seq, line, sent.body, who, memory.tier, memory.status, intake.texts(memory))


def said(body: str | None, line: Line) -> Memory | None:
    """The memory of a body; None where it is none, or not what its entry says."""
    try:
        memory = Memory.model_validate_json(body or "")
    except ValidationError:
        return None
    kind = KINDS[memory.body.kind]
    fits = memory.id == line.id and memory.id.startswith(kind.letter + "_") and memory.session == ANY
    return memory if fits and kind.name == line.kind and memory.tier in kind.tiers else None


def stone(body: str | None) -> StoneLine | None:
    """The tombstone of a body; None where it is none."""
    try:
        return StoneLine.model_validate_json(body or "")
    except ValidationError:
        return None


def here(merge: Merge, held: hub.Stands) -> Memory | None:
    """The version that holds as this home keeps it, redacted and judged; None where its project did not join here."""
    memory = said(held.version.body, held.version.line)
    project = merge.names.get(memory.project, "") if memory else ""
    if memory is None or not project:
        return None
    update: dict[str, object] = {"project": project, "batch": merge.batch}
    if memory.tier == "T2" and held.version.person < 2:
        member = merge.members.get(held.version.node, "")
        update |= {"tier": "T1", "note": memory.note or f"permanent for {member}, whose promotions do not count here"}
    if memory.let_in and not held.released:
        update["let_in"] = False
    clean = intake.redacted(memory.model_copy(update=update))
    why = "" if held.released or clean.status not in hub.STANDS else intake.why_apart(clean)
    if why and clean.body.kind == "conflict":
        return None  # both sides need it: it is left out rather than set apart
    return clean.model_copy(update={"status": "quarantined", "note": why}) if why else clean


def points_to(memory: Memory) -> tuple[str, ...]:
    """Rows that must be here before this one can be."""
    match memory.body:
        case EntityField(entity=entity):
            return (entity,)
        case Conflict(strong=strong, weak=weak):
            return (strong, weak)
        case _:
            return ()
