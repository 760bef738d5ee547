"""``bank list|share``: what an agent keeps for itself, and how it is let out."""

from dataclasses import asdict

import typer

from bellek import who
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id
from bellek.cli.screen import one_line, say, say_json
from bellek.curator import banks

bank_group = typer.Typer(no_args_is_help=True, help="What an agent with a bank of its own keeps for itself.")


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(bank_group, name="bank")


@bank_group.command("list")
def bank_list(home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List the banks of the project with how much is in them; `bellek --bank NAME search WORDS` looks into one."""
    with opened(home) as store:
        found = banks.listed(store.memory, project_id(store, project))
    if json:
        say_json([{"id": f"{one.project}~{one.agent}", **asdict(one)} for one in found])
        return
    say(
        *(f"{one_line(one.agent, 40)}: {one.rows} rows" for one in found)
        if found
        else ["no agent has a bank with anything in it here"]
    )


@bank_group.command("share")
def bank_share(id_: str, home: HomeOption = None, json: JsonOption = False) -> None:
    """Let every agent of the project see a row. By the agent whose bank it is in, or by a person; what is permanent, by a person."""
    with opened(home) as store:
        voice = who.voice(store)
        with store.memory.transaction():
            row = banks.share(store.memory, id_, agent=voice.agent, actor=voice.actor)
    if json:
        say_json({"id": row.id, "project": row.project, "tier": row.tier})
        return
    say(f"{row.id} is seen by every agent of the project: {one_line(row.text)}")
