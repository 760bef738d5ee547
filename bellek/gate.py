"""Who may do what only a person may. A first form: without a terminal nobody is taken for a person.

It must never take a word of the environment or of a flag for a person's.
"""

import sys

from bellek.kg.home import Home
from bellek.schemas.errors import PersonNeeded


def require_person(store: Home, *, verb: str, target: str = "") -> str:  # noqa: ARG001  the trail of every try is its full form
    """The actor's name, "person:terminal", where a person is at a terminal; else PersonNeeded."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise PersonNeeded(f"{verb} {target} needs a person".replace("  ", " "), why="no terminal is attached")
    return "person:terminal"
