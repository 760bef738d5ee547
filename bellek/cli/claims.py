"""``claims`` and ``conflicts``: what is held true, since when, and what contradicts it."""

from datetime import date, datetime, timedelta
from typing import Annotated

import typer

from bellek import gate
from bellek.cli.lists import show_rows
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, sight, typed
from bellek.cli.screen import one_line, say, say_json
from bellek.curator import review
from bellek.curator.claiming import predicate as known_predicate
from bellek.kg import claims, clock, conflicts
from bellek.kg.claims import ClaimRow
from bellek.schemas.claim import Category
from bellek.schemas.errors import UsageFault

conflict_group = typer.Typer(help="Contradictions that nobody has decided.", invoke_without_command=True)
group = typer.Typer(help="Facts with category, predicate, object, confidence and source.", invoke_without_command=True)

CategoryOption = Annotated[
    str, typer.Option("--category", help="person, family, health, relationship, project, preference or constraint.")
]
SubjectOption = Annotated[str, typer.Option("--subject", help="Who or what it is about; aliases count.")]
PredicateOption = Annotated[str, typer.Option("--predicate", help="Only this predicate.")]
AsOfOption = Annotated[
    str, typer.Option("--as-of", metavar="DATE", help="What held on that day (YYYY-MM-DD) or instant.")
]
AllOption = Annotated[bool, typer.Option("--all", help="Superseded ones too.")]


def add_to(app: typer.Typer) -> None:
    """Add the group and the verb."""
    app.add_typer(group, name="claims")
    app.add_typer(conflict_group, name="conflicts")


@group.callback()
def claims_(
    context: typer.Context, category: CategoryOption = "", subject: SubjectOption = "", predicate: PredicateOption = "",
    as_of: AsOfOption = "", every: AllOption = False, home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List claims: those that stand, or those that held at a time."""
    if context.invoked_subcommand is None:
        _show(category, subject, predicate, as_of, every, home, project, json)


@group.command("list")
def list_(
    category: CategoryOption = "", subject: SubjectOption = "", predicate: PredicateOption = "", as_of: AsOfOption = "",
    every: AllOption = False, home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List claims: those that stand, or those that held at a time."""
    _show(category, subject, predicate, as_of, every, home, project, json)


def _show(
    category: str,
    subject: str,
    predicate: str,
    as_of: str,
    every: bool,
    home: str | None,
    project: str | None,
    json: bool,
) -> None:
    if category and category not in Category.__args__:  # type: ignore[attr-defined]
        raise UsageFault(f"--category {category}: no such category", why=f"they are {', '.join(Category.__args__)}")  # type: ignore[attr-defined]
    wanted = known_predicate(predicate) if predicate else ""
    with opened(home) as store:
        here = sight(store, project)
        if as_of:
            rows = claims.as_of(
                store.memory, here, instant(as_of), category=category, subject=subject, predicate=wanted
            )
        else:
            rows = claims.listed(store.memory, here, category=category, subject=subject, predicate=wanted, ended=every)
    show_rows(rows, _form, json=json, empty="no claim here")


def _form(row: ClaimRow) -> str:
    ended = f" {row.ended}" if row.ended else ""
    told, today = f"{row.confidence:.2f}", f"{row.by_age(clock.now()):.2f}"
    return f"{row.tier} {row.status}{ended} {row.category} {told if told == today else f'{told}, by age {today}'} {row.origin}"


def instant(text: str) -> int:
    """UTC milliseconds of an ISO instant, or of the last moment of a day in the person's zone. Raises UsageFault."""
    try:
        if len(text) == len("2026-01-31"):
            end = datetime.combine(date.fromisoformat(text) + timedelta(days=1), datetime.min.time()).astimezone()
            return int(end.timestamp() * 1000) - 1
        return int(datetime.fromisoformat(text).astimezone().timestamp() * 1000)
    except ValueError as exc:
        raise UsageFault(
            f"{one_line(text, 40)!r} is no date", why=str(exc)[:80], hint="give for example 2026-03-14"
        ) from exc


@conflict_group.callback()
def conflicts_(
    context: typer.Context, every: AllOption = False, home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List open contradictions with both sides; the stronger side stands meanwhile."""
    if context.invoked_subcommand is None:
        _conflicts(every, home, project, json)


@conflict_group.command("list")
def conflicts_list(
    every: AllOption = False, home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List open contradictions with both sides; the stronger side stands meanwhile."""
    _conflicts(every, home, project, json)


def _conflicts(every: bool, home: str | None, project: str | None, json: bool) -> None:
    with opened(home) as store:
        rows = conflicts.listed(store.memory, sight(store, project), resolved=every)
    show_rows(
        rows, lambda r: f"{r.state}: {r.strong} {one_line(r.strong_text, 80)} | {r.weak} {one_line(r.weak_text, 80)} ({one_line(r.reason, 80)})",
        json=json, empty="no open conflict here",
    )  # fmt: skip


@conflict_group.command("resolve")
def conflicts_resolve(
    id_: Annotated[str, typer.Argument(metavar="ID")],
    winner: Annotated[str, typer.Argument(metavar="CLAIM|both", help="The claim that holds; `both` where each holds in its scope.")],
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Why; it is kept with the decision.")] = "",
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Decide a contradiction, the weaker side included. Only a person can, at a terminal."""
    with opened(home) as store:
        actor = gate.require_person(store, verb="conflicts resolve", target=id_)
        with store.memory.transaction():
            done = review.resolve(store, id_, winner="" if winner == "both" else winner, note=typed(note), actor=actor)
    state = getattr(done.body, "winner", "")
    say_json({"id": done.id, "winner": state}) if json else say(
        f"{done.id} resolved: {state or 'both hold, each in its scope'}"
    )
