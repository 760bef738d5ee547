"""The only speaker of PostgreSQL: connect, make a space, push a run of entries, read what is new. Extra `bellek[hub]`.

Every statement names the space, and a connection is about one. It must never send words or a password over a network in the open,
never write a password anywhere, and never decide about memory: it carries lines.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from bellek import schemas
from bellek.kg.hub_spaces import Node
from bellek.kg.ids import mint
from bellek.schemas.errors import BellekError, NotFound, Refused, StoreNewer, UsageFault
from bellek.schemas.hub import Role, Sent, Token

if TYPE_CHECKING:
    import psycopg
    from psycopg import Connection

CONNECT_S = 5
STATEMENT_MS = 60_000  # a run of entries takes far less
SHAPE = 1  # the number of the last file below schemas/sql/hub
LOOPBACK = ("localhost", "127.0.0.1", "::1")
VERIFIED = ("verify-full", "verify-ca")
_COLUMNS = "space, node, seq, id, act, line, hash, body, salt"


class HubFault(BellekError):
    """The hub did not answer, or refused."""

    hint = "run `bellek hub status`; what is written here travels once the hub answers"


@dataclass(frozen=True, slots=True)
class Head:
    """A node as the hub knows it, and where its stream ends there."""

    node: Node
    seq: int
    hash: bytes


def _psycopg() -> "psycopg":  # type: ignore[valid-type]
    try:
        import psycopg
    except ImportError as exc:
        raise UsageFault(
            "no hub can be asked", why="psycopg is not installed", hint="pip install 'bellek[hub]'"
        ) from exc
    return psycopg


def safe_words(server: str) -> str:
    """The words of libpq for a server, with verified TLS where it is not on this machine. Raises UsageFault where they ask for less.

    User and password are left out: they are the token's.
    """
    pg = _psycopg()
    try:
        asked = pg.conninfo.conninfo_to_dict(server)  # type: ignore[attr-defined]
    except pg.ProgrammingError as exc:  # type: ignore[attr-defined]
        raise UsageFault("the server's address cannot be read", why="libpq does not know its words", hint="give postgresql://HOST:PORT/DATABASE") from exc  # fmt: skip
    kept = {key: str(value) for key, value in asked.items() if key not in ("user", "password", "passfile") and value}
    hosts = [host for key in ("host", "hostaddr") for host in kept.get(key, "").split(",") if host]
    if any(host not in LOOPBACK and not host.startswith("/") for host in hosts):
        mode = kept.setdefault("sslmode", "verify-full")
        if mode not in VERIFIED:
            raise UsageFault(
                f"sslmode={mode} was refused",
                why="off this machine a hub is asked over verified TLS alone",
                hint="leave sslmode out, or give verify-full with sslrootcert=FILE",
            )
        if mode == "verify-full":
            kept.setdefault("sslrootcert", "system")
    return str(pg.conninfo.make_conninfo("", **kept))  # type: ignore[attr-defined]


@contextmanager
def opened(server: str, space: str, **login: str) -> "Iterator[Connection[tuple[object, ...]]]":
    """A connection about one space. Raises HubFault for whatever PostgreSQL says, in our words and without a password."""
    pg = _psycopg()
    words = safe_words(server)
    asked = pg.conninfo.conninfo_to_dict(server)  # type: ignore[attr-defined]
    login = {**{key: str(asked[key]) for key in ("user", "password", "passfile") if asked.get(key)}, **login}
    try:
        with pg.connect(words, connect_timeout=CONNECT_S, autocommit=True, application_name="bellek", **login) as con:  # type: ignore[attr-defined]
            con.execute("SELECT set_config('bellek.space', %s, false)", (space,))
            con.execute(f"SET statement_timeout = {STATEMENT_MS}")
            yield con
    except pg.OperationalError as exc:  # type: ignore[attr-defined]
        raise HubFault("the hub does not answer", why=_said(exc)) from exc
    except pg.Error as exc:  # type: ignore[attr-defined]
        raise HubFault("the hub refused", why=_said(exc)) from exc


def _said(exc: Exception) -> str:
    """The server's first line; libpq puts no password into it."""
    return (str(exc).strip().splitlines() or [type(exc).__name__])[0][:200]


@contextmanager
def joined(token: Token) -> "Iterator[Connection[tuple[object, ...]]]":
    """A node's own connection. Raises HubFault; Refused where the node was cut off."""
    with opened(token.server, token.space, user=token.login, password=token.password) as con:
        yield con


def lay_down(con: "Connection[tuple[object, ...]]") -> None:
    """Make the hub's schema where it is missing. For whoever keeps the server. Raises StoreNewer."""
    with con.transaction():
        con.execute("SELECT pg_advisory_xact_lock(6568949)")
        row = con.execute("SELECT obj_description(to_regnamespace('bellek_hub'), 'pg_namespace')").fetchone()
        there = int(str(row[0]).rpartition(" ")[2]) if row and row[0] else 0
        if there > SHAPE:
            raise StoreNewer(
                "the hub was made by a newer bellek", why=f"its shape is {there}, this program knows {SHAPE}"
            )
        for file in sorted(Path(schemas.__file__ or "").parent.joinpath("sql", "hub").glob("*.sql")):
            if int(file.name[:4]) > there:
                con.execute(file.read_bytes())
        con.execute(f"COMMENT ON SCHEMA bellek_hub IS 'bellek hub, shape {SHAPE}'")


def invite(con: "Connection[tuple[object, ...]]", server: str, space: str, member: str, role: Role, key: str, node: str = "") -> Token:  # fmt: skip
    """Make a node of a space, with a database role of its own; the token, which is told once. For whoever keeps the server."""
    node = node or mint("k")
    with con.transaction():
        login, password = _role(con)
        con.execute(
            "INSERT INTO bellek_hub.nodes (space, node, member, role, state, login) VALUES (%s, %s, %s, %s, 'in', %s)",
            (space, node, member, role, login),
        )
    return Token(
        space=space, node=node, member=member, role=role, server=safe_words(server), login=login, password=password, key=key
    )  # fmt: skip


def renew(con: "Connection[tuple[object, ...]]", server: str, space: str, node: str, key: str) -> Token:
    """A new token of a node: its old one opens nothing any more. For whoever keeps the server. Raises NotFound."""
    found = next((head.node for head in heads(con, space) if head.node.node == node), None)
    if found is None:
        raise NotFound(f"no node {node[:20]!r} in {space}", why="the hub knows none", hint="run `bellek hub status`")
    cut(con, space, node)
    login, password = _role(con)
    con.execute(
        "UPDATE bellek_hub.nodes SET login = %s, state = 'in' WHERE space = %s AND node = %s", (login, space, node)
    )
    return Token(
        space=space, node=node, member=found.member, role=cast("Role", found.role), server=safe_words(server), login=login, password=password, key=key
    )  # fmt: skip


def _role(con: "Connection[tuple[object, ...]]") -> tuple[str, str]:
    """A database role of a node's own: (login, password)."""
    from psycopg import sql

    login, password = f"bellek_{mint('u')}", secrets.token_hex(24)
    con.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} IN ROLE bellek_hub_node").format(sql.Identifier(login), sql.Literal(password)))  # fmt: skip
    return login, password


def cut(con: "Connection[tuple[object, ...]]", space: str, node: str, state: str = "cut") -> None:
    """Cut a node off: its role may not log in any more and its connections end; what it pushed before stays. Raises NotFound."""
    from psycopg import sql

    with con.transaction():
        row = con.execute("UPDATE bellek_hub.nodes SET state = %s WHERE space = %s AND node = %s RETURNING login", (state, space, node)).fetchone()  # fmt: skip
        if row is None:
            raise NotFound(
                f"no node {node[:20]!r} in {space}", why="the hub knows none", hint="run `bellek hub status`"
            )
        con.execute(sql.SQL("ALTER ROLE {} NOLOGIN").format(sql.Identifier(str(row[0]))))
    con.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", (row[0],))


def heads(con: "Connection[tuple[object, ...]]", space: str) -> list[Head]:
    """The nodes of a space and where their streams end. Empty for whoever may not look."""
    rows = con.execute(
        "SELECT node, member, role, state, head_seq, head_hash FROM bellek_hub.nodes WHERE space = %s ORDER BY node", (space,)
    )  # fmt: skip
    return [Head(Node(str(n), str(m), str(r), str(s)), int(str(seq)), bytes(hash_)) for n, m, r, s, seq, hash_ in rows]  # type: ignore[call-overload]


def push(con: "Connection[tuple[object, ...]]", space: str, sent: list[Sent]) -> None:
    """Add a run of entries to a stream's end, in one transaction: all of them or none. The hub verifies the chain."""
    with con.transaction():
        con.execute("SELECT bellek_hub.make_room()")
        with con.cursor().copy(f"COPY arriving ({_COLUMNS}) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["text", "text", "int8", "text", "text", "text", "bytea", "text", "bytea"])
            for one in sent:
                copy.write_row((space, one.node, one.seq, one.id, one.act, one.line, one.hash, one.body, one.salt))
        con.execute(f"INSERT INTO bellek_hub.entries ({_COLUMNS}) SELECT {_COLUMNS} FROM arriving WHERE space = %s", (space,))  # fmt: skip


def pull(con: "Connection[tuple[object, ...]]", space: str, node: str, after: int, limit: int) -> list[Sent]:
    """The next entries of a node's stream, in order."""
    rows = con.execute(
        "SELECT node, seq, id, act, line, hash, body, salt FROM bellek_hub.entries WHERE space = %s AND node = %s AND seq > %s ORDER BY seq LIMIT %s",
        (space, node, after, limit), binary=True,
    )  # fmt: skip
    return [Sent(*row) for row in rows.fetchall()]  # type: ignore[arg-type]


def refuse_a_stranger(found: list[Head], token: Token) -> Head:
    """The asking node as the hub knows it. Raises Refused where it does not, or cut it off."""
    mine = next((head for head in found if head.node.node == token.node), None)
    if mine is None or mine.node.state != "in":
        raise Refused(
            f"{token.space} is closed to this node",
            why="the hub cut it off, or does not know it",
            hint="ask whoever keeps the hub for a new token, or `bellek hub leave`: the home stays whole",
        )
    return mine
