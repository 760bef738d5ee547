"""What the tombstones say of words: the asking side of `kg.tombstones`, without the types of memories.

Hearing asks it of every payload and of every message once something was forgotten, and a process that only hears has no
time to load the kinds. It must never write.
"""

import hashlib
from dataclasses import dataclass
from typing import Literal

from bellek.kg import normal, scope
from bellek.kg.db import Database
from bellek.schemas.vocab import ANY

NEAR = 0.6  # least share of words (Dice, 2·common / (both sizes)) of a near match; chosen on tests/kg/near.jsonl
NEAR_WORDS = 3  # and at least so many in common: two short sayings share two words by chance
Word = bytes


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the tombstones say of a value: "free", "refused", "forgotten", or "near" a refusal; and which refused row it was."""

    how: Literal["free", "refused", "forgotten", "near"]
    memory: str = ""


FREE = Ruling("free")


def left_any(db: Database) -> bool:
    """Whether there is any tombstone; most stores have none, and then a write asks nothing more."""
    return bool(db.value("SELECT 1 FROM tombstones WHERE lifted = 0 LIMIT 1"))


def rule_text(db: Database, project: str, text: str) -> Ruling:
    """What is said of bare words in a project: a payload before it is queued, a message before it is kept."""
    return ruled(db, project, ("words " + normal.form(text), "claimed " + normal.form(text)), [])


def ruled(db: Database, project: str, forms: tuple[str, ...], stems: list[str]) -> Ruling:
    """What is said in a project of a value by its forms, or by the stems of its words (none: only the whole value counts)."""
    keys = keys_of(db)
    marks = tuple(mark(key, form) for key in keys for form in forms)
    found = db.rows(
        f"SELECT t.why, t.memory FROM tombstone_marks k JOIN tombstones t ON t.id = k.stone WHERE k.sort = 'form' AND k.mark IN ({_holes(marks)})"
        f" AND {_OVERLAP} ORDER BY t.why LIMIT 1",
        (*marks, project, ANY, project, ANY),
    )
    if found:
        why, memory = found[0]
        return Ruling("forgotten" if why == "forgotten" else "refused", str(memory))
    if len(stems) < NEAR_WORDS:
        return FREE
    return next(filter(lambda ruling: ruling != FREE, (_near(db, project, key, stems) for key in keys)), FREE)


def _near(db: Database, project: str, key: bytes, stems: list[str]) -> Ruling:
    """Whether words are near those of a refusal that was marked under this key."""
    words = tuple(mark(key, "word " + stem)[:8] for stem in stems)
    for memory, most, common in db.rows(
        "SELECT t.memory, t.words, count(*) FROM tombstone_marks k JOIN tombstones t ON t.id = k.stone WHERE k.sort = 'word'"
        f" AND k.mark IN ({_holes(words)}) AND {_OVERLAP} GROUP BY t.id HAVING count(*) >= ? ORDER BY count(*) DESC, t.id",
        (*words, project, ANY, project, ANY, NEAR_WORDS),
    ):
        if 2 * int(str(common)) >= NEAR * (int(str(most)) + len(words)) - 1e-9:
            return Ruling("near", str(memory))
    return FREE


# A value of one project may not come back there, nor in every project, which is there as well.
_OVERLAP = "t.lifted = 0 AND (t.project IN (?, ?) OR ? = ?)"


def _holes(values: tuple[Word, ...]) -> str:
    return ", ".join("?" * len(values))


def key_of(db: Database) -> bytes:
    """The store's own key: without it a mark tells nothing."""
    return bytes.fromhex(str(db.value("SELECT value FROM meta WHERE key = 'key'")))


def key_in(db: Database, project: str) -> bytes:
    """The key of new marks in a project: that of the space it travels in, so that every node of it can ask them; else the store's own."""
    space = db.value("SELECT space FROM hub_projects WHERE project = ?", (scope.base(project),))
    held = space and db.value("SELECT json_extract(token, '$.key') FROM hub_spaces WHERE space = ?", (space,))
    return bytes.fromhex(str(held)) if held else key_of(db)


OTHER_KEY = "key+"  # rows of meta: keys of stores whose tombstones were imported here


def keys_of(db: Database) -> list[bytes]:
    """The store's own key, and those that imported tombstones were marked under."""
    others = db.rows("SELECT value FROM meta WHERE key > ? AND key < ? ORDER BY key", (OTHER_KEY, OTHER_KEY + "~"))
    return [key_of(db), *(bytes.fromhex(str(value)) for (value,) in others)]


def also_ask(db: Database, key: str) -> None:
    """Ask tombstones under one more key (hexadecimal) from now on."""
    name = OTHER_KEY + hashlib.blake2b(bytes.fromhex(key), digest_size=8).hexdigest()
    db.run("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", (name, key))


def mark(key: bytes, said: str) -> Word:
    """Keyed hash; the sort of the value is a part of it, so that a claim never meets a name."""
    return hashlib.blake2b(said.encode(), key=key, digest_size=16, person=b"bellek-stone").digest()
