"""Who the signal asks to write what waits: our agent where an install laid it down, else the command."""

import pytest
from world import Session, eventually

START = "start the agent memory-curator in the background; do not wait for it or mention it."
DRAIN = "run `bellek drain --offline` when convenient."
FACT = "<!-- profile-fact:\nentity: Zeynep\nfields:\n  rol: mimar\n-->"


@pytest.fixture
def bound(world):
    """The world's client has our hooks and agents, and three things wait in two channels."""
    world.bellek("install", "claude-code")
    Session(world).turn("öğren", f"<!-- learning: bir, çünkü iki -->\n\n<!-- learning: üç, çünkü dört -->\n\n{FACT}")
    world.begin()
    world.bellek("tick")  # the child that the beginning started may be at work: then it hears for both
    eventually(lambda: len(world.json("queue", "peek")) == 3, "three items")
    return world


def told(world, prompt="bambaşka bir konu"):
    """The lines on what waits that a prompt is given."""
    return [row.removeprefix("- ") for row in world.prompt(prompt).splitlines() if "heard" in row]


def test_the_signal_asks_for_the_agent(bound):
    """R27: with our agent laid down, one line counts what waits by channel and asks for it, the same at every turn."""
    assert told(bound) == [f"3 items heard and not yet written (2 learning, 1 profile-fact): {START}"]
    assert told(bound, "yine başka") == told(bound)


def test_a_channels_own_rule_follows(bound):
    """R7, R27: a rule that a person wrote for a channel is told beside the agent's line; the shipped one is not."""
    folder = bound.home / "config" / "channels"
    folder.mkdir(parents=True, exist_ok=True)
    rule = "ask me before anything is written of it."
    (folder / "profile-fact.toml").write_text(
        f'name = "profile-fact"\ndrain = "profile-fact"\ndescribes = "x"\nrule = "{rule}"\n', encoding="utf-8"
    )
    bound.bellek("queue", "status")
    assert told(bound) == [
        f"3 items heard and not yet written (2 learning, 1 profile-fact): {START}",
        f"for what is heard in profile-fact: {rule}",
    ]


def test_without_the_agent_the_command_is_named(bound):
    """R27: after an uninstall, and where a person took the agent away, the signal names the command again."""
    bound.bellek("uninstall", "claude-code")
    assert [line.partition(": ")[2] for line in told(bound)] == [DRAIN, DRAIN]
    bound.bellek("install", "claude-code")
    assert START in told(bound)[0]


def test_a_notice_asks_for_nobody(bound):
    """R27, R40: a notice that a background task ended is not a turn of the person: were it told what waits, a curator
    that may not run its commands would be started for ever.
    """
    assert told(bound, "<task-notification>\n<status>completed</status>\n</task-notification>") == []
    assert told(bound) != []


def test_a_living_token_asks_for_nobody(bound):
    """R27, R29: while a token lives one line says so; when it has expired the agent is asked for again."""
    bound.bellek("queue", "take", "--limit", "1")
    assert told(bound) == ["3 items heard and not yet written: being drained now."]
    bound.clock += 11 * 60_000
    assert START in told(bound)[0]


def test_the_curators_own_words_are_not_heard(bound):
    """R23: what our own agent says in its transcript is neither stored nor queued, whatever it marks."""
    folder = bound.transcript("s-1").with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    one = Session(bound, "kurator")
    one.turn("take what waits", "kuratörbitti <!-- learning: küratörün işareti, çünkü öyle -->")
    moved = bound.transcript("kurator").rename(folder / "agent-a1.jsonl")
    moved.with_name("agent-a1.meta.json").write_text('{"agentType": "memory-curator"}', encoding="utf-8")
    bound.bellek("tick")
    assert len(bound.json("queue", "peek")) == 3
    assert bound.json("conversations", "search", "kuratörbitti") == []
    other = Session(bound, "baska")
    other.turn("take what waits", "gezginbitti <!-- learning: gezginin işareti, çünkü öyle -->")
    moved = bound.transcript("baska").rename(folder / "agent-b2.jsonl")
    moved.with_name("agent-b2.meta.json").write_text('{"agentType": "reviewer"}', encoding="utf-8")
    bound.bellek("tick")
    assert len(bound.json("queue", "peek")) == 4, "another agent is heard, so the test can tell"
