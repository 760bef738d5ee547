"""``search Q`` over typed memory, ``packet``, and the lists ``lessons|journal|tasks list``."""

from typing import Annotated

import typer

from bellek.cli.lists import show_rows
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id, typed
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.context import preview, sections
from bellek.kg import clock, fts_query, journal, lessons, lookup, scope, tasks
from bellek.schemas.vocab import STATUSES_OUT

lesson_group = typer.Typer(no_args_is_help=True, help="What was learned.")
journal_group = typer.Typer(no_args_is_help=True, help="What happened: evidence, never instructions.")
task_group = typer.Typer(no_args_is_help=True, help="Open tasks.")


def add_to(app: typer.Typer) -> None:
    """Add the verbs and groups."""
    app.command()(search)
    app.command()(packet)
    app.command()(wisdom)
    app.add_typer(lesson_group, name="lessons")
    app.add_typer(journal_group, name="journal")
    app.add_typer(task_group, name="tasks")


def search(
    query: Annotated[list[str] | None, typer.Argument(metavar="Q", help="Words to look for; put -- before a word that begins with a dash.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200)] = 20,
    apart: Annotated[bool, typer.Option("--quarantined", help="Also what is in quarantine.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Find what is kept in this project by words: every kind, with its tier and status. For what was said: `conversations search`."""
    text = typed(" ".join(query or []))
    with opened(home) as store:
        here = scope.words(project_id(store, project))
        here += "".join(f" apart{word}" for word in here.split()) if apart else ""
        match = fts_query.match(text, scope=here)
        rows = lookup.memories(store.memory, match, limit=limit) if match else []
    hits = [
        {"id": id_, "kind": kind, "tier": tier, "origin": origin, "status": status, "score": round(float(str(score)), 3),
         "said_at": clock.stamp(int(str(at)), int(str(offset))), "text": text_}
        for id_, score, kind, _revision, tier, origin, status, at, offset, text_, *_ in rows
        if status not in STATUSES_OUT or (apart and status == "quarantined")
    ]  # fmt: skip
    if json:
        say_json(hits)
        return
    if not hits:
        say("nothing in this project's typed memory has these words" if text.strip() else "give some words to look for")
    say(
        *(
            f"{h['id']}  {h['kind']} {h['tier']} {h['status']}  {str(h['said_at'])[:10]}  {one_line(str(h['text']))}"
            for h in hits
        )
    )


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


def wisdom(home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Print WISDOM as the next session gets it: rules (T2), then observations (T1), of high importance and above."""
    with opened(home) as store:
        here = project_id(store, project)
        lanes = {tier: sections.wisdom(store.memory, here, tier) for tier in ("T2", "T1")}
    if json:
        say_json([
            {"id": line.id, "tier": tier, "lane": line.section, "revision": line.revision, "text": line.text, "about": line.tail}
            for tier, lines in lanes.items() for line in lines
        ])  # fmt: skip
        return
    for tier, name in (("T2", "rules"), ("T1", "observations, unverified")):
        say(name, *(f"  {line.id}  {line.tail}  {one_line(line.text)}" for line in lanes[tier]))


@lesson_group.command("list")
def lessons_list(home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List this project's lessons, most important first."""
    with opened(home) as store:
        rows = lessons.listed(store.memory, project_id(store, project))
    show_rows(
        rows,
        lambda r: f"{r.tier} {r.importance} {r.learning} {r.topic}",
        json=json,
        empty="no lesson in this project yet",
    )


@journal_group.command("list")
def journal_list(home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List this project's journal, newest first."""
    with opened(home) as store:
        rows = journal.listed(store.memory, project_id(store, project))
    show_rows(rows, lambda r: f"{r.day} {r.topic}", json=json, empty="the journal of this project is empty")


@task_group.command("list")
def tasks_list(
    closed: Annotated[bool, typer.Option("--all", help="Closed ones too.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List this project's open tasks, oldest first."""
    with opened(home) as store:
        rows = tasks.listed(store.memory, project_id(store, project), closed=closed)
    show_rows(rows, lambda r: r.state, json=json, empty="no open task in this project")
