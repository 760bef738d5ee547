"""Providers through pydantic-ai over loopback: typed answers of both wire forms, and what goes wrong with them."""

import json

import pytest
from endpoint import serving
from scripted import Curator, items_of
from test_curator import FIVE, Counter, drained, heard, rows_of

from bellek import runners
from bellek.curator import config, spend
from bellek.curator.models import price_of
from bellek.kg import queue
from bellek.schemas import prices
from bellek.schemas.settings import Ceilings, ModelSettings, Wrong, parse

pytest.importorskip("pydantic_ai")


def prompt_in(body):
    """A request in the form that the scripted curator reads, whatever the wire's own."""
    content = body["messages"][0]["content"]
    text = content if isinstance(content, str) else content[0]["text"]
    return {"messages": [{"content": text}]}


def openai(says):
    """Answers as OpenAI's chat completions do: a call of the tool that the request offers."""

    def wire(body):
        said = says(prompt_in(body))
        if not isinstance(said, dict):
            return said
        call = {
            "id": "c1",
            "type": "function",
            "function": {"name": said.get("tool") or body["tools"][0]["function"]["name"], "arguments": said["text"]},
        }
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return {
            "id": "x", "object": "chat.completion", "created": 1, "model": "tiny", "usage": {"prompt_tokens": 900, "completion_tokens": 300, "total_tokens": 1200},
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
        }  # fmt: skip

    return wire


def anthropic(says):
    """Answers as Anthropic's messages do."""

    def wire(body):
        said = says(prompt_in(body))
        if not isinstance(said, dict):
            return said
        name = said.get("tool") or body["tools"][0]["name"]
        try:
            given = json.loads(said["text"])
        except ValueError:
            given = {"text": said["text"]}
        return {
            "id": "m", "type": "message", "role": "assistant", "model": "tiny", "stop_reason": "tool_use", "stop_sequence": None,
            "usage": {"input_tokens": 900, "output_tokens": 300}, "content": [{"type": "tool_use", "id": "c1", "name": name, "input": given}],
        }  # fmt: skip

    return wire


WIRES = {"openai": (openai, "/v1"), "anthropic": (anthropic, "")}


def model_at(home, server, wire, **more):
    """A model of the provider at a scripted server."""
    dotted = {
        "models.big.runner": "pydantic-ai", "models.big.model": f"{wire}:tiny", "models.big.url": server.url.removesuffix("/v1") + WIRES[wire][1],
        "models.big.input_usd": 1.0, "models.big.output_usd": 4.0, **{f"models.big.{key}": value for key, value in more.items()},
    }  # fmt: skip
    return runners.model_of(home, parse(dotted), "big")


def answers(curator):
    """The scripted curator's verdicts, without the forms around them: the wire carries them typed."""
    return lambda body: {
        "text": json.dumps(
            {"verdicts": [v for item in items_of(body) for v in curator.verdicts(item)]}, ensure_ascii=False
        )
    }


@pytest.mark.parametrize("wire", WIRES)
def test_typed_answers_become_rows(home, tmp_path, wire):
    """R30: five learnings are drained through pydantic-ai over either wire; tokens and price are in the ledger."""
    here = heard(home, tmp_path, FIVE)
    with serving(WIRES[wire][0](answers(Curator(FIVE)))) as server:
        done = drained(home, here, model_at(home, server, wire))
    assert (done.acknowledged, done.stopped) == (5, "")
    assert Counter(rows_of(home)) == Counter(tuple(row) for entry in FIVE for row in entry["rows"])
    assert home.memory.rows("SELECT state, micros, tokens FROM spend") == [("booked", 900 + 4 * 300, 1200)]


BAD = {
    "HTTP 429": (lambda _: 429, 1),
    "HTTP 500": (lambda _: 500, 1),
    "a tool that is none, for ever": (lambda _: {"text": "{}", "tool": "rm"}, 2),
    "empty": (lambda _: {}, 1),
    "drip": (lambda _: "drip", 1),
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("what", BAD)
def test_what_goes_wrong_leaves_the_items(home, tmp_path, wire, what):
    """R40, R58: 429, 500, a tool call in a loop, an empty answer, a drip: at most two requests, within the time, and every item waits."""
    says, most = BAD[what]
    here = heard(home, tmp_path, FIVE)
    wired = WIRES[wire][0](says) if what != "empty" else (lambda _: {})
    with serving(wired) as server:
        done = drained(home, here, model_at(home, server, wire, timeout_s=1))
        assert 1 <= len(server.asked) <= most
    assert done.stopped
    assert [(item.state, item.attempts) for item in queue.peek(home.memory, here)] == [("pending", 0)] * 5
    ((state, micros),) = home.memory.rows("SELECT state, micros FROM spend")
    assert (state, micros > 0) == ("failed", what != "HTTP 429")


def test_the_key_reaches_the_provider_and_no_row(home, tmp_path, monkeypatch):
    """The key comes from the environment and is sent; no table holds it."""
    monkeypatch.setenv("BIG_KEY", "s3cret-of-big")
    with serving(lambda _: 500) as server:
        model = model_at(home, server, "openai", key_env="BIG_KEY")
        spend.ask(home.memory, model, spend.Run("t", "s_1", Ceilings()), "soru", max_tokens=10)
        assert server.asked[0][2] == "Bearer s3cret-of-big"
    assert "s3cret" not in str(home.memory.rows("SELECT reason FROM spend"))


def test_known_prices_and_a_persons_own():
    """R58: the table knows a model by the beginning of its name, with or without a provider; a person's figures win; unknown is free of dollars."""
    assert prices.price("anthropic:claude-sonnet-4-5-20250929") == (3.0, 15.0)
    assert prices.price("openai/gpt-4o-mini-2024-07-18") == (0.15, 0.6)
    assert prices.price("qwen3:8b") is None
    assert price_of(ModelSettings("openai", model="gpt-4o")).input == 2_500_000
    assert price_of(ModelSettings("openai", model="gpt-4o", input_usd=1.0)).input == 1_000_000
    assert price_of(ModelSettings("openai", model="qwen3")).of(10**6, 10**6) == 0


@pytest.mark.parametrize(
    ("model", "url", "key"),
    [("tiny", "", "model"), ("google:x", "", "model"), ("openai:x", "file:///etc/passwd", "url")],
)
def test_a_provider_that_is_none_sets_nothing(model, url, key):
    """A model of an unknown provider, or at no http(s) address, is a fault of the config."""
    made = parse({"models.big.runner": "pydantic-ai", "models.big.model": model, "models.big.url": url})
    assert isinstance(made, Wrong)
    assert made.key == f"models.big.{key}"
    assert config.FILE == "config.toml"
