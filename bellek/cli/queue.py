"""``queue status|peek|take|ack|retry|recover``."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id
from bellek.cli.screen import complain, one_line, say, say_json
from bellek.curator import channels
from bellek.kg import clock, queue, registry
from bellek.schemas.queue import Item

if TYPE_CHECKING:
    from bellek.curator.surroundings import Near

group = typer.Typer(no_args_is_help=True, help="What was heard and waits to be written.")

ALL = -1  # SQLite's "no limit"


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="queue")


def shown(item: Item) -> dict[str, object]:
    """An item for JSON: times as ISO 8601."""
    fields = {"id": item.id, **asdict(item)}  # its name first, for who reads it by eye
    fields["enqueued_at"] = clock.stamp(item.enqueued_at)
    fields["said_at"] = clock.stamp(item.said_at, item.offset_minutes)
    return fields


def _near(near: "Near") -> dict[str, object]:
    at = clock.stamp(near.message.at, near.message.offset_minutes)
    fields: dict[str, object] = {"id": near.message.id, "author": near.message.author, "typed": near.typed, "at": at}
    return {**fields, "text": near.text, "cut": near.cut}


@group.command()
def status(home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Count the waiting items of this project by channel."""
    with opened(home) as store:
        here = project_id(store, project)
        counts, parked = queue.counts(store.memory, here), queue.dead(store.memory, here)
    if json:
        say_json(counts)
        return
    say(*(f"{channel}: {count}" for channel, count in counts.items()) if counts else ["nothing waits"])
    if parked:
        say(f"{len(parked)} parked as dead letters: run `bellek queue retry`")


@group.command()
def peek(
    channel: Annotated[str, typer.Option("--channel", help="Only this channel.")] = "",
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List the waiting items of this project, oldest first; nothing changes."""
    with opened(home) as store:
        declared = channels.load(store.path).names
        silent = bool(channel) and channel not in declared
        items = [] if silent else queue.peek(store.memory, project_id(store, project), channel=channel, limit=ALL)
    if silent:
        complain(f"bellek: no manifest declares the channel {channel}; the channels are {', '.join(declared)}")
    if json:
        say_json(
            [
                {"id": i.id, "channel": i.channel, "payload": i.payload, "enqueued_at": clock.stamp(i.enqueued_at)}
                for i in items
            ]
        )
        return
    say(
        *(f"{i.id}  {i.channel}  {clock.stamp(i.said_at, i.offset_minutes)}  {one_line(i.payload)}" for i in items)
        if items
        else ["nothing waits"]
    )


@group.command()
def take(
    limit: Annotated[int, typer.Option("--limit", min=1, max=500)] = 50,
    token: Annotated[str, typer.Option("--token", help="Renew this token instead of taking a new one.")] = "",
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Take items for ten minutes under a token; what is not acknowledged by then waits again. --json adds what was said around each mark."""
    from bellek.curator import surroundings  # typed rows' models: only this verb of the group needs them

    with opened(home) as store:
        taken = queue.take(store.memory, project_id(store, project), limit=limit, token=token)
        near = {item.id: [_near(n) for n in surroundings.of_item(store, item)] for item in taken.items} if json else {}
    if json:
        items = [{**shown(i), "context": near[i.id]} for i in taken.items]
        say_json({"token": taken.token, "until": clock.stamp(taken.until_at), "items": items})
        return
    say(f"token {taken.token} until {clock.stamp(taken.until_at)}")
    say(*(f"{i.id}  {i.channel}  {one_line(i.payload)}" for i in taken.items) if taken.items else ["nothing waits"])


@group.command()
def ack(
    id_: Annotated[str, typer.Argument(metavar="ID", help="The item's id, or the letters it starts with.")],
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Acknowledge one item by hand: it is deleted and nothing is written from it."""
    with opened(home) as store:
        done = queue.ack(store.memory, project_id(store, project), id_, actor="cli")
    say_json({"id": done, "state": "acknowledged"}) if json else say(f"{done} acknowledged")


@group.command()
def retry(
    id_: Annotated[str, typer.Argument(metavar="[ID]", help="The dead letter that shall wait again; its id, or the letters it starts with.")] = "",
    every: Annotated[bool, typer.Option("--all", help="All of this project.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List this project's dead letters with their reasons, or let them wait again for the next drain."""
    asked = bool(id_) or every
    with opened(home) as store:
        here = project_id(store, project)
        with store.memory.transaction():
            items = [queue.find(store.memory, here, id_)] if id_ else queue.dead(store.memory, here)
            for item in items if asked else ():
                queue.retry(store.memory, item, actor="cli")
    if json:
        say_json([{**shown(item), "retried": asked} for item in items])
        return
    say(
        *(f"{i.id}  {i.channel}  {one_line(i.payload)}  not written: {one_line(i.reason)}" for i in items)
        if items
        else ["nothing is parked"]
    )
    if items:
        say(
            f"{len(items)} wait again; run `bellek drain --offline`"
            if asked
            else "nothing was changed; name one, or give --all, to let them wait again"
        )


@group.command()
def recover(
    apply: Annotated[bool, typer.Option("--apply", help="Move them into this project; without it they are only listed.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List waiting items whose project folder no longer exists, or bring them into this project with their times."""
    with opened(home) as store:
        here = project_id(store, project)
        items = [i for i in queue.stranded(store.memory, registry.gone(store.memory)) if i.project != here]
        moved = queue.recover(store.memory, items, here) if apply and items else 0
    if json:
        say_json([{**shown(item), "recovered": apply} for item in items])
        return
    say(*(f"{i.id}  {i.channel}  {one_line(i.payload)}" for i in items) if items else ["nothing is stranded"])
    if items:
        say(
            f"{moved} brought into this project"
            if apply
            else "nothing was moved; run it with --apply to bring them into this project"
        )
