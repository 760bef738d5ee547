"""Providers through pydantic-ai (the extra `curator`): Anthropic, and OpenAI or whatever speaks like it, with typed answers.

Its package is loaded by the process that asks, by nobody else. An answer of the wrong shape is asked for once more; the
library's own limits hold the number of requests and tokens, its client's own retries are off. It must never log a prompt or a key.
"""

import json
import os
from typing import TYPE_CHECKING, Any

from bellek.curator.models import Answer, price_of
from bellek.schemas.errors import ModelFault, UsageFault
from bellek.schemas.settings import ModelSettings

if TYPE_CHECKING:
    from pydantic_ai.models import Model as Asked

TURNS = 2  # requests of one prompt: an answer of the wrong shape is asked for once more
FRAME_TOKENS = 2_000  # what the library and the provider add to a request
# What the library raises of itself where an answer has none of the forms that it expects.
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError)
EXTRA = "bellek[curator]"


class PydanticAI:
    """One model by the library's own name, "anthropic:NAME" or "openai:NAME"; `url` is a base address other than the provider's."""

    def __init__(self, name: str, settings: ModelSettings) -> None:
        self.name = name
        self.price = price_of(settings, frame=FRAME_TOKENS, turns=TURNS)
        self._settings = settings
        try:
            import pydantic_ai  # noqa: F401  told now, not after a reservation was made
        except ImportError as exc:
            raise UsageFault(
                f"the model {name[:40]!r} needs a package that is not installed",
                why="runner pydantic-ai",
                hint=f"run `pip install '{EXTRA}'`",
            ) from exc

    def ask(self, prompt: str, *, schema: dict[str, object] | None = None, max_tokens: int) -> Answer:
        """One prompt, one answer in the schema's form. Raises ModelFault."""
        from pydantic_ai import Agent, StructuredDict, UsageLimits
        from pydantic_ai.exceptions import AgentRunError, ModelHTTPError, UserError

        shape: Any = StructuredDict(schema, name="answer") if schema else str
        agent: Any = Agent(self._model(), output_type=shape, retries=TURNS - 1)
        limits = UsageLimits(request_limit=TURNS, tool_calls_limit=TURNS, output_tokens_limit=TURNS * max_tokens)
        settings = {"max_tokens": max_tokens, "timeout": self._settings.timeout_s}
        try:
            done = agent.run_sync(
                prompt, usage_limits=limits, model_settings=settings, timeout=self._settings.timeout_s * TURNS
            )
        except ModelHTTPError as exc:
            refused = exc.status_code < 500
            raise ModelFault(f"the model {self.name} refused", why=f"HTTP {exc.status_code}", sent=not refused) from exc
        except (AgentRunError, UserError, OSError, *UNREADABLE) as exc:
            raise ModelFault(f"the model {self.name} did not answer", why=type(exc).__name__) from exc
        usage = done.usage
        text = done.output if isinstance(done.output, str) else json.dumps(done.output, ensure_ascii=False)
        return Answer(text, int(usage.input_tokens), int(usage.output_tokens))

    def _model(self) -> "Asked":
        """The library's model over a client of ours: its own retries off, its time bounded."""
        provider, _, model = self._settings.model.partition(":")
        key = os.environ.get(self._settings.key_env, "") if self._settings.key_env else ""
        given: dict[str, Any] = {
            "api_key": key or "none", "max_retries": 0, "timeout": self._settings.timeout_s, "base_url": self._settings.url or None,
        }  # fmt: skip
        match provider:
            case "anthropic":
                from anthropic import AsyncAnthropic
                from pydantic_ai.models.anthropic import AnthropicModel
                from pydantic_ai.providers.anthropic import AnthropicProvider

                return AnthropicModel(model, provider=AnthropicProvider(anthropic_client=AsyncAnthropic(**given)))
            case "openai":
                from openai import AsyncOpenAI
                from pydantic_ai.models.openai import OpenAIChatModel
                from pydantic_ai.providers.openai import OpenAIProvider

                return OpenAIChatModel(model, provider=OpenAIProvider(openai_client=AsyncOpenAI(**given)))
            case _:
                raise ModelFault(f"the model {self.name} cannot be asked", why="its provider is unknown", sent=False)
