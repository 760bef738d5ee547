"""What is heard of the other clients' recorded sessions and hook inputs: whose words, once each, and nothing else."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bellek.clients.codex_ears import CodexEars
from bellek.clients.pi_ears import PiEars
from bellek.clients.piped_ears import PipedEars
from bellek.curator.transcripts import Line
from bellek.schemas.conversation import Compacted, Damaged, PacketSeen, Said, ToolUse, TranscriptFile, Unreadable

RECORDED = Path(__file__).resolve().parents[1] / "fixtures" / "clients"
MARK = '<!-- learning: {"type":"FIX","text":"use uv, not pip"} -->'
FENCED = '<bellek-memory id="k_0123456789ab">\nnot\n</bellek-memory>'
PIS = [("pi", "pi-0.73.1"), ("pi", "pi-1.6.0"), ("omp", "omp-18.2.3")]


def recording(name, pattern="*.jsonl"):
    """The one session file of a recording."""
    return next(path for path in sorted((RECORDED / name).glob(pattern)) if path.name != "hooks.jsonl")


def hooks(name):
    """Event and standard input of each hook of a recording."""
    lines = (RECORDED / name / "hooks.jsonl").read_text(encoding="utf-8").split("\n")
    return [(row["event"], row["stdin"]) for row in map(json.loads, filter(None, lines))]


def hear(ears, path):
    """All that a file's lines say."""
    (file,) = ears.transcripts([str(path)])
    lines = path.read_bytes().split(b"\n")[:-1]
    return [event for n, raw in enumerate(lines, 1) for event in ears.events(file, Line(n, 0, raw))]


def said(events):
    """(author, text) of what was said."""
    return [(event.author, event.text) for event in events if isinstance(event, Said)]


@pytest.mark.parametrize(("client", "name"), PIS)
def test_a_pi_session_is_heard(client, name):
    """Pi, its new name and its fork: both sides once, with session, folder and agent; no thinking, tool output or injected text."""
    events = hear(PiEars(client, Path("/none")), recording(name))
    assert said(events) == [
        ("user", "hello pi"), ("assistant", f"Run {MARK}"), ("assistant", "Done pi."), ("user", "more please"), ("assistant", "Second."),
    ]  # fmt: skip
    heard = [event for event in events if isinstance(event, Said)]
    assert {(e.session, e.cwd, e.agent, e.origin, e.typed) for e in heard} == {
        (recording(name).stem.split("_")[1], "/proj", client, "agent", False)
    }
    assert len({event.id for event in heard}) == len(heard)
    assert all(event.at > 1_700_000_000_000 for event in heard)


def test_a_pi_sessions_packet_compaction_and_paths(tmp_path):
    """A packet in an injected message is seen, a compaction resets, a tool's path is noted, a fork's copy has the same ids."""
    path = recording("pi-1.6.0")
    text = path.read_text(encoding="utf-8").replace("PIMSG-CTX AGAIN", FENCED.replace("\n", "\\n").replace('"', '\\"'))
    call = {"type": "toolCall", "id": "t1", "name": "edit", "arguments": {"path": "/proj/a.py"}}
    text += (
        json.dumps(
            {
                "type": "message",
                "id": "aa",
                "timestamp": "2026-11-30T12:29:00.000Z",
                "message": {"role": "assistant", "content": [call]},
            }
        )
        + "\n"
    )
    text += (
        json.dumps({"type": "compaction", "id": "bb", "timestamp": "2026-11-30T12:30:00.000Z", "summary": "x"}) + "\n"
    )
    fork = tmp_path / "2026-11-30T13-00-00-000Z_fork.jsonl"
    fork.write_text(text.replace(path.stem.split("_")[1], "fork"), encoding="utf-8")
    events = hear(PiEars("pi", tmp_path), fork)
    assert [e.packet for e in events if isinstance(e, PacketSeen)] == ["k_0123456789ab"]
    used = [(e.tool, e.path) for e in events if isinstance(e, ToolUse)]
    assert used == [("bash", ""), ("kg_recall", ""), ("edit", "/proj/a.py")], "a call without a path counts too"
    assert any(isinstance(e, Compacted) for e in events)
    first = [e.id for e in hear(PiEars("pi", tmp_path), path) if isinstance(e, Said)]
    assert [e.id for e in events if isinstance(e, Said)] == first


def test_what_is_typed_into_pis_terminal_is_the_persons(tmp_path):
    """R122, R132: a message whose very words our extension saw come in by hand is typed, once; said again without that, in other
    words (a template filled in), in another file or in Oh My Pi it is not.
    """
    path = recording("pi-1.6.0-tui")
    typed = "Bundan sonra sürümü cuma çıkar"

    def marks(text):
        copy = tmp_path / path.name
        copy.write_text(text, encoding="utf-8")
        heard = [e for e in hear(PiEars("pi", tmp_path), copy) if isinstance(e, Said) and e.author == "user"]
        return [(e.text, e.typed, e.origin, e.machine) for e in heard]

    lines = path.read_text(encoding="utf-8")
    assert marks(lines) == [(typed, True, "user", False)]
    (said_line,) = [line for line in lines.split("\n") if typed in line]
    assert marks(f"{lines}{said_line}\n") == [(typed, True, "user", False), (typed, False, "agent", False)]
    assert marks(lines.replace(typed, typed + " !")) == [(typed + " !", False, "agent", False)]
    assert marks(lines.replace("bellek-typed", "other-typed")) == [(typed, False, "agent", False)]
    ears = PiEars("pi", tmp_path)
    (tmp_path / "o_2.jsonl").write_text(f"{lines.split(chr(10))[0]}\n{said_line}\n", encoding="utf-8")
    hear(ears, recording("pi-1.6.0-tui"))
    assert [e.typed for e in hear(ears, tmp_path / "o_2.jsonl") if isinstance(e, Said)] == [False]


def test_what_is_typed_into_codexs_terminal_is_the_persons(tmp_path):
    """R122, R132: in the terminal's own session, in a turn that the user began, plain text is typed by the person; where one of the
    marks is missing or says otherwise, where a picture came along, or where Codex wrote the words itself, nothing is.
    """
    path = recording("codex-0.171.0-tui")
    lines = path.read_text(encoding="utf-8")

    def typed(text):
        copy = tmp_path / str(len(list(tmp_path.iterdir()))) / path.name  # a file's head is read once
        copy.parent.mkdir()
        copy.write_text(text, encoding="utf-8")
        heard = [e for e in hear(CodexEars(tmp_path), copy) if isinstance(e, Said)]
        assert all((e.origin == "user") == e.typed for e in heard)
        return [e.typed for e in heard if e.author == "user"]

    assert typed(lines) == [True, True]
    for there, other in (
        ('"originator": "codex-tui"', '"originator": "codex_vscode"'), ('"thread_source": "user"', '"thread_source": "subagent"'),
        ('"turn_trigger": "user"', '"turn_trigger": "goal"'), ('"turn_attribution"', '"turn_x"'), ('"text_elements": []', '"text_elements": [{}]'),
        ('"text_elements"', '"x"'), ('"source": "vscode"', '"source": {"subagent": "review"}'),
    ):  # fmt: skip
        assert there in lines
        assert typed(lines.replace(there, other)) == [False, False], there
    init = "Generate a file named AGENTS.md that serves as a contributor guide for this repository."
    assert typed(lines.replace("Bundan sonra sürümü hep cuma öğleden önce çıkar", init)) == [False, True]


def test_a_codex_rollout_is_heard():
    """The items a turn completed are heard once; AGENTS.md, environment and hook context are nobody's words; `exec` is a program."""
    events = hear(CodexEars(Path("/none")), recording("codex-0.171.0"))
    assert said(events) == [
        ("user", "hello codex"), ("assistant", f"Run {MARK}"), ("assistant", "Done codex."), ("user", "more please"), ("assistant", "Second."),
    ]  # fmt: skip
    heard = [event for event in events if isinstance(event, Said)]
    assert {(e.session, e.cwd, e.agent, e.typed) for e in heard} == {
        ("01a22c6d-df36-7562-a349-a0c815c5291b", "/proj", "codex", False)
    }
    assert [e.machine for e in heard] == [True, False, False, True, False]


def test_a_codex_subagent_is_none_of_the_session(tmp_path):
    """R23: what our own agents say is not heard; another subagent's lines are heard as its own, its prompt as a program's."""
    lines = recording("codex-0.171.0").read_text(encoding="utf-8")
    for role, many in (("memory-curator", 0), ("memory-quick", 0), ("reviewer", 5)):
        spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "t", "depth": 1, "agent_role": role}}}
        path = tmp_path / f"rollout-2026-11-30T12-28-47-{role}.jsonl"
        path.write_text(lines.replace('"source": "exec"', f'"source": {json.dumps(spawned)}'), encoding="utf-8")
        heard = [e for e in hear(CodexEars(tmp_path), path) if isinstance(e, Said)]
        assert [(e.agent, e.sidechain, e.machine) for e in heard] == [(role, True, e.author == "user") for e in heard]
        assert len(heard) == many


def test_codexs_tool_calls_are_counted_and_a_patch_names_its_file():
    """Every call of the model is one, also without a path; of a patch the first file is told, as text or inside JSON."""
    ears, file = CodexEars(Path("/none")), TranscriptFile("/none", "s", None, 0, 0)
    used = [e for e in hear(ears, recording("codex-0.171.0")) if isinstance(e, ToolUse)]
    assert [(e.tool, e.path) for e in used] == [("exec_command", ""), ("recall", "")]
    patch = "*** Begin Patch\n*** Update File: src/a b.py\n@@\n-x\n+y\n*** End Patch"
    for payload in ({"type": "custom_tool_call", "name": "apply_patch", "input": patch}, {"type": "function_call", "name": "apply_patch", "arguments": json.dumps({"input": patch})}):  # fmt: skip
        raw = json.dumps(
            {"type": "response_item", "timestamp": "2026-11-30T12:28:47Z", "payload": {**payload, "call_id": "c1"}}
        )
        (call,) = ears.events(file, Line(1, 0, raw.encode()))
        assert (call.tool, call.path, call.id) == ("apply_patch", "src/a b.py", "c1")


def test_a_codex_packet_is_seen(tmp_path):
    """Our packet in a developer message reached the session."""
    path = recording("codex-0.171.0")
    copy = tmp_path / path.name
    copy.write_text(
        path.read_text(encoding="utf-8").replace("UPS-CTX", FENCED.replace("\n", "\\n").replace('"', '\\"')),
        encoding="utf-8",
    )
    assert "k_0123456789ab" in [e.packet for e in hear(CodexEars(tmp_path), copy) if isinstance(e, PacketSeen)]


def test_geminis_turn_is_heard_from_its_own_event():
    """AfterAgent carries the mark that the stored session has lost; context that was glued to the prompt is not the person's."""
    (turn,) = [fields for event, fields in hooks("gemini-0.61.0") if event == "AfterAgent"]
    events = PipedEars("gemini").piped(json.dumps(turn).encode())
    assert said(events) == [("user", "hello gemini"), ("assistant", f"Run {MARK}\nDone gemini.")]
    assert MARK not in recording("gemini-0.61.0").read_text(encoding="utf-8")
    again = PipedEars("gemini").piped(json.dumps(turn).encode())
    assert [e.id for e in again] == [e.id for e in events], "the same event twice is the same messages"


def test_hermes_turn_is_heard_from_its_last_event():
    """post_llm_call holds both sides under `extra`; the same turn twice is the same messages."""
    (turn,) = [fields for event, fields in hooks("hermes-0.19.0") if event == "post_llm_call"]
    events = PipedEars("hermes").piped(json.dumps(turn).encode())
    assert said(events) == [("user", "hello hermes"), ("assistant", f"Run {MARK}")]
    assert {(e.cwd, e.agent, e.typed) for e in events if isinstance(e, Said)} == {("/proj", "hermes", False)}
    assert [e.id for e in PipedEars("hermes").piped(json.dumps(turn).encode())] == [e.id for e in events]


def test_opencodes_and_openclaws_turns_are_heard():
    """What our plugins pipe, built from the recorded stores: both sides once; a context part shows which packet arrived."""
    rows = [
        json.loads(line)
        for line in (RECORDED / "opencode-1.18.33/part.jsonl").read_text(encoding="utf-8").split("\n")
        if line
    ]
    roles = {"msg_22c6e163c001b45Foez5vOACPf": "user"}
    parts = [(row, row["data"]) for row in rows if row["data"]["type"] == "text"]
    messages = [
        {"id": row["id"], "role": "context" if data.get("synthetic") else roles.get(row["message_id"], "assistant"), "text": FENCED if data.get("synthetic") else data["text"], "at": row["time_created"]}
        for row, data in parts
    ]  # fmt: skip
    events = PipedEars("opencode").piped(
        json.dumps({"session_id": "ses_1", "cwd": "/proj", "messages": messages}).encode()
    )
    assert said(events) == [("user", '"hello oc"'), ("assistant", f"Run {MARK}"), ("assistant", "Done oc.")]
    assert [e.packet for e in events if isinstance(e, PacketSeen)] == ["k_0123456789ab"]
    assert {e.agent for e in events if isinstance(e, Said)} == {"opencode"}


def test_a_cut_or_broken_line_is_told_and_a_gone_file_is_not(tmp_path):
    """A line that ends in the middle is damage with its place; a file that is gone says nothing; a link below is not followed."""
    sessions = tmp_path / "sessions" / "--proj--"
    sessions.mkdir(parents=True)
    (sessions / "link.jsonl").symlink_to(recording("pi-1.6.0"))
    ears = PiEars("pi", tmp_path)
    assert [type(found) for found in ears.transcripts([])] == [Unreadable]
    assert list(ears.transcripts([str(tmp_path / "gone.jsonl")])) == []
    file = TranscriptFile(str(sessions / "x_1.jsonl"), "1", None, 0, 0)
    assert ears.events(file, Line(3, 90, b'{"type": "message", "message": {"role"')) == (
        Damaged(3, 90, "not one JSON value"),
    )


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["type", "message", "payload", "item", "content", "text", "role", "id", "messages", "timestamp", "at", "session_id", "extra", "turn_id"]), inner, max_size=6),
    max_leaves=25,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(values, st.sampled_from(["message", "custom_message", "item_completed", "compacted"]))
def test_no_shape_of_json_raises(value, kind):
    """Whatever JSON a client writes or pipes, its ears answer with events or nothing, and every text can be stored."""
    data = {
        "type": kind,
        "message": {"role": "assistant", "content": value},
        "payload": {"type": kind, "item": value},
        "messages": value,
        "session_id": "s",
    }
    file = TranscriptFile("/none", "s", None, 0, 0)
    for whole in (data, value):
        raw = json.dumps(whole).encode()
        events = [
            *PiEars("pi", Path("/none")).events(file, Line(1, 0, raw)),
            *CodexEars(Path("/none")).events(file, Line(1, 0, raw)),
            *PipedEars("x").piped(raw),
        ]
        for event in events:
            if isinstance(event, Said):
                event.text.encode()
                assert replace(event, text="x").session == event.session
