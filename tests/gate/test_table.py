"""The gate's table against the command line: every verb is in it, and what it says is what the command does."""

import pytest
import typer

from bellek.cli.main import ROOMS, build
from bellek.curator import review
from bellek.kg.home import open_home
from bellek.schemas.gate import GATE, needs_person

EXAMPLES = {  # a command line for each verb that needs a person
    "quarantine put": ["quarantine", "put", "l_000000000000"],
    "quarantine release": ["quarantine", "release", "l_000000000000"],
    "quarantine drop": ["quarantine", "drop", "l_000000000000"],
    "promote": ["promote", "l_000000000000"],
    "refuse": ["refuse", "l_000000000000", "--note", "x"],
    "proposals answer": ["proposals", "answer", "r_000000000000", "yes"],
    "conflicts resolve": ["conflicts", "resolve", "x_000000000000", "both", "--note", "x"],
    "entities consent": ["entities", "consent", "Eve", "maaş"],
    "hub init": ["hub", "init", "postgresql://127.0.0.1:1/x", "--space", "team", "--member", "ada"],
    "hub invite": [
        "hub",
        "invite",
        "postgresql://127.0.0.1:1/x",
        "--space",
        "team",
        "--member",
        "ada",
        "--to",
        "token.json",
    ],
    "hub join": ["hub", "join", "token.json"],
    "hub leave": ["hub", "leave"],
    "hub cut": ["hub", "cut", "postgresql://127.0.0.1:1/x", "k_000000000000", "--space", "team"],
    "gate passphrase": ["gate", "passphrase"],
    "gate typed-promote": ["gate", "typed-promote", "on"],
}


def verbs():
    """Every verb of the command line, a group's as two words; a group that runs without a verb is one too."""
    root = typer.main.get_command(build())
    found = set()
    for name, command in root.commands.items():
        inner = getattr(command, "commands", {})
        if not inner or command.invoke_without_command:
            found.add(name)
        found |= {f"{name} {verb}" for verb in inner}
    return found


def test_every_verb_is_in_the_table():
    """R122: no verb of the command line is missing from the table, and the table names none that there is not."""
    assert verbs() - set(GATE) == set()
    assert set(GATE) - verbs() == set()


def test_no_two_rooms_have_a_verb_of_one_name():
    """Each verb is one room's, the one that says so: of two that share a name nobody could reach the first."""
    found = {room: tuple(typer.main.get_command(build(room)).commands) for room in ROOMS}
    assert {room: set(names) for room, names in found.items()} == {room: set(names) for room, names in ROOMS.items()}
    every = [name for names in found.values() for name in names]
    assert len(every) == len(set(every))


@pytest.mark.parametrize("verb", sorted(v for v in GATE if needs_person(v)))
def test_a_persons_verb_asks_the_gate_first(taught, verb):
    """R122: each verb that needs a person is refused to an agent's shell with exit 3 before anything else is looked at."""
    done = taught.run(*EXAMPLES[verb], stdin=None, new_session=True)
    assert done.returncode == 3, done.stderr
    assert f"`bellek {verb}` needs a person" in done.stderr.decode()
    with open_home(str(taught.home)) as home:
        assert home.memory.rows("SELECT kind FROM audit WHERE act = 'refused-try'") == [(verb,)]


def test_what_anybody_may_run_is_not_stopped(taught):
    """R122: the verbs that agents work with ask nobody: a reading, a drain, a capture, with a permanent row in the store."""
    with open_home(str(taught.home)) as home, home.memory.transaction():
        id_ = str(home.memory.value("SELECT id FROM lessons LIMIT 1"))
        review.promote(home, id_, actor="person:terminal")
    for words in (
        ["status", "-v"],
        ["review"],
        ["show", id_],
        ["promote", id_, "--dry-run"],
        ["drain", "--offline"],
        ["capture", "x"],
        ["gate", "list"],
    ):
        done = taught.bellek(*words, ok="--dry-run" not in words)
        assert "needs a person" not in done


def test_no_verdict_tool_or_hook_is_in_the_table():
    """R47: nothing but the command line can ask for a person's act: neither verdicts nor the hook know a word for it."""
    from bellek.schemas.verdict import VERDICTS

    words = str(VERDICTS.json_schema())
    assert "promote" not in words
    assert "refuse" not in words
    assert "T2" not in words
