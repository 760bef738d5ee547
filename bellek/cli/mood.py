"""``--mood``: one word for a mood, in either language."""

from typing import Annotated

import typer

from bellek.cli.place import typed
from bellek.cli.screen import one_line
from bellek.kg import fold
from bellek.schemas.errors import UsageFault
from bellek.schemas.event import MOOD_WORDS, MOODS

MoodOption = Annotated[str, typer.Option("--mood", help="Only what has this mood (happy, tired, mutlu, yorgun …).")]


def mood_of(given: str) -> str:
    """The vocabulary's word for a mood, "" for none given. Raises UsageFault for another word."""
    word = "_".join(fold.fold(typed(given)).split())
    if word and word not in MOODS and word not in MOOD_WORDS:
        raise UsageFault(f"--mood {one_line(given, 40)!r} is no mood", why=f"they are {', '.join(MOODS)}")
    return MOOD_WORDS.get(word, word)
