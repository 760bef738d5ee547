"""Each setting with its value and where that comes from: the person's file, line by line, or the default. Reads only.

Values are a person's own; a key of a service is never among them, since the file names the variable that holds it.
"""

from dataclasses import dataclass

from bellek.curator import config, person_files
from bellek.kg import paths
from bellek.schemas.channel import Fault
from bellek.schemas.embedding import Choice
from bellek.schemas.settings import KEYS, Ceilings, Settings
from bellek.schemas.state import BASELINE, CHANNELS, HALF_LIFE_H

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """A dotted key; `source` is "default" or the file with the line that sets it."""

    key: str
    value: object
    source: str


def listed(home: str) -> list[Setting] | Fault:
    """All keys in order, those of models and agents as the file names them; or why the file cannot be used."""
    given = config.load(home)
    if isinstance(given, Fault):
        return given
    path = f"{home}/{paths.CONFIG}/{config.FILE}"
    text = person_files.read(path, cap=config.SIZE_CAP)
    written = text if isinstance(text, str) else ""
    return [
        Setting(key, given[key], f"{path}:{_line(written, key)}")
        if key in given
        else Setting(key, default(key), DEFAULT)
        for key in sorted({*KEYS, *given})
    ]


def _line(text: str, key: str) -> int:
    return person_files.line_of(text, key.rpartition(".")[2])


def default(key: str) -> object:
    """The value of a key of `KEYS` that nobody set."""
    table, _, name = key.partition(".")
    match table:
        case "spend":
            return getattr(Ceilings(), name)
        case "embedder":
            return getattr(Choice(), name)
        case "state":
            channel, _, what = name.rpartition(".")
            return dict(zip(CHANNELS, BASELINE if what == "baseline" else HALF_LIFE_H, strict=True))[channel]
        case _:
            return getattr(Settings(), key.replace(".", "_"))
