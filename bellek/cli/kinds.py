"""Lists of the smaller kinds: ``pages``, ``worldview``, ``proposals``."""

from typing import Annotated

import typer

from bellek import gate
from bellek.cli.lists import show_rows
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id, sight, typed
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.cli.secret import passphrase
from bellek.context import wiki
from bellek.curator import deciding, review
from bellek.kg import pages, proposals, worldview
from bellek.schemas.errors import NotFound, UsageFault

page_group = typer.Typer(no_args_is_help=True, help="What is known, topic by topic.")
view_group = typer.Typer(
    no_args_is_help=True, help="Inferences about patterns; only the weekly reflection writes them."
)
proposal_group = typer.Typer(no_args_is_help=True, help="Structural changes that wait for your answer.")


def add_to(app: typer.Typer) -> None:
    """Add the groups."""
    app.add_typer(page_group, name="pages")
    app.add_typer(view_group, name="worldview")
    app.add_typer(proposal_group, name="proposals")


@page_group.command("list")
def pages_list(
    topic: Annotated[str, typer.Option("--topic", help="Only this topic.")] = "",
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List pages by topic."""
    with opened(home) as store:
        rows = pages.listed(store.memory, sight(store, project), topic=topic)
    show_rows(rows, lambda r: f"{r.tier} {r.topic} revision {r.revision}", json=json, empty="no page yet")


@page_group.command("show")
def pages_show(topic: str, home: HomeOption = None, project: ProjectOption = None) -> None:
    """Print one page."""
    with opened(home) as store:
        rows = pages.listed(store.memory, sight(store, project), topic=topic)
    if not rows:
        raise NotFound(f"no page {one_line(topic, 60)!r}", why="no page has that topic", hint="run `bellek pages list`")
    say(f"# {visible(rows[0].title)}", "", visible(rows[0].text))


@page_group.command("search")
def pages_search(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="Words of what you want to know.")],
    limit: Annotated[int, typer.Option("--limit", min=1, max=50)] = 10,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Find the sections that answer, each with page, line and sources; and say what no page knows."""
    with opened(home) as store:
        found = wiki.search(store.memory, typed(" ".join(query)), sight(store, project), limit=limit)
    if json:
        say_json({
            "hits": [
                {"id": hit.id, "topic": hit.topic, "title": hit.title, "tier": hit.tier, "section": hit.section.heading, "line": hit.section.line,
                 "text": hit.section.text, "share": hit.share, "sources": list(hit.sources)}
                for hit in found.hits
            ],
            "unknown": list(found.unknown),
        })  # fmt: skip
        return
    for hit in found.hits:
        place = (
            f"{one_line(hit.title, 80)} § {one_line(hit.section.heading or 'beginning', 80)}, line {hit.section.line}"
        )
        told = f"  (from {one_line(', '.join(hit.sources), 80)})" if hit.sources else ""
        say(f"{hit.id}  {hit.tier}  {place}{told}", f"    {one_line(hit.section.text, 400)}")
    if not found.hits:
        say("no page answers this")
    if found.unknown:
        say(f"no page knows: {one_line(', '.join(found.unknown), 200)}")


@view_group.command("list")
def worldview_list(home: HomeOption = None, json: JsonOption = False) -> None:
    """List the worldview by topic."""
    with opened(home) as store:
        rows = worldview.listed(store.memory)
    show_rows(rows, lambda r: f"{r.week} {r.topic} ({len(r.evidence)} evidence)", json=json, empty="no worldview yet")


@proposal_group.command("list")
def proposals_list(
    every: Annotated[bool, typer.Option("--all", help="Answered ones too.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List proposals that wait."""
    with opened(home) as store:
        rows = proposals.listed(store.memory, project_id(store, project), answered=every)
    show_rows(rows, lambda r: f"{r.state} {r.structure}: {one_line(r.title, 80)}", json=json, empty="no proposal waits")


@proposal_group.command("answer")
def proposals_answer(
    id_: Annotated[str, typer.Argument(metavar="ID")],
    answer: Annotated[str, typer.Argument(metavar="yes|no")],
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Kept with the answer.")] = "",
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Answer a proposal. Only a person can, at a terminal; what bellek can carry out is carried out with a yes."""
    if answer not in ("yes", "no"):
        raise UsageFault(f"{one_line(answer, 20)!r} is no answer", why="it is yes or no")
    with opened(home) as store:
        actor = gate.require_person(store, verb="proposals answer", target=id_)
        secret = passphrase(store) if answer == "yes" else ""
        with store.memory.transaction():
            done = review.answer(store, id_, yes=answer == "yes", note=typed(note), actor=actor, passphrase=secret)
        done = deciding.after_answer(store, done, actor=actor)
    state = "accepted" if answer == "yes" else "declined"
    if json:
        say_json({"id": done.proposal.id, "state": state, "carried": done.carried, "note": done.note})
        return
    say(f"{done.proposal.id} {state}: {one_line(done.proposal.text)}")
    say(f"written: {done.carried}" if done.carried and not done.note else done.note)
