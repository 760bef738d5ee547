"""``forget``: by id, words, entity, source or time; what it reaches first, then hidden, scrubbed and proven."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from bellek import gate
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, sight, typed
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.curator import config, forgetting
from bellek.kg import agents, blast, forget, restore, scope, shelf
from bellek.kg.blast import Asked, Blast
from bellek.kg.forget import Forgetting
from bellek.kg.home import Home
from bellek.schemas.errors import NotFound, UsageFault

AGENT = "cli"


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("forget")(forget_)


def forget_(
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="Memories, messages or waiting items.")] = None,
    query: Annotated[str, typer.Option("--query", help="Every row and message of this project that holds all these words.")] = "",
    entity: Annotated[str, typer.Option("--entity", help="Somebody or something, by name or alias: row, fields, claims, and all that names it.")] = "",
    source: Annotated[str, typer.Option("--source", help="A message, conversation, session or item, and what was made of it.")] = "",
    since: Annotated[str, typer.Option("--since", metavar="DATE", help="What was said from this day (or instant) on.")] = "",
    until: Annotated[str, typer.Option("--until", metavar="DATE", help="What was said before it.")] = "",
    kind: Annotated[list[str] | None, typer.Option("--kind", help="Only rows of this kind; `message` for what was said.")] = None,
    everywhere: Annotated[bool, typer.Option("--everywhere", help="In every project, not in this one alone.")] = False,
    keep_messages: Annotated[bool, typer.Option("--keep-messages", help="Leave what was said; take what was made of it.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be forgotten. Nothing is written.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> int:  # fmt: skip
    """Forget: hide at once, scrub text, index and revisions, and prove it by a search of the home's bytes.

    Without anything to forget it finishes what an earlier run had to leave. What a person made permanent, said or typed
    is forgotten by a person alone. Exit status 4 where a process still reads the store: it is hidden, and scrubbed later.
    """
    with opened(home) as store:
        here = sight(store, project)
        # A person's order reaches every bank of the project, unless they named one; an agent's its own alone.
        banks = () if scope.BANK in here or gate.look()[1] else tuple(agents.banks_in(store.memory, here))
        asked = Asked(
            here, tuple(ids or ()), typed(query), typed(entity), typed(source), _instant(since, "--since"),
            _instant(until, "--until"), tuple(kind or ()), everywhere, keep_messages, banks,
        )  # fmt: skip
        if not (asked.ids or query or entity or source or since or until):
            return _tell_rest(forget.finish(store), json)
        reached = blast.reach(store, asked)
        if not reached:
            raise NotFound(
                "nothing here is reached by that", why="no row, message or item fits", hint="run `bellek search WORDS`"
            )
        told = _told(store, reached)
        if dry_run:
            return _tell(told, None, json)
        why = blast.needs_person(reached)
        actor = (
            gate.require_person(store, verb="forget", target=next(iter((*reached.memories, *reached.messages)), ""))
            if why
            else AGENT
        )
        done = forgetting.carry_out(store, reached, actor=actor)
    return _tell(told, done, json)


def _instant(text: str, name: str) -> int:
    """UTC milliseconds of an ISO date or time, in the person's zone where it names none; 0 for none."""
    if not text:
        return 0
    try:
        return max(1, int(datetime.fromisoformat(text).astimezone().timestamp() * 1000))
    except (ValueError, OverflowError) as exc:
        raise UsageFault(f"{name}: {text[:40]!r} is no ISO date or time", why=str(exc)[:80]) from exc


def _told(store: Home, reached: Blast) -> dict[str, object]:
    """The blast radius for JSON."""
    return {
        "counts": blast.counts(store, reached),
        "memories": [
            {"id": id_, "kind": m.body.kind, "tier": m.tier, "origin": m.origin, "project": m.project, "text": m.text, "why": reached.memories[id_]}
            for id_, m in reached.held.items()
        ],
        "messages": [{"id": id_, "why": why} for id_, why in reached.messages.items()],
        "items": [{"id": id_, "why": why} for id_, why in reached.items.items()],
        "stays": reached.also_in,
        "needs_person": blast.needs_person(reached),
        "elsewhere": _elsewhere(store, reached),
    }  # fmt: skip


def _elsewhere(store: Home, reached: Blast) -> list[str]:
    """What bellek does not touch and may hold the words: the client's transcripts and backups, by path."""
    talks = {
        str(row[0])
        for id_ in reached.messages
        for row in store.conversations.rows("SELECT conversation FROM messages WHERE id = ?", (id_,))
    }
    heard = [str(path) for (path,) in store.memory.rows("SELECT path FROM cursors ORDER BY path")]
    found = [path for path in heard if any(talk in path for talk in talks) and Path(path).exists()]
    place = shelf.folder(store.path, config.read(store.memory).backup_folder)
    replaced = Path(store.path) / restore.REPLACED
    return [*found, *(copy.path for copy in shelf.listed(place)[0]), *([str(replaced)] if replaced.is_dir() else [])]


def _tell(told: dict[str, object], done: Forgetting | None, json: bool) -> int:
    if json:
        say_json({**told, "forgetting": _as_json(done) if done else None})
    else:
        _say_reached(told, done is None)
        if done:
            _say_state(done)
        elsewhere = told["elsewhere"]
        assert isinstance(elsewhere, list)
        say(
            "bellek does not reach copies and backups that you made, nor what the client itself keeps"
            + (", which here is:" if elsewhere else ".")
        )
        say(*(f"  {visible(path)}" for path in elsewhere))
    return 0 if done is None or done.state == "proven" else 4


def _say_reached(told: dict[str, object], dry: bool) -> None:
    counts, rows, messages, items, stays = (told[key] for key in ("counts", "memories", "messages", "items", "stays"))
    assert isinstance(counts, dict)
    assert isinstance(rows, list)
    assert isinstance(messages, list)
    assert isinstance(items, list)
    assert isinstance(stays, list)
    say(("would forget " if dry else "forgot ") + ", ".join(f"{n} {name}" for name, n in counts.items() if n))
    say(
        *(
            f"  {m['id']}  {m['kind']} {m['tier']}  {one_line(str(m['text']), 80) if dry else ''}  ({one_line(m['why'], 80)})"
            for m in rows
        )
    )
    say(*(f"  {one_line(m['id'], 60)}  message  ({one_line(m['why'], 80)})" for m in (*messages, *items)))
    if stays:
        say(f"these rows hold the words among others and stay: {', '.join(stays)}")
    if dry and told["needs_person"]:
        say(f"only a person may forget this: {told['needs_person']}")


def _say_state(done: Forgetting) -> None:
    if done.state == "proven":
        say(f"{done.id}: scrubbed; a search of every file of the store found nothing of it")
    else:
        say(
            f"{done.id}: hidden from search and packets; it waits to be scrubbed: {visible(done.why)}. Run `bellek forget` again."
        )
    for path in done.kept:
        say(f"a file that bellek does not write holds the words too: {visible(path)}")


def _as_json(done: Forgetting) -> dict[str, object]:
    return {"id": done.id, "batch": done.batch, "state": done.state, "waits_for": done.why, "kept_in": done.kept}


def _tell_rest(rest: list[Forgetting], json: bool) -> int:
    if json:
        say_json([_as_json(one) for one in rest])
    elif not rest:
        say("nothing waits to be forgotten; give an ID, --query, --entity, --source, --since or --until")
    else:
        for one in rest:
            _say_state(one)
    return 4 if any(one.state != "proven" for one in rest) else 0
