"""``index``: what makes messages findable by meaning, built or brought up to date by hand."""

import sys
from typing import Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption, opened
from bellek.cli.screen import complain, say, say_json
from bellek.kg import embedders, embedding
from bellek.kg.embedding import Progress
from bellek.kg.home import Home
from bellek.schemas.errors import Refused

WIDTH = 30  # characters of the bar


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(index)


def index(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Make every vector anew; searches use the old ones until that is done.")] = False,
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Make the vectors that are missing, so that what was said is found by meaning; searches go by words until it is whole."""
    with opened(home) as store:
        progress, made = _built(store, rebuild=rebuild)
    if json:
        say_json(
            {
                "embedder": progress.embedder, "messages": progress.messages, "embedded": progress.looked_at, "made": made,
                "refused": progress.refused, "whole": progress.whole,
            }
        )  # fmt: skip
    elif not progress.embedder:
        say("no embedder is chosen: searches go by words")
    else:
        say(f"{progress.embedder}: {progress.looked_at} of {progress.messages} messages, {made} of them now")
        if progress.refused:
            say(f"{progress.refused} texts have no vector; they are found by words")


def _built(store: Home, *, rebuild: bool) -> tuple[Progress, int]:
    """How far it is now, and how many messages were embedded."""
    embedder = embedders.load(store.memory)
    if embedder is None:
        if embedders.chosen(store.memory).name == "auto":
            raise Refused("no embedder is installed", why="searches go by words", hint=f"run {embedders.INSTALL}")
        return embedding.look(store.conversations, ""), 0
    if rebuild:
        embedding.start_anew(store.conversations, embedder)
    bar = _Bar(embedding.look(store.conversations, embedder.identity))
    made = embedding.catch_up(store, embedder, say=bar.tell, mend=True)
    bar.end()
    return embedding.look(store.conversations, embedder.identity), made


class _Bar:
    """A bar on standard error: drawn anew in a terminal, a line each tenth elsewhere; nothing where nothing was to do."""

    def __init__(self, begun: Progress) -> None:
        self._messages = begun.messages
        self._looked_at = begun.looked_at
        self._tenth = -1
        self._drawn = False

    def tell(self, batch: int) -> None:
        """One step: so many messages more."""
        self._looked_at += batch
        share = min(1.0, self._looked_at / max(1, self._messages))
        text = f"{self._looked_at} of {self._messages} messages"
        if sys.stderr.isatty():
            self._drawn = True
            sys.stderr.write(f"\r[{'#' * round(share * WIDTH):{WIDTH}}] {text}")
            sys.stderr.flush()
        elif int(share * 10) > self._tenth:
            self._tenth = int(share * 10)
            complain(text)

    def end(self) -> None:
        """Leave the terminal's line."""
        if self._drawn:
            sys.stderr.write("\n")
