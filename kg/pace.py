"""Where STATE rests and how fast it returns, as the person's config was compiled. One of the prompt hook's rooms.

It must never load anything beyond the pure rules.
"""

from bellek.kg.db import Database
from bellek.schemas.state import Pace, pace

_FIRST, _AFTER = "config:state.", "config:state/"  # how `curator.config` spells compiled keys


def pace_of(db: Database) -> Pace:
    """The pace that is set, the defaults where nothing is."""
    rows = db.rows("SELECT key, value FROM settings WHERE key >= ? AND key < ?", (_FIRST, _AFTER))
    return pace({str(key)[len(_FIRST) :]: float(str(value)) for key, value in rows})
