"""Which agent runs a command: the client among its ancestors, the person at their terminal, or a program that config.toml declares.

It must never take an agent's name from an option or a text; only a program of a person's own, which no client started, may
say in BELLEK_AGENT which of the declared agents it is.
"""

import os

from bellek import gate
from bellek.curator.shared import Voice
from bellek.kg import agents, scope
from bellek.kg.home import Home
from bellek.schemas.errors import PersonNeeded, UsageFault

PERSON = "person"
TERMINAL = "terminal"
PROGRAM = "program"


def voice(store: Home) -> Voice:
    """Who writes, as the shared log signs it. Raises UsageFault where that cannot be told."""
    actor, why = gate.look()
    if actor.startswith("agent:"):
        client = actor.removeprefix("agent:")
        return Voice(agents.of_client(store.memory, client), client, actor)
    if not why:
        return Voice(PERSON, TERMINAL, gate.TERMINAL, "user")
    name = os.environ.get("BELLEK_AGENT", "")
    if not name or not agents.is_declared(store.memory, name):
        raise UsageFault(
            "which agent this is cannot be told",
            why="no client started it, it has no terminal of a person, and BELLEK_AGENT names no agent of config.toml",
            hint='declare one in config/config.toml, as [agents.NAME], with client = "" and set BELLEK_AGENT=NAME',
        )
    return Voice(name, PROGRAM, f"agent:{name}")


def looks_from(store: Home, project: str) -> str:
    """Where the reader of a command looks from: an agent from its own bank, a person from the project or the bank they named.

    Raises PersonNeeded where an agent names a bank.
    """
    named = os.environ.get(agents.BANK, "")
    if not named and not agents.any_bank(store.memory):
        return project  # what no home but a few needs costs nothing
    actor, why = gate.look()
    if named and why:
        raise PersonNeeded(f"the bank of {named[:40]!r} was not opened", why=why)
    if not why:
        return scope.bank(project, named) if named else project
    client = actor.removeprefix("agent:") if actor.startswith("agent:") else ""
    name = agents.of_client(store.memory, client) if client else os.environ.get("BELLEK_AGENT", "")
    return agents.scope_of(store.memory, project, name)


def reader(store: Home, client: str) -> str:
    """The agent that a packet is built for: who runs the command, for a person the agent of a client."""
    actor, why = gate.look()
    if not why:
        return agents.of_client(store.memory, client)
    name = actor.removeprefix("agent:") if actor.startswith("agent:") else ""
    return agents.of_client(store.memory, name) if name else os.environ.get("BELLEK_AGENT", "")
