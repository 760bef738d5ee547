"""Made conversations for the benchmarks: words by Zipf's law, Turkish and English in equal parts, and a data home full of them.

    python scripts/bench/made.py HOME FOLDER [--messages N] [--memories N] [--seed N]

HOME becomes a data home whose largest project is FOLDER; prompts for it go to standard output as JSON. What it writes
must go through the product's own write paths, and must depend on nothing but its arguments: the same seed gives the
same words.
"""

import argparse
import itertools
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bellek.kg import conversations, fts_query, memories, registry
from bellek.kg.conversations import Message
from bellek.kg.home import Home, open_home
from bellek.kg.ids import mint
from bellek.schemas.event import Event
from bellek.schemas.lesson import Lesson
from bellek.schemas.memory import Memory
from bellek.schemas.task import Task

VOCABULARY = 30_000  # different words a language
FLATTENING = 2.7  # Mandelbrot's shift of Zipf's law: p(rank) ~ 1 / (rank + 2.7)
WORDS = 18  # a message: the mean of a turn in the public dialogues that retrieval was measured on
TALK = 40  # messages a conversation
PROJECTS = (40, 30, 20, 10)  # per cent of the messages; the first is the one that prompts are asked in
FIRST_AT = 1_750_000_000_000  # UTC milliseconds
STEP_MS = 300_000  # between two messages: 100,000 of them span most of a year
BATCH = 400
PROMPTS = 64

# The commonest words of running text; their ranks are theirs in fact, what follows them is made.
_COMMON = {
    "en": "the to of and a in is that it you for on with this be as we not are have at or but can from was if will so do"
    " there what when which how all then just should would about out up one like get use no now here make has need",
    "tr": "bir ve bu da de için ile ne çok var mı ben daha gibi o ama kadar olarak sonra her şey mi değil ki yok en biz"
    " olan bunu şimdi nasıl önce iki ya böyle hem zaman yeni hiç göre tüm ise neden oldu burada olur lazım iyi gerek",
}
_PARTS = {
    "en": (("b c d f g h l m n p r s t w st tr pl gr", "a e i o u ea ou", "n r s t l ck nd st m p"), ("", "s", "ed", "ing", "er", "ly", "tion")),
    "tr": (("b c ç d f g h k l m n p r s ş t v y z", "a e ı i o ö u ü", "n r l k m t ş z y s"), ("", "lar", "de", "den", "in", "ler", "lık", "dı", "yor", "sız")),
}  # fmt: skip


def vocabulary(language: str) -> list[str]:
    """All words of a language, commonest first."""
    (starts, vowels, ends), endings = _PARTS[language]
    rng = random.Random(language)
    found = dict.fromkeys(_COMMON[language].split())
    while len(found) < VOCABULARY:
        size = rng.choice((1, 2, 2, 2, 3))
        stem = "".join(rng.choice(starts.split()) + rng.choice(vowels.split()) for _ in range(size))
        found[stem + rng.choice(ends.split()) + rng.choice(endings)] = None
    return list(found)


class Speech:
    """An endless source of running text in both languages."""

    __slots__ = ("_cumulated", "_rng", "_words")

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._words = {language: vocabulary(language) for language in _COMMON}
        self._cumulated = list(itertools.accumulate(1 / (rank + FLATTENING) for rank in range(1, VOCABULARY + 1)))

    def say(self, language: str, words: int) -> str:
        """So many words of a language."""
        return " ".join(self._rng.choices(self._words[language], cum_weights=self._cumulated, k=words))


def _language(talk: int) -> str:
    return ("en", "tr")[talk % 2]


def messages(speech: Speech, projects: list[str], count: int) -> Iterator[Message]:
    """So many messages, a conversation after the other; conversations are dealt to the projects by their shares."""
    for n in range(count):
        talk, place = divmod(n, TALK)
        share = talk * 37 % 100  # the same share in any stretch of time
        project = next(p for p, end in zip(projects, itertools.accumulate(PROJECTS), strict=True) if share < end)
        author = ("user", "assistant")[place % 2]
        yield Message(
            id=f"m{n}", conversation=f"talk{talk}", seq=0, project=project, agent="claude-code", author=author,
            origin=("user", "agent")[place % 2], typed=author == "user", machine=False, sidechain=False,
            at=FIRST_AT + n * STEP_MS, offset_minutes=180, text=speech.say(_language(talk), WORDS) + ".",
        )  # fmt: skip


def _memory(speech: Speech, n: int, project: str, now: int) -> Memory:
    topic = speech.say(_language(n), 2)
    body = (
        Lesson(topic=topic[:80], learning="pattern", importance=n % 4),
        Event(day="2025-06-15", topic=topic[:80]),
        Lesson(topic=topic[:80], learning="decision", importance=n % 3),
        Task(),
    )[n % 4]
    tier = "T1" if body.kind == "lesson" else "-"
    return Memory(
        id=mint(memories.LETTERS[body.kind]), project=project, agent="claude-code", session="*", origin="agent", tier=tier,
        text=speech.say(_language(n), WORDS), said_at=now, offset_minutes=180, batch="b_made", body=body,
    )  # fmt: skip


def fill(home: Home, folder: str, *, count: int, typed: int, seed: int) -> list[str]:
    """Write everything; the texts of the asked project's messages come back, for prompts."""
    speech = Speech(seed)
    with home.memory.transaction():
        projects = [registry.register(home.memory, folder if i == 0 else f"{folder}-{i}") for i in range(len(PROJECTS))]
        for n in range(typed):
            memories.write(home.memory, _memory(speech, n, projects[n % 2], FIRST_AT + n * STEP_MS), actor="made")
    asked: list[str] = []
    stream = messages(speech, projects, count)
    while batch := list(itertools.islice(stream, BATCH)):
        conversations.append(home.conversations, "claude-code", batch)
        asked += [m.text for m in batch if m.project == projects[0]]
    return asked


def prompts(texts: list[str], size: int, seed: int) -> list[str]:
    """Prompts of so many content words, each from what was said in one place, as somebody would ask about it again."""
    rng = random.Random(seed)
    found = []
    for _ in range(PROMPTS if texts else 0):
        at = rng.randrange(len(texts))
        said = [word for text in texts[at : at + 1 + size // 6] for word in fts_query.words(text)]
        found.append(" ".join(list(dict.fromkeys(said))[:size]))
    return found


def main() -> None:
    """Parse, fill, print the prompts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home")
    parser.add_argument("folder")
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with open_home(given.home) as home:
        texts = fill(home, given.folder, count=given.messages, typed=given.memories, seed=given.seed)
    print(json.dumps({str(size): prompts(texts, size, given.seed) for size in (6, 25)}))


if __name__ == "__main__":
    main()
