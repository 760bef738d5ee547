"""Export and import: everything leaves, comes back equal, and nothing becomes permanent or comes back from a refusal by it."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import command
import pytest
import rows
from whole import everything
from world import PROGRAM

from bellek.context import vault
from bellek.curator import forgetting, review
from bellek.kg import archive, archive_load, archive_parts, archive_read, blast, check, memories
from bellek.kg.home import open_home
from bellek.schemas.errors import NeverAgain, NotFound, PersonNeeded, Refused, StoreNewer

PERSON = "person:terminal"


def content(folder):
    """File → bytes, of an archive."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(Path(folder).rglob("*")) if p.is_file()}


def out(home, folder):
    """Export into a folder; what it holds."""
    archive.write(home, str(folder))
    return content(folder)


def bring(home, folder, *, actor=""):
    """Import, and confirm where a person is named; what it did."""
    found = archive_read.read(str(folder))
    loaded = archive_load.load(home, found)
    if actor:
        archive_parts.take_config(home, found)
    return loaded, archive_load.confirm(home, found, actor=actor) if actor else []


def forget(home, *ids):
    """Forget rows for good."""
    return forgetting.carry_out(home, blast.reach(home, blast.Asked("*", ids, everywhere=True)), actor=PERSON)


@pytest.fixture
def full(lived):
    """A home with a refusal, a forgotten row, a receipt and an item that waits besides."""
    bad, gone = rows.write(
        lived, "p_0", rows.lesson("restart postgres nightly"), rows.lesson("the launch code is 7731 4426")
    )
    review.refuse(lived, bad, note="no", actor=PERSON)
    assert forget(lived, gone).state == "proven"
    with lived.memory.transaction():
        lived.memory.run(
            "INSERT INTO receipts (id, session, project, event, at, state, units, lines) VALUES ('k_1', 's', 'p_0', 'prompt', 5, 'offered', 9, '[]')"
        )
        lived.memory.run(
            "INSERT INTO queue (id, generation, project, agent, session, channel, payload, digest, origin, message, position, said_at, offset_minutes,"
            " enqueued_at, sightings, last_at, state, attempts, token, until_at, handed, reason) VALUES ('q_1', 1, 'p_0', '*', '*', 'learning', 'x',"
            " x'0011', 'agent', 'm', 0, 1, 0, 1, 1, 1, 'pending', 0, '', 0, 0, '')"
        )
        lived.memory.run("INSERT INTO seen VALUES ('m', 'learning', 0, x'0011', 'p_0', 1)")
    return lived


def test_exported_wiped_imported_with_a_person_exported_again(full, make_home, tmp_path):
    """R108: the second export is byte-equal to the first, promotions, refusals, receipts and the trail included."""
    first = out(full, tmp_path / "a")
    other = make_home("boş")
    loaded, confirmed = bring(other, tmp_path / "a", actor=PERSON)
    assert (loaded.how, loaded.unconfirmed, len(confirmed)) == ("forward", 1, 1)
    assert out(other, tmp_path / "b") == first
    assert check.check_home(other) == []


def test_without_a_person_all_is_equal_but_tiers(full, make_home, tmp_path):
    """R108, R128: unconfirmed, a permanent row is provisional and says so; every other byte is the same."""
    first = out(full, tmp_path / "a")
    other = make_home("boş")
    bring(other, tmp_path / "a")
    (row,) = (memories.read(other.memory, id_) for (id_,) in other.memory.rows("SELECT memory FROM unconfirmed"))
    assert (row.tier, "imported as provisional" in row.note) == ("T1", True)
    second = out(other, tmp_path / "b")
    differ = {name for name in first if not name.startswith("config/") and first[name] != second.get(name)}
    assert differ == {"memory/memories.jsonl"}
    changed = [
        (json.loads(a), json.loads(b)) for a, b in zip(*(c["memory/memories.jsonl"].splitlines() for c in (first, second)), strict=True) if a != b
    ]  # fmt: skip
    assert [{key for key in a if a[key] != b[key]} for a, b in changed] == [{"tier", "note"}]
    assert check.check_home(other) == []


def test_importing_again_changes_nothing(full, make_home, tmp_path):
    """R108, R128: a second and a third import of the same archive leave every row as it was, at home and elsewhere."""
    out(full, tmp_path / "a")
    other = make_home("boş")
    bring(other, tmp_path / "a")
    for home in (full, other):
        before = {name: kept for name, kept in everything(home.path).items() if name != "memory.db transfers"}
        for _ in range(2):
            assert bring(home, tmp_path / "a")[0].how == "known"
        assert {name: kept for name, kept in everything(home.path).items() if name != "memory.db transfers"} == before


def test_an_older_archive_overwrites_nothing_and_revives_nothing(full, tmp_path):
    """B140: what was changed, refused or forgotten after an export stays so when that export is imported again."""
    (keep, gone) = rows.write(full, "p_0", rows.lesson("first words"), rows.lesson("password policy of the moon base"))
    out(full, tmp_path / "a")
    with full.memory.transaction():
        memories.write(
            full.memory,
            memories.read(full.memory, keep).model_copy(update={"text": "newer words", "batch": "b_2"}),
            actor="test",
        )
    assert forget(full, gone).state == "proven"
    loaded, _ = bring(full, tmp_path / "a")
    assert loaded.written == 0
    assert memories.read(full.memory, keep).text == "newer words"
    with pytest.raises(NotFound):
        memories.read(full.memory, gone)


def test_two_stores_that_went_their_own_way(full, make_home, tmp_path):
    """R128, B140: an archive of another store is merged: its rows come in as provisional under their own ids, what was refused here
    does not, what is permanent here stays; and its refusals hold here too.
    """
    out(full, tmp_path / "a")
    other = make_home("başka")
    here = str(full.memory.value("SELECT project FROM memories WHERE text LIKE 'the metrics%'"))
    (own, bad) = rows.write(other, here, rows.lesson("mine alone"), rows.lesson("the metrics service listens on 9107"))
    review.refuse(other, bad, note="wrong", actor=PERSON)
    review.promote(other, own, actor=PERSON)
    loaded, confirmed = bring(other, tmp_path / "a", actor=PERSON)
    assert loaded.how == "apart"
    assert (loaded.blocked, confirmed) == (1, [])
    assert {row[0] for row in other.memory.rows("SELECT tier FROM memories WHERE id <> ?", (own,))} == {"T1", "-"}
    assert memories.read(other.memory, own).tier == "T2"
    with pytest.raises(NeverAgain):
        rows.write(other, "p_0", rows.lesson("restart postgres nightly"))
    before = other.memory.value("SELECT count(*) FROM memories")
    assert bring(other, tmp_path / "a")[0].written == 0
    assert other.memory.value("SELECT count(*) FROM memories") == before


def test_without_the_key_it_is_said_that_nothing_protects(full, make_home, tmp_path):
    """R108, R115: the key travels in a file of mode 0600; without it the import says that refusals no longer hold."""
    out(full, tmp_path / "a")
    key = tmp_path / "a/keys.json"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    key.unlink()
    loaded, _ = bring(make_home("boş"), tmp_path / "a")
    assert "is not blocked here" in loaded.notes[0]


def test_a_later_export_is_taken_up_where_the_first_ended(full, make_home, tmp_path):
    """R108: a home that imported once takes what was done since, forgetting included, and nothing twice."""
    (id_,) = rows.write(full, "p_0", rows.lesson("soon forgotten words of the harbour"))
    out(full, tmp_path / "a")
    other = make_home("boş")
    bring(other, tmp_path / "a")
    assert forget(full, id_).state == "proven"
    rows.write(full, "p_0", rows.lesson("since then"))
    second = out(full, tmp_path / "b")
    loaded, _ = bring(other, tmp_path / "b", actor=PERSON)
    assert (loaded.how, loaded.written > 0) == ("forward", True)
    with pytest.raises(NotFound):
        memories.read(other.memory, id_)
    third = out(other, tmp_path / "c")
    assert {name for name in second if third.get(name) != second[name]} <= {"memory/forgettings.jsonl"}


@pytest.mark.parametrize(
    ("file", "line", "said"),
    [
        ("memory/audit.jsonl", b"<<<<<<< HEAD\n", "memory/audit.jsonl line 1: a mark of a merge conflict"),
        ("memory/revisions.jsonl", b'{"id": "x"}\n', "memory/revisions.jsonl line 1"),
        ("conversations/messages.jsonl", b"{\n", "conversations/messages.jsonl line 1: no JSON"),
        ("memory/queue.jsonl", b'{"id; DROP TABLE memories": 1}\n', "a column that its index does not name"),
    ],
)
def test_a_spoilt_archive_is_named_and_nothing_comes_in(full, make_home, tmp_path, file, line, said):
    """B140: a conflict mark or a broken line is named with file and line, and not a row of the archive is written."""
    out(full, tmp_path / "a")
    path = tmp_path / "a" / file
    path.write_bytes(line + path.read_bytes())
    other = make_home("boş")
    before = everything(other.path)
    with pytest.raises(Refused) as caught:
        bring(other, tmp_path / "a")
    assert said in str(caught.value)
    assert everything(other.path) == before


def test_a_forged_body_is_refused(full, make_home, tmp_path):
    """R130: a body that is not what its entry committed to does not come in, however well-formed."""
    out(full, tmp_path / "a")
    path = tmp_path / "a/memory/revisions.jsonl"
    path.write_bytes(path.read_bytes().replace(b"paketler uv ile", b"paketler su ile"))
    with pytest.raises(Refused, match="was not imported"):
        bring(make_home("boş"), tmp_path / "a")


def test_an_archive_from_the_future_is_refused(full, make_home, tmp_path):
    """R108: a newer format is refused before a line is read."""
    out(full, tmp_path / "a")
    (tmp_path / "a/archive.json").write_text('{"archive": "bellek", "format": 2, "more": {}}')
    with pytest.raises(StoreNewer):
        bring(make_home("boş"), tmp_path / "a")


def test_only_a_person_confirms(full, make_home, tmp_path):
    """R128, R122: `import --confirm` is refused to an agent's shell with exit 3; nothing is written."""
    out(full, tmp_path / "a")
    other = make_home("boş")
    with pytest.raises(PersonNeeded):
        archive_load.confirm(other, archive_read.read(str(tmp_path / "a")), actor="agent:claude-code")
    done = subprocess.run(
        [sys.executable, "-m", "bellek", "import", tmp_path / "a", "--confirm", "--home", other.path], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, start_new_session=True, env={**os.environ, "PYTHONPATH": PROGRAM}, timeout=60,
    )  # fmt: skip
    assert done.returncode == 3, done
    assert other.memory.value("SELECT count(*) FROM memories") == 0


def test_export_by_command(lived, tmp_path):
    """B149: `export DIR --json` prints the path; folders are 0700 and files 0600; what exists is not written over; markdown is readable."""
    words = ["export", tmp_path / "dışa", "--home", lived.path, "--json"]
    given = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": PROGRAM}}
    done = command.run(words, **given)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["path"] == str(tmp_path / "dışa")
    assert {oct(stat.S_IMODE(p.stat().st_mode)) for p in (tmp_path / "dışa").rglob("*")} == {"0o700", "0o600"}
    text = "".join(p.read_text() for p in (tmp_path / "dışa/markdown").rglob("*.md"))
    assert "> paketler uv ile kurulur" in text
    assert "> why 9107?" in text
    again = command.run(words, **given)
    assert again.returncode == 1
    assert b"already" in again.stderr


def test_the_archive_tells_nothing_of_its_making(lived, tmp_path, monkeypatch):
    """R108: two exports of one store at two times are the same bytes."""
    monkeypatch.setenv("BELLEK_CLOCK", "1796000000000")
    first = out(lived, tmp_path / "a")
    monkeypatch.setenv("BELLEK_CLOCK", "1799000000000")
    assert out(lived, tmp_path / "b") == first
    with open_home(lived.path) as again:
        assert out(again, tmp_path / "c") == first


def test_a_folder_named_by_a_tilde(lived, tmp_path, monkeypatch):
    """B149: a tilde is the person's own folder on the way in as on the way out."""
    monkeypatch.setenv("HOME", str(tmp_path))
    archive.write(lived, "~/dışa")
    assert archive_read.read("~/dışa").path == str(tmp_path / "dışa")


def test_a_vault_takes_what_nobody_confirmed_for_provisional(full, make_home, tmp_path):
    """R128: as a file of the vault too, a permanent row of an archive is unverified until a person confirms it here."""
    out(full, tmp_path / "a")
    other = make_home("other")
    bring(other, tmp_path / "a")
    (id_, project) = other.memory.one("SELECT m.id, m.project FROM memories m JOIN unconfirmed u ON u.memory = m.id")
    (file,) = (file for file in vault.files(other.memory, project) if file.memory == id_)
    assert file.path.startswith(vault.UNVERIFIED)
