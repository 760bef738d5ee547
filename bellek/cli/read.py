"""``packet``, ``wisdom``, and the lists ``lessons|journal|tasks list``."""

from pathlib import Path
from typing import Annotated

import typer

from bellek import who
from bellek.cli.lists import show_rows
from bellek.cli.mood import MoodOption, mood_of
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id, sight, typed
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.cli.when import SinceOption, UntilOption, bounds
from bellek.context import preview, sections, wisdom_block
from bellek.install import files
from bellek.kg import fold, journal, lessons, tasks
from bellek.schemas.errors import UsageFault

lesson_group = typer.Typer(no_args_is_help=True, help="What was learned.")
journal_group = typer.Typer(no_args_is_help=True, help="What happened: evidence, never instructions.")
task_group = typer.Typer(no_args_is_help=True, help="Open tasks.")


def add_to(app: typer.Typer) -> None:
    """Add the verbs and groups."""
    app.command()(packet)
    app.command()(wisdom)
    app.add_typer(lesson_group, name="lessons")
    app.add_typer(journal_group, name="journal")
    app.add_typer(task_group, name="tasks")


def packet(
    prompt: Annotated[str, typer.Option("--prompt", help="The prompt that the packet is for.")] = "",
    session: Annotated[str, typer.Option("--session", help="Leave out what this session has seen.")] = "",
    receipt: Annotated[str, typer.Option("--receipt", help="Build an earlier packet again, by its id.")] = "",
    full: Annotated[bool, typer.Option("--full", help="Everything, whatever the session has seen.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Print what the next turn would be told here. Nothing is recorded."""
    with opened(home) as store:
        built = (
            preview.again(store, receipt)
            if receipt
            else preview.next_packet(
                store,
                project_id(store, project),
                typed(prompt),
                "" if full else session,
                who.reader(store, preview.CLIENT),
            )
        )
    if json:
        say_json(
            {
                "text": built.text,
                "units": built.units,
                "lines": [
                    {"section": line.section, "id": line.id, "revision": line.revision, "fate": fate}
                    for line, fate in built.fates
                ],
            }
        )
    elif built.text:
        say(visible(built.text))
    else:
        say("nothing to tell")


def wisdom(
    to: Annotated[str, typer.Option("--to", metavar="FILE", help="Put it into this file as a block between two marks; nothing else of the file changes.")] = "",
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Print WISDOM as the next session gets it: rules (T2), then observations (T1), of high importance and above."""
    with opened(home) as store:
        here = sight(store, project)
        lanes = {tier: sections.wisdom(store.memory, here, tier) for tier in ("T2", "T1")}
    if to:
        _put_block(Path(to), wisdom_block.block([lanes["T2"], lanes["T1"]]), json=json)
        return
    if json:
        say_json([
            {"id": line.id, "tier": tier, "lane": line.section, "revision": line.revision, "text": line.text, "about": line.tail}
            for tier, lines in lanes.items() for line in lines
        ])  # fmt: skip
        return
    for tier, name in (("T2", "rules"), ("T1", "observations, unverified")):
        say(name, *(f"  {line.id}  {line.tail}  {one_line(line.text)}" for line in lanes[tier]))


def _put_block(path: Path, block: str, *, json: bool) -> None:
    """Write the block into a file and say what happened, an edit that was overwritten above all."""
    before = files.read(path)
    try:
        text = (before or b"").decode("utf-8")
    except UnicodeDecodeError as exc:
        raise UsageFault(f"{one_line(str(path), 80)} is no text in UTF-8", why="its bytes would change") from exc
    done = wisdom_block.put(text, block)
    if done.changed:
        files.replace(path, done.text.encode("utf-8"), expected=before)
    if json:
        say_json({"file": str(path), "changed": done.changed, "edited": done.edited})
        return
    say(f"{one_line(str(path))}: {'written' if done.changed else 'nothing changed'}")
    say(
        *(
            ["the block had been edited by hand; that edit is gone: change the lesson instead"]
            if done.edited and done.changed
            else []
        )
    )


@lesson_group.command("list")
def lessons_list(home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List this project's lessons, most important first."""
    with opened(home) as store:
        rows = lessons.listed(store.memory, sight(store, project))
    show_rows(
        rows,
        lambda r: f"{r.tier} {r.importance} {r.learning} {r.topic}",
        json=json,
        empty="no lesson in this project yet",
    )


@journal_group.command("list")
def journal_list(
    since: SinceOption = "", until: UntilOption = "",
    on: Annotated[str, typer.Option("--on", metavar="DATE", help="Only that day, week or month; the same words as --since.")] = "",
    topic: Annotated[str, typer.Option("--topic", help="Only this topic, or topics that begin with its words.")] = "",
    mood: MoodOption = "",
    limit: Annotated[int, typer.Option("--limit", min=1)] = 1000,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List this project's journal, newest first, by the day of what happened; filters hold together."""
    time = bounds(on or since, on or until)
    feeling = mood_of(mood)
    with opened(home) as store:
        rows = journal.listed(
            store.memory, sight(store, project), since=time.first_day, until=time.last_day,
            topic="-".join(fold.fold(typed(topic).replace("-", " ")).split()), mood=feeling, limit=limit,
        )  # fmt: skip
    none = (
        "no such row in the journal of this project"
        if on or since or until or topic or mood
        else "the journal of this project is empty"
    )
    show_rows(rows, lambda r: f"{r.day} {r.topic}{f' ({r.mood})' if r.mood else ''}", json=json, empty=none)


@task_group.command("list")
def tasks_list(
    closed: Annotated[bool, typer.Option("--all", help="Closed ones too.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List this project's open tasks, oldest first."""
    with opened(home) as store:
        rows = tasks.listed(store.memory, sight(store, project), closed=closed)
    show_rows(rows, lambda r: r.state, json=json, empty="no open task in this project")
