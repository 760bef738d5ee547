"""The gate with the real client: what its agent tries through Bash is refused, what a person does at a terminal counts."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest
from lab.lab import eventually
from lab.product import packets
from lab.rules import Rule, Tool, reply
from lab.screen import Screen
from person import Person

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lab.lab import Lab, Request, Result
    from lab.product import Bellek

pytestmark = [pytest.mark.node, pytest.mark.client]

RULE = "dışa aktarmayı yalnız anlık kopyadan yap, çünkü ikinci bir SQLite kilitleri düşürür"
UNVERIFIED = "WISDOM, observations (unverified"
PERMANENT = "WISDOM, rules (a person made them permanent)"


@pytest.fixture
def lesson(lab: Lab, bellek: Bellek) -> str:
    """A provisional lesson of high importance; its id."""
    verdict = {
        "verdict": "write",
        "memory": {"kind": "lesson", "text": RULE, "learning": "convention", "importance": "high"},
    }
    (lab.root / "verdicts.json").write_text(json.dumps([verdict]), encoding="utf-8")
    (receipt,) = bellek.rows("apply", str(lab.root / "verdicts.json"), "--project", str(lab.work))
    return str(receipt["id"])


@pytest.fixture
def person(lab: Lab) -> Iterator[Person]:
    """A person at a terminal in the lab's work folder."""
    made = Person(lab.work, {**lab.environment(), "TERM": "screen"})
    yield made
    made.close()


def promote(bellek: Bellek, python: Path, id_: str) -> str:
    """The command line that promotes a row."""
    return shlex.join([str(python), "-I", "-m", "bellek", "promote", id_, "--home", str(bellek.home)])


def agent_runs(lab: Lab, *commands: str) -> Result:
    """A session whose model calls Bash with one command after the other."""
    calls = [(Tool("Bash", {"command": command, "description": "memory"}),) for command in commands]
    rules = [
        Rule(calls[0], last_has="kalıcı yap"),
        *(Rule(call, tool_result=True) for call in calls[1:]),
        reply("bitti"),
    ]
    result = lab.claude("bu dersi kalıcı yap", rules)
    assert (result.rc, result.answer()) == (0, "bitti"), result.err
    return result


def told(result: Result, prompt: str) -> list[str]:
    """The packets of the request that holds this prompt."""
    asked: list[Request] = [request for request in result.requests if prompt in request.messages_text()]
    return packets(asked[-1])


def shown(bellek: Bellek, id_: str) -> dict[str, object]:
    """A row as `show` tells of it."""
    row: dict[str, object] = json.loads(bellek.run("show", id_, "--json"))
    return row


def test_the_agents_own_promote_is_refused_and_a_persons_works(
    lab: Lab, bellek: Bellek, lesson: str, person: Person, product_python: Path
) -> None:
    """R47, R122, R56: `bellek promote` through the client's Bash is refused with exit 3, also with `env -i`, through `script`,
    `nohup`, `setsid` and a cut-off child, and each try is in the trail; a person's in a terminal works, and the next packet
    has the row without the unverified mark.
    """
    command = promote(bellek, product_python, lesson)
    in_script = f"script -qec {shlex.quote(command)} /dev/null"
    cleared = f"env -i {command}"
    cut_off = f"( ( {command}; echo status $?; touch over ) & ) ; until [ -e over ]; do sleep 0.05; done"
    ways = (
        command, cleared, in_script, f"env -i script -qec {shlex.quote('env -i ' + command)} /dev/null", f"nohup {command}", f"setsid -w {command}",
        f"script -qec {shlex.quote('setsid -w ' + command)} /dev/null", cut_off,
    )  # fmt: skip
    result = agent_runs(lab, *(f"{way} < /dev/null; echo status $?" for way in ways))
    said = result.requests[-1].messages_text()
    assert said.count("needs a person") == len(ways), said
    assert said.count("status 3") >= len(ways), said
    row = shown(bellek, lesson)
    assert row["tier"] == "T1"
    tries = [act for act in row["history"] if act["act"] == "refused-try"]  # type: ignore[attr-defined]
    assert len(tries) == len(ways)
    assert {act["actor"] for act in tries[:7]} == {"agent:claude-code"}

    before = lab.claude("dışa aktarma nasıl olur?", [reply("kopyadan", "nasıl olur")])
    assert any(RULE in packet and UNVERIFIED in packet.split(RULE)[0] for packet in told(before, "nasıl olur"))
    done = person.run(*shlex.split(command))
    assert done.rc == 0, done.err
    after = lab.claude("dışa aktarma nasıl olsun?", [reply("kopyadan", "nasıl olsun")])
    (packet,) = [packet for packet in told(after, "nasıl olsun") if RULE in packet]
    assert PERMANENT in packet.split(RULE)[0]
    assert "unverified" not in packet.split(RULE)[0]
    assert shown(bellek, lesson)["tier"] == "T2"


def test_the_clients_rules_deny_the_verb(lab: Lab, bellek: Bellek, lesson: str, product_python: Path) -> None:
    """R122: after an install the client itself denies its agent a person's verbs, in the forms that the rules name."""
    agent = (lab.config / "agents" / "memory-curator.md").read_text(encoding="utf-8")
    program = agent.split(" queue take")[0].rpartition("\n")[2]
    result = agent_runs(
        lab, f"bellek promote {lesson}", f"{program} promote {lesson}", f"{program} search 'anlık kopya' --json"
    )
    said = result.requests[-1].messages_text()
    assert said.count("denied") >= 2, said
    assert RULE in said, "what the agents may run was denied as well"
    assert shown(bellek, lesson)["tier"] == "T1"


def test_an_answer_typed_to_the_client_counts_and_a_programs_does_not(lab: Lab, bellek: Bellek) -> None:
    """R36, R132: `bellek: yes ID` typed at the real client's own prompt answers the proposal when the turn is over; the very
    same line given with `-p` does not.
    """
    verdict = {"verdict": "propose", "structure": "rule", "title": "t", "text": "test önce yazılır"}
    (lab.root / "verdicts.json").write_text(
        json.dumps([verdict, {**verdict, "text": "sonra yazılmaz"}]), encoding="utf-8"
    )
    receipts = bellek.rows("apply", str(lab.root / "verdicts.json"), "--project", str(lab.work))
    typed, program = (str(receipt["id"]) for receipt in receipts)
    asked = lab.claude(f"bellek: yes {program}", [reply("olur", "bellek: yes")])
    assert any("carries it out by itself" in packet for packet in told(asked, "bellek: yes"))
    with Screen(lab, [reply("Anladım.", "bellek: yes")]) as screen:
        screen.shows("❯")
        screen.type(f"bellek: yes {typed}")
        screen.shows("Anladım.")
        eventually(lambda: answer_of(bellek, typed) == "accepted", "the typed answer to be carried out")
    bellek.run("tick", "--project", str(lab.work))
    assert answer_of(bellek, program) == "waiting"


def answer_of(bellek: Bellek, id_: str) -> str:
    """The state of a proposal."""
    return str(shown(bellek, id_)["body"]["state"])  # type: ignore[index]
