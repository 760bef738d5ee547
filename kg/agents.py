"""What an agent is called, and whose bank it reads and writes: by its client and the person's config, never by its own words.

One of the prompt hook's rooms. It must never take a name out of a message, a marker or an option.
"""

from bellek.kg import scope
from bellek.kg.db import Database

DECLARED = "config:agents."  # rows that `curator.config` compiled: config:agents.NAME.client → a JSON string
AFTER = "config:agents/"
CLIENT = ".client"
BANK = "BELLEK_BANK"  # the variable with the bank that a person asked for with --bank


def of_client(db: Database, client: str) -> str:
    """The name of a client's agent: as config.toml declares it, else the client's own."""
    found = db.value(
        "SELECT key FROM settings WHERE key >= ? AND key < ? AND substr(key, -7) = ? AND value = ?",
        (DECLARED, AFTER, CLIENT, f'"{client}"'),
    )
    return str(found)[len(DECLARED) : -len(CLIENT)] if found else client


def is_declared(db: Database, name: str) -> bool:
    """Whether config.toml has a table of this name."""
    return bool(
        db.value(
            "SELECT 1 FROM settings WHERE key >= ?1 AND key < ?2 AND substr(key, 1, length(?3)) = ?3 LIMIT 1",
            (DECLARED, AFTER, f"{DECLARED}{name}."),
        )
    )


def has_bank(db: Database, agent: str) -> bool:
    """Whether config.toml gives an agent a bank of its own."""
    return db.value("SELECT value FROM settings WHERE key = ?", (f"{DECLARED}{agent}.bank",)) == '"own"'


def scope_of(db: Database, project: str, agent: str) -> str:
    """Where an agent reads and writes in a project: its own bank where it has one, else the project that all share."""
    return scope.bank(project, agent) if project and agent and has_bank(db, agent) else project


def scope_of_session(db: Database, project: str, session: str) -> str:
    """The same by the session in which something was said: its client decides, also for what a subagent said."""
    client = db.value("SELECT client FROM sessions WHERE id = ?", (session,))
    return scope_of(db, project, of_client(db, str(client))) if client else project


def any_bank(db: Database) -> bool:
    """Whether config.toml gives any agent a bank of its own."""
    return bool(
        db.value(
            "SELECT 1 FROM settings WHERE key >= ? AND key < ? AND substr(key, -5) = '.bank' AND value = '\"own\"' LIMIT 1",
            (DECLARED, AFTER),
        )
    )


def banks_in(db: Database, project: str) -> list[str]:
    """The scopes of a project's banks that hold any row, whatever became of it."""
    rows = db.rows(
        "SELECT DISTINCT project FROM memories WHERE project >= ?1 || ?2 AND project < ?1 || ?2 || char(1114111) ORDER BY project",
        (project, scope.BANK),
    )
    return [str(place) for (place,) in rows]
