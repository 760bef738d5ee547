"""One key of ours in a client's JSON settings, entered and taken away with every other byte kept. Pure: text in, text out.

It must never touch another key, nor leave a container behind that it made.
"""

from bellek.install import jsontext
from bellek.install.settings import Unfit, dropped


def entered(text: str, path: tuple[str, ...], value: object) -> str:
    """The text with `value` at `path`, whatever of ours stood there. Raises jsontext.Broken, Unfit."""
    if _at(text, path) == value:
        return text
    bare = taken(text, path)
    here = jsontext.parsed(bare)
    for depth, key in enumerate(path):
        if not isinstance(here, dict):
            raise Unfit(f'"{".".join(path[:depth])}" does not hold an object')
        if key not in here:
            nested = value
            for inner in reversed(path[depth + 1 :]):
                nested = {inner: nested}
            return jsontext.appended(bare, path[:depth], key, nested)
        here = here[key]
    raise Unfit(f'"{".".join(path)}" could not be entered')


def taken(text: str, path: tuple[str, ...]) -> str:
    """The text without what stands at `path`, and without containers that this leaves empty. Raises jsontext.Broken."""
    return text if _at(text, path) is None else dropped(text, path, {})


def _at(text: str, path: tuple[str, ...]) -> object:
    here = jsontext.parsed(text)
    for key in path:
        if not isinstance(here, dict) or key not in here:
            return None
        here = here[key]
    return here
