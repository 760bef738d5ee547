"""``apply FILE|-``: a curator's verdicts, from a file or standard input."""

import json as json_module
import sys
from pathlib import Path
from typing import Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id
from bellek.cli.screen import one_line, say, say_json
from bellek.curator.answers import read_rows
from bellek.curator.apply import apply
from bellek.kg import queue
from bellek.schemas.errors import UsageFault
from bellek.schemas.predicates import MANY, ONE
from bellek.schemas.verdict import VERDICTS


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("apply")(apply_)


def apply_(
    file: Annotated[str | None, typer.Argument(metavar="FILE|-", help="A JSON array of verdicts, an object with `verdicts`, or one a line.")] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of a list of verdicts and stop.")] = False,
    token: Annotated[str, typer.Option("--token", help="The token of `queue take`; this call renews it.")] = "",
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> int:  # fmt: skip
    """Carry out verdicts in one transaction; each gets a receipt. Exit 1 where one was refused."""
    if schema:
        say(json_module.dumps(_schema(), ensure_ascii=False, indent=2))
        return 0
    if file is None:
        raise UsageFault(
            "no verdicts were named",
            why="a file or - is needed",
            hint="run `bellek apply FILE`, or `bellek apply --schema` for their shape",
        )
    rows = read_rows(_text(file))
    with opened(home) as store:
        receipts = apply(store, project_id(store, project), rows, actor="curator", token=token)
        left = queue.under(store.memory, token) if token else []
    if json:
        say_json(
            [{"id": receipt.ids[0] if receipt.ids else None, **receipt.model_dump(mode="json")} for receipt in receipts]
        )
    else:
        say(
            *(" ".join(filter(None, (f"{r.n}: {r.state}", *r.ids, one_line(r.reason)))) for r in receipts)
            if receipts
            else ["no verdicts"]
        )
        say(*([f"still taken and unanswered: {' '.join(left)}"] if left else []))
    return 1 if any(receipt.state == "refused" for receipt in receipts) else 0


def _schema() -> dict[str, object]:
    """The union's schema with the vocabulary of predicates written in."""
    found: dict[str, object] = VERDICTS.json_schema()
    predicate = found["$defs"]["NewClaim"]["properties"]["predicate"]  # type: ignore[index]
    predicate["enum"] = sorted((*ONE, *MANY))
    return found


def _text(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as exc:
        raise UsageFault(f"{one_line(file, 80)} cannot be read", why=exc.strerror or "") from exc
    return raw.decode("utf-8-sig", "replace")
