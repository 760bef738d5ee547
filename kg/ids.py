"""Ids of rows: a letter for the kind and twelve letters of Crockford's base 32 (60 random bits).

Sixty bits keep a million rows of many nodes apart (chance of a twin below one in a million); short enough to be typed,
and unique prefixes are accepted wherever an id is. It must never be derived from text: an id would tell what it names.
"""

import os

from bellek.schemas.errors import NotFound, Refused

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
LENGTH = 12


def mint(kind: str) -> str:
    """A new id such as ``l_3k9x0q2m7v1d``; `kind` is one letter."""
    bits = int.from_bytes(os.urandom(8), "big")
    return kind + "_" + "".join(ALPHABET[(bits >> (5 * i)) & 31] for i in range(LENGTH))


def the_one(given: str, found: "list[str]", missing: NotFound, *, things: str = "ids") -> str:
    """The one of the ids found that starts with what was given; the very id where it is among them. Raises `missing`, Refused."""
    exact = [given] if given in found else found
    if not given or not exact:
        raise missing
    if len(exact) > 1:
        raise Refused(f"{given!r} is ambiguous", why=f"several {things} start so", hint="give more letters of the id")
    return exact[0]
