"""The gate's one table: every verb of the command line, and who may run it on a provisional and on a permanent row.

Data alone, checked against the command line by a test. "person" means that the verb asks `bellek.gate` first and refuses
everybody else (exit 3); "anybody" that it may be run by an agent; "nobody" that it does not touch such a row whoever runs it.
No hook, verdict, tool or MCP call has a line here: none of them can act for a person.
"""

from typing import Literal, TypeAlias

Who: TypeAlias = Literal["anybody", "person", "nobody"]


class Rule:
    """`provisional` and `permanent`: who may run a verb where it touches T1 rows and where it touches T2 rows."""

    __slots__ = ("permanent", "provisional")

    def __init__(self, provisional: Who, permanent: Who) -> None:
        self.provisional = provisional
        self.permanent = permanent


_READS = Rule("anybody", "anybody")
_WRITES = Rule("anybody", "nobody")  # what a person made permanent stays as it is
_PERSON = Rule("person", "person")

GATE: dict[str, Rule] = {
    # decisions of a person
    "promote": _PERSON,
    "refuse": _PERSON,
    "proposals answer": _PERSON,
    "conflicts resolve": _PERSON,
    "entities consent": _PERSON,
    "quarantine put": _PERSON,
    "quarantine release": _PERSON,
    "quarantine drop": _PERSON,
    "gate passphrase": _PERSON,
    "gate typed-promote": _PERSON,
    "forget": Rule("anybody", "person"),
    "undo": Rule("anybody", "person"),  # of a batch that an agent wrote; a person's act is taken back by a person
    "restore": Rule("anybody", "person"),  # into a home with nothing to lose; over anything else a person says --force
    # what agents write, and what the harness does
    "backup": _WRITES,
    "export": _READS,
    "migrate": _WRITES,
    "import": Rule("anybody", "person"),  # rows come in as provisional; --confirm makes permanent what was so
    "apply": _WRITES,
    "drain": _WRITES,
    "capture": _WRITES,
    "sleep": _WRITES,
    "mine": _WRITES,
    "nightly": _WRITES,
    "evolve": _WRITES,
    "replay": _WRITES,
    "tick": _WRITES,
    "hook": _WRITES,
    "queue take": _WRITES,
    "queue ack": _WRITES,
    "queue retry": _WRITES,
    "queue recover": _WRITES,
    "bank share": Rule("anybody", "person"),  # by the agent whose bank it is in
    "vault export": _WRITES,
    "vault sync": Rule("anybody", "anybody"),  # for an agent all of it goes to the inbox; a person's decisions ask the gate
    "identity propose": _WRITES,
    "log append": _WRITES,
    "log ack": _WRITES,
    "decide": _WRITES,
    "project-state": _WRITES,
    "checkpoint": _WRITES,
    "sweep next": _WRITES,
    "sweep done": _WRITES,
    "conversations import": _WRITES,
    "index": _WRITES,
    "mcp": _WRITES,
    "web": _READS,  # each act of the page asks the gate under the name of its own verb
    "project link": _WRITES,
    "project move": _WRITES,
    # reading
    **dict.fromkeys(
        (
            "status", "state", "state plot", "drives", "drives plot", "show", "review", "why", "why-not", "search", "recall", "stats", "packet", "wisdom", "lint", "doctor", "demo", "conflicts", "conflicts list",
            "lessons list", "journal list", "tasks list", "claims", "claims list", "entities list", "entities show", "pages list",
            "pages show", "worldview list", "proposals list", "bank list", "pages search", "vault status", "vault index", "identity show", "log read", "log verify", "channels list", "channels check", "queue status", "queue peek",
            "project list", "conversations list", "conversations show", "conversations search", "quarantine list", "quarantine show",
            "config list", "audit verify", "audit log", "gate list", "graph neighbours", "graph path", "graph central", "graph communities", "graph export",
        ),
        _READS,
    ),
    # the client's files, not the memory
    "init": Rule("nobody", "nobody"),
    "install": Rule("nobody", "nobody"),
    "uninstall": Rule("nobody", "nobody"),
}  # fmt: skip


def needs_person(verb: str, tier: str = "T1") -> bool:
    """Whether a verb asks the gate before it touches a row of this tier."""
    rule = GATE[verb]
    return (rule.permanent if tier == "T2" else rule.provisional) == "person"
