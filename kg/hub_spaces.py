"""The spaces that this home joined: which projects travel in them, whose promotions count, who else is there.

It must never hold a project in two spaces, nor let a token out of the store: nothing here prints one.
"""

import json
from dataclasses import dataclass

from bellek.kg import audit, clock, stones, tombstones
from bellek.kg.db import Database
from bellek.kg.ids import mint
from bellek.schemas.errors import NotFound, Refused
from bellek.schemas.hub import Token


@dataclass(frozen=True, slots=True)
class Space:
    """A joined space. `trusted` are members whose promotions count here, this home's own included; times are UTC ms, 0 for never."""

    token: Token
    trusted: tuple[str, ...]
    synced_at: int
    fault: str

    @property
    def name(self) -> str:
        """The space's name."""
        return self.token.space


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a space as the hub told last. `fault`: why its stream is not taken any further, "" where it is."""

    node: str
    member: str
    role: str
    state: str
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Travels:
    """A project, or "*", under its name in a space; `scanned` is the entry of the trail up to which it was looked at."""

    name: str
    project: str
    scanned: int


def joined_any(db: Database) -> bool:
    """Whether this home joined a space; a home that did not pays one look."""
    return bool(db.value("SELECT 1 FROM hub_spaces LIMIT 1"))


def listed(db: Database) -> list[Space]:
    """The joined spaces, by name."""
    rows = db.rows("SELECT token, trusted, member, synced_at, fault FROM hub_spaces ORDER BY space")
    return [
        Space(Token.model_validate_json(str(token)), tuple(dict.fromkeys([str(member), *json.loads(str(trusted))])), int(str(at)), str(fault))
        for token, trusted, member, at, fault in rows
    ]  # fmt: skip


def one(db: Database, name: str = "") -> Space:
    """The space of that name; the only one where none is named. Raises NotFound, Refused."""
    found = [space for space in listed(db) if name in ("", space.name)]
    if not found:
        raise NotFound(
            f"no space {name[:63]!r}" if name else "no space was joined",
            why="this home is in none that is called so" if name else "this home is in none",
            hint="run `bellek hub join FILE` with the file that whoever keeps the hub gave you",
        )
    if len(found) > 1:
        raise Refused("which space is meant is not said", why="this home is in several", hint="give --space NAME")
    return found[0]


def join(db: Database, token: Token, projects: dict[str, str], trusted: tuple[str, ...]) -> None:
    """Join a space (or take a new token of one), with projects (name in the space → id here). In the caller's transaction.

    Raises Refused where the node is another one than before, or a project travels in another space already.
    """
    known = db.value("SELECT node FROM hub_spaces WHERE space = ?", (token.space,))
    if known and known != token.node:
        raise Refused(
            f"{token.space} was not joined anew",
            why=f"this home is {known} there and the token is another node's",
            hint=f"`bellek hub leave --space {token.space}` first",
        )
    if known:
        db.run("UPDATE hub_spaces SET token = ?, role = ?, fault = '' WHERE space = ?", (token.model_dump_json(), token.role, token.space))  # fmt: skip
        if trusted:
            db.run("UPDATE hub_spaces SET trusted = ? WHERE space = ?", (json.dumps(trusted), token.space))
    else:
        db.run(
            "INSERT INTO hub_spaces (space, node, member, role, token, trusted, joined_at, synced_at, fault) VALUES (?, ?, ?, ?, ?, ?, ?, 0, '')",
            (token.space, token.node, token.member, token.role, token.model_dump_json(), json.dumps(trusted), clock.now()),
        )  # fmt: skip
    stones.also_ask(db, token.key)
    for name, project in projects.items():
        _let_travel(db, token.space, name, project)


def _let_travel(db: Database, space: str, name: str, project: str) -> None:
    other = db.one("SELECT space, name FROM hub_projects WHERE project = ?", (project,))
    if other == (space, name):
        return
    if other or db.value("SELECT 1 FROM hub_projects WHERE space = ? AND name = ?", (space, name)):
        raise Refused(
            f"{name[:60]} was not joined",
            why=f"this project is {other[1]} in {other[0]} already"
            if other
            else f"{space} has a project of that name here",
            hint="leave that space first, or give another name with --as",
        )
    db.run("INSERT INTO hub_projects (space, name, project, scanned) VALUES (?, ?, ?, 0)", (space, name, project))
    tombstones.mark_anew(db, project, batch=mint("b"))


def leave(db: Database, name: str) -> None:
    """Forget a space: token, streams and names; the home's own rows stay, all of them. In the caller's transaction."""
    for table in ("hub_spaces", "hub_projects", "hub_nodes", "hub_entries", "hub_saw", "hub_waiting"):
        db.run(f"DELETE FROM {table} WHERE space = ?", (name,))


def note(db: Database, act: str, *, actor: str) -> None:
    """Keep in the trail that a person joined or left a space; which one stands in no trail."""
    audit.append(db, actor=actor, act=act, kind="hub", id="", batch=mint("b"))


def travels(db: Database, name: str) -> list[Travels]:
    """What travels in a space, by name."""
    rows = db.rows("SELECT name, project, scanned FROM hub_projects WHERE space = ? ORDER BY name", (name,))
    return [Travels(str(one), str(project), int(str(scanned))) for one, project, scanned in rows]


def nodes(db: Database, name: str) -> list[Node]:
    """Who is in a space, as the hub told last."""
    rows = db.rows("SELECT node, member, role, state, fault FROM hub_nodes WHERE space = ? ORDER BY node", (name,))
    return [Node(*map(str, row)) for row in rows]


def keep_nodes(db: Database, name: str, found: list[Node]) -> None:
    """Keep what the hub told of who is there."""
    for one_ in found:
        db.run(
            "INSERT INTO hub_nodes (space, node, member, role, state, fault) VALUES (?, ?, ?, ?, ?, '')"
            " ON CONFLICT (space, node) DO UPDATE SET role = excluded.role, state = excluded.state",
            (name, one_.node, one_.member, one_.role, one_.state),
        )


def blame(db: Database, name: str, node: str, fault: str) -> None:
    """Keep why a node's stream is not taken any further, or that it is again ("")."""
    db.run("UPDATE hub_nodes SET fault = ? WHERE space = ? AND node = ?", (fault, name, node))


def synced(db: Database, name: str, fault: str) -> None:
    """Keep how the last try ended: "" for well."""
    db.run(
        "UPDATE hub_spaces SET fault = ?, synced_at = CASE WHEN ? = '' THEN ? ELSE synced_at END WHERE space = ?",
        (fault, fault, clock.now(), name),
    )
