"""The optional passphrase: scrypt makes a key of it, HMAC-SHA256 over a promotion is its signature. Nothing of it is stored.

What it is for: somebody who can write the file can make a row permanent, but cannot sign it. It must never keep the
passphrase or its key, and never print either. ``meta`` holds the salt, and a check value that tells a typing error.
"""

import hashlib
import hmac
import json
import secrets

from bellek.kg.db import Database
from bellek.schemas.errors import Refused, UsageFault

# scrypt: 16 MiB and some 50 ms a guess on today's machines, once a promotion.
COST, BLOCK, LANES = 2**14, 8, 1
SHORTEST = 8  # letters
SALT, CHECK = "passphrase-salt", "passphrase-check"
_CHECKED = b"bellek passphrase"


def is_set(db: Database) -> bool:
    """Whether promotions of this store are to be signed."""
    return db.value("SELECT 1 FROM meta WHERE key = ?", (CHECK,)) is not None


def choose(db: Database, passphrase: str) -> None:
    """Set the passphrase of a store that has none. Raises Refused where one is set, UsageFault for a short one."""
    if is_set(db):
        raise Refused(
            "a passphrase is set already",
            why="what it signed could not be checked under another one",
            hint="keep it; `bellek audit verify --passphrase` checks what it signed",
        )
    if len(passphrase) < SHORTEST:
        raise UsageFault("the passphrase is too short", why=f"it needs {SHORTEST} letters", hint="choose a longer one")
    salt = secrets.token_bytes(16)
    check = hmac.new(_key(passphrase, salt), _CHECKED, hashlib.sha256).hexdigest()
    for name, value in ((SALT, salt.hex()), (CHECK, check)):
        db.run("INSERT INTO meta (key, value) VALUES (?, ?)", (name, value))


def key(db: Database, passphrase: str) -> bytes:
    """The key of a passphrase. Raises Refused where none is set, or this is not the one."""
    salt, check = (db.value("SELECT value FROM meta WHERE key = ?", (name,)) for name in (SALT, CHECK))
    if not isinstance(salt, str) or not isinstance(check, str):
        raise Refused("no passphrase is set", why="promotions are not signed", hint="run `bellek gate passphrase`")
    found = _key(passphrase, bytes.fromhex(salt))
    if not hmac.compare_digest(hmac.new(found, _CHECKED, hashlib.sha256).hexdigest(), check):
        raise Refused("this is not the passphrase", why="it does not fit the one that was set", hint="try again")
    return found


def sign(key: bytes, fields: "list[str | int]") -> bytes:
    """HMAC-SHA256 over the fields as one JSON array."""
    return hmac.new(
        key, json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode(), hashlib.sha256
    ).digest()


def _key(passphrase: str, salt: bytes) -> bytes:
    return hashlib.scrypt(passphrase.encode(), salt=salt, n=COST, r=BLOCK, p=LANES, dklen=32)
