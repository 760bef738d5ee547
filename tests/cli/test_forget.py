"""``forget``, ``undo`` and ``audit`` as a person or an agent drives them: exit statuses, one JSON value, nothing hidden in between."""

import json

import command
import pytest
import rows
from world import PROGRAM

from bellek.curator import review
from bellek.kg import audit, clock, memories
from bellek.kg.db import open_database
from bellek.kg.home import open_home

SAID = "zümrüdüanka kolonisi çırağan sokağında toplanıyor"


def run(world, *words):
    """Run one command without a terminal; the finished process with bytes on both streams."""
    environment = world.environment(
        PYTHONPATH=PROGRAM, CLAUDE_CONFIG_DIR=str(world.config), BELLEK_HOME=str(world.home)
    )
    return command.run(words, cwd=world.work, stdin=None, env=environment)


def said(world, *words):
    """The one JSON value that a verb prints with --json; it must end with 0 and print nothing else."""
    done = run(world, *words, "--json")
    assert (done.returncode, done.stderr) == (0, b""), done
    return json.loads(done.stdout.decode())


@pytest.fixture
def told(world):
    """A lesson to forget, another one, and a message that says the first; the ids of the lessons."""
    with open_home(str(world.home)) as home:
        here = rows.project(home, world.work)
        world.ids = rows.write(home, here, rows.lesson(SAID), rows.lesson("paketler uv ile kurulur"))
        rows.say(home, here, f"Tamam: {SAID}", author="assistant", origin="agent")
    return world


def bytes_of(world):
    """All bytes of the home's files."""
    return b"".join(path.read_bytes() for path in sorted(world.home.rglob("*")) if path.is_file())


def test_a_dry_run_tells_and_leaves(told):
    """R116: the blast radius with a reason each; not a byte of a row is changed."""
    seen = said(told, "forget", told.ids[0], "--dry-run")
    assert [row["id"] for row in seen["memories"]] == [told.ids[0]]
    assert [row["id"] for row in seen["messages"]] == ["talk-1-0"]
    assert seen["forgetting"] is None
    assert (seen["counts"]["memories"], seen["counts"]["messages"]) == (1, 1)
    told_words = run(told, "forget", told.ids[0], "--dry-run").stdout.decode()
    assert "would forget 1 memories" in told_words
    assert SAID in told_words
    assert len(said(told, "search", "zümrüdüanka")) == 1


def test_it_is_forgotten_and_proven(told):
    """R116: exit 0, state proven, no byte of it left, the text itself not repeated on the screen, backups and transcripts named plainly."""
    done = run(told, "forget", told.ids[0])
    assert done.returncode == 0
    assert "found nothing of it" in done.stdout.decode()
    assert "does not reach copies and backups" in done.stdout.decode()
    assert SAID not in done.stdout.decode()
    assert "zümrüdüanka".encode() not in bytes_of(told)
    assert said(told, "search", "zümrüdüanka") == []
    assert said(told, "forget") == []


def test_a_reader_makes_it_wait_with_exit_4(told):
    """R116: hidden at once, exit 4 and the reason, named by `doctor`; the next `forget` proves it and ends with 0."""

    def named():
        found = json.loads(run(told, "doctor", "--json").stdout)
        return [(one["state"], one["next"]) for one in found if one["id"] == "forgetting"]

    reader = open_database(str(told.home / "memory.db"), writable=False)
    reader.run("BEGIN")
    reader.value("SELECT count(*) FROM memories")
    done = run(told, "forget", told.ids[0])
    assert (done.returncode, b"it waits to be scrubbed" in done.stdout) == (4, True)
    assert said(told, "search", "zümrüdüanka") == []
    assert said(told, "why-not", "zümrüdüanka") == []
    assert named() == [("WARN", "bellek forget")]
    reader.close()
    assert [one["state"] for one in said(told, "forget")] == ["proven"]
    assert named() == []


@pytest.mark.parametrize("given", [{"origin": "user"}, {"status": "quarantined"}])
def test_what_is_a_persons_is_not_an_agents_to_forget(told, given):
    """R122: without a terminal a row in the person's words, or one that waits for them, is refused with exit 3 and left as it is."""
    with open_home(str(told.home)) as home:
        (id_,) = rows.write(home, rows.project(home, told.work), rows.lesson("kişinin kendi sözü burada", **given))
    done = run(told, "forget", id_)
    assert done.returncode == 3
    assert said(told, "show", id_)["status"] == given.get("status", "current")


def test_a_permanent_row_needs_a_person(told):
    """R116, R122: T2 is forgotten by a person alone, by whatever words it is reached."""
    with open_home(str(told.home)) as home:
        review.promote(home, told.ids[0], actor="person:terminal")
    for words in ((told.ids[0],), ("--query", "zümrüdüanka"), ("--since", "2020-01-01")):
        assert run(told, "forget", *words).returncode == 3
    assert said(told, "show", told.ids[0])["tier"] == "T2"


@pytest.mark.parametrize(
    "words",
    [
        ("l_zzzzzzzz",),
        ("--query", "yokböylesöz"),
        ("--entity", "Hiçkimse"),
        ("--source", "yok"),
        ("--until", "1990-01-01"),
    ],
)
def test_what_is_not_there_is_said(told, words):
    """What nothing fits is exit 1 with a sentence, and no intent."""
    done = run(told, "forget", *words)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"bellek: no")
    assert run(told, "forget", "--since", "gestern").returncode == 2


def test_a_batch_is_undone_from_its_id(told):
    """R126: the log names the batch, `undo` takes it back, `undo` of that brings it again; a person's batch needs a person."""
    log = said(told, "audit", "log", "--id", told.ids[1])
    assert {entry["batch"] for entry in log} == {"b_test"}
    first = said(told, "undo", "b_test")
    assert set(first["hidden"]) == set(told.ids)
    assert said(told, "lessons", "list") == []
    said(told, "undo", first["id"])
    assert len(said(told, "lessons", "list")) == 2
    with open_home(str(told.home)) as home, home.memory.transaction():
        old = memories.read(home.memory, told.ids[0])
        memories.write(home.memory, old.model_copy(update={"batch": "b_person"}), actor="person")
    assert run(told, "undo", "b_person").returncode == 3
    assert run(told, "undo", "b_").returncode == 1


def test_verify_holds_and_says_what_it_saw(told):
    """R116: counts and the chain's head; exit 0 before and after a forgetting."""
    before = said(told, "audit", "verify")
    assert (before["entries"], before["bodies"], before["faults"]) == (2, 2, [])
    run(told, "forget", told.ids[0])
    after = said(told, "audit", "verify")
    assert (after["forgotten_bodies"] > 0, after["faults"]) == (True, [])
    assert after["head"] != before["head"]
    assert b"promotions are not signed" in run(told, "audit", "verify", "--passphrase").stderr


CHANGES = {
    "a body": "UPDATE revisions SET body = replace(body, 'uv ile', 'uv i1e')",
    "a salt": "UPDATE revisions SET salt = zeroblob(16) WHERE body LIKE '%uv ile%'",
    "an actor": "UPDATE audit SET actor = 'person' WHERE seq = 1",
    "a hash": "UPDATE audit SET hash = zeroblob(32) WHERE seq = 2",
    "a row's words": "UPDATE memories SET text = replace(text, 'uv ile', 'uv i1e')",
    "a row's tier": "UPDATE memories SET tier = 'T2' WHERE text LIKE '%uv ile%'",
    "a deleted body": "DELETE FROM revisions WHERE body LIKE '%uv ile%'",
}


@pytest.mark.parametrize("what", CHANGES)
def test_one_changed_byte_is_found(told, what):
    """`audit verify` fails and names the first fault after one value was changed behind the trail's back."""
    told.check_at_end = False
    db = open_database(str(told.home / "memory.db"))
    triggers = db.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    for (name,) in triggers:
        db.run(f"DROP TRIGGER {name}")
    assert db.run(CHANGES[what])
    db.close()
    done = run(told, "audit", "verify")
    assert done.returncode == 1
    assert b"FAULT" in done.stdout
    assert json.loads(run(told, "audit", "verify", "--json").stdout)["faults"]


def test_one_raw_byte_in_the_file_is_found(told):
    """A single byte flipped in the file itself, inside a body, is found as well."""
    told.check_at_end = False
    path = told.home / "memory.db"
    with open_home(str(told.home)) as home:
        assert home.memory.empty_log()
    data = bytearray(path.read_bytes())
    at = data.index(b'"text":"paketler uv') + len(b'"text":"')
    data[at] ^= 0x01
    path.write_bytes(bytes(data))
    done = run(told, "audit", "verify")
    assert done.returncode == 1
    assert b"is not what entry" in done.stdout


def test_the_log_holds_no_text(told):
    """The trail prints who, what and when; no words of a row, however it is asked."""
    out = run(told, "audit", "log", "--json").stdout.decode()
    assert "zümrüdüanka" not in out
    assert [entry["seq"] for entry in json.loads(out)] == [2, 1]
    assert clock.stamp(told.clock)[:4] in out
    assert audit.GENESIS.hex() not in out
