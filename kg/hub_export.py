"""What a home holds of a space, written so that two nodes that hold the same write the same bytes (R130's sister for a hub).

Rows are as they stand here, under their names in the space, without what is this home's own: revision, batch, clock, row number. It
must never write a token or a key.
"""

import json
import os
from collections.abc import Iterable, Iterator

from bellek.kg import hub_spaces, hub_streams, memories, packing
from bellek.kg.db import Database
from bellek.kg.hub_spaces import Space
from bellek.schemas.errors import Refused

FILES = ("space.json", "nodes.jsonl", "entries.jsonl", "rows.jsonl", "conflicts.jsonl", "stones.jsonl")


def write(db: Database, space: Space, folder: str) -> dict[str, int]:
    """Write the space into a new folder; file → lines. Raises Refused where something is there already."""
    folder = os.path.abspath(os.path.expanduser(folder))
    if os.path.lexists(folder):
        raise Refused(f"{folder} was not written", why="something is there already", hint="name a folder that does not exist yet")  # fmt: skip
    packing.folders(folder)
    with db.pinned():
        found: dict[str, Iterable[object]] = {
            "space.json": [{"space": space.name, "projects": [one.name for one in hub_spaces.travels(db, space.name)]}],
            "nodes.jsonl": ({"node": n.node, "member": n.member, "role": n.role, "state": n.state} for n in hub_spaces.nodes(db, space.name)),
            "entries.jsonl": _entries(db, space),
            "rows.jsonl": _rows(db, space),
            "conflicts.jsonl": _conflicts(db, space),
            "stones.jsonl": _stones(db, space),
        }  # fmt: skip
        return {name: _lines(f"{folder}/{name}", found[name]) for name in FILES}


def _lines(path: str, values: Iterable[object]) -> int:
    count = 0
    with packing.created(path) as out:
        for value in values:
            out.write(json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode() + b"\n")
            count += 1
    return count


def _entries(db: Database, space: Space) -> Iterator[object]:
    for one in hub_streams.every(db, space.name):
        yield {
            "node": one.node, "seq": one.seq, "line": one.line, "hash": one.hash.hex(), "body": one.body,
            "salt": one.salt.hex() if one.salt else None,
        }  # fmt: skip


def _in_space(db: Database, space: Space) -> tuple[str, tuple[str, ...], dict[str, str]]:
    """SQL, its values, and id → name of the projects that travel in a space."""
    names = {one.project: one.name for one in hub_spaces.travels(db, space.name)}
    return f"({', '.join('?' * len(names))})", tuple(names), names


def _rows(db: Database, space: Space) -> Iterator[object]:
    """Rows that the space knows and that are not forgotten, as they stand here; conflicts and proposals that a node works out are apart."""
    holes, values, names = _in_space(db, space)
    ids = db.rows(
        f"SELECT m.id FROM memories m WHERE m.project IN {holes} AND EXISTS (SELECT 1 FROM hub_entries e WHERE e.id = m.id AND e.space = ?)"
        " AND NOT EXISTS (SELECT 1 FROM hub_entries e WHERE e.id = m.id AND e.space = ? AND e.act = 'gone') ORDER BY m.id",
        (*values, space.name, space.name),
    )
    for (id_,) in ids:
        memory = memories.read(db, str(id_))
        yield memory.model_copy(update={"project": names[memory.project], "batch": "-"}).model_dump(mode="json")


def _conflicts(db: Database, space: Space) -> Iterator[object]:
    holes, values, _ = _in_space(db, space)
    rows = db.rows(
        f"SELECT x.strong, x.weak FROM conflicts x JOIN memories m ON m.id = x.id WHERE m.project IN {holes} AND x.state = 'open' ORDER BY 1, 2",
        values,
    )
    yield from ({"strong": strong, "weak": weak} for strong, weak in rows)
    waiting = db.rows(
        f"SELECT p.target, m.text FROM proposals p JOIN memories m ON m.id = p.id WHERE m.project IN {holes} AND p.state = 'waiting' AND p.structure = 'edit' ORDER BY 1, 2",
        values,
    )
    yield from ({"target": target, "instead": text} for target, text in waiting)


def _stones(db: Database, space: Space) -> Iterator[object]:
    """The marks that hold in the space, each once; those that this home left under its own key before it joined are its own."""
    holes, values, names = _in_space(db, space)
    rows = db.rows(
        f"SELECT DISTINCT t.project, t.why, k.sort, k.mark FROM tombstones t JOIN tombstone_marks k ON k.stone = t.id WHERE t.project IN {holes}"
        " AND t.lifted = 0 AND EXISTS (SELECT 1 FROM hub_entries e WHERE e.id = t.id AND e.space = ?)",
        (*values, space.name),
    )
    told = sorted(
        (names[str(project)], str(why), str(sort), mark.hex())
        for project, why, sort, mark in rows
        if isinstance(mark, bytes)
    )
    yield from ({"project": project, "why": why, "sort": sort, "mark": mark} for project, why, sort, mark in told)
