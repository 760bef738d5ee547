"""What a person may set in ``config/config.toml``: the keys, their types, bounds and defaults. Plain values, no I/O.

Plain values: hearing reads them after every turn, and a validation library would be most of its start-up. A file with a
fault in it sets nothing: what a spending ceiling says must never depend on which half of a file was understood.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from bellek.schemas.embedding import NAMES, Choice, WrongChoice, choice
from bellek.schemas.prices import price
from bellek.schemas.state import CHANNELS

Profile = Literal["work", "companion"]
Runner = Literal["claude", "openai", "pydantic-ai"]
Scalar = str | int | float

MICROS = 1_000_000  # of a US dollar
MOST_USD = 1_000.0  # of a ceiling or a price: beyond it a slip of the finger is likelier than a wish
MOST_TOKENS = 1_000_000_000
MOST_SECONDS = 3_600.0
MOST_HOURS = 8_760.0  # a year
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
    """One model. `runner` "claude" is the installed `claude -p` with its own login; "openai" any compatible endpoint,
    "pydantic-ai" a provider through that package (the extra `curator`).

    Prices are US dollars a million tokens; an answer is waited for `timeout_s` in all. `key_env` names the environment variable that holds the key: never the key.
    """

    runner: Runner
    model: str = ""
    url: str = ""
    key_env: str = ""
    program: str = "claude"
    input_usd: float = 0.0
    output_usd: float = 0.0
    timeout_s: float = 300.0


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """One agent. `client` is the client whose agent it is ("" for a program of your own, which names it in BELLEK_AGENT).

    `key_env` names the environment variable that holds the key which signs its entries in the shared log: never the key.
    `bank` "own": what it learns is seen by no other agent until it is shared.
    """

    client: str = ""
    key_env: str = ""
    bank: Literal["shared", "own"] = "shared"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that is set, with its defaults. A model's name "" means: without a model, by rule.

    `backup_recipients` are age recipients with blanks between them ("": not encrypted), `backup_identity` the path of the
    file that opens such copies for the weekly drill, `backup_folder` where copies lie ("": in the home).
    """

    profile: Profile = "work"
    sleep_model: str = ""
    evolve_model: str = ""
    curator_model: str = ""
    replay_model: str = ""
    replay_nightly_usd: float = 0.0
    backup_folder: str = ""
    backup_recipients: str = ""
    backup_identity: str = ""
    spend: Ceilings = field(default_factory=Ceilings)
    log_checkpoint_calls: int = 20
    models: Mapping[str, ModelSettings] = field(default_factory=dict)
    embedder: Choice = field(default_factory=Choice)
    agents: Mapping[str, AgentSettings] = field(default_factory=dict)

    @property
    def recipients(self) -> tuple[str, ...]:
        """The age recipients of copies, none where they are not encrypted."""
        return tuple(self.backup_recipients.split())


@dataclass(frozen=True, slots=True)
class Wrong:
    """A key that is off and why; values are not quoted."""

    key: str
    what: str


# Dotted key → what its value is: a tuple of words, "text", "usd", "tokens", "share", "hours" or "seconds". Those of models follow `models.NAME.`.
KEYS: dict[str, tuple[str, ...] | str] = {
    "profile": ("work", "companion"), "sleep.model": "text", "evolve.model": "text", "curator.model": "text", "replay.model": "text", "replay.nightly_usd": "usd",
    "backup.folder": "text", "backup.recipients": "text", "backup.identity": "text",
    "spend.call_usd": "usd", "spend.command_usd": "usd", "spend.day_usd": "usd",
    "log.checkpoint_calls": "calls", "spend.call_tokens": "tokens", "spend.command_tokens": "tokens", "spend.day_tokens": "tokens",
    **dict.fromkeys((f"state.{channel}.baseline" for channel in CHANNELS), "share"),
    **dict.fromkeys((f"state.{channel}.half_life_hours" for channel in CHANNELS), "hours"),
    "embedder.name": NAMES, "embedder.url": "text", "embedder.model": "text", "embedder.key_env": "text",
}  # fmt: skip
MODEL_KEYS: dict[str, tuple[str, ...] | str] = {
    "runner": ("claude", "openai", "pydantic-ai"), "model": "text", "url": "text", "key_env": "text", "program": "text", "input_usd": "usd", "output_usd": "usd", "timeout_s": "seconds",
}  # fmt: skip


PROVIDERS = ("anthropic:", "openai:")  # of the runner "pydantic-ai"
AGENT_KEYS: dict[str, tuple[str, ...] | str] = {"client": "text", "key_env": "text", "bank": ("shared", "own")}
NAMED: dict[str, dict[str, tuple[str, ...] | str]] = {"models": MODEL_KEYS, "agents": AGENT_KEYS}  # tables of tables
AGENT_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
NOT_AGENTS = ("person", "terminal")  # whose word it is that comes from the person's own terminal
MOST_CALLS = 10_000

TABLES = ("sleep", "evolve", "curator", "replay", "spend", "log", "state", "backup", "embedder", *NAMED)


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
    models = _named(given, "models")
    agents = _named(given, "agents")
    for name, model in models.items():
        if off := _off_in(model):
            return Wrong(f"models.{name}.{off[0]}", off[1])
    embedder = _embedder(given)
    wrong_table = _wrong_agent(agents) or _wrong_embedder(embedder)
    if wrong_table:
        return wrong_table
    for key in ("sleep.model", "evolve.model", "curator.model", "replay.model"):
        if given.get(key) and given[key] not in models:
            return Wrong(key, "no table [models.NAME] declares that name")
    elsewhere = ("spend.", "models.", "agents.", "state.", "embedder.")  # what STATE rests at is read by `kg.pace`
    plain = {key.replace(".", "_"): value for key, value in given.items() if not key.startswith(elsewhere)}
    ceilings = {key.removeprefix("spend."): value for key, value in given.items() if key.startswith("spend.")}
    made = {name: ModelSettings(**values) for name, values in models.items()}  # type: ignore[arg-type]
    signers = {name: AgentSettings(**values) for name, values in agents.items()}  # type: ignore[arg-type]
    return Settings(**plain, spend=Ceilings(**ceilings), models=made, agents=signers, embedder=cast("Choice", embedder))  # type: ignore[arg-type]


def _off_in(model: Mapping[str, Scalar]) -> tuple[str, str] | None:
    """The key of a model's table that does not go with its runner, and why."""
    runner, url = model.get("runner"), str(model.get("url", ""))
    reached = url.startswith(("http://", "https://"))
    if not runner:
        return "runner", "it is missing: claude, openai or pydantic-ai"
    if runner == "openai" and not reached:
        return "url", "an openai model needs the endpoint's http(s) address"
    if runner == "pydantic-ai" and not str(model.get("model", "")).startswith(PROVIDERS):
        return "model", 'it is no "anthropic:NAME" or "openai:NAME"'
    if runner == "pydantic-ai" and url and not reached:
        return "url", "it is no http(s) address"
    if runner == "claude" and not _priced(model):
        return "input_usd", "its price is not known: give input_usd and output_usd, or no ceiling could refuse it"
    return None


def _priced(model: Mapping[str, Scalar]) -> bool:
    return bool(model.get("input_usd") and model.get("output_usd")) or price(str(model.get("model", ""))) is not None


def _named(given: Mapping[str, Scalar], table: str) -> dict[str, dict[str, Scalar]]:
    """The tables under one name: `models.NAME.key` → NAME → key → value."""
    found: dict[str, dict[str, Scalar]] = {}
    for key, value in given.items():
        if key.startswith(table + "."):
            name, _, inner = key.removeprefix(table + ".").rpartition(".")
            found.setdefault(name, {})[inner] = value
    return found


def _embedder(given: Mapping[str, Scalar]) -> Choice | WrongChoice:
    return choice({key.removeprefix("embedder."): given[key] for key in given if key.startswith("embedder.")})


def _wrong_embedder(made: Choice | WrongChoice) -> Wrong | None:
    return Wrong(f"embedder.{made.key}", made.what) if isinstance(made, WrongChoice) else None


def _wrong_agent(agents: Mapping[str, Mapping[str, Scalar]]) -> Wrong | None:
    """A name that cannot sign, or a client that two names claim."""
    clients: dict[object, str] = {}
    for name, agent in agents.items():
        if not AGENT_NAME.fullmatch(name) or name in NOT_AGENTS:
            return Wrong(f"agents.{name}", "an agent's name is small letters and digits, parted by single hyphens")
        client = agent.get("client")
        if client and clients.setdefault(client, name) != name:
            return Wrong(f"agents.{name}.client", f"agents.{clients[client]} has that client already")
    return None


def _off(key: str, value: object) -> str:
    """Why a key cannot be set so; "" where it can."""
    table = key.partition(".")[0]
    if table in NAMED:
        name, _, inner = key.removeprefix(table + ".").rpartition(".")
        wanted = NAMED[table].get(inner) if name and len(name) <= 40 else None
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
        case "calls":
            ok = isinstance(value, int) and _number(value, MOST_CALLS) and value > 0
            return "" if ok else f"it is no whole number from 1 to {MOST_CALLS}"
        case "tokens":
            ok = isinstance(value, int) and _number(value, MOST_TOKENS)
            return "" if ok else f"it is no whole number from 0 to {MOST_TOKENS}"
        case "share":
            return "" if _number(value, 1.0) else "it is no number from 0 to 1"
        case "seconds":
            return (
                ""
                if value and _number(value, MOST_SECONDS)
                else f"it is no number of seconds above 0, at most {MOST_SECONDS:g}"
            )
        case "hours":
            return (
                ""
                if value and _number(value, MOST_HOURS)
                else f"it is no number of hours above 0, at most {MOST_HOURS:g}"
            )
        case words:
            return "" if value in words else f"it is none of {', '.join(words)}"


def _number(value: object, most: float) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and 0 <= value <= most
    )
