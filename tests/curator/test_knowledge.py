"""An agent's knowledge: its pages, and an index that lists each of them and nothing else."""

import json

import pytest
import rows

from bellek.curator import apply
from bellek.kg import conversations, pages
from bellek.kg.conversations import Message


@pytest.fixture
def here(home, tmp_path):
    """A project in which the agents `reviewer` and `reviewer-two` spoke."""
    project = rows.project(home, tmp_path / "proje")
    said = [
        Message(f"m-{n}", "s-1", 0, project, agent, "assistant", "agent", False, False, True, rows.AT + n, 0, "bakıldı")
        for n, agent in enumerate(("reviewer", "plugin:reviewer-two"))
    ]
    conversations.append(home.conversations, "claude-code", said)
    return project


def page(topic, agent, text="x çünkü y", **more):
    """A verdict that writes a page of an agent's knowledge."""
    memory = {"kind": "page", "topic": topic, "title": f"About {topic}", "text": text, "agent": agent, **more}
    return {"verdict": "write", "memory": memory}


def topics(home, project):
    """The topics of all current pages."""
    return [row.topic for row in pages.listed(home.memory, project)]


def test_the_index_lists_every_child(home, here):
    """R35: after each write the index names all pages of that agent, of no other, and none is dropped."""
    names = ["test isimleri", "commit biçimi", "review-order", "test isimleri"]
    receipts = apply.apply(home, here, [page(name, "reviewer") for name in names], actor="curator")
    assert [receipt.state for receipt in receipts] == ["written", "written", "written", "absorbed"]
    apply.apply(home, here, [page("other", "reviewer-two")], actor="curator")
    assert topics(home, here) == [
        "agent-reviewer", "agent-reviewer--commit-bicimi", "agent-reviewer--review-order", "agent-reviewer--test-isimleri",
        "agent-reviewer-two", "agent-reviewer-two--other",
    ]  # fmt: skip
    index = pages.listed(home.memory, here, topic="agent-reviewer")[0].text
    assert [line.partition(":")[0] for line in index.splitlines()] == [
        "- commit-bicimi",
        "- review-order",
        "- test-isimleri",
    ]
    for row in pages.listed(home.memory, here):
        if row.topic.startswith("agent-reviewer--"):
            assert f"({row.id})" in index


def test_an_agent_that_nobody_heard_is_proposed_not_made(home, here):
    """R35, R36: a page for an unknown agent is refused with the way to propose it, and nothing is written."""
    (receipt,) = apply.apply(home, here, [page("x", "nobody")], actor="curator")
    assert receipt.state == "refused"
    assert "structural change" in receipt.reason
    assert topics(home, here) == []


@pytest.mark.parametrize("agent", ["../../etc", "A B", "a--b", "x" * 41, "a/b"])
def test_a_name_that_is_none_is_refused(home, here, agent):
    """B65: an agent's name is kebab-case: no path, no blank, no other agent's prefix."""
    (receipt,) = apply.apply(home, here, [json.loads(json.dumps(page("x", agent)))], actor="curator")
    assert receipt.state == "refused"
    assert topics(home, here) == []
