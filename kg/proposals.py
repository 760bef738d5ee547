"""Proposals: structural changes that wait for a person's answer. Nothing of one is carried out before it."""

from dataclasses import dataclass

from bellek.kg import scope
from bellek.kg.db import Database
from bellek.schemas.proposal import Proposal
from bellek.schemas.vocab import STATUSES_OUT


@dataclass(frozen=True, slots=True)
class ProposalRow:
    """A proposal for a list."""

    id: str
    project: str
    tier: str
    origin: str
    structure: str
    title: str
    state: str
    answer: str
    said_at: int
    offset_minutes: int
    text: str


def put(db: Database, id: str, proposal: Proposal) -> None:
    """Write the typed row; called by `memories.put` inside its transaction."""
    db.run(
        "INSERT INTO proposals (id, structure, title, state, answer, target) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET structure = excluded.structure, title = excluded.title, state = excluded.state, answer = excluded.answer,"
        " target = excluded.target",
        (id, proposal.structure, proposal.title, proposal.state, proposal.answer, proposal.target),
    )


def listed(db: Database, project: str, *, answered: bool = False, limit: int = 200) -> list[ProposalRow]:
    """Waiting proposals of a project, oldest first; answered ones too when asked."""
    rows = db.rows(
        "SELECT m.id, m.project, m.tier, m.origin, p.structure, p.title, p.state, p.answer, m.said_at, m.offset_minutes, m.text FROM proposals p"
        f" CROSS JOIN memories m ON m.id = p.id WHERE {scope.sees('?')} AND m.status NOT IN {STATUSES_OUT} AND (? OR p.state = 'waiting') ORDER BY m.created LIMIT ?",
        (project, int(answered), limit),
    )
    return [ProposalRow(*row) for row in rows]  # type: ignore[arg-type]


def known(db: Database, structure: str, target: str, text: str) -> bool:
    """Whether this very thing was proposed before and waits, or was answered."""
    return _asked(db, structure, target, text, "waiting", "accepted", "declined")


def declined(db: Database, structure: str, target: str, text: str) -> bool:
    """Whether a person said no to this very thing, and nobody asks again."""
    return _asked(db, structure, target, text, "declined") and not _asked(db, structure, target, text, "waiting")


def _asked(db: Database, structure: str, target: str, text: str, *states: str) -> bool:
    found = db.value(
        "SELECT 1 FROM proposals p JOIN memories m ON m.id = p.id WHERE p.structure = ? AND p.target = ? AND m.text = ?"
        f" AND m.status <> 'hidden' AND p.state IN ({', '.join('?' * len(states))}) LIMIT 1",
        (structure, target, text, *states),
    )
    return bool(found)


def waiting_for(db: Database, structure: str, target: str) -> list[str]:
    """Ids of the proposals of a structure that wait about a target."""
    rows = db.rows(
        f"SELECT p.id FROM proposals p JOIN memories m ON m.id = p.id WHERE p.structure = ? AND p.target = ? AND p.state = 'waiting'"
        f" AND m.status NOT IN {STATUSES_OUT} ORDER BY p.id",
        (structure, target),
    )
    return [str(row[0]) for row in rows]


def targets(db: Database, structure: str) -> list[str]:
    """What the waiting proposals of a structure are about."""
    rows = db.rows(
        "SELECT p.target FROM proposals p JOIN memories m ON m.id = p.id WHERE p.structure = ? AND p.state = 'waiting'"
        f" AND m.status NOT IN {STATUSES_OUT} ORDER BY p.target",
        (structure,),
    )
    return [str(row[0]) for row in rows]
