"""``search Q`` over typed memory and ``recall Q``, its one-step form that writes nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption, ProjectOption, folder_of, opened, seen_from, sight, typed
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.context import quick, wiki
from bellek.kg import clock, paths, projects
from bellek.kg import typed as rows
from bellek.kg.home import open_home
from bellek.kg.typed import Found, Typed


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(search)
    app.command()(recall)


QueryArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="Q", help="A question or words to look for; put -- before a word that begins with a dash."),
]


def search(
    query: QueryArgument = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200)] = 20,
    apart: Annotated[bool, typer.Option("--quarantined", help="Also what is in quarantine.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Find what is kept in this project: claims, journal, lessons, pages, entities, with tier, status and sources. "What did I learn", "ne oldu", "ben kimim" and "how do you think" name a table; dates narrow. For what was said: `conversations search`."""
    text = typed(" ".join(query or []))
    with opened(home) as store:
        here = sight(store, project)
        found = rows.find(store.memory, text, here, now=clock.now(), limit=limit, apart=apart)
        parts = {
            row.id: wiki.best_section(store.memory, found.words or text, row.text, here)
            for row in found.rows
            if row.kind == "page"
        }
    if json:
        say_json([{**_json(row), **_part(parts.get(row.id))} for row in found.rows])
        return
    if not text.strip():
        say("give some words to look for")
        return
    say(*_read(found))
    say(
        *(
            f"{r.id}  {r.kind} {r.tier} {r.status}  {r.day}  {one_line(r.text)}{'  (related)' if r.related else ''}{_where(parts.get(r.id))}{_from(r)}"
            for r in found.rows
        )
    )


def _part(section: wiki.Section | None) -> dict[str, object]:
    return {"section": section.heading, "line": section.line} if section else {}


def _where(section: wiki.Section | None) -> str:
    return f"  § {one_line(section.heading or 'beginning', 60)}, line {section.line}" if section else ""


def _read(found: Typed) -> Iterator[str]:
    """How the question was read, where that is more than its words."""
    for span in found.spans:
        yield f"dates: “{visible(span.phrase)}” is {span.first} to {span.last}"
    table = f"no {found.table}" if found.table else "nothing"
    if found.rows and found.elsewhere:
        yield f"{table} {'of then ' if found.spans else ''}has these words; what has:"
    elif not found.rows:
        yield f"{table} in this project's typed memory {'is of that time' if found.spans else 'has these words'}"


def _from(row: Found) -> str:
    told = dict.fromkeys(source.message or source.item for source in row.sources)
    return f"  (from {one_line(', '.join(filter(None, told)), 80)})" if any(told) else ""


def _json(row: Found) -> dict[str, object]:
    return {
        "id": row.id, "kind": row.kind, "tier": row.tier, "origin": row.origin, "status": row.status, "score": round(row.score, 3),
        "said_at": clock.stamp(row.said_at, row.offset_minutes), "day": row.day, "text": row.text, "related": row.related,
        "sources": [{"item": s.item, "conversation": s.conversation, "message": s.message} for s in row.sources],
    }  # fmt: skip


def recall(
    query: QueryArgument = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=50)] = quick.LINES,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Answer in one step from typed memory and conversations, each line with its id. Writes nothing; nothing good enough gives nothing."""
    text = typed(" ".join(query or []))
    found: list[quick.Quick] = []
    where = paths.find_home(home)
    if text.strip() and Path(paths.memory_db(where)).exists():  # a store that is not there is not made either
        with open_home(where) as store:
            here = projects.find(store.memory, folder_of(project)) or ""
            found = quick.ask(store, text, seen_from(store, here), limit=limit)
    if json:
        say_json([
            {"id": q.id, "kind": q.kind, "tier": q.tier, "score": q.score, "said_at": clock.stamp(q.said_at, q.offset_minutes), "text": q.text, "sources": list(q.sources)}
            for q in found
        ])  # fmt: skip
        return
    if not found:
        say("nothing kept here carries this question" if text.strip() else "give some words to look for")
    say(
        *(
            f"{q.id}  {q.kind} {_trust(q.tier)}  {clock.stamp(q.said_at, q.offset_minutes)[:10]}  {one_line(q.text, 400)}"
            for q in found
        )
    )


def _trust(tier: str) -> str:
    return {"T1": "unverified", "T2": "permanent"}.get(tier, "evidence")
