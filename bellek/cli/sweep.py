"""``sweep next|done``: conversation to read again for what no marker told, window by window."""

from typing import Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.curator import channels
from bellek.curator import sweep as sweeping
from bellek.curator.sweep import Window
from bellek.kg import clock
from bellek.kg.home import Home
from bellek.schemas.errors import UsageFault

group = typer.Typer(no_args_is_help=True, help="Conversation to read again for what no marker told.")
ChannelOption = Annotated[str, typer.Option("--channel", help="For which channel; each has its own marks.")]


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="sweep")


@group.command("next")
def next_(
    channel: ChannelOption = "learning", home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Hand out the next window; the same one until it is closed with `sweep done`."""
    with opened(home) as store:
        _check(store, channel)
        here = project_id(store, project)
        window = sweeping.next_window(store, here, channel)
    if json:
        say_json({} if window is None else {"project": here, **_shown(window)})
    elif window is None:
        say("everything was read")
    else:
        say(f"window {window.id}")
        say(*(f"{p.message.author}{' (marked)' if p.marked else ''}: {visible(p.text)}" for p in window.pieces))


@group.command()
def done(
    window: Annotated[str, typer.Argument(metavar="[WINDOW]", help="The window's id; without it the one that is out.")] = "",
    channel: ChannelOption = "learning", home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Close the window that is out: it was read, and will not come again for this channel."""
    with opened(home) as store:
        closed = sweeping.done(store, project_id(store, project), channel, window)
    say_json({"id": closed, "state": "closed"}) if json else say(f"{one_line(closed)} closed")


def _check(store: Home, channel: str) -> None:
    declared = channels.load(store.path).names
    if channel not in declared:
        raise UsageFault(
            f"--channel {one_line(channel, 40)} is not declared",
            why=f"the channels are {', '.join(declared)}",
            hint="run `bellek channels list`",
        )


def _shown(window: Window) -> dict[str, object]:
    return {
        "id": window.id, "channel": window.channel, "conversation": window.conversation,
        "from": {"message": window.begin[0], "letter": window.begin[1]}, "to": {"message": window.end[0], "letter": window.end[1]},
        "messages": [
            {
                "id": p.message.id, "author": p.message.author, "typed": p.message.typed, "machine": p.message.machine,
                "at": clock.stamp(p.message.at, p.message.offset_minutes), "start": p.start, "marked": p.marked, "text": p.text,
            }
            for p in window.pieces
        ],
    }  # fmt: skip
