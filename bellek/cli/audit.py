"""``audit verify|log`` and ``undo``: whether the trail holds, what it says, and how one batch is taken back."""

from typing import Annotated

import typer

from bellek import gate
from bellek.cli.place import HomeOption, JsonOption, opened
from bellek.cli.screen import say, say_json, visible
from bellek.cli.secret import passphrase as asked
from bellek.curator import review, undoing
from bellek.kg import audit, check, clock, forget
from bellek.kg.db import Database
from bellek.kg.undo import by_person, find

AGENT = "cli"
group = typer.Typer(no_args_is_help=True, help="The trail: every act, in a chain of hashes.")


def add_to(app: typer.Typer) -> None:
    """Add the group and the verb."""
    app.add_typer(group, name="audit")
    app.command()(undo)


@group.command()
def verify(
    passphrase: Annotated[bool, typer.Option("--passphrase", help="Also name the permanent rows whose promotion is not signed.")] = False,
    home: HomeOption = None, json: JsonOption = False,
) -> int:  # fmt: skip
    """Check every hash, body and row against the trail. Exit status 1 where anything does not hold; the first fault is named."""
    with opened(home) as store:
        faults = [
            *audit.verify(store.memory),
            *forget.unexplained(store.memory),
            *check.unlike_their_bodies(store.memory),
        ]
        entries, head = audit.head(store.memory)
        bodies, gone = _bodies(store.memory)
        unsigned = review.unsigned(store.memory, asked(store)) if passphrase else []
    faults += unsigned
    result = {"entries": entries, "head": head, "bodies": bodies, "forgotten_bodies": gone, "faults": faults}
    if json:
        say_json({**result, "unsigned": unsigned if passphrase else None})
    else:
        say(f"{entries} entries, {bodies} bodies, {gone} bodies forgotten", f"head {head}")
        say(*(f"FAULT {visible(fault)}" for fault in faults[:20]))
        say(
            f"{len(faults)} faults: the trail or a row was changed behind its back"
            if faults
            else "every hash, body and row holds"
        )
    return 1 if faults else 0


def _bodies(db: Database) -> tuple[int, int]:
    row = db.one(
        "SELECT count(r.id), count(*) - count(r.id) FROM audit a LEFT JOIN revisions r ON r.id = a.id AND r.revision = a.revision WHERE a.revision > 0"
    )
    assert row
    return int(str(row[0])), int(str(row[1]))


@group.command()
def log(
    id_: Annotated[str, typer.Option("--id", help="Only the acts on this row, item or batch.")] = "",
    batch: Annotated[str, typer.Option("--batch", help="Only the acts of this batch.")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, max=100_000)] = 50,
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Print the newest acts: who did what to which row, in which batch. No text of a row stands in the trail."""
    with opened(home) as store:
        rows = audit.latest(store.memory, id=id_, batch=find(store.memory, batch) if batch else "", limit=limit)
    if json:
        say_json([
            {"id": e.id, "seq": e.seq, "at": clock.stamp(e.clock >> clock.COUNTER_BITS), "actor": e.actor, "act": e.act, "kind": e.kind,
             "revision": e.revision, "batch": e.batch, "hash": e.hash.hex()} for e in rows
        ])  # fmt: skip
        return
    say(
        *(
            f"{e.seq}  {clock.stamp(e.clock >> clock.COUNTER_BITS)}  {visible(e.actor)} {e.act} {e.kind} {visible(e.id)}"
            + (f" revision {e.revision}" if e.revision else "") + f"  {e.batch}"
            for e in rows
        )
        if rows
        else ["the trail has no such act"]
    )  # fmt: skip


def undo(
    batch: Annotated[str, typer.Argument(metavar="BATCH", help="The batch's id, as `bellek audit log` prints it.")],
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Take back, as one act, whatever one batch wrote. A person's batch is undone by a person alone; an undo can be undone."""
    with opened(home) as store:
        of = find(store.memory, batch)
        actor = gate.require_person(store, verb="undo", target=of) if by_person(store.memory, of) else AGENT
        done = undoing.take_back(store.memory, of, actor=actor)
    if json:
        say_json(
            {"id": done.batch, "of": done.of, "hidden": done.hidden, "restored": done.restored, "lifted": done.lifted}
        )
        return
    say(
        f"undid {done.of} as {done.batch}: {len(done.hidden)} rows hidden, {len(done.restored)} brought back to what they were"
    )
    say(*(f"  hidden {id_}" for id_ in done.hidden), *(f"  brought back {id_}" for id_ in done.restored))
    if done.lifted:
        say(f"{done.lifted} refusals taken back: the values may be written again")
