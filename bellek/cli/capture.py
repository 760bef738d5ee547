"""``capture`` and ``lint``: keep one message by hand, and look at how markers are written."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id, typed
from bellek.cli.screen import one_line, say, say_json
from bellek.clients.claude_ears import ClaudeEars
from bellek.curator import channels, manual
from bellek.curator import lint as linting
from bellek.curator.transcripts import Line
from bellek.kg import clock, paths
from bellek.schemas.conversation import Said, TranscriptFile
from bellek.schemas.errors import UsageFault


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(capture)
    app.command()(lint)


def capture(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="What to keep; several words are joined by blanks.")],
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Store one message in this project's conversation `manual`, where search and the curator find it."""
    with opened(home) as store:
        kept = manual.capture(store, project_id(store, project), typed(" ".join(text)))
    if json:
        say_json({"id": kept.id, "state": "stored", "conversation": kept.conversation, "origin": kept.origin, "readable_at": clock.stamp(kept.at)})  # fmt: skip
    else:
        say(f"{kept.id} stored in the conversation {kept.conversation}")


def lint(
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="A transcript or a text; - or nothing: standard input.")] = "-",
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 where something is to be changed.")] = False,
    home: HomeOption = None, json: JsonOption = False,
) -> int:  # fmt: skip
    """Warn of markers without a reason, without their visible line (and the reverse), and with two topics in one."""
    declared = channels.load(paths.find_home(home))
    found = [(message, finding) for message, text in _messages(_text(file)) for finding in linting.lint(text, declared)]
    if json:
        say_json(
            [
                {"id": f"{m}:{f.line}:{f.rule}", "message": m, "line": f.line, "rule": f.rule, "what": f.what}
                for m, f in found
            ]
        )
    else:
        say(
            *(f"{one_line(m)}{', ' if m else ''}line {f.line}: {f.rule}: {f.what}" for m, f in found)
            if found
            else ["nothing to change"]
        )
    return 1 if strict and found else 0


def _messages(text: str) -> list[tuple[str, str]]:
    """(message id, text) of each assistant message of a transcript; a plain text is one message without an id."""
    if not text.lstrip().startswith('{"'):
        return [("", text)]
    ears, file = ClaudeEars(""), TranscriptFile("", "", None, len(text), 0)
    said = [
        event
        for n, raw in enumerate(text.split("\n"), start=1)
        if raw.strip()
        for event in ears.events(file, Line(n, 0, raw.encode()))
        if isinstance(event, Said)
    ]
    return [(event.id, event.text) for event in said if event.author == "assistant"] if said else [("", text)]


def _text(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as exc:
        raise UsageFault(f"{one_line(file, 80)} cannot be read", why=exc.strerror or "") from exc
    return raw.decode("utf-8-sig", "replace")
