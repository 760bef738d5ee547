"""Ids of rows: a letter for the kind and twelve letters of Crockford's base 32 (60 random bits).

Sixty bits keep a million rows of many nodes apart (chance of a twin below one in a million); short enough to be typed,
and unique prefixes are accepted wherever an id is. It must never be derived from text: an id would tell what it names.
"""

import os

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
LENGTH = 12


def mint(kind: str) -> str:
    """A new id such as ``l_3k9x0q2m7v1d``; `kind` is one letter."""
    bits = int.from_bytes(os.urandom(8), "big")
    return kind + "_" + "".join(ALPHABET[(bits >> (5 * i)) & 31] for i in range(LENGTH))
