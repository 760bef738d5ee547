"""What a person may set in ``config/config.toml``: the keys, their types, bounds and defaults. Plain values, no I/O.

Plain values: hearing reads them after every turn, and a validation library would be most of its start-up. A file with a
fault in it sets nothing: what a spending ceiling says must never depend on which half of a file was understood.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from bellek.schemas.embedding import NAMES, Choice, WrongChoice, choice

Profile = Literal["work", "companion"]
Runner = Literal["claude", "openai"]
Scalar = str | int | float

MICROS = 1_000_000  # of a US dollar
MOST_USD = 1_000.0  # of a ceiling or a price: beyond it a slip of the finger is likelier than a wish
MOST_TOKENS = 1_000_000_000
LONGEST = 400  # letters of a text


@dataclass(frozen=True, slots=True)
class Ceilings:
    """What model calls may cost at most, in US dollars and tokens (in and out together): a call, a run of a command, a day."""

    call_usd: float = 1.0
    command_usd: float = 2.0
    day_usd: float = 2.0
    call_tokens: int = 400_000
    command_tokens: int = 2_000_000
    day_tokens: int = 4_000_000


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """One model. `runner` "claude" is the installed `claude -p` with its own login; "openai" any compatible endpoint.

    Prices are US dollars a million tokens. `key_env` names the environment variable that holds the key: never the key.
    """

    runner: Runner
    model: str = ""
    url: str = ""
    key_env: str = ""
    program: str = "claude"
    input_usd: float = 0.0
    output_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that is set, with its defaults. A model's name "" means: without a model, by rule."""

    profile: Profile = "work"
    sleep_model: str = ""
    replay_model: str = ""
    replay_nightly_usd: float = 0.0
    spend: Ceilings = field(default_factory=Ceilings)
    models: Mapping[str, ModelSettings] = field(default_factory=dict)
    embedder: Choice = field(default_factory=Choice)


@dataclass(frozen=True, slots=True)
class Wrong:
    """A key that is off and why; values are not quoted."""

    key: str
    what: str


# Dotted key → what its value is: a tuple of words, "text", "usd" or "tokens". Those of models follow `models.NAME.`.
KEYS: dict[str, tuple[str, ...] | str] = {
    "profile": ("work", "companion"), "sleep.model": "text", "replay.model": "text", "replay.nightly_usd": "usd",
    "spend.call_usd": "usd", "spend.command_usd": "usd", "spend.day_usd": "usd",
    "spend.call_tokens": "tokens", "spend.command_tokens": "tokens", "spend.day_tokens": "tokens",
    "embedder.name": NAMES, "embedder.url": "text", "embedder.model": "text", "embedder.key_env": "text",
}  # fmt: skip
MODEL_KEYS: dict[str, tuple[str, ...] | str] = {
    "runner": ("claude", "openai"), "model": "text", "url": "text", "key_env": "text", "program": "text", "input_usd": "usd", "output_usd": "usd",
}  # fmt: skip


TABLES = ("sleep", "replay", "spend", "models", "embedder")


def flat(values: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """A parsed TOML document as dotted keys. An empty table of ours sets nothing; any other is a key, so that it is not overlooked."""
    found: dict[str, object] = {}
    for key, value in values.items():
        name = prefix + key
        if isinstance(value, Mapping) and value:
            found.update(flat(value, name + "."))
        elif not (isinstance(value, Mapping) and name in TABLES):
            found[name] = value
    return found


def parse(dotted: Mapping[str, object]) -> Settings | Wrong:
    """The settings that dotted keys make, or the first that is off. Total over whatever TOML can hold."""
    for key, value in dotted.items():
        wrong = _off(key, value)
        if wrong:
            return Wrong(key[:80], wrong)
    given = cast("Mapping[str, Scalar]", dotted)
    models = _models(given)
    for name, model in models.items():
        if not model.get("runner"):
            return Wrong(f"models.{name}.runner", "it is missing: claude or openai")
        if model["runner"] == "openai" and not str(model.get("url", "")).startswith(("http://", "https://")):
            return Wrong(f"models.{name}.url", "an openai model needs the endpoint's http(s) address")
        if model["runner"] == "claude" and not (model.get("input_usd") and model.get("output_usd")):
            return Wrong(
                f"models.{name}.input_usd",
                "a claude model needs input_usd and output_usd: without them no ceiling could refuse it",
            )
    for key in ("sleep.model", "replay.model"):
        if given.get(key) and given[key] not in models:
            return Wrong(key, "no table [models.NAME] declares that name")
    embedder = choice({key.removeprefix("embedder."): given[key] for key in given if key.startswith("embedder.")})
    if isinstance(embedder, WrongChoice):
        return Wrong(f"embedder.{embedder.key}", embedder.what)
    tables = ("spend.", "models.", "embedder.")
    plain = {key.replace(".", "_"): value for key, value in given.items() if not key.startswith(tables)}
    ceilings = {key.removeprefix("spend."): value for key, value in given.items() if key.startswith("spend.")}
    made = {name: ModelSettings(**values) for name, values in models.items()}  # type: ignore[arg-type]
    return Settings(**plain, spend=Ceilings(**ceilings), models=made, embedder=embedder)  # type: ignore[arg-type]


def _models(given: Mapping[str, Scalar]) -> dict[str, dict[str, Scalar]]:
    found: dict[str, dict[str, Scalar]] = {}
    for key, value in given.items():
        if key.startswith("models."):
            name, _, inner = key.removeprefix("models.").rpartition(".")
            found.setdefault(name, {})[inner] = value
    return found


def _off(key: str, value: object) -> str:
    """Why a key cannot be set so; "" where it can."""
    if key.startswith("models."):
        name, _, inner = key.removeprefix("models.").rpartition(".")
        wanted = MODEL_KEYS.get(inner) if name and len(name) <= 40 else None
    else:
        wanted = KEYS.get(key)
    match wanted:
        case None:
            return "the key is unknown"
        case "text":
            return (
                ""
                if isinstance(value, str) and len(value) <= LONGEST
                else f"it is no text of at most {LONGEST} letters"
            )
        case "usd":
            return "" if _number(value, MOST_USD) else f"it is no number of US dollars from 0 to {MOST_USD:g}"
        case "tokens":
            ok = isinstance(value, int) and _number(value, MOST_TOKENS)
            return "" if ok else f"it is no whole number from 0 to {MOST_TOKENS}"
        case words:
            return "" if value in words else f"it is none of {', '.join(words)}"


def _number(value: object, most: float) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and 0 <= value <= most
    )
