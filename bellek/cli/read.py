"""``search Q`` over typed memory, ``packet``, and the lists ``lessons|journal|tasks list``."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id, typed
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.context import preview
from bellek.kg import clock, fts_query, journal, lessons, lookup, tasks

lesson_group = typer.Typer(no_args_is_help=True, help="What was learned.")
journal_group = typer.Typer(no_args_is_help=True, help="What happened: evidence, never instructions.")
task_group = typer.Typer(no_args_is_help=True, help="Open tasks.")


def add_to(app: typer.Typer) -> None:
    """Add the verbs and groups."""
    app.command()(search)
    app.command()(packet)
    app.add_typer(lesson_group, name="lessons")
    app.add_typer(journal_group, name="journal")
    app.add_typer(task_group, name="tasks")


def search(
    query: Annotated[list[str] | None, typer.Argument(metavar="Q", help="Words to look for; put -- before a word that begins with a dash.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200)] = 20,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Find lessons, journal rows and tasks of this project by words. For what was said: `conversations search`."""
    text = typed(" ".join(query or []))
    with opened(home) as store:
        match = fts_query.match(text, scope=project_id(store, project).replace("_", "") + " pany")
        rows = lookup.memories(store.memory, match, limit=limit) if match else []
    hits = [
        {"id": id_, "kind": kind, "tier": tier, "origin": origin, "status": status, "score": round(float(str(score)), 3),
         "said_at": clock.stamp(int(str(at)), int(str(offset))), "text": text_}
        for id_, score, kind, _revision, tier, origin, status, at, offset, text_, _shadow in rows if status != "hidden"
    ]  # fmt: skip
    if json:
        say_json(hits)
        return
    if not hits:
        say("nothing in this project's typed memory has these words" if text.strip() else "give some words to look for")
    say(*(f"{h['id']}  {h['kind']} {h['tier']}  {str(h['said_at'])[:10]}  {one_line(str(h['text']))}" for h in hits))


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
            else preview.next_packet(store, project_id(store, project), typed(prompt), "" if full else session)
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


def _listed(rows: list[Any], json: bool, empty: str, form: Any) -> None:
    """One list for every kind: an array of objects, or a line a row."""
    if json:
        say_json([{**asdict(row), "said_at": clock.stamp(row.said_at, row.offset_minutes)} for row in rows])
        return
    say(*(f"{row.id}  {form(row)}  {one_line(row.text)}" for row in rows) if rows else [empty])


@lesson_group.command("list")
def lessons_list(home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List this project's lessons, most important first."""
    with opened(home) as store:
        rows = lessons.listed(store.memory, project_id(store, project))
    _listed(rows, json, "no lesson in this project yet", lambda r: f"{r.tier} {r.importance} {r.learning} {r.topic}")


@journal_group.command("list")
def journal_list(home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List this project's journal, newest first."""
    with opened(home) as store:
        rows = journal.listed(store.memory, project_id(store, project))
    _listed(rows, json, "the journal of this project is empty", lambda r: f"{r.day} {r.topic}")


@task_group.command("list")
def tasks_list(
    closed: Annotated[bool, typer.Option("--all", help="Closed ones too.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List this project's open tasks, oldest first."""
    with opened(home) as store:
        rows = tasks.listed(store.memory, project_id(store, project), closed=closed)
    _listed(rows, json, "no open task in this project", lambda r: r.state)
