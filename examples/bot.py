"""A small bot with a memory: it rebuilds its prompt every turn, and what it learned in one run it knows in the next.

    python examples/bot.py                       # two runs against a scripted model on loopback, in a throwaway home
    python examples/bot.py --url URL --model M   # your own: any server that speaks OpenAI's chat completions, no key

It shows all of ``bellek.open``: packet → model → hear → pending → drain. It must never need more than the standard
library and bellek.
"""

import argparse
import json
import tempfile
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path

from scripted_model import serving

import bellek

Ask = Callable[[str, str], str]  # (system prompt, what the person said) → the reply

HABIT = (
    "Where you learn something worth keeping, end your reply with a line of its own:\n"
    "<!-- learning: what was learned, because of what -->"
)


def model_at(url: str, name: str) -> Ask:
    """A model behind OpenAI's chat completions."""

    def ask(system: str, said: str) -> str:
        talk = [{"role": "system", "content": system}, {"role": "user", "content": said}]
        request = urllib.request.Request(
            f"{url}/chat/completions",
            data=json.dumps({"model": name, "messages": talk}).encode(),
            headers={"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            return str(json.load(answer)["choices"][0]["message"]["content"])

    return ask


def turn(memory: bellek.Memory, ask: Ask, said: str) -> str:
    """One turn: the packet stands in the system prompt, both sides are heard, what waits is written by rule."""
    packet = memory.packet(said, full=True)
    reply = ask(f"{HABIT}\n\n{packet.text}", said)
    memory.hear([bellek.Message("user", said, typed=True), bellek.Message("assistant", reply)])
    if memory.pending():
        memory.drain()
    return reply


def talk(home: Path, project: Path, ask: Ask, lines: Iterable[str]) -> None:
    """One run of the bot."""
    with bellek.open(home=home, project=project, agent="example-bot") as memory:
        for said in lines:
            print(f"you: {said}")
            print(f"bot: {turn(memory, ask, said)}")


def main() -> None:
    """Read the options; without a model of yours, play the scene."""
    words = argparse.ArgumentParser(description="a small bot with a memory")
    words.add_argument("--url", default="", help="a chat completions endpoint, for example http://127.0.0.1:11434/v1")
    words.add_argument("--model", default="scripted")
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        with serving() as url:
            ask = model_at(given.url or url, given.model)
            talk(home, project, ask, ["Deploys go through blue-green from now on, always; the last one lost orders."])
            print("-- the bot was restarted --")
            talk(home, project, ask, ["How do we do deploys?"])


if __name__ == "__main__":
    main()
