"""Cue words → what to look for in a folded line: the one reading of "beginning*" and "*end". Pure, no imports of ours.

A line has a blank on both sides and one between two words. It must never match a cue inside a word.
"""

from functools import lru_cache

Cues = tuple[str, ...]


@lru_cache(maxsize=256)
def pieces(cues: Cues) -> tuple[str, ...]:
    """What stands in a line that holds one of the cues: "yaz*" a word's beginning, "*ilir" its end, else the whole word."""
    return tuple(
        f" {cue[:-1]}" if cue.endswith("*") else f"{cue[1:]} " if cue.startswith("*") else f" {cue} " for cue in cues
    )


def stands(line: str, cues: Cues) -> bool:
    """Whether a line holds one of the cues."""
    return any(piece in line for piece in pieces(cues))
