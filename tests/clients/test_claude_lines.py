"""What is heard in single Claude Code lines: whose words, broken bytes, our own packets and other memories."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bellek.clients.claude_transcript import LineRules, read_line
from bellek.schemas.conversation import Damaged, PacketSeen, ToolPath

FENCE = re.compile(r'<bellek-memory id="([^"]+)">.*?</bellek-memory>', re.DOTALL)
RULES = LineRules(
    find_packets=lambda text: [match[1] for match in FENCE.finditer(text)],
    strip=lambda text: FENCE.sub("", text),
    session="dosyanın-oturumu",
)


def hear(raw, rules=RULES):
    """The events of one line, given as bytes, text or an object."""
    if not isinstance(raw, bytes):
        raw = (raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)).encode()
    return read_line(raw, number=7, offset=70, rules=rules)


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


# Who typed

MARKS = [
    ({}, True, False),
    ({"turnOrigin": ..., "origin": ...}, True, False),
    ({"promptSource": "sdk", "turnOrigin": "sdk", "origin": ..., "entrypoint": "sdk-cli"}, False, True),
    ({"promptSource": "typed", "turnOrigin": "sdk"}, False, True),
    ({"promptSource": "typed", "origin": {"kind": "peer"}}, False, True),
    ({"promptSource": ..., "turnOrigin": ..., "origin": ...}, True, False),
    ({"promptSource": ..., "turnOrigin": ..., "origin": ..., "rowSource": "local"}, False, False),
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
    {
        "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}, {"type": "text", "text": "not"}],
        "promptSource": ...,
    },
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
        b'{"parentUuid":"a","type":"user","message":{"content":[{"type":"tool_result","co{"parentUuid":"b","x":"user"}}',
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


def test_an_assistant_is_heard_beside_a_tool_result_of_its_own():
    """Only the user's slot falls silent beside a tool result: a tool that ran at the vendor answers in the assistant's."""
    (said,) = hear(assistant_line({"type": "tool_result", "content": "çıktı"}, "Buldum."))
    assert said.text == "Buldum."


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


BESIDE = [
    {"type": "tool_result", "tool_use_id": "t", "content": "x"},
    {"type": "text", "text": f"<system-reminder>{PACKET}</system-reminder>"},
]
SHOWN = [
    user_line(BESIDE),
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


@settings(deadline=None)
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


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from([b"", b'{"type":"user","message":{"content":"text', b'"user"text"']))
def test_no_bytes_raise(tail, head):
    """A line of any bytes gives events or one Damaged, never an exception."""
    assert isinstance(hear(head + tail), tuple)
