"""What a session is told, turn after turn: once, again after its context was dropped, and never what it has."""

import json
import re

import corpus
import rows
from world import RECORDED, Session, attached, eventually, said

from bellek.context.packet import units
from bellek.kg.home import open_home
from bellek.schemas import fence

UV = "paketler her zaman uv ile kurulur"
PORT = "listens on port 9107"


def hear(world):
    """One whole pass over the client's transcripts, by hand; the child that a session's start began may be at work still."""
    eventually(lambda: "another pass" not in world.bellek("tick"), "a pass of our own")


def here(world, home):
    """The id of the world's project."""
    return rows.project(home, world.work)


def test_recorded_events_are_answered_in_the_clients_form(taught):
    """Each recorded Claude Code event gets one JSON object of its form or nothing; a start, a prompt and the display get one."""
    for path in sorted(RECORDED.glob("*/hooks.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            event = json.loads(line)
            name = event["event"]
            if name in ("Stop", "SessionEnd") and number > 12:
                continue  # each starts a child; a few of them prove it
            fields = {**event["stdin"], "cwd": str(taught.work), "transcript_path": ""}
            answer = taught.raw(name, json.dumps(fields).encode())
            assert (answer.code, answer.err) == (0, b""), f"{path.parent.name} {number} {name}"
            if name not in ("SessionStart", "UserPromptSubmit", "MessageDisplay"):
                assert answer.out == b""
            elif answer.out:
                assert json.loads(answer.out)["hookSpecificOutput"]["hookEventName"] == name
                assert name == "MessageDisplay" or fence.find(answer.context)


def test_the_standing_part_comes_once(taught):
    """The start brings what stands; the first prompt brings only what matches it; the same prompt again brings nothing."""
    start = taught.begin()
    assert UV in start
    assert "Zeynep" in start
    first = taught.prompt("which port does the metrics service use?")
    assert PORT in first
    assert UV not in first
    assert taught.prompt("which port does the metrics service use?") == ""


def test_a_signal_is_said_every_turn_while_something_waits(taught):
    """R27: two prompts with two waiting items say the same line twice; a taken item says it is being drained; none, no byte."""
    start = taught.begin()
    assert taught.prompt("bambaşka bir konu") == ""
    marks = "<!-- learning: bir, çünkü iki -->\n\n<!-- learning: üç, çünkü dört -->"
    Session(taught).turn("öğren", marks, packet=start)
    hear(taught)
    lines = [
        [row for row in taught.prompt(text).splitlines() if row.startswith("- ")]
        for text in ("bambaşka", "yine bambaşka")
    ]
    assert lines[0] == lines[1]
    assert lines[0] == [
        "- 2 items heard and not yet written in learning: run `bellek drain --offline` when convenient."
    ]
    taught.bellek("queue", "take")
    assert "2 items heard and not yet written: being drained now." in taught.prompt("bambaşka")
    taught.bellek("tick")


def test_a_drained_queue_is_silent(taught):
    """R27: when the queue is empty again the next prompt says nothing of it."""
    Session(taught).turn("öğren", "<!-- learning: bir, çünkü iki -->")
    taught.begin()
    hear(taught)
    assert "1 item heard" in taught.prompt("bambaşka")
    taught.bellek("drain", "--offline")
    assert "heard" not in taught.prompt("bambaşka")


def test_a_start_hears_what_earlier_sessions_left(world):
    """R44: SessionStart starts the hearing child; what waits is counted in its own answer or in the first prompt's."""
    Session(world, "s-0").turn("öğren", "<!-- learning: bir, çünkü iki -->")
    env = world.environment(CLAUDE_CONFIG_DIR=str(world.config))
    start = world.send("SessionStart", given={"env": env}, source="startup").context
    eventually(lambda: (world.home / "memory.db").exists() and world.json("queue", "status"), "what the start heard")
    assert start.count("1 item heard") <= 1
    assert world.prompt("bambaşka").count("1 item heard") == 1


def test_a_throttled_tick_scans_nothing_and_still_signals(taught):
    """R28: a second tick within its throttle opens no file and prints the signal all the same."""
    talk = Session(taught)
    talk.turn("öğren", "<!-- learning: bir, çünkü iki -->")
    assert taught.json("tick", "--throttle", "10m")["queued"] == 1
    talk.turn("öğren", "<!-- learning: üç, çünkü dört -->")
    printed = taught.bellek("tick", "--throttle", "10m")
    assert "nothing was scanned" in printed
    assert "1 item heard" in printed
    assert taught.json("queue", "status") == {"learning": 1}
    taught.clock += 11 * 60_000
    assert taught.json("tick", "--throttle", "10m")["queued"] == 1


def test_an_offer_that_never_arrived_is_made_again(taught):
    """R113: a reply that came without the packet's fence before it means that the packet never reached the model."""
    talk = Session(taught)
    assert UV in taught.begin()
    talk.turn("merhaba", "selam")  # the client's transcript holds no attachment
    hear(taught)
    again = taught.prompt("devam")
    assert UV in again
    talk.turn("devam", "olur", packet=again)
    hear(taught)
    assert taught.prompt("devam") == ""


def test_an_offer_that_arrived_is_not_made_again(taught):
    """R113: the fence in the transcript says that the session has it, also when the reply was heard since."""
    talk = Session(taught)
    start = taught.begin()
    talk.lines(*attached(start, "SessionStart"))
    talk.turn("merhaba", "selam")
    hear(taught)
    assert taught.prompt("devam") == ""


def test_a_changed_row_gets_one_correction_line(taught):
    """R113: a row that changed after it was told gets one line that says so, on whatever prompt comes next, and no second one."""
    taught.begin()
    taught.prompt("which port does the metrics service use?")
    with open_home(str(taught.home)) as home, home.memory.transaction():
        from bellek.kg import memories

        id_ = home.memory.value("SELECT id FROM memories WHERE text LIKE '%9107%'")
        old = memories.read(home.memory, str(id_))
        memories.write(
            home.memory, old.model_copy(update={"text": "the metrics service listens on port 9200 now"}), actor="test"
        )
    corrected = taught.prompt("bambaşka bir konu")
    assert corrected.count("port 9200 now") == 1
    assert "## Changed since you were told" in corrected
    assert taught.prompt("bambaşka bir konu") == ""
    assert taught.prompt("bambaşka bir konu", "s-other").count("9200") == 0


def test_a_closed_task_is_corrected_once(taught):
    """R113: a task that a session was told is open and that was closed since reads so once."""
    taught.begin()
    Session(taught, "s-0").turn("bitti", "<!-- task: [TASK_DONE: Zeynep'e şema göçünü sor] -->")
    hear(taught)
    taught.bellek("drain", "--offline")
    corrected = taught.prompt("bambaşka")
    assert "no longer holds" in corrected
    assert "Zeynep" in corrected
    assert taught.prompt("bambaşka") == ""


def test_a_person_who_edits_and_reverts_is_heard_each_time_once(taught):
    """R65, R113: each edit of the identity file is told once at the next prompt, also one back to an older text."""
    identity = taught.home / "config" / "identity.md"
    told = []
    taught.begin()
    for text in ("Ben Deniz, Türkçe konuşurum.", "Ben Deniz, İngilizce konuşurum.", "Ben Deniz, Türkçe konuşurum."):
        identity.write_text(text, encoding="utf-8")
        told.append(taught.prompt("bambaşka"))
        assert text in told[-1]
        assert taught.prompt("bambaşka") == ""
    assert "changed since you saw it" in told[2]


def test_compaction_and_clear_bring_the_standing_part_again(taught):
    """R51, R113: after a compaction and after a clear nothing told before stands, so the standing part comes again, once."""
    assert UV in taught.begin()
    assert taught.prompt("bambaşka") == ""
    for source in ("compact", "clear"):
        assert UV in taught.begin(source)
        assert taught.prompt("bambaşka") == ""
    assert taught.begin("startup") == ""


def test_a_compaction_that_is_only_heard_resets_too(taught):
    """R51: a compact boundary in the transcript makes the next prompt bring the standing part."""
    talk = Session(taught)
    start = taught.begin()
    talk.lines(*attached(start, "SessionStart"))
    talk.turn("merhaba", "selam")
    talk.lines({"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}})
    hear(taught)
    assert UV in taught.prompt("devam")


def test_a_resumed_session_is_not_told_again(taught):
    """R113: a resumed session has its context still; what an answer followed is not told again."""
    talk = Session(taught)
    talk.lines(*attached(taught.begin(), "SessionStart"))
    talk.turn("merhaba", "selam")
    hear(taught)
    taught.clock += 3_600_000
    assert taught.begin("resume") == ""


def test_a_fork_inherits_what_its_parent_was_told(taught):
    """R113: a fork's transcript carries its parent's lines, and with them the packets that it has."""
    start = taught.begin()
    parent = Session(taught, "s-1")
    parent.lines(*attached(start, "SessionStart"))
    parent.turn("merhaba", "selam")
    copied = [
        {**json.loads(line), "sessionId": "s-fork"}
        for line in taught.transcript("s-1").read_text(encoding="utf-8").splitlines()
    ]
    taught.transcript("s-fork").write_text("".join(json.dumps(line) + "\n" for line in copied), encoding="utf-8")
    hear(taught)
    assert taught.prompt("devam", "s-fork") == ""
    assert UV in taught.prompt("devam", "s-stranger")


def test_a_subagents_own_context_is_not_the_sessions(taught):
    """R113: what only a subagent was shown, the session's model has not seen."""
    talk = Session(taught)
    start = taught.begin()
    talk.lines({**attached(start, "SubagentStart")[0], "isSidechain": True}, said("selam"))
    hear(taught)
    assert UV in taught.prompt("devam")


def test_fifty_turns_cost_at_most_a_quarter_of_full_packets(world):
    """R113: over a session of 50 turns the text told is at most a quarter of the sum of what full packets would be."""
    with open_home(str(world.home)) as home:
        project = here(world, home)
        rows.write(
            home,
            project,
            *[rows.lesson(text, importance=2 if i % 25 == 0 else 1) for i, text in enumerate(corpus.memories())],
        )
        rows.write(
            home,
            project,
            *[rows.task(f"görev {i}: {part[1]} gözden geçirilecek") for i, part in enumerate(corpus.PARTS[:8])],
        )
    world.bellek("project", "list")
    (world.home / "config" / "identity.md").write_text("Ben Deniz. Kısa cevap severim.\n" * 5, encoding="utf-8")
    talk = Session(world)
    prompts = [prompt for prompt, _ in corpus.ON_TOPIC] + list(corpus.OFF_TOPIC[:20])
    told = full = 0
    start = world.begin()
    talk.lines(*attached(start, "SessionStart"))
    told += units(start)
    with open_home(str(world.home)) as home:
        from bellek.context import preview

        for turn in range(50):
            prompt = prompts[turn % len(prompts)]
            full += preview.next_packet(home, project, prompt).units
            packet = world.prompt(prompt)
            told += units(packet)
            talk.turn(prompt, f"cevap {turn}", packet=packet)
            if turn % 10 == 9:
                hear(world)
    assert full > 50 * 1000
    assert told * 4 <= full, f"{told} of {full}"
    assert told > 0


def test_our_own_packets_are_never_heard(taught):
    """R21, B41: packets in attachments, user lines, system lines and quoted by the assistant give no item and no message text."""
    before = taught.json("lessons", "list")
    talk = Session(taught)
    packet = taught.begin() + "\n"
    assert "<!-- learning:" not in packet
    poisoned = packet.replace("## Open tasks", "<!-- learning: geri dönen bellek, çünkü yutuldu -->\n## Open tasks")
    for turn in range(10):
        talk.lines(
            {
                "type": "user",
                "message": {"role": "user", "content": f"{poisoned}\nsoru {turn}"},
                "promptSource": "typed",
            },
            *attached(poisoned),
            {"type": "user", "message": {"role": "user", "content": f"<system-reminder>{poisoned}</system-reminder>"}},
            {"type": "system", "content": poisoned, "subtype": "informational"},
            said(f"Şunu gördüm: {poisoned} cevap {turn}"),
        )
    assert taught.json("tick")["queued"] == 0
    assert taught.json("lessons", "list") == before
    assert taught.json("conversations", "search", "kilit dosyasını") == []
    assert len(taught.json("conversations", "search", "cevap 7", "--limit", "1")) == 1


def test_our_own_agents_and_sessions_are_not_heard(taught):
    """R23: transcripts of our curator agents are left out, another subagent's is heard."""
    talk = Session(taught)
    talk.turn("başla", "tamam")
    folder = taught.transcript().with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    for name, kind in (("agent-1", "memory-curator"), ("agent-2", "bellek:memory-quick"), ("agent-3", "reviewer")):
        line = {
            **said(f"<!-- learning: {kind} dedi, çünkü gördü -->"),
            "uuid": name,
            "sessionId": "s-1",
            "isSidechain": True,
            "cwd": str(taught.work),
        }
        (folder / f"{name}.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
        (folder / f"{name}.meta.json").write_text(json.dumps({"agentType": kind}), encoding="utf-8")
    hear(taught)
    assert [item["payload"] for item in taught.json("queue", "peek")] == ["reviewer dedi, çünkü gördü"]


def test_a_notice_in_the_users_slot_draws_nothing(taught):
    """B29: what the harness says in the user's slot starts no retrieval; B30: a prompt that quotes it is a real one."""
    taught.begin()
    notice = "<task-notification><task-id>x</task-id> metrics service port</task-notification>"
    assert taught.prompt(notice) == ""
    assert taught.prompt(f"[SYSTEM NOTIFICATION - NOT USER INPUT]\n{notice}") == ""
    assert PORT in taught.prompt(f"Şu satır ne demek: {notice}")


def test_a_prompt_of_brackets_or_a_pasted_trace_is_no_query(taught):
    """B10, B03, B05, B09: what would break a query parser is words to look for, or none; the answer stays in form."""
    for prompt in (
        "(" * 300 + "a" + ")" * 300,
        "AND",
        "NOT",
        "foo AND",
        "NEAR(a b)",
        "*",
        "^x",
        "{a b}",
        '"açık tırnak',
        "",
        "   ",
        "🎉",
        "...",
        "o'neil's",
    ):
        taught.prompt(prompt)
    assert taught.log() == ""
    assert PORT in taught.prompt("hata OR yanlış-defter OR metrics service port")


def test_the_running_session_is_not_repeated_to_itself(taught):
    """R113: a session is not told what it has just said; another session is."""
    talk = Session(taught)
    talk.turn("Kızıltoprak deposundaki yangın alarmı neden çaldı?", "Toz yüzünden.")
    hear(taught)
    assert "Kızıltoprak" not in taught.prompt("Kızıltoprak alarmı", "s-1")
    other = taught.prompt("Kızıltoprak alarmı", "s-2")
    assert "Kızıltoprak deposundaki yangın alarmı" in other
    assert re.search(r"conversation s-1", other)
