"""What an agent is called: by its client and the person's config, never by its own words.

One of the prompt hook's rooms. It must never take a name out of a message, a marker or an option.
"""

from bellek.kg.db import Database

DECLARED = "config:agents."  # rows that `curator.config` compiled: config:agents.NAME.client → a JSON string
AFTER = "config:agents/"
CLIENT = ".client"


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
