"""The hook for the other clients: their recorded inputs, their form of answer, and a turn that is piped to hearing."""

import json
from pathlib import Path

import pytest
import rows
from world import eventually

from bellek.context import packet
from bellek.curator import shared
from bellek.curator.shared import Voice
from bellek.kg.home import open_home
from bellek.schemas.packet import Line

RECORDED = Path(__file__).resolve().parents[1] / "fixtures" / "clients"
LESSON = "paketler her zaman uv ile kurulur"
NAMES = ("generic-bir", "generic-iki")


def recorded(name, event):
    """The first recorded standard input of an event."""
    lines = (RECORDED / name / "hooks.jsonl").read_text(encoding="utf-8").split("\n")
    return next(row["stdin"] for row in map(json.loads, filter(None, lines)) if row["event"] == event)


def ask(world, client, event, fields):
    """One event; its JSON answer, {} for none. It ends with status 0 and an empty fault log."""
    done = world.raw(event, json.dumps({**fields, "cwd": str(world.work)}).encode(), client=client)
    assert (done.code, done.err, world.log()) == (0, b"", "")
    return json.loads(done.out) if done.out else {}


@pytest.mark.parametrize(
    ("client", "name", "event"),
    [("codex", "codex-0.171.0", "UserPromptSubmit"), ("gemini", "gemini-0.61.0", "BeforeAgent")],
)
def test_a_recorded_prompt_is_answered_in_the_clients_form(taught, client, name, event):
    """Codex and Gemini CLI are answered as Claude Code is: the event's own name and the packet as additionalContext."""
    answer = ask(taught, client, event, recorded(name, event))
    assert set(answer) == {"hookSpecificOutput"}
    assert answer["hookSpecificOutput"]["hookEventName"] == event
    assert LESSON in answer["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    ("client", "event"),
    [
        ("pi", "before_agent_start"),
        ("omp", "before_agent_start"),
        ("opencode", "prompt"),
        ("openclaw", "prompt"),
        ("generic-hermes", "prompt"),
    ],
)
def test_our_extensions_are_answered_with_a_context(taught, client, event):
    """Extensions, plugins and any program get {"context": …}; a client that rebuilds its prompt gets it every time."""
    fields = {"session_id": f"s-{client}", "prompt": "uv ile paket"}
    assert LESSON in ask(taught, client, event, fields)["context"]
    second = ask(taught, client, event, fields)
    assert (LESSON in second.get("context", "")) is (client == "openclaw")


def test_hermes_is_answered_from_what_lies_inside(taught):
    """Hermes puts the prompt under `extra`; its recorded event is answered with a context, and a stray one with nothing."""
    fields = recorded("hermes-0.19.0", "pre_llm_call")
    fields["extra"]["user_message"] = "uv ile paket"
    assert LESSON in ask(taught, "hermes", "pre_llm_call", fields)["context"]
    for extra in ({}, None, [], "x", {"user_message": 7}):
        ask(taught, "hermes", "pre_llm_call", {**fields, "session_id": "s-odd", "extra": extra})


def test_a_piped_turn_is_heard_and_nothing_of_it_was_on_disk(taught):
    """Gemini's AfterAgent goes through a pipe: its mark is queued, its offer has arrived, and the secret in it is nowhere (R14)."""
    secret = "ghp_" + "Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2Rr1Qq0Pp9Oo8"
    fields = recorded("gemini-0.61.0", "AfterAgent")
    ask(taught, "gemini", "BeforeAgent", {**fields, "prompt": "uv ile paket"})
    said = f"Tamam {secret}\n<!-- learning: jeton {secret} döndürüldü, çünkü sızdı -->"
    assert (
        ask(
            taught,
            "gemini",
            "AfterAgent",
            {**fields, "prompt": "<hook_context>x</hook_context>\n\njeton", "prompt_response": said},
        )
        == {}
    )
    (item,) = eventually(lambda: taught.json("queue", "peek"), "a queued item")
    assert "döndürüldü" in item["payload"]
    assert secret not in item["payload"]
    hits = taught.json("conversations", "search", "jeton")
    assert {hit["text"] for hit in hits} >= {"jeton"}
    held = [path for path in taught.home.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
    assert held == []
    eventually(
        lambda: all(row["state"] != "offered" for row in taught.json("why", taught.json("lessons", "list")[0]["id"])),
        "an offer that arrived",
    )


def test_any_program_is_heard_by_a_command(taught):
    """A program that can run a command hands over its turn; a larger turn than a pipe holds is taken whole, and never as typed."""
    long = "kelime " * 40_000
    messages = [
        {"role": "user", "text": f"uzun {long}", "typed": True}, {"role": "assistant", "text": "<!-- learning: hermes de duyulur, çünkü komut çalıştırır -->"},
        {"role": "system", "text": "sistem"}, {"role": "assistant"}, "odd",
    ]  # fmt: skip
    assert ask(taught, "generic-hermes", "over", {"session_id": "s", "messages": messages}) == {}
    (item,) = eventually(lambda: taught.json("queue", "peek"), "a queued item")
    assert item["payload"] == "hermes de duyulur, çünkü komut çalıştırır"
    (hit,) = [hit for hit in taught.json("conversations", "search", "kelime") if hit["text"].startswith("uzun")]
    assert len(hit["text"]) > 200_000
    assert hit["typed"] is False


def test_codex_counts_bytes():
    """Under a cap in bytes a packet of Turkish letters stays below it, where one counted in letters would be cut (Codex)."""
    lines = [Line("lessons", f"l_{n:012d}", 1, f"{n} " + "çğışöü " * 60) for n in range(40)]
    in_bytes = packet.build("k_x", lines, {}, cap=9_800, token_cap=99_999, size=packet.octets)
    in_units = packet.build("k_x", lines, {}, cap=9_800, token_cap=99_999)
    assert packet.octets(in_bytes.text) <= 9_800 < packet.octets(in_units.text)


def test_a_program_is_told_as_the_agent_that_it_is_heard_as(taught):
    """What `generic-NAME` acknowledged in the shared log is told to it no more, and still to a program of another name."""
    with open_home(str(taught.home)) as home:
        here, voice = rows.project(home, taught.work), Voice("codex", "codex", "agent:codex")
        with home.memory.transaction():
            entry = shared.append(home, here, voice, "note", "yayın dalı değişti").id
    told = {name: ask(taught, name, "prompt", {"session_id": name, "prompt": "bambaşka"})["context"] for name in NAMES}
    assert all(entry in text for text in told.values())
    acknowledged = [{"role": "assistant", "text": f"Gördüm. <!-- ack: {entry} -->"}]
    ask(taught, NAMES[0], "over", {"session_id": NAMES[0], "messages": acknowledged})
    eventually(lambda: [row for row in taught.json("log", "read") if row["type"] == "ack"], "the acknowledgement")
    later = [
        ask(taught, name, "prompt", {"session_id": f"l-{name}", "prompt": "bambaşka"})["context"] for name in NAMES
    ]
    assert [entry in text for text in later] == [False, True]
