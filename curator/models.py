"""The Model protocol: whoever answers a prompt, at a price that is known before it is asked. And what speaks to an endpoint.

A runner is injected by the floor above (R30): nobody here knows a client, a login or a key. It must never be asked but
through `spend.ask`, never follow what an answer says, and never log a prompt, an answer or a key.
"""

import http.client
import json
import os
import time
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from bellek.schemas import prices
from bellek.schemas.errors import ModelFault
from bellek.schemas.settings import ModelSettings

MILLION = 1_000_000
FRAME_TOKENS = 400  # what an endpoint's own template adds to a prompt, on the high side
ANSWER_CAP = 8_000_000  # bytes of an endpoint's answer that are read


@dataclass(frozen=True, slots=True)
class Price:
    """Millionths of a US dollar a million tokens, in and out.

    A `frame` is what a runner adds to each request, in tokens; `turns` how many requests it makes of one prompt at most.
    """

    input: int = 0
    output: int = 0
    frame: int = FRAME_TOKENS
    turns: int = 1

    def most_tokens(self, prompt: str, max_tokens: int) -> int:
        """Tokens that a call takes at most: no tokenizer makes more tokens than there are bytes of UTF-8."""
        return self.turns * (len(prompt.encode()) + self.frame + max_tokens)

    def most(self, prompt: str, max_tokens: int) -> int:
        """Micro-dollars that a call costs at most."""
        return self.of(self.turns * (len(prompt.encode()) + self.frame), self.turns * max_tokens)

    def of(self, tokens_in: int, tokens_out: int) -> int:
        """Micro-dollars of so many tokens, rounded up."""
        return -(-(tokens_in * self.input + tokens_out * self.output) // MILLION)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, its tokens, and its cost in micro-dollars where the runner was told one (else None)."""

    text: str
    tokens_in: int
    tokens_out: int
    micros: int | None = None


class Model(Protocol):
    """Whoever answers. `name` is what the ledger calls it."""

    @property
    def name(self) -> str:
        """What the ledger calls it."""

    @property
    def price(self) -> Price:
        """What a token costs."""

    def ask(self, prompt: str, *, schema: dict[str, object] | None = None, max_tokens: int) -> Answer:
        """Answer a prompt, in JSON of a schema where one is given. Raises ModelFault; never spends beyond `max_tokens`."""


def price_of(settings: ModelSettings, *, frame: int = FRAME_TOKENS, turns: int = 1) -> Price:
    """The price that a person set for a model, else that of the table, else nothing (its tokens count all the same)."""
    given = (settings.input_usd, settings.output_usd)
    usd = given if any(given) else prices.price(settings.model) or given
    return Price(round(usd[0] * MILLION), round(usd[1] * MILLION), frame, turns)


class Endpoint:
    """An OpenAI-compatible chat endpoint: Ollama, llama.cpp, vLLM and most providers. One connection a call."""

    def __init__(self, name: str, settings: ModelSettings) -> None:
        self.name = name
        self.price = price_of(settings)
        self._model = settings.model
        self._timeout_s = settings.timeout_s
        self._url = urlsplit(settings.url)
        self._key = os.environ.get(settings.key_env, "") if settings.key_env else ""

    def ask(self, prompt: str, *, schema: dict[str, object] | None = None, max_tokens: int) -> Answer:
        """One chat completion."""
        body: dict[str, object] = {
            "model": self._model,
            "messages": [{"role": "user", "content": prompt}],
            "max_tokens": max_tokens,
            "temperature": 0,
        }
        if schema is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
        return _answer(self.name, self._post(json.dumps(body, ensure_ascii=False).encode()))

    def _post(self, body: bytes) -> bytes:
        secure = self._url.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        sent = False
        link = None
        end = time.monotonic() + self._timeout_s
        try:
            link = kind(self._url.hostname or "", self._url.port, timeout=self._timeout_s)
            link.connect()
            sent = True
            link.request("POST", self._url.path.rstrip("/") + "/chat/completions", body, self._headers())
            response = link.getresponse()
            data = _read(response, end)
        except (OSError, http.client.HTTPException, ValueError) as exc:
            why = "it did not answer in time" if isinstance(exc, TimeoutError) else type(exc).__name__
            raise ModelFault(f"the model {self.name} cannot be reached", why=why, sent=sent) from exc
        finally:
            if link is not None:
                link.close()
        if response.status != http.HTTPStatus.OK:
            # A refusal answers without having run the model; a server's fault may have come after it.
            refused = response.status < http.HTTPStatus.INTERNAL_SERVER_ERROR
            raise ModelFault(f"the model {self.name} refused", why=f"HTTP {response.status}", sent=not refused)
        return data

    def _headers(self) -> dict[str, str]:
        key = {"authorization": f"Bearer {self._key}"} if self._key else {}
        return {"content-type": "application/json", "connection": "close", **key}


def _read(response: http.client.HTTPResponse, end: float) -> bytes:
    """The answer's bytes. A socket's own timeout is for one read: who sends a byte now and then would never be left."""
    parts: list[bytes] = []
    size = 0
    while size < ANSWER_CAP and (part := response.read1(1 << 16)):
        parts.append(part)
        size += len(part)
        if time.monotonic() > end:
            raise TimeoutError
    return b"".join(parts)


def _answer(name: str, data: bytes) -> Answer:
    try:
        value = json.loads(data)
        text = value["choices"][0]["message"]["content"]
        usage = value.get("usage") or {}
        tokens_in, tokens_out = int(usage["prompt_tokens"]), int(usage["completion_tokens"])
    except (ValueError, KeyError, IndexError, TypeError) as exc:
        raise ModelFault(f"the model {name} answered in another form", why=type(exc).__name__) from exc
    if not isinstance(text, str) or tokens_in < 0 or tokens_out < 0:
        raise ModelFault(f"the model {name} answered in another form", why="no text, or no count of tokens")
    return Answer(text, tokens_in, tokens_out)
