"""``hub``: one memory on many machines. What a person lets travel goes to a PostgreSQL server of theirs and to the nodes of its space."""

import os
import re
import secrets
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from bellek import gate
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, folder_of, opened, project_id
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.curator import hub_sync
from bellek.kg import clock, hub_server, hub_spaces, hub_streams, packing, scope
from bellek.kg.home import Home
from bellek.kg.hub_spaces import Space
from bellek.schemas.errors import NotFound, Refused, UsageFault
from bellek.schemas.hub import MEMBER, NAME, Role, Token
from bellek.schemas.vocab import ANY

if TYPE_CHECKING:
    from psycopg import Connection

ServerArgument = Annotated[str, typer.Argument(metavar="SERVER", help="postgresql://USER@HOST/DATABASE of whoever keeps the hub; the password comes from PGPASSWORD or ~/.pgpass.")]  # fmt: skip
SpaceOption = Annotated[str, typer.Option("--space", metavar="NAME", help="The space (default: the only one).")]
NeedSpace = Annotated[str, typer.Option("--space", metavar="NAME", help="The space's name: small letters, digits, hyphens.")]  # fmt: skip
MemberOption = Annotated[str, typer.Option("--member", metavar="NAME", help="Whose node it is.")]
AsOption = Annotated[str, typer.Option("--as", metavar="NAME", help="The project's name in the space (default: its folder's).")]  # fmt: skip
EverywhereOption = Annotated[bool, typer.Option("--everywhere", help="What holds in every project travels too: what is known about you.")]  # fmt: skip
BanksOption = Annotated[list[str] | None, typer.Option("--with-bank", metavar="AGENT", help="An agent's own bank in the project travels too.")]  # fmt: skip
TrustOption = Annotated[list[str] | None, typer.Option("--trust", metavar="MEMBER", help="Whose promotions count here as yours do.")]  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    group = typer.Typer(no_args_is_help=True, help="One memory on many machines, over a PostgreSQL server of yours.")
    for verb in (init, invite, join, sync, status, leave, cut):
        group.command()(verb)
    app.add_typer(group, name="hub")


def init(
    server: ServerArgument, space: NeedSpace, member: MemberOption, named: AsOption = "", everywhere: EverywhereOption = False,
    banks: BanksOption = None, trust: TrustOption = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="The hub was lost: write what this home has of the space into a new one.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Make a space on a server, and join it with this project."""
    _good("--space", NAME, space)
    _good("--member", MEMBER, member)
    with opened(home) as store:
        actor = gate.require_person(store, verb="hub init")
        with hub_server.opened(server, space) as con:
            hub_server.lay_down(con)
            there = hub_server.heads(con, space)
            if there:
                raise Refused(f"{space} was not made", why="the server has a space of that name", hint="ask for a token with `bellek hub invite`")  # fmt: skip
            if rebuild:
                _rebuild(store, con, server, space, json=json)
                return
            token = hub_server.invite(con, server, space, member, "owner", secrets.token_hex(32))
        _join(store, token, _projects(store, project, named, everywhere=everywhere, banks=banks), trust, actor)
    _tell_joined(token, json)


def _rebuild(store: Home, con: "Connection[tuple[object, ...]]", server: str, name: str, *, json: bool) -> None:
    """The nodes that this home knows get new logins; the others' tokens are made with `hub invite --node`."""
    space = hub_spaces.one(store.memory, name)
    mine = space.token
    for node in hub_spaces.nodes(store.memory, name):
        made = hub_server.invite(con, server, name, node.member, cast("Role", node.role), mine.key, node.node)
        mine = made if node.node == mine.node else mine
    count = hub_sync.rebuild(store, space, con)
    with store.memory.transaction():
        hub_spaces.join(store.memory, mine, {}, ())
    told = {"space": name, "entries": count, "nodes": [node.node for node in hub_spaces.nodes(store.memory, name)]}
    say_json(told) if json else say(
        f"{count} entries of {len(told['nodes'])} nodes are on the new hub",  # type: ignore[arg-type]
        "the other nodes need new tokens: `bellek hub invite SERVER --space NAME --node NODE`",
    )


def invite(
    server: ServerArgument, space: NeedSpace, to: Annotated[Path, typer.Option("--to", metavar="FILE", help="Where the token is written (0600); hand it over as you would a password.")],
    member: MemberOption = "", node: Annotated[str, typer.Option("--node", metavar="NODE", help="A new token of a node that is there already.")] = "",
    role: Annotated[Literal["writer", "reader"], typer.Option("--role", help="A reader only pulls.")] = "writer",
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Make a token: one node may join with it."""
    if not node:
        _good("--member", MEMBER, member)
    with opened(home) as store:
        gate.require_person(store, verb="hub invite")
        joined = hub_spaces.one(store.memory, space)
        with hub_server.opened(server, space) as con:
            token = (
                hub_server.renew(con, server, space, node, joined.token.key)
                if node
                else hub_server.invite(con, server, space, member, role, joined.token.key)
            )
    path = to.expanduser()
    if os.path.lexists(path):
        raise Refused(f"{path} was not written", why="something is there already", hint="name a file that does not exist yet")  # fmt: skip
    with packing.created(str(path)) as out:
        out.write(token.model_dump_json().encode() + b"\n")
    told = {"space": space, "node": token.node, "member": token.member, "role": token.role, "file": str(path)}
    say_json(told) if json else say(f"{token.node} of {token.member} may join {space} with {visible(str(path))}")


def join(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The token, as `bellek hub invite` wrote it; - reads it from standard input.")],
    named: AsOption = "", everywhere: EverywhereOption = False, banks: BanksOption = None, trust: TrustOption = None,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Join a space with this project: from now on its rows travel to the nodes of the space."""
    with opened(home) as store:
        actor = gate.require_person(store, verb="hub join")
        token = _token(file)
        with hub_server.joined(token) as con:
            hub_server.refuse_a_stranger(hub_server.heads(con, token.space), token)
        _join(store, token, _projects(store, project, named, everywhere=everywhere, banks=banks), trust, actor)
    _tell_joined(token, json)


def _token(file: Path) -> Token:
    try:
        text = sys.stdin.read(65536) if str(file) == "-" else file.expanduser().read_text(encoding="utf-8")
        return Token.model_validate_json(text)
    except OSError as exc:
        raise NotFound(f"{file} was not read", why=exc.strerror or type(exc).__name__, hint="name the file that `bellek hub invite` wrote") from exc  # fmt: skip
    except ValueError as exc:
        raise UsageFault(f"{file} holds no token", why="it is not what `bellek hub invite` writes", hint="ask for a new one") from exc  # fmt: skip


def _projects(store: Home, project: str | None, named: str, *, everywhere: bool, banks: list[str] | None) -> dict[str, str]:  # fmt: skip
    """Name in the space → id here."""
    name = named or Path(folder_of(project)).name or "root"
    _good("--as", r"[^~*\x00-\x1f]{1,80}", name)
    here = project_id(store, project)
    found = {name: here, **{scope.bank(name, agent): scope.bank(here, agent) for agent in banks or ()}}
    return {**found, **({ANY: ANY} if everywhere else {})}


def _join(store: Home, token: Token, projects: dict[str, str], trust: list[str] | None, actor: str) -> None:
    for member in trust or ():
        _good("--trust", MEMBER, member)
    with store.memory.transaction():
        hub_spaces.join(store.memory, token, projects, tuple(trust or ()))
        hub_spaces.note(store.memory, "join", actor=actor)


def _good(option: str, pattern: str, given: str) -> None:
    if not re.fullmatch(pattern.strip("^$"), given):
        raise UsageFault(f"{option} {visible(given[:60])!r} cannot be a name", why="small letters, digits and hyphens are" if pattern != r"[^~*\x00-\x1f]{1,80}" else "~ and * have a meaning of their own")  # fmt: skip


def _tell_joined(token: Token, json: bool) -> None:
    told = {"space": token.space, "node": token.node, "member": token.member, "role": token.role}
    say_json(told) if json else say(
        f"{token.space} was joined as {token.node} of {token.member}", "`bellek hub sync` hands over what there is; hearing does so after each turn from now on"
    )  # fmt: skip


def sync(
    space: SpaceOption = "",
    every: Annotated[float, typer.Option("--every", metavar="SECONDS", min=0.0, help="Go on, with so long a pause, until stopped.")] = 0.0,
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Hand over what is new here and take in what is new there."""
    with opened(home) as store:
        while True:
            for one in [hub_spaces.one(store.memory, space)] if space else hub_spaces.listed(store.memory):
                _tell_synced(hub_sync.sync(store, one), json, quiet=bool(every))
            if not every:
                break
            time.sleep(every)
        if not hub_spaces.joined_any(store.memory):
            hub_spaces.one(store.memory)


def _tell_synced(done: hub_sync.Synced, json: bool, *, quiet: bool) -> None:
    if quiet and not (done.pushed or done.pulled or done.notes):
        return
    if json:
        say_json(asdict(done))
        return
    say(f"{done.space}: {done.pushed} entries handed over, {done.pulled} taken in; {done.written} rows written, {done.forgotten} forgotten")  # fmt: skip
    if done.waiting:
        say(f"{done.waiting} rows wait for others that they point to")
    say(*(one_line(note) for note in done.notes))


def status(space: SpaceOption = "", home: HomeOption = None, json: JsonOption = False) -> None:
    """What this home joined, what waits to be handed over, who else is there. Asks no server."""
    with opened(home) as store:
        found = [hub_spaces.one(store.memory, space)] if space else hub_spaces.listed(store.memory)
        told = [_status(store, one) for one in found]
    if json:
        say_json(told)
        return
    if not told:
        say("no space was joined; `bellek hub init` makes one, `bellek hub join` takes a token")
    for one in told:
        say(*_spoken(one))


def _status(store: Home, space: Space) -> dict[str, object]:
    db = store.memory
    heads = hub_streams.heads(db, space.name)
    return {
        "space": space.name, "node": space.token.node, "member": space.token.member, "role": space.token.role, "trusted": list(space.trusted),
        "projects": {one.name: one.project for one in hub_spaces.travels(db, space.name)}, "synced_at": space.synced_at, "fault": space.fault,
        "nodes": [{**asdict(node), "entries": heads.get(node.node, 0)} for node in hub_spaces.nodes(db, space.name)],
    }  # fmt: skip


def _spoken(one: dict[str, object]) -> list[str]:
    at = cast("int", one["synced_at"])
    when = f"synced {clock.stamp(at, clock.offset_minutes(at))}" if at else "never synced"
    lines = [f"{one['space']}: {one['node']} of {one['member']}, {one['role']}; {when}"]
    lines += [f"  {visible(name)} travels" if name != ANY else "  what holds in every project travels" for name in cast("dict[str, str]", one["projects"])]  # fmt: skip
    lines += [f"  the promotions of {', '.join(cast('list[str]', one['trusted']))} count here"]
    for node in cast("list[dict[str, object]]", one["nodes"]):
        fault = f"; {one_line(str(node['fault']))}" if node["fault"] else ""
        lines.append(f"  {node['node']} of {visible(str(node['member']))}: {node['role']}, {node['state']}, {node['entries']} entries here{fault}")  # fmt: skip
    return [*lines, *([f"  the last try failed: {one_line(str(one['fault']))}"] if one["fault"] else [])]


def leave(space: SpaceOption = "", home: HomeOption = None, json: JsonOption = False) -> None:
    """Leave a space. This home keeps every row it has; what it handed over stays with the others."""
    with opened(home) as store:
        actor = gate.require_person(store, verb="hub leave")
        one = hub_spaces.one(store.memory, space)
        with store.memory.transaction():
            hub_spaces.leave(store.memory, one.name)
            hub_spaces.note(store.memory, "leave", actor=actor)
    say_json({"space": one.name, "left": True}) if json else say(
        f"{one.name} was left; every row of this home stays", f"whoever keeps the hub ends the token with `bellek hub cut SERVER --space {one.name} {one.token.node}`"
    )  # fmt: skip


def cut(
    server: ServerArgument, node: Annotated[str, typer.Argument(metavar="NODE", help="As `bellek hub status` names it.")], space: NeedSpace,
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Cut a node off (a stolen machine): its token opens nothing any more, and nothing of it is taken from now on."""
    with opened(home) as store:
        gate.require_person(store, verb="hub cut")
        with hub_server.opened(server, space) as con:
            hub_server.cut(con, space, node)
    say_json({"space": space, "node": node, "state": "cut"}) if json else say(f"{node} was cut off from {space}; what it handed over before stays")  # fmt: skip
