"""What an embedder is asked for and what it may answer: plain values, no I/O.

A vector that is not finite, is all zeros or has another length would take part in every comparison and win or spoil it
without an error. So there is one way from numbers to a `Vector`: `checked`, which refuses those and brings the rest to
length one. It must never load numpy: the vectors of an endpoint need none.
"""

import math
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

Name = Literal["auto", "use", "e5", "openai", "none"]
NAMES: tuple[Name, ...] = ("auto", "use", "e5", "openai", "none")
LONGEST = 400  # letters of a setting
MOST_DIMENSIONS = 8_192

if TYPE_CHECKING:
    Vector: TypeAlias = array[float]  # float32, of length one
else:
    Vector = array  # Python 3.11 cannot subscript it


@dataclass(frozen=True, slots=True)
class Unfit:
    """What an embedder answered for one text is no vector, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Which embedder a person chose. `url`, `model` and `key_env` are an endpoint's; `key_env` names a variable, never the key."""

    name: Name = "auto"
    url: str = ""
    model: str = ""
    key_env: str = ""


@dataclass(frozen=True, slots=True)
class WrongChoice:
    """A setting that is off and why; its value is not quoted."""

    key: str
    what: str


def choice(given: Mapping[str, object]) -> Choice | WrongChoice:
    """The choice that the keys name, url, model and key_env make, or the first that is off."""
    for key, value in given.items():
        if key not in {"name", "url", "model", "key_env"}:
            return WrongChoice(key[:80], "the key is unknown")
        if not isinstance(value, str) or len(value) > LONGEST:
            return WrongChoice(key, f"it is no text of at most {LONGEST} letters")
    texts = {key: str(value) for key, value in given.items()}
    name = next((known for known in NAMES if known == texts.get("name", "auto")), None)
    if name is None:
        return WrongChoice("name", f"it is none of {', '.join(NAMES)}")
    if name == "openai" and not texts.get("url", "").startswith(("http://", "https://")):
        return WrongChoice("url", "an endpoint needs its http(s) address, up to and including /v1")
    if name == "openai" and not texts.get("model"):
        return WrongChoice("model", "an endpoint needs a model's name")
    return Choice(name, texts.get("url", ""), texts.get("model", ""), texts.get("key_env", ""))


def checked(numbers: Iterable[float], dimension: int) -> Vector | Unfit:
    """The numbers as a vector of length one; Unfit where there are more or fewer than `dimension` (0: any), or they are no direction."""
    try:
        vector = array("f", numbers)
    except (TypeError, OverflowError):
        return Unfit("it holds something that is no number")
    if len(vector) != (dimension or len(vector)) or not 0 < len(vector) <= MOST_DIMENSIONS:
        return Unfit(f"it has {len(vector)} numbers" + (f" instead of {dimension}" if dimension else ""))
    length = math.sqrt(math.fsum(x * x for x in vector))
    if not math.isfinite(length):
        return Unfit("it holds NaN or infinity")
    if length < 1e-12:
        return Unfit("all its numbers are zero")
    return array("f", (x / length for x in vector))
