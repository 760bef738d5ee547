"""``python -m bellek``: the same as the installed command."""

from bellek.hook import console

console()
