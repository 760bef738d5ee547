"""The shared log: ``log append|read|ack|verify``, ``decide``, ``project-state``, ``checkpoint``."""

from typing import Annotated, get_args

import typer

from bellek import who
from bellek.cli.lists import show_rows
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id, typed
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.curator import shared
from bellek.curator.shared import Appended
from bellek.kg import shared_log, unread
from bellek.kg.shared_log import LogRow
from bellek.schemas.errors import NotFound, UsageFault
from bellek.schemas.log import EntryType

log_group = typer.Typer(no_args_is_help=True, help="The log that the agents of a project share.")
Text = Annotated[list[str], typer.Argument(metavar="TEXT", help="One line; several words are joined by blanks.")]
MaybeText = Annotated[
    list[str] | None, typer.Argument(metavar="[TEXT]", help="One line; without it the current one is printed.")
]
BY_HAND: dict[str, EntryType] = {name: name for name in get_args(EntryType) if name not in ("ack", "decision")}


def add_to(app: typer.Typer) -> None:
    """Add the group and the verbs."""
    app.add_typer(log_group, name="log")
    app.command()(decide)
    app.command("project-state")(project_state)
    app.command()(checkpoint)


@log_group.command("append")
def log_append(
    text: Text,
    type_: Annotated[str, typer.Option("--type", metavar="TYPE", help=" · ".join(BY_HAND))] = "note",
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Append one line for the other agents of the project. It cannot be changed afterwards."""
    if type_ not in BY_HAND:
        raise UsageFault(
            f"--type: {one_line(type_, 20)!r} is none of {', '.join(BY_HAND)}",
            hint="run `bellek decide` for a decision, `bellek log ack` to acknowledge",
        )
    _write(home, project, BY_HAND[type_], typed(" ".join(text)), json=json)


@log_group.command("read")
def log_read(
    limit: Annotated[int, typer.Option("--limit", min=1)] = 50,
    unread_: Annotated[bool, typer.Option("--unread", help="Only what waits for your acknowledgement.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Print the newest entries of the shared log, oldest of them first."""
    with opened(home) as store:
        here = project_id(store, project)
        if unread_:
            waiting = unread.waiting(store.memory, here, who.voice(store).agent, limit=limit)
            rows = shared_log.listed(store.memory, here, only=[entry for entry, _, _ in waiting], limit=limit)
        else:
            rows = shared_log.listed(store.memory, here, limit=limit)
    empty = "nothing waits for your acknowledgement" if unread_ else "the log of this project is empty"
    show_rows(rows, _signed_line, json=json, empty=empty)


def _signed_line(row: LogRow) -> str:
    because = f", because: {one_line(row.reason, 80)}" if row.reason else ""
    return f"{one_line(row.agent, 40)} {one_line(row.channel, 40)} {row.type}{because}"


@log_group.command("ack")
def log_ack(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...")] = None,
    every: Annotated[bool, typer.Option("--all", help="Everything that waits for you.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Acknowledge entries of others; the acknowledgement is an entry itself."""
    if bool(ids) == every:
        raise UsageFault(
            "what to acknowledge is not plain", why="give ids, or --all", hint="run `bellek log read --unread`"
        )
    with opened(home) as store:
        here, voice = project_id(store, project), who.voice(store)
        with store.memory.transaction():
            if every:
                done = [shared.acknowledge_all(store, here, voice)]
            else:
                done = [shared.acknowledge(store, here, voice, given) for given in ids or []]
        left = unread.count(store.memory, here, voice.agent)
    if json:
        say_json({"acknowledged": [_as_json(one) for one in done], "left": left})
        return
    say(*(f"{one.id} {one_line(one.agent, 40)}: {visible(one.text)}" for one in done), f"{left} left")


@log_group.command("verify")
def log_verify(home: HomeOption = None, json: JsonOption = False) -> int:
    """Check the chain, every row and every signature; what is forged or edited is named. Exit 1 where something is."""
    with opened(home) as store:
        found = shared.verify(store.memory)
    if json:
        say_json(
            {
                "entries": found.entries,
                "signed": found.signed,
                "unchecked": found.unchecked,
                "faults": list(found.faults),
            }
        )
    else:
        say(
            *map(visible, found.faults),
            f"{found.entries} entries, {found.signed} with a sound signature, {len(found.faults)} faults",
        )
        if found.unchecked:
            say(f"{found.unchecked} signatures were not looked at: the variable with the agent's key is not set here")
    return 1 if found.faults else 0


def decide(
    text: Text,
    reason: Annotated[str, typer.Option("--reason", metavar="WHY", help="Why it was decided so; without one nothing is written.")] = "",
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Write down a decision with its reason, for every agent of the project."""
    _write(home, project, "decision", typed(" ".join(text)), reason=typed(reason), json=json)


def project_state(
    text: MaybeText = None,
    history: Annotated[bool, typer.Option("--history", help="Earlier states too.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Print the project's current state, or write a new one; earlier ones stay in the log."""
    _one_or_new(home, project, "project-state", text, history=history, json=json)


def checkpoint(
    text: MaybeText = None,
    history: Annotated[bool, typer.Option("--history", help="Earlier ones too.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Print the last checkpoint, or write one by hand. Hearing writes one every so many tool calls by itself."""
    _one_or_new(home, project, "checkpoint", text, history=history, json=json)


def _one_or_new(
    home: str | None, project: str | None, type_: EntryType, text: list[str] | None, *, history: bool, json: bool
) -> None:
    if text and history:
        raise UsageFault("both a new text and --history were given", why="one writes, the other prints")
    if text:
        _write(home, project, type_, typed(" ".join(text)), json=json)
        return
    with opened(home) as store:
        rows = shared_log.listed(store.memory, project_id(store, project), type=type_, limit=200 if history else 1)
    if not rows and not history:
        raise NotFound(f"no {type_} yet", why="nobody wrote one", hint=f"write one with `bellek {type_} TEXT`")
    show_rows(rows, _signed_line, json=json, empty=f"no {type_} yet")


def _write(home: str | None, project: str | None, type_: EntryType, text: str, *, reason: str = "", json: bool) -> None:
    with opened(home) as store:
        here, voice = project_id(store, project), who.voice(store)
        with store.memory.transaction():
            done = shared.append(store, here, voice, type_, text, reason=reason)
    if json:
        say_json(_as_json(done))
        return
    say(f"{done.id} {one_line(done.agent, 40)} {done.type}: {visible(done.text)}")
    if done.status != "current":
        say(f"it is set apart ({done.status}): {visible(done.note)}")
    for other, by in done.conflicts:
        say(f"conflict: {one_line(by, 40)} wrote {other} in the same minute; both stay, reconcile them")


def _as_json(done: Appended) -> dict[str, object]:
    return {
        "id": done.id, "agent": done.agent, "type": done.type, "text": done.text, "status": done.status, "note": done.note,
        "signed": done.signed, "conflicts": [{"id": other, "agent": by} for other, by in done.conflicts],
    }  # fmt: skip
