"""The shared log: one chain that no agent can deny, and what each still has to acknowledge."""

import subprocess
import sys

import pytest

from bellek.context import log_lines, preview
from bellek.curator import config, forgetting, shared
from bellek.curator.shared import Voice
from bellek.kg import audit, blast, clock, memories, registry, shared_log, unread
from bellek.kg.blast import Asked
from bellek.schemas.errors import NotFound, Refused

CLAUDE = Voice("claude-code", "claude-code", "agent:claude-code")
PI = Voice("pi", "pi", "agent:pi")


@pytest.fixture(autouse=True)
def _that_day(monkeypatch):
    """The day of the talks that are heard here, 10:00 UTC."""
    monkeypatch.setenv("BELLEK_CLOCK", "1796032800000")


@pytest.fixture
def here(home, tmp_path):
    """The id of a project."""
    with home.memory.transaction():
        return registry.register(home.memory, str(tmp_path))


def append(home, here, voice, text, type_="note", **more):
    """One entry in a transaction of its own."""
    with home.memory.transaction():
        return shared.append(home, here, voice, type_, text, **more)


def told(home, here, agent):
    """Ids of the entries that stand in an agent's packet."""
    return [line.id for line in log_lines.told(home.memory, here, agent, person=False)]


def test_an_entry_stands_for_others_until_they_acknowledge_it(home, here):
    """R75: A's entry stands in B's packet with the request to acknowledge it, not in A's own; B's acknowledgement is an entry and ends it."""
    entry = append(home, here, CLAUDE, "şema göçü bitti")
    assert (told(home, here, "pi"), told(home, here, "claude-code")) == ([entry.id], [])
    text = preview.next_packet(home, here, "", agent="pi").text
    assert f"[{entry.id}] şema göçü bitti (note by claude-code, claude-code, " in text
    assert f"not acknowledged by you in the shared log: {entry.id}. Acknowledge openly with `<!-- ack: ID -->`" in text
    with home.memory.transaction():
        ack = shared.acknowledge(home, here, PI, entry.id)
    assert told(home, here, "pi") == []
    assert "shared log" not in preview.next_packet(home, here, "", agent="pi").text
    assert [(row.id, row.type, row.about) for row in shared_log.listed(home.memory, here)] == [
        (entry.id, "note", ""),
        (ack.id, "ack", entry.id),
    ]
    assert told(home, here, "codex") == [entry.id], "a third agent has not acknowledged it"


def test_old_entries_wait_for_whoever_comes_new(home, here):
    """R75: an agent that writes its first entry has all earlier ones before it; what it acknowledged as nobody known is not asked again."""
    entries = [append(home, here, CLAUDE, f"satır {n}").id for n in range(3)]
    mine = append(home, here, PI, "merhaba").id
    assert unread.count(home.memory, here, "pi") == 3
    with home.memory.transaction():
        shared.acknowledge_all(home, here, PI)
    assert (told(home, here, "pi"), told(home, here, "claude-code")) == ([], [mine])
    late = append(home, here, CLAUDE, "yeni satır").id
    assert told(home, here, "pi") == [late]
    assert set(told(home, here, "codex")) == {*entries, mine, late}


@pytest.mark.parametrize(
    ("type_", "text", "more", "why"),
    [
        ("decision", "uv kullan", {}, "`reason` is empty"),
        ("decision", "uv kullan", {"reason": "  "}, "`reason` is empty"),
        ("note", "iki\nsatır", {}, "its text has several"),
        ("note", "iki\u2028satır", {}, "its text has several"),
        ("note", "   ", {}, "it is empty"),
        ("note", "x" * 501, {}, "more than 500 letters"),
        ("ack", "gördüm", {}, "and no other entry is about one"),
        ("note", "gördüm", {"about": "g_x"}, "and no other entry is about one"),
    ],
)
def test_what_is_no_entry_is_refused(home, here, type_, text, more, why):
    """R74, R76: a decision without its reason, several lines, an empty or overlong one: refused, and nothing is written."""
    with pytest.raises(Refused) as caught:
        append(home, here, CLAUDE, text, type_, **more)
    assert why in caught.value.why
    assert shared_log.listed(home.memory, here) == []


def test_an_unsigned_entry_is_refused(home, here):
    """R74: an entry without its agent is refused."""
    with pytest.raises(Refused):
        append(home, here, Voice("*", "cli", "x"), "satır")


def test_an_entry_is_never_changed(home, here):
    """R74: another text for an entry is refused; the row stays."""
    entry = append(home, here, CLAUDE, "ilk hâli")
    row = memories.read(home.memory, entry.id).model_copy(update={"text": "son hâli"})
    with pytest.raises(Refused), home.memory.transaction():
        memories.write(home.memory, row, actor="agent:pi")
    assert [row.text for row in shared_log.listed(home.memory, here)] == ["ilk hâli"]


def test_acknowledging_asks_for_what_waits(home, here):
    """R75: one's own entry, one acknowledged before and one that does not exist are refused."""
    entry = append(home, here, CLAUDE, "satır")
    for voice, given, fault in ((CLAUDE, entry.id, Refused), (PI, "g_0", NotFound)):
        with pytest.raises(fault), home.memory.transaction():
            shared.acknowledge(home, here, voice, given)
    with home.memory.transaction():
        shared.acknowledge(home, here, PI, entry.id[:9])
    with pytest.raises(Refused), home.memory.transaction():
        shared.acknowledge(home, here, PI, entry.id)


def test_decisions_of_one_minute_are_flagged_and_both_stay(home, here, monkeypatch):
    """R79: two agents deciding within a minute both stay, each is told of the other's; a minute later there is no conflict."""
    monkeypatch.setenv("BELLEK_CLOCK", "1796000000000")
    one = append(home, here, CLAUDE, "uv kullan", "decision", reason="kilit")
    monkeypatch.setenv("BELLEK_CLOCK", "1796000059000")
    two = append(home, here, PI, "pip kullan", "decision", reason="alışkanlık")
    assert two.conflicts == ((one.id, "claude-code"),)
    (line,) = log_lines.told(home.memory, here, "claude-code", person=False)
    assert f"CONFLICT: claude-code wrote {one.id} in the same minute" in line.tail
    monkeypatch.setenv("BELLEK_CLOCK", "1796000200000")
    assert append(home, here, CLAUDE, "conda kullan", "decision", reason="deneme").conflicts == ()
    assert [row.text for row in shared_log.listed(home.memory, here, type="decision")] == [
        "uv kullan", "pip kullan", "conda kullan",
    ]  # fmt: skip


def test_one_state_and_its_history(home, here):
    """R77: the newest state of a project is the current one, the only one that is told; earlier ones stay in the log."""
    append(home, here, CLAUDE, "şema yazılıyor", "project-state")
    new = append(home, here, CLAUDE, "şema bitti", "project-state")
    assert told(home, here, "pi") == [new.id]
    assert [row.text for row in shared_log.listed(home.memory, here, type="project-state")] == [
        "şema yazılıyor",
        "şema bitti",
    ]


WRITER = """
import sys
from bellek.curator import shared
from bellek.kg.home import open_home
home, here, name = sys.argv[1:]
voice = shared.Voice(name, name, "agent:" + name)
with open_home(home) as store:
    for n in range(500):
        with store.memory.transaction():
            shared.append(store, here, voice, "note", f"{name} {n}")
"""


def test_two_processes_append_a_thousand_entries_to_one_chain(home, here):
    """R79, R85: 1,000 appends of two processes at once are all there, each agent's in its order, in one chain that verifies."""
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, home.path, here, name]) for name in ("pi", "codex")]
    assert [process.wait(120) for process in writers] == [0, 0]
    rows = shared_log.listed(home.memory, here, limit=5000)
    for name in ("pi", "codex"):
        assert [row.text for row in rows if row.agent == name] == [f"{name} {n}" for n in range(500)]
    assert shared.verify(home.memory) == shared.Verified(1000, 0, 0, ())


def forge(home, sql, *values):
    """Change the file behind the program's back."""
    home.memory.run("DROP TRIGGER audit_is_append_only_u")
    home.memory.run(sql, values)
    home.memory.run(
        "CREATE TRIGGER audit_is_append_only_u BEFORE UPDATE ON audit BEGIN SELECT RAISE (ABORT, 'the trail is append-only'); END"
    )


@pytest.mark.parametrize(
    "forgery",
    [
        "UPDATE memories SET text = 'sahte' WHERE id = ?",
        "UPDATE memories SET agent = 'pi' WHERE id = ?",
        "UPDATE logs SET type = 'decision', reason = 'sahte' WHERE id = ?",
        "UPDATE revisions SET body = replace(body, 'gerçek', 'sahte') WHERE id = ?",
        "UPDATE audit SET actor = 'agent:pi' WHERE id = ?",
    ],
)
def test_a_forged_entry_is_found_and_named(make_home, tmp_path, forgery):
    """R74: another text, agent, type, body or actor behind the program's back is found, and the entry is named."""
    store = make_home("forged")
    with store.memory.transaction():
        here = registry.register(store.memory, str(tmp_path))
    entry = append(store, here, CLAUDE, "gerçek")
    before = {
        table: store.memory.rows(f"SELECT * FROM {table}") for table in ("memories", "logs", "revisions", "audit")
    }
    forge(store, forgery, entry.id)
    seq = audit.latest(store.memory, id=entry.id)[0].seq
    faults = shared.verify(store.memory).faults
    assert any(entry.id in fault or f"entry {seq} " in fault for fault in faults), faults
    for table, rows in before.items():  # back as it was, so that the store is sound at the end
        columns = ", ".join(f"{row[1]} = ?" for row in store.memory.rows(f"PRAGMA table_info({table})"))
        for row in rows:
            forge(store, f"UPDATE {table} SET {columns} WHERE id = ?", *row, entry.id)


def sign_as(home, name="ada", env="ADA_KEY"):
    """A declared agent with a key."""
    with open(home.path + "/config/config.toml", "w", encoding="utf-8") as file:
        file.write(f'[agents.{name}]\nclient = "claude-code"\nkey_env = "{env}"\n')
    assert config.compile_into(home.memory, home.path) is None


def test_a_key_signs_what_its_agent_writes(home, here, monkeypatch):
    """R74: with a key declared each entry is signed; one that claims the agent without its signature, or after another key, is named."""
    sign_as(home)
    ada = Voice("ada", "claude-code", "agent:claude-code")
    monkeypatch.setenv("ADA_KEY", "gizli anahtar")
    good = append(home, here, ada, "imzalı")
    assert good.signed
    assert shared.verify(home.memory) == shared.Verified(1, 1, 0, ())
    monkeypatch.setenv("ADA_KEY", "başka anahtar")
    bad = append(home, here, ada, "başka anahtarla")
    monkeypatch.delenv("ADA_KEY")
    unsigned = append(home, here, ada, "anahtarsız")
    assert not unsigned.signed
    assert shared.verify(home.memory).unchecked == 3
    monkeypatch.setenv("ADA_KEY", "gizli anahtar")
    faults = shared.verify(home.memory).faults
    assert len(faults) == 2
    assert bad.id in faults[0]
    assert unsigned.id in faults[1]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[agents.person]\nclient = "pi"\n', "agents.person"),
        ('[agents."A b"]\nclient = "pi"\n', "agents.A b"),
        ('[agents.a]\nclient = "pi"\n[agents.b]\nclient = "pi"\n', "agents.b.client"),
        ("[log]\ncheckpoint_calls = 0\n", "log.checkpoint_calls"),
    ],
)
def test_a_slip_in_the_agents_table_is_named(home, text, key):
    """A name that cannot sign, two names for one client, a checkpoint every no calls: named with the key, and nothing is set."""
    with open(home.path + "/config/config.toml", "w", encoding="utf-8") as file:
        file.write(text)
    assert key in config.compile_into(home.memory, home.path).what


# Hearing


def lines(home, project):
    """(type, agent, text) of the log."""
    return [(row.type, row.agent, row.text) for row in shared_log.listed(home.memory, project)]


def test_a_meaningful_turn_leaves_one_line(home, talk):
    """R73: changed files and marks of a turn make one signed line when it is over; idle talk makes none; a second reading adds none."""
    said = talk()
    now = said.user("kurulumu düzelt").tool("Edit", str(said.folder / "kg" / "a.py")).tool("Read", "/etc/hosts")
    now.tool("Write", str(said.folder / "b.md")).agent("Bitti. <!-- learning: uv kullan çünkü kilit -->").hear()
    expected = [("note", "claude-code", "changed kg/a.py, b.md; marked 1 learning")]
    assert lines(home, said.project) == expected
    said.user("teşekkürler").agent("Rica ederim.").hear()
    assert lines(home, said.project) == expected
    home.memory.run("DELETE FROM cursors")
    home.memory.run("DELETE FROM work")
    said.hear()
    assert lines(home, said.project) == expected


def test_a_turn_in_the_middle_leaves_no_line_yet(home, talk):
    """R73: while tools run no line is written; the turn's end brings it."""
    said = talk()
    said.user("düzelt").agent("Bakıyorum.").tool("Edit", "/x/a.py").hear()
    assert lines(home, said.project) == []
    said.agent("Oldu.").hear()
    assert lines(home, said.project) == [("note", "claude-code", "changed /x/a.py")]


def test_what_is_heard_a_day_late_is_no_news(home, talk, monkeypatch):
    """R73: an old session that is heard on the first day of an install fills no log."""
    said = talk()
    said.user("düzelt").tool("Edit", "/x/a.py").agent("Oldu.")
    at = clock.now()
    monkeypatch.setenv("BELLEK_CLOCK", str(at + 400 * 24 * 60 * 60_000))
    said.hear()
    assert lines(home, said.project) == []


def test_an_ack_marker_acknowledges(home, talk):
    """R75: `<!-- ack: ID -->` in a reply acknowledges once, several ids in one; one that names nothing is noted, and none is an item."""
    said = talk()
    said.user("başla").agent("Başladım.").hear()
    one, two = (append(home, said.project, PI, f"satır {n}").id for n in range(2))
    assert set(told(home, said.project, "claude-code")) == {one, two}
    said.user("logu oku").agent(f"Gördüm. <!-- ack: {one}, {two} -->\n<!-- ack: g_zzzz -->").hear()
    assert told(home, said.project, "claude-code") == []
    assert [row.about for row in shared_log.listed(home.memory, said.project, type="ack")] == [one, two]
    assert "g_zzzz" in str(home.memory.value("SELECT text FROM notices WHERE kind = 'ack'"))
    assert home.memory.value("SELECT count(*) FROM queue") == 0
    home.memory.run("DELETE FROM cursors")
    said.hear()
    assert len(shared_log.listed(home.memory, said.project, type="ack")) == 2


def test_a_checkpoint_every_so_many_calls(home, talk):
    """R78: every N tool calls of a turn, whatever the tool, leave one checkpoint; after a kill the next session is told the last."""
    with open(home.path + "/config/config.toml", "w", encoding="utf-8") as file:
        file.write("[log]\ncheckpoint_calls = 3\n")
    config.compile_into(home.memory, home.path)
    said = talk().user("şema göçünü yaz ve sına")
    for n in range(7):
        said.tool("Edit" if n % 2 else "Bash", f"/x/{n}.py" if n % 2 else "")
    said.hear()
    points = shared_log.listed(home.memory, said.project, type="checkpoint")
    assert [row.text for row in points] == [
        "şema göçünü yaz ve sına; 3 tool calls; last Bash; changed /x/1.py",
        "şema göçünü yaz ve sına; 3 tool calls; last Edit /x/5.py; changed /x/1.py, /x/3.py, /x/5.py",
    ]
    (line,) = log_lines.checkpoint(home.memory, said.project, "claude-code", "s2")
    assert (line.id, line.text) == (points[1].id, points[1].text)
    assert log_lines.checkpoint(home.memory, said.project, "pi", "s2") == []
    assert told(home, said.project, "pi") == [], "a checkpoint asks nobody to acknowledge it"
    said.agent("Bitti.").hear()
    assert log_lines.checkpoint(home.memory, said.project, "claude-code", "s2") == [], "the turn ended in order"


def test_a_line_goes_with_the_message_it_was_worded_from(home, talk):
    """R116: what hearing worded out of a message is forgotten with it, the running turn's row included."""
    said = talk()
    said.user("anahtar kelime zürafa-lacivert").tool("Edit", "/x/zürafa-lacivert.py")
    said.agent("<!-- learning: zürafa-lacivert kullan çünkü öyle -->").hear()
    (row,) = shared_log.listed(home.memory, said.project)
    message = memories.read(home.memory, row.id).sources[0].message
    done = forgetting.carry_out(
        home, blast.reach(home, Asked(project=said.project, ids=(message,))), actor="person:terminal"
    )
    assert shared_log.listed(home.memory, said.project) == []
    assert done.state == "proven"
