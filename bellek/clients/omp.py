"""Oh My Pi's hook contract: Pi's extension file serves it too. One of the prompt hook's rooms."""

from bellek.clients import pi, plain
from bellek.schemas.packet import Turn

NAME = "omp"
CAP = pi.CAP


def turn(name: str, fields: "dict[str, str]") -> Turn:
    """As Pi's, under its own name."""
    return plain.turn(NAME, pi.EVENTS, name, fields)


answer = pi.answer
