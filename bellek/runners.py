"""Which model a name of the person's config means: the one place where a runner is made and handed to the curator.

It must never make one that nobody configured: without a name there is no model, and everything goes by rule.
"""

from bellek.curator.models import Endpoint, Model
from bellek.kg.home import Home
from bellek.schemas.errors import UsageFault
from bellek.schemas.settings import Settings


def model_of(home: Home, settings: Settings, name: str, *, folder: str = "", reads: bool = False) -> Model | None:
    """The model of a name, None for "". `folder` is where a client works (the data home where none is given).

    `reads`: it may look at files there; never more. Raises UsageFault for a name that no table declares.
    """
    if not name:
        return None
    made = settings.models.get(name)
    if made is None:
        raise UsageFault(
            f"no model {name[:40]!r}",
            why="config/config.toml has no such table",
            hint=f"write [models.{name[:40]}] there",
        )
    match made.runner:
        case "openai":
            return Endpoint(name, made)
        case "pydantic-ai":
            from bellek.curator.providers import PydanticAI

            return PydanticAI(name, made)
        case "claude":
            from bellek.clients.claude_print import READ_ONLY, ClaudePrint

            return ClaudePrint(name, made, home.memory, folder=folder or home.path, tools=READ_ONLY if reads else ())
