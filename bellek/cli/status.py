"""``status``: what is kept here and what waits; with ``-v`` in one screen all that a person may want to decide about."""

from contextlib import suppress
from typing import Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.curator import spend
from bellek.kg import clock, embedders, embedding, memories, notices, overview, queue
from bellek.kg.home import Home
from bellek.kg.overview import Overview
from bellek.schemas.errors import UsageFault
from bellek.schemas.kinds import KINDS

SCOPE = "A filter and a gate, not a sandbox: a program that runs under your account can do what you can."


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(status)


def status(
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Tiers by kind and scope, what asks for your word, spend, times.")] = False,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Count what stands in this project and in every project, and say what could not be heard."""
    with opened(home) as store:
        here = project_id(store, project)
        waiting, parked = queue.counts(store.memory, here), len(queue.dead(store.memory, here))
        kinds = memories.counts(store.memory, here)
        talks, messages = store.conversations.rows(
            "SELECT count(DISTINCT conversation), count(*) FROM messages WHERE project = ?", (here,)
        )[0]
        said = notices.latest(store.memory, project=here)
        seen = overview.of(store.memory, here) if verbose else None
        spent = _spend(store)
        meaning = _meaning(store)
    result: dict[str, object] = {
        "home": store.path, "project": here, "waiting": waiting, "dead": parked,
        "memories": kinds, "conversations": talks, "messages": messages,
        "embedder": meaning.embedder, "embedded": meaning.looked_at, "embeddable": meaning.messages, "vectors_whole": meaning.whole,
        "notices": [{"kind": n.kind, "source": n.source, "position": n.position, "text": n.text, "at": clock.stamp(n.at)} for n in said],
    }  # fmt: skip
    if json:
        say_json(result | (_as_json(seen, spent) if seen else {}))
        return
    say(f"home {visible(store.path)}", f"project {here}", f"waiting {sum(waiting.values())}, dead letters {parked}")
    say(
        ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count) or "no memory yet",
        f"{messages} messages in {talks} conversations",
        f"found by meaning too: {meaning.looked_at} of all {meaning.messages} messages ({meaning.embedder})"
        if meaning.embedder
        else "found by words",
    )
    if seen:
        say(*_as_lines(seen, spent))
    say(*(f"noticed: {one_line(n.text)}" for n in said))


def _meaning(store: Home) -> embedding.Progress:
    with suppress(UsageFault):  # doctor says what is off
        return embedding.look(store.conversations, embedders.current(store.memory))
    return embedding.Progress("")


def _spend(store: Home) -> str:
    """What model calls cost on the person's day, what is reserved for calls under way included."""
    spent, ceiling = spend.today(store.memory)
    return f"spend today {spent:.2f} of {ceiling:.2f} USD"


def _as_json(seen: Overview, spent: str) -> dict[str, object]:
    tiers = [
        {"kind": kind, "tier": tier, "scope": "everywhere" if every else "here", "count": count}
        for (kind, tier, every), count in seen.tiers.items()
    ]
    return {
        "tiers": tiers, "pointers": seen.pointers, "candidates": seen.candidates, "quarantined": seen.quarantined, "refused": seen.refused,
        "proposals": seen.proposals, "conflicts": seen.conflicts, "spend": spent, "heard_at": _when(seen.heard_at),
        "slept_at": _when(seen.slept_at), "honest_scope": SCOPE,
    }  # fmt: skip


def _when(at: int) -> str:
    return clock.stamp(at, clock.offset_minutes(at)) if at else "never"


def _as_lines(seen: Overview, spent: str) -> list[str]:
    lines = ["", f"{'':11}{'T1 here':>10}{'T1 everywhere':>15}{'T2 here':>10}{'T2 everywhere':>15}"]
    for kind in KINDS.values():
        cells = [seen.tiers.get((kind.name, tier, every)) for tier in ("T1", "T2") for every in (False, True)]
        if "T2" in kind.tiers:
            lines.append(
                f"{kind.name:11}" + "".join(f"{n!s:>{w}}" for n, w in zip(cells, (10, 15, 10, 15), strict=True))
            )
    untiered = [kind for kind in KINDS.values() if "T2" not in kind.tiers]
    lines.append(
        "no tier: "
        + ", ".join(
            f"{seen.tiers[kind.name, '-', False] + seen.tiers[kind.name, '-', True]} {kind.name}" for kind in untiered
        )
    )
    yours = f"{seen.candidates} candidates (`bellek review`), {seen.proposals} proposals (`bellek proposals list`), "
    lines += [
        f"T0: {seen.pointers} pointers",
        f"for your word: {yours}{seen.conflicts} conflicts (`bellek conflicts`)",
        f"queue {seen.waiting} waiting, {seen.dead} dead letters; {seen.quarantined} in quarantine, {seen.refused} refused",
        spent,
        f"last heard {_when(seen.heard_at)}, last sleep {_when(seen.slept_at)}",
        SCOPE,
        "",
    ]
    return lines
