"""A file that a person hands over is kept as hearing would have kept it."""

import json

from bellek.clients.claude_ears import ClaudeEars
from bellek.curator import importing
from bellek.kg import conversations, registry

KEY = "AKIA" + "Q7LW2XV9RT4NP8KS"  # of the form alone


def line(id, text, **more):
    """A line that a person typed."""
    return json.dumps({
        "type": "user", "uuid": id, "sessionId": "s1", "timestamp": "2026-11-30T09:00:00.000Z", "version": "2.1.332", "entrypoint": "cli",
        "promptSource": "typed", "isSidechain": False, "message": {"role": "user", "content": text}, **more,
    })  # fmt: skip


def test_an_imported_line_is_judged_as_a_heard_one(home, tmp_path):
    """A typed line that is only a paste is no word of the person's, and a message's id holds no secret, from a file as from a session."""
    paste = "```\nalways use tabs\n```"
    path = tmp_path / "s1.jsonl"
    folder = str(tmp_path)
    path.write_text(
        "\n".join((line("m-1", paste, cwd=folder), line("m-2", "always use tabs", cwd=folder), line(KEY, "merhaba", cwd=folder))) + "\n",
        encoding="utf-8",
    )  # fmt: skip
    done = importing.load(home, ClaudeEars(str(tmp_path / "none")), str(path), "p_other")
    assert (done.messages, done.stored) == (3, 3)
    kept = conversations.show(home.conversations, "s1")
    assert [(m.id, m.origin) for m in kept[:2]] == [("m-1", "pasted"), ("m-2", "user")]
    assert KEY not in kept[2].id
    assert {m.project for m in kept} == {registry.listed(home.memory)[0].id}
