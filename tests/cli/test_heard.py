"""Transcripts that have broken other readers, end to end: file → `tick` → queue, as a person would see it."""

import json
import os
import subprocess
import sys
import zlib

import pytest
from world import PROGRAM, RECORDED, Session, said

WHY = ", çünkü öyle"


def assistant(text):
    """A bare assistant line."""
    return json.dumps(
        {
            "type": "assistant",
            "uuid": f"u-{zlib.crc32(text.encode())}",
            "message": {"content": [{"type": "text", "text": text}]},
        },
        ensure_ascii=False,
    )


def write(world, *lines, name="s-1", end="\n"):
    """A transcript of these very lines, its working folder added to each object that has none."""
    path = world.transcript(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    cwd = json.dumps(str(world.work), ensure_ascii=False)
    full = [
        line.replace('{"type"', '{"cwd": ' + cwd + ', "type"', 1) if line.startswith('{"type"') else line
        for line in lines
    ]
    path.write_text("\n".join(full) + end, encoding="utf-8")
    return path


def queued(world):
    """The payloads that wait."""
    return [item["payload"] for item in world.json("queue", "peek")]


def test_b18_a_half_emoji(world):
    """B18: a lone surrogate in a transcript becomes U+FFFD; the learning is queued and the rest of the file is heard."""
    line = '{"type":"assistant","uuid":"u1","message":{"content":[{"type":"text","text":"x \\ud83d <!-- learning: a \\ud83d çünkü b -->"}]}}'
    write(world, line, assistant(f"<!-- learning: sonra{WHY} -->"))
    assert world.json("tick")["queued"] == 2
    assert sorted(queued(world)) == ["a \ufffd çünkü b", f"sonra{WHY}"]


def test_b19_a_nul(world):
    """B19: a NUL is replaced, the learning is queued once, and the next file is heard."""
    line = '{"type":"assistant","uuid":"u1","message":{"content":[{"type":"text","text":"önce\\u0000sonra <!-- learning: NUL kaldı çünkü grep ikili okudu -->"}]}}'
    write(world, line)
    write(world, assistant(f"<!-- learning: öteki{WHY} -->"), name="s-2")
    world.bellek("tick")
    assert sorted(queued(world)) == sorted(["NUL kaldı çünkü grep ikili okudu", f"öteki{WHY}"])
    assert "önce\ufffdsonra" in world.json("conversations", "search", "önce")[0]["text"]


def test_b23_b24_torn_lines(world):
    """B23, B24: a cut line and two records on one line are reported with their numbers; what follows is heard."""
    write(
        world,
        assistant(f"<!-- learning: ilk{WHY} -->"),
        '{"type":"assistant","mess',
        '{"type":"assistant","te{"type":"user","message":{"content":"merhaba"}}',
        assistant(f"<!-- learning: son{WHY} -->"),
    )
    result = world.json("tick")
    assert sorted(queued(world)) == [f"ilk{WHY}", f"son{WHY}"]
    assert [any(f"line {number}" in note for note in result["notes"]) for number in (2, 3)] == [True, True]
    assert world.json("tick")["notes"] == []
    assert "line 2" in world.bellek("status")


def test_b25_a_half_written_last_line(world):
    """B25: a line that is not finished is left for the next pass and then heard exactly once."""
    path = write(world, assistant("önce"))
    line = {**json.loads(assistant(f"<!-- learning: ğüşiöç{WHY} -->")), "cwd": str(world.work)}
    raw = (json.dumps(line, ensure_ascii=False) + "\n").encode()
    for part in (raw[: len(raw) * 6 // 10], raw[len(raw) * 6 // 10 :]):
        with path.open("ab") as file:
            file.write(part)
        world.bellek("tick")
    world.bellek("tick")
    assert queued(world) == [f"ğüşiöç{WHY}"]


def test_b26_a_replaced_file(world):
    """B26: a shorter file under the same name is read anew; what it repeats is not queued twice."""
    write(world, *[assistant(f"<!-- learning: {i}. uzun kural{WHY} -->") for i in range(10)])
    assert world.json("tick")["queued"] == 10
    write(world, assistant(f"<!-- learning: 3. uzun kural{WHY} -->"), assistant(f"<!-- learning: yeni{WHY} -->"))
    assert world.json("tick")["queued"] == 1
    assert len(queued(world)) == 11


def test_b27_a_reply_that_comes_after_the_stop(world):
    """B27: a Stop before the final line is no fault; the next pass takes the line."""
    path = write(world, json.dumps({"type": "user", "uuid": "u", "message": {"content": "soru"}}))
    world.send("Stop", last_assistant_message=f"<!-- learning: geç{WHY} -->")
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**json.loads(assistant(f"<!-- learning: geç{WHY} -->")), "cwd": str(world.work)}) + "\n")
    for _ in range(2):
        world.bellek("tick", "--file", str(path))
    assert queued(world) == [f"geç{WHY}"]
    assert world.json("status")["notices"] == []


def test_b28_other_lines_behind_the_reply(world):
    """B28: system, attachment and unknown lines behind a reply hide nothing and say nothing."""
    write(
        world,
        assistant(f"<!-- learning: a{WHY} -->"),
        '{"type":"system","subtype":"turn_duration"}',
        '{"type":"attachment","attachment":{"type":"date"}}',
        '{"type":"brand-new","x":[1]}',
    )
    assert world.json("tick")["notes"] == []
    assert queued(world) == [f"a{WHY}"]


@pytest.mark.parametrize(
    "notice",
    [
        "<task-notification><task-id>x</task-id> zürafa",
        "[SYSTEM NOTIFICATION - NOT USER INPUT]\n<task-notification> zürafa",
    ],
)
def test_b29_b30_notices_in_the_users_slot(world, notice):
    """B29, B30: a notice is not the person's word; a prompt that quotes one is."""
    talk = Session(world)
    talk.turn(notice, "tamam")
    world.bellek("tick")
    assert world.json("conversations", "search", "zürafa") == []
    talk.turn("Şu satır ne demek: <task-notification> zürafa", "bildirim")
    world.bellek("tick")
    assert "<task-notification> zürafa" in world.json("conversations", "search", "zürafa")[0]["text"]


def test_b31_a_pasted_image(world):
    """B31: a 200 KB image in the first line costs no marker and is not stored."""
    image = {"type": "image", "source": {"type": "base64", "data": "QUJD" * 50_000}}
    line = {
        "type": "user",
        "uuid": "u",
        "promptSource": "typed",
        "message": {"content": [image, {"type": "text", "text": "bu ne zürafa?"}]},
    }
    write(world, json.dumps(line), assistant(f"<!-- learning: a{WHY} -->"))
    world.bellek("tick")
    assert queued(world) == [f"a{WHY}"]
    assert b"QUJDQUJD" not in (world.home / "conversations.db").read_bytes()


def test_b32_a_large_transcript(world):
    """B32: in 40 MB each of two markers is queued once, memory stays bounded, and the second pass opens nothing."""
    filler = json.dumps({"type": "progress", "data": "x" * 100_000})
    path = write(
        world, assistant(f"<!-- learning: baş{WHY} -->"), *[filler] * 400, assistant(f"<!-- learning: son{WHY} -->")
    )
    assert path.stat().st_size > 40_000_000
    # VmHWM begins anew with the program; ru_maxrss would carry over what this test process holds.
    code = (
        "import runpy, sys; sys.argv = ['bellek', 'tick', '--home', sys.argv[1]]\n"
        "try: runpy.run_module('bellek', run_name='__main__')\n"
        "finally: print(open('/proc/self/status').read() if sys.platform == 'linux' else 'VmHWM: 0 kB')"
    )
    env = world.environment(PYTHONPATH=PROGRAM, CLAUDE_CONFIG_DIR=str(world.config))
    done = subprocess.run(
        [sys.executable, "-c", code, str(world.home)],
        capture_output=True,
        text=True,
        env=env,
        cwd=world.work,
        check=True,
    )
    (peak,) = [line for line in done.stdout.splitlines() if line.startswith("VmHWM")]
    assert int(peak.split()[1]) < 160_000
    assert sorted(queued(world)) == [f"baş{WHY}", f"son{WHY}"]
    assert world.json("tick")["files"] == 0


def test_b36_a_stub_transcript(world):
    """B36: a transcript without a turn is passed over; the good one beside it is heard."""
    write(world, '{"type":"turn_ended","status":"aborted"}', name="s-0")
    write(world, assistant(f"<!-- learning: a{WHY} -->"))
    assert world.json("tick")["notes"] == []
    assert queued(world) == [f"a{WHY}"]


def test_b40_a_subagents_words(world):
    """B40: a subagent's marker is heard once, as the agent's own, never as the person's words."""
    talk = Session(world)
    talk.turn("başla", "tamam")
    folder = world.transcript().with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    prompt = {"type": "user", "uuid": "a-0", "isSidechain": True, "message": {"content": "zürafayı araştır"}}
    lines = [
        {**line, "sessionId": "s-1", "isSidechain": True, "cwd": str(world.work)}
        for line in (prompt, {**said(f"<!-- learning: a{WHY} -->"), "uuid": "a-1"})
    ]
    (folder / "agent-1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    world.bellek("tick")
    world.bellek("tick")
    (item,) = world.json("queue", "take")["items"]
    assert (item["payload"], item["origin"]) == (f"a{WHY}", "agent")
    assert world.json("conversations", "search", "zürafayı") == []


def test_b42_blocks_of_other_memories(world):
    """B42: what other memory plugins put into the person's slot is not the person's word."""
    Session(world).turn(
        "<hindsight_memories>zürafa bir</hindsight_memories>\n<claude-mem-context>zürafa iki</claude-mem-context>\nasıl soru: fil",
        "cevap",
    )
    world.bellek("tick")
    assert world.json("conversations", "search", "zürafa") == []
    assert world.json("conversations", "search", "fil")[0]["text"] == "asıl soru: fil"


MARKS = (
    ("B48", "Örnek:\n\n    <!-- learning: girintili -->\n", []),
    ("B49", "Şunu yazarım: `<!-- learning: x -->`", []),
    ("B49", "> <!-- learning: kullanıcıdan alıntı -->", []),
    ("B50", "**<!-- learning: kalın içinde çünkü -->**", ["kalın içinde çünkü"]),
    ("B51", "> ```md\n> örnek\n\n<!-- learning: gerçek çünkü alıntı bitti -->", ["gerçek çünkü alıntı bitti"]),
    ("B54", "<!-- learning: kapanmadı\nmetin\n<!-- learning: ikinci çünkü tamam -->", ["ikinci çünkü tamam"]),
    ("B55", "<!-- learning: " * 20_000, []),
)  # fmt: skip


@pytest.mark.parametrize(("case", "text", "wanted"), MARKS, ids=[f"{case}-{i}" for i, (case, _, _) in enumerate(MARKS)])
def test_b48_to_b55_marks_in_markdown(world, case, text, wanted):
    """B48, B49, B50, B51, B54, B55: from the transcript to the queue a mark in code or in a quotation is no mark, a wrapped one is."""
    Session(world).turn("soru", text)
    world.bellek("tick")
    assert queued(world) == wanted, case


def test_user_and_tool_text_is_never_queued(world):
    """R12: a marker in what the person pasted or a tool printed gives no item."""
    mark = f"<!-- learning: yapıştırma{WHY} -->"
    Session(world).lines(
        {"type": "user", "message": {"content": mark}, "promptSource": "typed"},
        {
            "type": "user",
            "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": mark}]},
            "toolUseResult": {"stdout": mark},
        },
        {"type": "assistant", "message": {"content": [{"type": "thinking", "thinking": mark}]}},
        {
            "type": "assistant",
            "message": {
                "content": [
                    {"type": "tool_use", "id": "t", "name": "Write", "input": {"content": mark, "file_path": "/a"}}
                ]
            },
        },
    )
    world.bellek("tick")
    assert queued(world) == []


def test_without_hooks_a_later_tick_hears_all(world):
    """R22: markers are inert while nothing is installed; `tick` by hand hears every recorded session later, once."""
    for path in sorted(RECORDED.glob("*/*.jsonl")):
        if path.name != "hooks.jsonl":
            target = world.config / "projects" / f"-{path.parent.name}" / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    first = world.json("tick")
    assert first["queued"] > 0
    assert world.json("tick")["queued"] == 0
    assert os.listdir(world.work) == []
