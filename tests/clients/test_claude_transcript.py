"""What is heard in the lines of real Claude Code transcripts, and what is not."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bellek.clients.claude_transcript import MAIN_AGENT, LineRules, may_speak, read_line
from bellek.schemas.conversation import Compacted, Damaged, PacketSeen, Said, ToolPath, ToolUse

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


def user_line(content="Merhaba", **keys):
    """A user line as 2.1.332 writes it for a person at the terminal."""
    line = {
        "parentUuid": None,
        "isSidechain": False,
        "type": "user",
        "message": {"role": "user", "content": content},
        "uuid": "u-1",
        "timestamp": "2026-11-30T12:30:43.653Z",
        "origin": {"kind": "human"},
        "promptSource": "typed",
        "turnOrigin": "human",
        "entrypoint": "cli",
        "cwd": "/proj",
        "sessionId": "s-1",
    }
    return {key: value for key, value in {**line, **keys}.items() if value is not ...}


def assistant_line(*blocks, **keys):
    """An assistant line with the given blocks; a string is a text block."""
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    line = {"type": "assistant", "message": {"content": content}, "uuid": "a-1", "sessionId": "s-1", "cwd": "/proj"}
    return {**line, **keys}


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


def test_tool_calls_that_name_a_path_are_told_with_their_line():
    """R15: a tool event has session, folder, tool, path and the line it stands in; calls without a path are not told."""
    uses = [event for event in heard(session_of("basic")) if isinstance(event, ToolUse)]
    assert [(use.tool, use.path, use.cwd) for use in uses] == [("Read", "/proj/a.txt", "/proj")]
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
    (bare,) = hear(assistant_line("x", isSidechain=True))
    assert bare.agent == "subagent"


# Who typed

MARKS = [
    ({}, True, False),
    ({"turnOrigin": ..., "origin": ...}, True, False),
    ({"promptSource": "sdk", "turnOrigin": "sdk", "origin": ..., "entrypoint": "sdk-cli"}, False, True),
    ({"promptSource": "typed", "turnOrigin": "sdk"}, False, True),
    ({"promptSource": "typed", "origin": {"kind": "peer"}}, False, True),
    ({"promptSource": ..., "turnOrigin": ..., "origin": ...}, True, False),
    ({"promptSource": ..., "turnOrigin": "sdk"}, False, True),
    ({"promptSource": ..., "turnOrigin": ..., "origin": ..., "entrypoint": "sdk-cli"}, False, True),
    ({"promptSource": ..., "turnOrigin": ..., "origin": ..., "entrypoint": ...}, False, False),
    ({"promptSource": ..., "entrypoint": ...}, False, False),
    ({"promptSource": "yarın icat edilen"}, False, False),
]


@pytest.mark.parametrize(("keys", "typed", "machine"), MARKS)
def test_typed_is_what_the_client_marks_and_nothing_else(keys, typed, machine):
    """The key promptSource decides; without it the terminal's entrypoint; without both nothing is typed; contradictions are no."""
    (said,) = hear(user_line(**keys))
    assert (said.typed, said.machine) == (typed, machine)
    assert said.origin == ("user" if typed else "agent")


@pytest.mark.parametrize("scene", ["v1.0.128", "v2.0.77", "v2.1.112", "story", "killed"])
def test_no_recorded_p_run_counts_as_typed(scene):
    """R23: prompts of `-p` runs are kept as text but never typed; from 2.1.112 on they are known as a machine's."""
    users = [event for event in heard(session_of(scene)) if isinstance(event, Said) and event.author == "user"]
    assert users
    assert {event.typed for event in users} == {False}
    assert {event.machine for event in users} == {scene not in ("v1.0.128", "v2.0.77")}


NOT_THE_USER = [
    {"content": "<task-notification><task-id>x</task-id>bitti</task-notification>"},
    {"content": "[SYSTEM NOTIFICATION - NOT USER INPUT]\n<task-notification>x"},
    {"content": "\n <command-name>/clear</command-name>"},
    {"content": "<local-command-stdout>çıktı</local-command-stdout>"},
    {"content": "<local-command-caveat>dikkat</local-command-caveat>"},
    {"content": "<session-start-hook>bağlam</session-start-hook>"},
    {"content": "<user-prompt-submit-hook>bağlam</user-prompt-submit-hook>"},
    {"content": [{"type": "text", "text": "[Request interrupted by user]"}]},
    {"content": "bir başka sürümün notu", "promptSource": "system"},
    {"content": "bir başka sürümün notu", "origin": {"kind": "task-notification"}},
    {"content": "özet", "isCompactSummary": True},
    {"content": "not", "isMeta": True},
    {"content": "bağlam", "isVisibleInTranscriptOnly": True},
    {"content": "alt görev", "isSidechain": True},
    {"content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "çıktı"}]}]},
    {"content": "  \n"},
]


@pytest.mark.parametrize("keys", NOT_THE_USER)
def test_notices_in_the_users_slot_are_not_the_user(keys):
    """B29: what the harness puts into the user's slot, in any of its forms, is not speech."""
    assert hear(user_line(**keys)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Şu satır ne demek: <task-notification> görüyorum",
        "Neden <command-name> yazıyor? [SYSTEM NOTIFICATION da var",
        "What is <local-command-stdout> for?",
    ],
)
def test_a_prompt_that_quotes_a_notice_is_a_prompt(text):
    """B30: the marks of a notice count at the start only."""
    (said,) = hear(user_line(text))
    assert (said.text, said.typed) == (text, True)


# Damage and odd bytes


def test_half_an_emoji_becomes_a_replacement_character():
    """B18: a lone surrogate is replaced at the boundary and the marker beside it is heard."""
    raw = rb'{"type":"assistant","message":{"content":[{"type":"text","text":"x \ud83d <!-- learning: a -->"}]}}'
    (said,) = hear(raw)
    assert said.text == "x \ufffd <!-- learning: a -->"
    said.text.encode("utf-8")


def test_a_nul_becomes_a_replacement_character():
    """B19: an escaped NUL neither ends the text nor the run."""
    (said,) = hear(
        rb'{"type":"assistant","message":{"content":[{"type":"text","text":"\u00f6nce\u0000sonra <!-- learning: n -->"}]}}'
    )
    assert said.text == "önce\ufffdsonra <!-- learning: n -->"


def test_bytes_that_are_not_utf8_cost_only_themselves():
    """A stray byte becomes U+FFFD; the line is heard."""
    (said,) = hear(b'{"type":"assistant","message":{"content":[{"type":"text","text":"a\xff b"}]}}')
    assert said.text == "a\ufffd b"


@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"assistant","mess',
        b'{"type":"assistant","te{"type":"user","message":{"content":"merhaba"}}',
        b'{"type":"attachment","attachment":{"type":"skill_listing","con',
        b'{"type":"api-request-blob","mess{"parentUuid":null,"type":"user","message":{"content":"merhaba"}}',
        b"[1]",
        b'["user", {"text": 1}]',
        b"\xff\xfe",
        b'{"type":"user","text":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    ],
)
def test_a_broken_line_is_reported_with_its_place(raw):
    """B23, B24: torn, fused, alien and absurdly nested lines are one Damaged each, with number and offset, no words."""
    (damaged,) = hear(raw)
    assert isinstance(damaged, Damaged)
    assert (damaged.line_number, damaged.byte_offset) == (7, 70)
    assert "merhaba" not in damaged.why


@pytest.mark.parametrize(
    "line",
    [
        "",
        "  \r",
        '{"type":"turn_ended","status":"aborted"}',
        '{"type":"system","subtype":"turn_duration","content":"user"}',
        '{"type":"bilinmeyen","message":{"role":"user","content":"x"}}',
        '{"no":"type","x":"user","text":"t"}',
        '{"type":["user"],"text":"t"}',
        '{"type":"user","message":"text"}',
        '{"type":"assistant","message":{"content":[{"type":"text","text":5},"text",null]}}',
        '{"type":"attachment","attachment":{"type":"skill_listing","redacted":true}}',
    ],
)
def test_what_is_unknown_or_empty_is_passed_over_without_noise(line):
    """B28, B36: unknown types, stubs, missing and odd keys give no event and no damage."""
    assert hear(line) == ()


def test_a_pasted_picture_leaves_only_the_words():
    """B31: of a line with a 200 KB image the text is heard, and no byte of the image is kept."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD" * 51200}}
    (said,) = hear(user_line([image, {"type": "text", "text": "Bu ekranda ne var?"}]))
    assert said.text == "Bu ekranda ne var?"
    assert "QUJD" not in repr(said)


@pytest.mark.parametrize(
    "keys", [{"isApiErrorMessage": True}, {"message": {"model": "<synthetic>", "content": "hata"}}]
)
def test_an_api_error_is_nobodys_words(keys):
    """A client's own error text in the assistant's slot is not speech."""
    assert hear(assistant_line("API Error: 400", **keys)) == ()


def test_text_and_calls_of_one_line_are_one_said_and_its_tool_uses():
    """All text blocks of a line are joined; thinking is left out; the line's paths stand in both events."""
    call = {"type": "tool_use", "id": "t-1", "name": "Edit", "input": {"file_path": "/p/a.py"}}
    odd = {"type": "tool_use", "name": "Glob", "input": {"path": "/p"}}
    said, first, second = hear(assistant_line({"type": "thinking", "thinking": "gizli"}, "bir", call, "iki", odd))
    assert said.text == "bir\niki"
    assert said.paths == (ToolPath("Edit", "/p/a.py"), ToolPath("Glob", "/p"))
    assert (first.id, first.message, second.id) == ("t-1", "a-1", "a-1#4")


def test_a_line_without_an_id_gets_a_stable_one():
    """R14: where a line has no uuid, equal bytes of a session give the same id on every pass, others another."""
    line = assistant_line("söz", uuid=None)
    one, again, other = hear(line)[0], hear(line)[0], hear({**line, "cwd": "/q"})[0]
    assert one.id == again.id != other.id
    assert hear(json.dumps(line) + "\n")[0].id == hear(json.dumps(line))[0].id


def test_a_line_without_a_session_belongs_to_its_files_session():
    """A missing sessionId is filled from the file, a missing time is 0, a missing folder is empty."""
    (said,) = hear('{"type":"user","message":{"content":"merhaba"}}')
    assert (said.session, said.at, said.cwd, said.parent) == ("dosyanın-oturumu", 0, "", None)


@pytest.mark.parametrize(
    ("stamp", "at", "offset"),
    [
        ("1970-01-01T00:00:01.005Z", 1005, None),
        ("1970-01-01T03:00:01.005+03:00", 1005, 180),
        ("1970-01-01T00:00:01", 1000, None),
        ("dün", 0, None),
        (5, 0, None),
    ],
)
def test_times_are_utc_milliseconds_with_the_writers_offset(stamp, at, offset):
    """Instants are exact to the millisecond; the offset is kept where the writer tells one; nonsense is 0."""
    (said,) = hear(user_line(timestamp=stamp))
    assert (said.at, said.offset_minutes) == (at, offset)


def test_the_folder_of_each_line_is_its_own():
    """B131: two lines of one transcript folder keep the two folders that they name."""
    cwds = [hear(user_line(cwd=cwd))[0].cwd for cwd in ("/home/u/müze", "/home/u/möze")]
    assert cwds == ["/home/u/müze", "/home/u/möze"]


# Our own words and other memories

PACKET = '<bellek-memory id="p-1">\nWISDOM: uv kullan <!-- learning: yankı -->\n</bellek-memory>'


@pytest.mark.parametrize("line", [user_line, assistant_line])
def test_our_own_packet_is_never_heard(line):
    """B41, R21: what stands inside our fence is left out of anybody's text; around it everything is kept."""
    (said,) = hear(line(f"önce {PACKET} sonra"))
    assert said.text == "önce  sonra"
    assert hear(line(PACKET)) == ()


def test_blocks_of_other_memories_are_not_the_prompt():
    """B42: listed foreign blocks are cut from the user's text, the list can be longer, and the assistant may quote them."""
    block = "<hindsight_memories>eski</hindsight_memories><claude-mem-context>x</claude-mem-context>"
    (said,) = hear(user_line(f"{block}\nPortu değiştir <benim-belleğim>y</benim-belleğim>"))
    assert said.text == "Portu değiştir <benim-belleğim>y</benim-belleğim>"
    longer = LineRules(RULES.find_packets, RULES.strip, foreign=("benim-belleğim",))
    assert hear(user_line("<benim-belleğim>y</benim-belleğim>"), longer) == ()
    assert hear(assistant_line(block))[0].text == block


def hook_line(attachment, **keys):
    """An attachment line as 2.1.332 writes it."""
    line = {"parentUuid": "p", "isSidechain": False, "attachment": attachment, "type": "attachment", "uuid": "x"}
    return {**line, "timestamp": "1970-01-01T00:00:01Z", "sessionId": "s-1", **keys}


SHOWN = [
    hook_line({"type": "hook_additional_context", "content": [PACKET], "hookEvent": "UserPromptSubmit"}),
    hook_line({"type": "hook_success", "stdout": f"not\n{PACKET}"}),
    hook_line(
        {"type": "hook_success", "stdout": json.dumps({"hookSpecificOutput": {"additionalContext": PACKET}}) + "\n"}
    ),
    user_line(f"<user-prompt-submit-hook>{PACKET}</user-prompt-submit-hook>", isVisibleInTranscriptOnly=True),
    user_line(f"<session-start-hook>{PACKET}</session-start-hook>"),
    user_line([{"type": "text", "text": f"<system-reminder>\n{PACKET}\n</system-reminder>"}], isMeta=True),
]


@pytest.mark.parametrize("line", SHOWN)
def test_a_packet_that_the_model_was_given_is_seen(line):
    """R113: our fence in a hook's context, its output, an old client's echo or a reminder is one PacketSeen, no speech."""
    (seen,) = hear(line)
    assert (seen.packet, seen.session) == ("p-1", "s-1")
    assert isinstance(seen, PacketSeen)


NOT_SHOWN = [
    user_line(f"Bunu sen mi yazdın? {PACKET}"),
    user_line([{"type": "tool_result", "tool_use_id": "t", "content": PACKET}]),
    hook_line({"type": "hook_additional_context", "content": [PACKET]}, isSidechain=True),
    hook_line({"type": "hook_success", "stdout": json.dumps({"systemMessage": PACKET})}),
    hook_line({"type": "hook_non_blocking_error", "stdout": PACKET}),
]


@pytest.mark.parametrize("line", NOT_SHOWN)
def test_a_packet_that_is_only_quoted_is_not_seen(line):
    """R113: a paste, a tool's result, a subagent's context or a message to the screen does not count as seen."""
    assert not [event for event in hear(line) if isinstance(event, PacketSeen)]


def test_a_prompt_with_a_reminder_beside_it_is_both():
    """Older clients glue the context to the prompt: the packet is seen and the prompt is heard without it."""
    seen, said = hear(user_line(f"<system-reminder>{PACKET}</system-reminder>\nDevam et"))
    assert (seen.packet, said.text, said.typed) == ("p-1", "Devam et", True)


# Laws


def shuffled(value, chance):
    """The same JSON value with the keys of every object in another order."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value


@settings(max_examples=30)
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


WEIRD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "kind", "text"]), inner),
    max_leaves=5,
)
KEYS = [
    *("type", "message", "uuid", "parentUuid", "sessionId", "timestamp", "cwd", "isSidechain", "agentId"),
    *("attributionAgent", "isMeta", "origin", "promptSource", "turnOrigin", "entrypoint", "attachment", "subtype"),
]
KINDS = st.sampled_from(["user", "assistant", "attachment", "system"])


@given(st.dictionaries(st.sampled_from(KEYS), WEIRD), KINDS, st.booleans())
def test_no_line_raises_and_all_text_can_be_stored(line, kind, deep):
    """Whatever stands at the known keys, reading answers, and every text it gives is UTF-8 without NUL."""
    line = {**line, "type": kind}
    if deep:
        line["message"] = {"content": [{"type": "text", "text": line.get("cwd")}, {"type": "tool_use", **line}]}
    for event in hear(json.dumps(line).encode()):
        assert "\0" not in repr(event)
        for name in event.__dataclass_fields__:
            str(getattr(event, name)).encode("utf-8")


@given(st.binary(max_size=200), st.sampled_from([b"", b'{"type":"user","message":{"content":"text', b'"user"text"']))
def test_no_bytes_raise(tail, head):
    """A line of any bytes gives events or one Damaged, never an exception."""
    assert isinstance(hear(head + tail), tuple)
