"""An OpenAI-compatible embeddings endpoint: Ollama, llama.cpp, LM Studio and most providers.

It must never be asked but for a person's setting, never keep, print or send the key anywhere else, and never let an
answer through that `schemas.embedding.checked` has not seen.
"""

import http.client
import json
import os
from collections.abc import Sequence
from urllib.parse import urlsplit

from bellek.kg.embedders import EmbedderFault, identity
from bellek.kg.passages import Kind
from bellek.schemas.embedding import Choice, Unfit, Vector, checked

TIMEOUT_S = 120.0
BATCH = 32  # texts a request
ANSWER_CAP = 64_000_000  # bytes of an answer that are read


class Endpoint:
    """The `/embeddings` of a person's address. One connection a request.

    Most models of this kind share one large direction as e5 does, so most of the mean is taken out.
    """

    kinds: tuple[Kind, ...] = ("turn",)
    centre = 0.8
    floor = 0.0
    weight = 0.5

    def __init__(self, choice: Choice) -> None:
        self.identity = identity("openai", choice)
        self.dimension = 0
        self._url = urlsplit(choice.url)
        self._model = choice.model
        self._key = os.environ.get(choice.key_env, "") if choice.key_env else ""

    def embed(self, texts: Sequence[str], *, question: bool = False) -> list[Vector | Unfit]:  # noqa: ARG002  it has one form for both
        """The texts in batches."""
        found: list[Vector | Unfit] = []
        for start in range(0, len(texts), BATCH):
            found += self._answers(list(texts[start : start + BATCH]))
        return found

    def _answers(self, texts: list[str]) -> list[Vector | Unfit]:
        data = self._post(json.dumps({"model": self._model, "input": texts, "encoding_format": "float"}).encode())
        try:
            rows = json.loads(data)["data"]
            by_place = {int(row["index"]): list(row["embedding"]) for row in rows}
        except (ValueError, KeyError, TypeError, RecursionError) as exc:
            raise EmbedderFault("the embeddings endpoint answered something else", why=type(exc).__name__) from exc
        vectors: list[Vector | Unfit] = []
        for place in range(len(texts)):
            vector = checked(by_place.get(place, ()), self.dimension)
            if not self.dimension and not isinstance(vector, Unfit):
                self.dimension = len(vector)
            vectors.append(vector)
        return vectors

    def _post(self, body: bytes) -> bytes:
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        link = None
        try:
            link = kind(self._url.hostname or "", self._url.port, timeout=TIMEOUT_S)
            link.request("POST", self._url.path.rstrip("/") + "/embeddings", body, headers)
            with link.getresponse() as response:
                data = response.read(ANSWER_CAP)
        except (OSError, http.client.HTTPException, ValueError) as exc:
            raise EmbedderFault("the embeddings endpoint cannot be reached", why=type(exc).__name__) from exc
        finally:
            if link is not None:
                link.close()
        if response.status != http.client.OK:
            raise EmbedderFault("the embeddings endpoint refused", why=f"status {response.status}")
        return data
