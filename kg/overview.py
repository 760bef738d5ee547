"""One project at a glance: everything that ``status -v`` counts, straight from the tables. Reads only.

It must never count from anything but the rows themselves, nor leave a line out because there is nothing to count.
"""

from dataclasses import dataclass

from bellek.kg import candidates, queue, scope
from bellek.kg.db import Database
from bellek.schemas.kinds import KINDS
from bellek.schemas.vocab import ANY


@dataclass(frozen=True, slots=True)
class Overview:
    """`tiers` counts rows that stand: (kind, tier, whether they hold in every project) → number, zeros included.

    `heard_at` and `slept_at` are UTC milliseconds, 0 for never.
    """

    tiers: dict[tuple[str, str, bool], int]
    pointers: int
    candidates: int
    waiting: int
    dead: int
    quarantined: int
    refused: int
    proposals: int
    conflicts: int
    heard_at: int
    slept_at: int


def of(db: Database, project: str) -> Overview:
    """What stands and what waits in a project and in every project."""
    return Overview(
        tiers=_tiers(db, project),
        pointers=_count(db, "SELECT count(*) FROM observations WHERE project = ?1", project),
        candidates=candidates.count(db, project),
        waiting=sum(queue.counts(db, project).values()),
        dead=len(queue.dead(db, project)),
        quarantined=_count(db, f"SELECT count(*) FROM memories WHERE status = 'quarantined' AND {_HERE}", project),
        refused=_count(db, f"SELECT count(*) FROM memories WHERE status = 'refused' AND {_HERE}", project),
        proposals=_count(db, f"SELECT count(*) FROM proposals p JOIN memories m USING (id) WHERE p.state = 'waiting' AND {_HERE}", project),
        conflicts=_count(db, f"SELECT count(*) FROM conflicts x JOIN memories m USING (id) WHERE x.state = 'open' AND {_HERE}", project),
        heard_at=heard_at(db),
        slept_at=_count(db, "SELECT coalesce(max(at), 0) FROM slept WHERE project = ?1", project),
    )  # fmt: skip


_HERE = scope.sees("?1", alias="")


def _tiers(db: Database, project: str) -> dict[tuple[str, str, bool], int]:
    found = {
        (kind.name, tier, everywhere): 0
        for kind in KINDS.values()
        for tier in kind.tiers
        for everywhere in (False, True)
    }
    rows = db.rows(
        f"SELECT kind, tier, project = '{ANY}', count(*) FROM memories WHERE status IN ('current', 'contested') AND {_HERE} GROUP BY 1, 2, 3",
        (project,),
    )
    return found | {(str(kind), str(tier), bool(every)): int(str(n)) for kind, tier, every, n in rows}


def _count(db: Database, sql: str, project: str) -> int:
    return int(str(db.value(sql, (project,))))


def heard_at(db: Database) -> int:
    """When transcripts were last heard, in UTC milliseconds; 0 for never."""
    return _moment(db, "heard_at")


def _moment(db: Database, key: str) -> int:
    return int(str(db.value("SELECT value FROM meta WHERE key = ?", (key,)) or 0))
