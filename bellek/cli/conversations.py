"""``conversations search Q|show ID|list``."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, TypeAlias

import typer

from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id, typed
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.kg import clock, conversations, fts_query, lookup, scope
from bellek.kg.conversations import Message
from bellek.kg.home import Home
from bellek.schemas.errors import NotFound, Refused

group = typer.Typer(no_args_is_help=True, help="What was said, verbatim.")

Hit: TypeAlias = tuple[float, tuple[Message, list[Message], list[Message]]]  # score, (message, before, after)


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="conversations")


def said(message: Message) -> dict[str, object]:
    """A message for JSON: its time as ISO 8601."""
    fields = asdict(message)
    fields["at"] = clock.stamp(message.at, message.offset_minutes)
    return fields


def line(message: Message, mark: str = "  ") -> str:
    """A message for a person: whole text, indented under its author and time."""
    body = visible(message.text).replace("\n", "\n     ")
    return f"{mark} {clock.stamp(message.at, message.offset_minutes)[:16].replace('T', ' ')} {message.author}: {body}"


@group.command()
def search(
    query: Annotated[list[str] | None, typer.Argument(metavar="Q", help="Words to look for; put -- before a word that begins with a dash.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100)] = 10,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Find messages of this project by words; each hit comes with what was said before and after it."""
    text = typed(" ".join(query or []))
    with opened(home) as store:
        hits = _hits(store, text, project_id(store, project), limit)
    if json:
        say_json(
            [
                {
                    "id": hit.id,
                    "score": score,
                    **said(hit),
                    "before": [said(m) for m in old],
                    "after": [said(m) for m in new],
                }
                for score, (hit, old, new) in hits
            ]
        )
        return
    if not hits:
        say("no conversation of this project has these words" if text.strip() else "give some words to look for")
    for talk, marked, messages in _by_talk(hits):
        say(f"conversation {visible(talk)}", *_window(messages, marked), "")


def _by_talk(hits: list[Hit]) -> list[tuple[str, set[str], list[Message]]]:
    """(conversation, ids of its hits, its messages around them in order, each once), the conversation of the best hit first."""
    marked: dict[str, set[str]] = {}
    around: dict[str, dict[int, Message]] = {}
    for _, (hit, old, new) in hits:
        marked.setdefault(hit.conversation, set()).add(hit.id)
        around.setdefault(hit.conversation, {}).update({m.seq: m for m in (*old, hit, *new)})
    return [(talk, ids, [m for _, m in sorted(around[talk].items())]) for talk, ids in marked.items()]


def _window(messages: list[Message], marked: set[str]) -> Iterator[str]:
    """The messages as lines, hits marked, a line of dots where some between them are left out."""
    last = messages[0].seq
    for message in messages:
        if message.seq > last + 1:
            yield "   …"
        yield line(message, ">>" if message.id in marked else "  ")
        last = message.seq


def _hits(store: Home, text: str, project: str, limit: int) -> list[Hit]:
    match = fts_query.match(text, scope=scope.word(project))
    if match is None:
        return []
    rows = lookup.messages(store.conversations, match, limit=limit)
    return [(round(float(str(row[1])), 3), conversations.around(store.conversations, int(str(row[0])))) for row in rows]


@group.command()
def show(
    id_: Annotated[str, typer.Argument(metavar="ID", help="The conversation's id, or the letters it starts with.")],
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Print one whole conversation in order."""
    with opened(home) as store:
        found = conversations.find(store.conversations, id_)
        exact = [talk for talk in found if talk.id == id_] or found
        if not id_ or not exact:
            raise NotFound(
                f"no conversation {one_line(id_, 60)!r}", why="no id starts so", hint="run `bellek conversations list`"
            )
        if len(exact) > 1:
            raise Refused(f"{id_!r} is ambiguous", why="several ids start so", hint="give more letters of the id")
        messages = conversations.show(store.conversations, exact[0].id)
    if json:
        say_json([said(message) for message in messages])
        return
    say(*(line(message) for message in messages))


@group.command("list")
def list_(
    limit: Annotated[int, typer.Option("--limit", min=1)] = 50,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List the conversations of this project, newest first."""
    with opened(home) as store:
        talks = conversations.listed(store.conversations, project_id(store, project), limit=limit)
    if json:
        say_json([{**asdict(t), "first_at": clock.stamp(t.first_at), "last_at": clock.stamp(t.last_at)} for t in talks])
        return
    say(
        *(f"{visible(t.id)}  {clock.stamp(t.last_at)}  {t.messages} messages  {t.client}" for t in talks)
        if talks
        else ["no conversation was heard in this project"]
    )
