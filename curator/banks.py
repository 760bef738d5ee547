"""Banks: what an agent keeps for itself, and how a row of it is shared. Sharing is an act of its own, never a side effect.

It must never show a bank to another agent, nor let anybody but a person share what a person made permanent there.
"""

from dataclasses import dataclass

from bellek.curator import claiming
from bellek.kg import memories, pages, scope
from bellek.kg.db import Database
from bellek.kg.ids import mint
from bellek.schemas.errors import PersonNeeded, Refused
from bellek.schemas.memory import Memory
from bellek.schemas.page import Page


@dataclass(frozen=True, slots=True)
class Bank:
    """A bank that holds something: `rows` are those that stand."""

    project: str
    agent: str
    rows: int


def listed(db: Database, project: str = "") -> list[Bank]:
    """The banks of a project, or all."""
    rows = db.rows(
        "SELECT project, count(*) FROM memories WHERE instr(project, ?1) AND (?2 = '' OR project >= ?2 || ?1 AND project < ?2 || char(127))"
        " AND status IN ('current', 'contested') GROUP BY project ORDER BY project",
        (scope.BANK, project),
    )
    return [Bank(scope.base(str(place)), str(place).partition(scope.BANK)[2], int(str(count))) for place, count in rows]


def share(db: Database, id: str, *, agent: str, actor: str) -> Memory:
    """Let every agent of the project see a row: by the agent whose bank holds it, or by a person. In the caller's transaction.

    Raises NotFound, Refused, PersonNeeded.
    """
    row = memories.read(db, memories.find_id(db, id))
    owner = row.project.partition(scope.BANK)[2]
    if not owner:
        raise Refused(f"{row.id} lies in no bank", why="every agent of its project sees it already")
    if not memories.by_person(actor) and owner != agent:
        raise PersonNeeded(f"{row.id} was not shared", why=f"it lies in the bank of {owner}")
    place = scope.base(row.project)
    if isinstance(row.body, Page) and (other := pages.of_topic(db, place, row.body.topic)):
        raise Refused(
            f"{row.id} was not shared",
            why=f"{other} is the project's page of that topic",
            hint=f"merge it into {other}",
        )
    batch = mint("b")
    memories.write(db, row.model_copy(update={"project": place, "batch": batch}), actor=actor, act="share")
    for side in (row, memories.read(db, row.id)):
        claiming.relaw_of(db, side, batch=batch, actor=actor)
    return memories.read(db, row.id)
