"""``status``, ``show``, ``why``, ``why-not``: what is kept, and why a turn was told what it was told."""

from typing import Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id, typed
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.context import reasons
from bellek.kg import clock, memories, notices, queue, receipts


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(status)
    app.command()(show)
    app.command()(why)
    app.command("why-not")(why_not)


def status(home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Count what stands in this project and in every project, and say what could not be heard."""
    with opened(home) as store:
        here = project_id(store, project)
        waiting, parked = queue.counts(store.memory, here), len(queue.dead(store.memory, here))
        kinds = memories.counts(store.memory, here)
        talks, messages = store.conversations.rows(
            "SELECT count(DISTINCT conversation), count(*) FROM messages WHERE project = ?", (here,)
        )[0]
        said = notices.latest(store.memory, project=here)
    result = {
        "home": store.path, "project": here, "waiting": waiting, "dead": parked,
        "memories": kinds, "conversations": talks, "messages": messages,
        "notices": [{"kind": n.kind, "source": n.source, "position": n.position, "text": n.text, "at": clock.stamp(n.at)} for n in said],
    }  # fmt: skip
    if json:
        say_json(result)
        return
    say(f"home {visible(store.path)}", f"project {here}", f"waiting {sum(waiting.values())}, dead letters {parked}")
    say(
        ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count) or "no memory yet",
        f"{messages} messages in {talks} conversations",
    )
    say(*(f"noticed: {one_line(n.text)}" for n in said))


def show(
    id_: Annotated[str, typer.Argument(metavar="ID", help="A memory's id, or the letters it starts with.")],
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Show one memory with its sources and revisions; a sensitive value without consent is withheld."""
    with opened(home) as store:
        memory = memories.shown(memories.read(store.memory, memories.find_id(store.memory, id_)))
        revisions = store.memory.rows(
            "SELECT revision, actor, act, clock FROM audit WHERE id = ? ORDER BY seq", (memory.id,)
        )
    if json:
        say_json({**memory.model_dump(mode="json"), "kind": memory.body.kind, "said_at": clock.stamp(memory.said_at, memory.offset_minutes),
                  "history": [{"revision": r, "actor": who, "act": act, "at": clock.stamp(int(str(c)) >> clock.COUNTER_BITS)} for r, who, act, c in revisions]})  # fmt: skip
        return
    say(
        f"{memory.id}  {memory.body.kind} {memory.tier} {memory.status}, origin {memory.origin}, said {clock.stamp(memory.said_at, memory.offset_minutes)}"
    )
    say(visible(memory.text))
    say(
        *(
            f"from item {s.item}, message {visible(s.message)}, conversation {visible(s.conversation)}"
            for s in memory.sources
        )
    )
    say(
        *(
            f"revision {r} by {who} ({act}) at {clock.stamp(int(str(c)) >> clock.COUNTER_BITS)}"
            for r, who, act, c in revisions
        )
    )


def why(
    id_: Annotated[str, typer.Argument(metavar="ID", help="A memory's or a message's id.")],
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Say which packets were offered this row, what became of it in each, and on which scores."""
    with opened(home) as store:
        wanted = reasons.full_id(store, id_)
        found = receipts.of_memory(store.memory, wanted)
    if json:
        say_json(
            [
                {
                    "id": r.id,
                    "packet": r.id,
                    "session": r.session,
                    "event": r.event,
                    "at": clock.stamp(r.at),
                    "state": r.state,
                    "section": line.section,
                    "revision": line.revision,
                    "fate": line.fate,
                    "scores": line.scores,
                }
                for r, line in found
            ]
        )
        return
    say(
        *(
            f"{clock.stamp(r.at)}  {r.event}  {line.fate} in {line.section}, packet {r.id} {r.state}, session {visible(r.session)}{_scores(line.scores)}"
            for r, line in found
        )
        if found
        else [f"no packet considered {wanted}"]
    )


def _scores(scores: dict[str, float]) -> str:
    return "".join(f", {arm} {score}" for arm, score in scores.items())


def why_not(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="Words of what you expected to be told.")],
    prompt: Annotated[str, typer.Option("--prompt", help="The prompt it should have been told for.")] = "",
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Say what kept the rows with these words out of this project's packets."""
    with opened(home) as store:
        found = reasons.why_not(store, project_id(store, project), typed(" ".join(text)), typed(prompt))
    if json:
        say_json([{"id": id_, "text": words, "reason": reason} for id_, words, reason in found])
        return
    say(
        *(f"{id_}  {one_line(words, 80)}: {reason}" for id_, words, reason in found)
        if found
        else ["no memory has these words: it was never heard, or waits in the queue (`bellek queue peek`)"]
    )
