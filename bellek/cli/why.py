"""``why``, ``why-not``: why a turn was told what it was told, and why not."""

from typing import Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, sight, typed
from bellek.cli.screen import one_line, say, say_json, visible
from bellek.context import reasons
from bellek.kg import clock, receipts


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(why)
    app.command("why-not")(why_not)


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
        found = reasons.why_not(store, sight(store, project), typed(" ".join(text)), typed(prompt))
    if json:
        say_json([{"id": id_, "text": words, "reason": reason} for id_, words, reason in found])
        return
    say(
        *(f"{id_}  {one_line(words, 80)}: {reason}" for id_, words, reason in found)
        if found
        else ["no memory has these words: it was never heard, or waits in the queue (`bellek queue peek`)"]
    )
