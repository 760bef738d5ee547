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
        "INSERT INTO proposals (id, structure, title, state, answer) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET structure = excluded.structure, title = excluded.title, state = excluded.state, answer = excluded.answer",
        (id, proposal.structure, proposal.title, proposal.state, proposal.answer),
    )


def listed(db: Database, project: str, *, answered: bool = False, limit: int = 200) -> list[ProposalRow]:
    """Waiting proposals of a project, oldest first; answered ones too when asked."""
    rows = db.rows(
        "SELECT m.id, m.project, m.tier, m.origin, p.structure, p.title, p.state, p.answer, m.said_at, m.offset_minutes, m.text FROM proposals p"
        f" JOIN memories m ON m.id = p.id WHERE {scope.sees('?')} AND m.status NOT IN {STATUSES_OUT} AND (? OR p.state = 'waiting') ORDER BY m.created LIMIT ?",
        (project, int(answered), limit),
    )
    return [ProposalRow(*row) for row in rows]  # type: ignore[arg-type]
