"""What is heard in the lines of real Claude Code transcripts, and what is not."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bellek.clients.claude_transcript import MAIN_AGENT, LineRules, may_speak, read_line
from bellek.schemas.conversation import Compacted, Damaged, Said, ToolUse

CLAUDE = Path(__file__).parents[1] / "fixtures" / "clients" / "claude"
FENCE = re.compile(r'<bellek-memory id="([^"]+)">.*?</bellek-memory>', re.DOTALL)
RULES = LineRules(
    find_packets=lambda text: [match[1] for match in FENCE.finditer(text)],
    strip=lambda text: FENCE.sub("", text),
    session="dosyanın-oturumu",
)
FIX = '<!-- learning: {"type":"FIX","text":"use uv, not pip"} -->'
TIP = '<!-- learning: {"type":"TIP","text":"testler: uv run pytest -q"} -->'


def hear(raw, rules=RULES):
    """The events of one line, given as bytes, text or an object."""
    if not isinstance(raw, bytes):
        raw = (raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)).encode()
    return read_line(raw, number=7, offset=70, rules=rules)


def lines_of(name):
    """The lines of one recorded transcript, newest client or old."""
    return (CLAUDE / name).read_bytes().split(b"\n")


def session_of(scene):
    """The session's own transcript of a scene that has only one."""
    (found,) = (path for path in (CLAUDE / scene).glob("*-*.jsonl") if not path.name.startswith("agent-"))
    return str(found.relative_to(CLAUDE))


def heard(name, rules=RULES):
    """All events of one recorded transcript."""
    return [event for raw in lines_of(name) for event in hear(raw, rules)]


def speech(name):
    """(author, text) of everything said in one recorded transcript."""
    return [(event.author, event.text) for event in heard(name) if isinstance(event, Said)]


# The recordings, read by hand

SPOKEN = {
    "v1.0.128": [("user", "hello"), ("assistant", f"Run {FIX}"), ("assistant", "Done.")],
    "v2.0.77": [("user", "hello"), ("assistant", f"Run {FIX}"), ("assistant", "Done.")],
    "v2.1.112": [("user", "hello"), ("assistant", f"Run {FIX}"), ("assistant", "Done.")],
    "basic": [
        ("user", "ilk istek: öğren"),
        ("assistant", f"Bakıyorum. {FIX}"),
        ("assistant", "Bitti.\n\n<!-- learning:\nçok satırlı\n-->"),
        ("user", "ikinci istek"),
        ("assistant", "İkinci cevap."),
    ],
    "story": [
        ("user", "Merhaba, ben Ayşe. Projede pip yerine uv kullanıyoruz."),
        ("assistant", f"Tamam Ayşe, bundan sonra uv.\n\n{FIX}"),
        ("user", "notlar.md dosyasını oku."),
        ("assistant", "Okuyorum."),
        (
            "assistant",
            "Dosyada bir örnek işaret var.\n```html\n<!-- learning: KOD BLOĞUNDA, sayılmamalı -->\n```",
        ),
        ("user", "Testleri çalıştır."),
        ("assistant", f"Çalıştırıyorum. {TIP}"),
        ("assistant", f"Üç test geçti.\n{TIP}\n<!-- learning: {{bozuk json -->"),
        ("user", "Bunu hatırla: <!-- learning: KULLANICI YAZDI -->"),
        (
            "assistant",
            """Hatırladım.
<!-- profile-fact:
entity: Ayşe
fields:
  rol: geliştirici
  sevdiği_editör: "helix — 'vim değil'"
-->""",
        ),
        ("user", "Hayır yanlış, port 8081 değil 9090."),
        (
            "assistant",
            """Haklısın, 9090.
<!-- learning: {"type":"FIX","text":"port 9090, 8081 değil","why":"kullanıcı düzeltti"} -->""",
        ),
        ("user", "Özetle."),
        ("assistant", "Özet: uv, 9090.\n<!-- learning: kapanmayan işaret"),
    ],
    "queued": [("user", "bir"), ("assistant", "Tamam 1"), ("user", "iki\nüç"), ("assistant", "Tamam hepsi")],
    "compact-auto": [("user", "hello"), ("assistant", "x"), ("assistant", "Finished")],
    "compact-manual": [("user", "hello"), ("assistant", "Hi"), ("user", "hello"), ("assistant", "Hi")],
    "subagent": [("user", "please curate"), ("assistant", "Launching."), ("assistant", "All done.")],
    "subagent-background": [
        ("user", "please curate"),
        ("assistant", "Launching."),
        ("assistant", "All done."),
        ("assistant", "All done."),
    ],
    "killed": [("user", "uzun iş"), ("assistant", f"Başladım. {FIX}")],
    "mcp": [("user", "hello"), ("assistant", "Recalled.")],
    "api-error": [("user", "merhaba")],
}


@pytest.mark.parametrize("scene", SPOKEN)
def test_each_recording_says_exactly_what_was_said(scene):
    """Every recorded version and scene gives its prompts and answers once, in order, and nothing else as speech.

    The story holds markers in thinking, a tool's result, injected context and the user's prompt; the background scene
    a task notification; the compact scenes summaries and local commands; the error scene a synthetic answer.
    """
    name = session_of(scene)
    assert speech(name) == SPOKEN[scene]
    assert [event for event in heard(name) if isinstance(event, Damaged)] == []


def test_the_story_keeps_alien_markers_out_of_the_assistants_words():
    """R12: what the user, a file, the thinking or an injected context carries is never the assistant's text."""
    words = "\n".join(text for author, text in speech(session_of("story")) if author == "assistant")
    for alien in ("KULLANICI YAZDI", "DÜŞÜNCEDE", "BU BİR DOSYADAN", "ENJEKTE"):
        assert alien not in words


def test_a_line_of_the_terminal_is_typed_and_all_its_values_are_kept():
    """A prompt that 2.1.332 marks as typed carries the user's origin and every shared key of its line."""
    first = heard("tui/63379972-796a-4ba2-bc0a-06a8e3a7d335.jsonl")[0]
    assert first == Said(
        id="f5d8e8f1-9c0d-4ebf-bd76-61c567a418cb",
        session="63379972-796a-4ba2-bc0a-06a8e3a7d335",
        parent=None,
        author="user",
        origin="user",
        typed=True,
        machine=False,
        text="hello tui",
        at=1796041843653,
        offset_minutes=None,
        cwd="/proj",
        agent=MAIN_AGENT,
        sidechain=False,
        paths=(),
    )
    assert speech("tui/9deb6447-c7ab-4ee4-91fe-029982a3fe5a.jsonl") == []


def test_tool_calls_are_told_with_their_line():
    """R15, R78: a tool event has session, folder, tool, path ("" where it names none) and the line it stands in."""
    uses = [event for event in heard(session_of("basic")) if isinstance(event, ToolUse)]
    assert [(use.tool, use.path, use.cwd) for use in uses if use.path] == [("Read", "/proj/a.txt", "/proj")]
    assert {use.tool for use in uses if not use.path} == {"Bash"}
    assert uses[0].message in {json.loads(raw).get("uuid") for raw in lines_of(session_of("basic")) if raw}
    assert uses[0].id.startswith("toolu_")


def test_a_fork_repeats_the_ids_of_what_it_copies():
    """R13: the lines that a fork copies carry the same ids under another session, so that once stays once."""
    old = heard("fork/fc81fe27-87bd-46e6-8aeb-09ea015aa89d.jsonl")
    new = heard("fork/61305430-602f-4ade-bdd5-ea621e33624b.jsonl")
    assert [event.id for event in new][: len(old)] == [event.id for event in old]
    assert {event.session for event in old}.isdisjoint({event.session for event in new})
    assert [event.text for event in new][len(old) :] == ["dal", "Dal cevabı"]


def test_compaction_is_told_once_for_each_time():
    """R113: both ways of compacting give one Compacted of the session, and the summary is nobody's words."""
    for scene in ("compact-auto", "compact-manual"):
        events = [event for event in heard(session_of(scene)) if isinstance(event, Compacted)]
        assert [event.session for event in events] == [Path(session_of(scene)).stem]
        assert events[0].at > 0


def test_a_boundary_needs_no_words():
    """A compact_boundary without any content is still told."""
    (told,) = hear('{"type":"system","subtype":"compact_boundary","timestamp":"1970-01-01T00:00:01Z","sessionId":"s"}')
    assert told == Compacted("s", 1000)


# B40: subagents


@pytest.mark.parametrize(
    "name",
    [
        "subagent/a53bf108-3060-4de1-82f5-f1b8447b6bee/subagents/agent-af147cfe4539557dc.jsonl",
        "subagent-background/4544f220-8f0c-469b-866b-fe0bc5302a99/subagents/agent-ac916dd946ed7a4f6.jsonl",
    ],
)
def test_a_subagent_is_heard_as_itself(name):
    """B40: a subagent's answer is an agent's, named, marked as a side chain; its prompt is the parent's, not the user's."""
    (said,) = (event for event in heard(name) if isinstance(event, Said))
    assert (said.author, said.origin, said.sidechain) == ("assistant", "agent", True)
    assert (said.agent, said.text) == ("kgmem:curator", "curated 3 claims <!-- learning: from sub -->")


def test_the_parent_does_not_repeat_its_subagents_words():
    """B40: the report that comes back to the parent is a tool's result or a notice, never speech of the parent."""
    for scene in ("subagent", "subagent-background"):
        assert "from sub" not in "".join(text for _, text in speech(session_of(scene)))


def test_a_subagents_name_comes_from_its_file_then_from_the_line():
    """The file's own type wins over the line's attribution, and that over the bare id; a warm-up prompt is nobody's."""
    events = heard("v2.0.77/agent-a9b4b15.jsonl")
    assert [(event.text, event.agent, event.sidechain) for event in events] == [("ok", "a9b4b15", True)]
    named = LineRules(RULES.find_packets, RULES.strip, agent="gözcü")
    assert [event.agent for event in heard("v2.0.77/agent-a9b4b15.jsonl", named)] == ["gözcü"]
    (bare,) = hear('{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"x"}]}}')
    assert bare.agent == "subagent"


@pytest.mark.parametrize("scene", ["v1.0.128", "v2.0.77", "v2.1.112", "story", "killed"])
def test_no_recorded_p_run_counts_as_typed(scene):
    """R23: prompts of `-p` runs are kept as text but never typed; from 2.1.112 on they are known as a machine's."""
    users = [event for event in heard(session_of(scene)) if isinstance(event, Said) and event.author == "user"]
    assert users
    assert {event.typed for event in users} == {False}
    assert {event.machine for event in users} == {scene not in ("v1.0.128", "v2.0.77")}


# Laws


def shuffled(value, chance):
    """The same JSON value with the keys of every object in another order."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " : ")]), st.booleans())
def test_neither_key_order_nor_spacing_decides_whether_a_line_is_heard(chance, separators, escaped):
    """A recorded line says the same however its object is written: the look at the bytes drops nothing."""
    recorded = [raw for scene in SPOKEN for raw in lines_of(session_of(scene)) if raw]
    for raw in chance.sample(recorded, 25):
        other = json.dumps(shuffled(json.loads(raw), chance), separators=separators, ensure_ascii=escaped).encode()
        assert hear(other) == hear(raw)


def test_the_look_at_the_bytes_spares_most_lines():
    """Of the recorded lines, fewer than a third are parsed; the rest is told apart by its bytes."""
    recorded = [raw for scene in SPOKEN for raw in lines_of(session_of(scene)) if raw]
    assert sum(map(may_speak, recorded)) < len(recorded) / 3
