"""bellek: a typed, local-first memory for AI agents.

What it is for: one import name, and ``bellek.open`` for a program of one's own (``bellek.api``, loaded when it is first
asked for). In a checkout the four floors (``schemas``, ``kg``, ``context``, ``curator``) lie at the
top of the repository; they are found by appending that folder to this package's own ``__path__``. An installed wheel
carries them inside this package and appends nothing. It must never import anything: the prompt hook starts through here.
"""

__version__ = "0.1.0.dev0"

_top = __file__.removesuffix("/bellek/__init__.py")
try:
    # The loader's own stat: no import, and no look-up of a folder that a host program could own.
    __loader__.path_stats(_top + "/bellek/schemas/__init__.py")  # type: ignore[name-defined]
except OSError:
    __path__.append(_top)

_PUBLIC = ("open", "Memory", "Message", "Packet", "Hearing")  # their types: __init__.pyi


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'bellek' has no attribute {name!r}")
    return getattr(__import__("bellek.api", fromlist=(name,)), name)
