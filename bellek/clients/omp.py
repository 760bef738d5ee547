"""Oh My Pi's hook contract: Pi's extension file serves it too. One of the prompt hook's rooms."""

from bellek.clients import pi

CAP = pi.CAP
turn = pi.turn
answer = pi.answer
