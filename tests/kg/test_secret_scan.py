"""What older rules let through is found everywhere, taken out where that may be done, and named where it may not."""

import json

import pytest

from bellek import doctor_secrets
from bellek.kg import (
    audit,
    check,
    conversations,
    intake,
    lookup,
    memories,
    observations,
    parts,
    queue,
    redact,
    secret_scan,
    tiers,
)
from bellek.kg.conversations import Message
from bellek.schemas.queue import Sighting

from made import AT, lesson  # isort: skip

SECRET = "ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"


@pytest.fixture
def old(home, monkeypatch):
    """A home that was written when no rule knew this secret: a talk, an item, a lesson of two revisions, a pointer, a notice."""

    def nothing(text):
        return text

    for room in (conversations, queue, intake, observations):
        monkeypatch.setattr(room, "redact", nothing)
    said = [("önce söz", "user"), (f"anahtar {SECRET} budur", "assistant"), ("sonra söz", "user")]
    conversations.append(home.conversations, "claude-code", [
        Message(f"m{n}", "s1", 0, "p_x", "claude-code", author, "agent", typed=False, machine=False, sidechain=False, at=AT + n, offset_minutes=0, text=text)
        for n, (text, author) in enumerate(said)])  # fmt: skip
    with home.memory.transaction():
        queue.enqueue(home.memory, Sighting("p_x", "*", "s1", "learning", f"uv {SECRET}", "agent", "m1", 0, AT, 0))
        row = lesson(f"uv kullan {SECRET} çünkü hızlı")
        memories.write(home.memory, row, actor="drain-offline")
        memories.write(home.memory, row.model_copy(update={"text": f"uv kullan {SECRET} ile"}), actor="drain-offline")
        observations.point(
            home.memory, session="s1", project="p_x", kind="Read", message="m1", at=AT, path=f"/srv/{SECRET}/x"
        )
        home.memory.run("INSERT INTO drops (project, item, reason, at) VALUES ('p_x', 'q_1', ?, 1)", (f"boş {SECRET}",))
        home.memory.run(
            "INSERT INTO applied (item, digest, receipt) VALUES ('q_1', 'd', ?)", (json.dumps({"reason": SECRET}),)
        )
    monkeypatch.undo()
    return row.id


def test_every_place_is_found_by_table_row_and_kind(home, old):
    """Messages, items, memories, former revisions, pointers, drops and receipts are named with their kind, never with the secret."""
    found = {(one.table, one.remedy): one for one in secret_scan.scan(home)}
    assert set(found) == {
        ("messages", "fix"), ("memories", "fix"), ("revisions", "forget"), ("queue", "fix"), ("drops", "fix"), ("applied", "fix"), ("observations", "fix"),
    }  # fmt: skip
    assert {one.kinds for one in found.values()} == {("github-token",)}
    assert found["memories", "fix"].id == found["revisions", "forget"].id == old
    assert SECRET not in repr(found)


def test_fix_takes_out_what_may_be(home, old):
    """After a fix the only places left are former revisions; the new revision is redacted, the index knows the secret no more, the trail holds."""
    assert secret_scan.fix(home) == 6
    assert [(one.table, one.remedy) for one in secret_scan.scan(home)] == [("revisions", "forget")] * 2
    row = memories.read(home.memory, old)
    assert row.text == "uv kullan [redacted:github-token] ile"
    assert lookup.messages(home.conversations, '"anahtar"', parts.EVERYWHERE)
    assert not lookup.messages(home.conversations, f'own : "{SECRET.lower()[:24]}" *', parts.EVERYWHERE)
    assert [m.text for m in conversations.show(home.conversations, "s1")] == [
        "önce söz",
        "anahtar [redacted:github-token] budur",
        "sonra söz",
    ]
    assert audit.verify(home.memory) == []
    assert check.check_home(home) == []
    assert secret_scan.fix(home) == 0


def test_nothing_of_it_stays_in_the_conversations_file(home, old, tmp_path):
    """A fixed message leaves no byte of the secret in the file, its index or its log."""
    secret_scan.fix(home)
    for path in (tmp_path / "home").glob("conversations.db*"):
        assert SECRET.encode() not in path.read_bytes(), path.name
        assert SECRET.lower()[:20].encode() not in path.read_bytes(), path.name


def test_a_permanent_row_waits_for_a_person(home, old, monkeypatch):
    """A permanent row is named and left as it is: its redaction is a person's act."""
    monkeypatch.setattr(intake, "redact", lambda text: text)
    with home.memory.transaction():
        tiers.promote(home.memory, memories.read(home.memory, old), actor="person:terminal")
    monkeypatch.undo()
    assert ("memories", "person") in {(one.table, one.remedy) for one in secret_scan.scan(home)}
    secret_scan.fix(home)
    assert SECRET in memories.read(home.memory, old).text


# Columns that hold ids, names of closed vocabularies, days, or what is made from a text that is looked at.
NO_TEXT = {
    "agent", "answer", "arm", "batch", "actor", "act", "channel", "client", "command", "conversation", "day", "digest", "entity", "ended_by", "event", "id", "item", "kind",
    "memories", "memory", "message", "messages", "meta", "node", "origin", "packet", "person", "how", "prefix", "project", "predicate", "replay", "run", "sense", "session",
    "shadow", "sort", "state", "status", "stone", "structure", "strong", "tail", "tier", "token", "week", "weak", "winner", "last_message", "lines", "sensitivity",
    "asked", "checkpoint", "drives", "entry", "last_id", "lesson", "mood", "result", "shifts", "wisdom",
}  # fmt: skip
CLOSED = {
    ("tombstones", "why"),  # its own vocabulary
    # names of spaces, members and projects, in letters that schemas/hub.py bounds, and roles
    *(("hub_spaces", column) for column in ("space", "member", "role", "trusted")),
    *(("hub_nodes", column) for column in ("space", "member", "role")),
    *(("hub_projects", column) for column in ("space", "name")),
    *((table, "space") for table in ("hub_entries", "hub_saw", "hub_waiting")),
    *(("hub_saw", "other"), ("hub_apart", "one"), ("hub_apart", "other")),  # ids
}
OF_MEMORIES = {
    "memories",
    "claims",
    "lessons",
    "events",
    "pages",
    "entities",
    "aliases",
    "fields",
    "worldviews",
    "tasks",
    "logs",
    "proposals",
    "conflicts",
    "revisions",
    "meta",
}


def test_every_text_column_is_looked_at(home):
    """A new table with a text of its own is scanned, or its column is named here as one that holds none."""
    scanned = {
        (table, column)
        for tables in (secret_scan.WORKING, secret_scan.PATHS, secret_scan.TRAVELLED)
        for table, (id_, columns) in tables.items()
        for column in (id_, *columns)
    }
    missed = []
    for (table,) in home.memory.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%_fts%' AND name NOT LIKE 'sqlite_%'"
    ):
        if table not in OF_MEMORIES:
            columns = [str(row[1]) for row in home.memory.rows(f"PRAGMA table_info({table})") if row[2] == "TEXT"]
            missed += [
                (table, column)
                for column in columns
                if column not in NO_TEXT and (table, column) not in scanned | CLOSED
            ]
    assert missed == []


def test_doctor_says_where_and_what_next(home, old):
    """`doctor --scan-secrets` names each place with the next command; `--fix` says what was redacted and what is left; a clean store is said so."""
    found = doctor_secrets.secrets(home.path)
    assert {f.state for f in found} == {"FAIL"}
    assert all(f.next for f in found)
    assert SECRET not in repr(found)
    fixed = doctor_secrets.secrets(home.path, fix=True)
    assert fixed[0].what == "6 places redacted"
    assert {f.next for f in fixed[1:]} == {f"bellek forget {old}"}
    assert doctor_secrets.secrets(home.path + "-nowhere")[0].state == "OK"


def test_a_store_of_today_holds_nothing(home):
    """What today's rules wrote is clean: a scan of labels and evidence finds nothing."""
    with home.memory.transaction():
        memories.write(
            home.memory,
            lesson(f"uv {SECRET} ve commit 3f786850e387550fdab836ed7e6dc881de23001b"),
            actor="drain-offline",
        )
    assert secret_scan.scan(home) == []
    assert doctor_secrets.secrets(home.path)[0].state == "OK"
    assert redact.redact("[redacted:github-token]") == "[redacted:github-token]"
