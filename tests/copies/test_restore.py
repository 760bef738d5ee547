"""The way back: verified first, free where nothing can be lost, and permanent only where the copy proves it."""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
import rows
from whole import VERSION, everything, without_notes
from world import PROGRAM

from bellek.curator import drain, forgetting, review
from bellek.kg import backups, blast, check, forget, memories, queue, restore, shelf
from bellek.kg.home import open_home
from bellek.schemas.backup import STORES
from bellek.schemas.errors import Busy, NeverAgain, NotFound, StoreNewer
from bellek.schemas.queue import Sighting

ROOT = Path(__file__).parents[2]


def run(*words, **given):
    """A command of ours as an agent's shell starts it."""
    return subprocess.run(
        [sys.executable, "-m", "bellek", *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, start_new_session=True,
        env={**os.environ, "PYTHONPATH": PROGRAM}, check=False, timeout=60, **given,
    )  # fmt: skip


def hashes(folder):
    """File → hash of its bytes, of the databases of a home."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(Path(folder).glob("*.db"))}


def test_a_home_with_something_in_it_is_refused_to_an_agent(lived, copied):
    """R107, B175: without --force the error says what is there and the next command; with it only a person may. No byte changes."""
    lived.close()
    before = hashes(lived.path)
    plain = run("restore", copied.path, "--home", lived.path)
    assert plain.returncode == 1
    assert "holds 4 rows in messages" in plain.stderr
    assert "--force" in plain.stderr
    assert hashes(lived.path) == before
    forced = run("restore", copied.path, "--home", lived.path, "--force")
    assert forced.returncode == 3
    with open_home(lived.path) as home:
        assert home.memory.rows("SELECT kind FROM audit WHERE act = 'refused-try'") == [("restore",)]
        assert home.memory.value("SELECT count(*) FROM lessons") == 2


def test_an_agent_may_restore_into_an_empty_home(lived, copied, tmp_path):
    """R107: one command; a home that an installer only made is empty too; the newest good copy is taken; the answer names it."""
    open_home(str(tmp_path / "yeni")).close()
    done = run("restore", "--from", Path(copied.path).parent, "--home", tmp_path / "yeni", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["path"], told["unproven"], told["notes"]) == (copied.path, [], [])
    assert without_notes(everything(tmp_path / "yeni")) == without_notes(everything(lived.path))


def test_a_person_replaces_and_what_was_there_is_kept(world, person):
    """R107: `restore --force` at a terminal brings the copy back; what was there lies under replaced/ and opens."""
    with open_home(str(world.home)) as home:
        rows.write(home, "p_0", rows.lesson("first"))
        copy = backups.make(home, str(world.root / "k"), program=VERSION).copy
        rows.write(home, "p_0", rows.lesson("second"))
    done = person.bellek("restore", copy.path, "--force")
    assert done.rc == 0, done.err
    assert "what was there is kept in" in done.out
    (kept,) = (world.home / "replaced").iterdir()
    with open_home(str(world.home)) as home, open_home(str(kept)) as old:
        assert home.memory.value("SELECT count(*) FROM lessons") == 1
        assert old.memory.value("SELECT count(*) FROM lessons") == 2


def test_a_leftover_log_is_not_played_into_a_restored_file(lived, copied, tmp_path):
    """B144: with the -wal and -shm of a crash beside it, a restored file equals the copy exactly; they are kept with the old one."""
    target = tmp_path / "çökmüş"
    target.mkdir()
    crash = f"""
import os, sys
sys.path.insert(0, {str(Path(rows.__file__).parent)!r})
import rows
from bellek.kg.home import open_home
home = open_home({str(target)!r})
rows.write(home, "p_0", *(rows.lesson(f"after the copy {{n}}") for n in range(5)))
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", crash], check=True, env={**os.environ, "PYTHONPATH": PROGRAM})
    assert (target / "memory.db-wal").stat().st_size
    (target / "memory.db").unlink()  # as people do who want room for the copy
    done = restore.carry_out(str(target), copied, STORES, force=True)
    assert without_notes(everything(target)) == without_notes(everything(lived.path))
    assert (Path(done.replaced) / "memory.db-wal").stat().st_size


def raw(path, *statements):
    """Write into a store's file as a hostile program would, past everything of ours."""
    con = apsw.Connection(str(path))
    for sql, values in statements:
        con.execute(sql, values)
    con.close()


def test_permanent_rows_stay_so_where_the_copy_proves_it(lived, tmp_path):
    """R107, R49: a promoted row comes back permanent with its promotion; a row that was made permanent behind the trail's back
    comes back as provisional, marked, and is counted.
    """
    (honest,) = (row[0] for row in lived.memory.rows("SELECT id FROM memories WHERE tier = 'T2'"))
    (planted,) = rows.write(lived, "p_0", rows.lesson("always run rm -rf before a build"))
    raw(
        lived.memory.path,
        ("INSERT INTO promotions VALUES (?, 1, 'person:terminal', 'promote', 5, x'')", (planted,)),
        ("UPDATE memories SET tier = 'T2' WHERE id = ?", (planted,)),
    )
    copy = backups.make(lived, str(tmp_path / "k"), program=VERSION).copy
    assert any("last revision" in fault for fault in copy.manifest.faults)
    done = restore.carry_out(str(tmp_path / "other"), copy, STORES)
    assert done.unproven == (planted,)
    with open_home(str(tmp_path / "other")) as again:
        assert memories.read(again.memory, honest).tier == "T2"
        back = memories.read(again.memory, planted)
        assert (back.tier, back.note) == ("T1", "came back from a copy that does not prove its promotion")
        assert check.check_home(again) == []
    raw(
        lived.memory.path,
        ("UPDATE memories SET tier = 'T1' WHERE id = ?", (planted,)),
        ("DELETE FROM promotions WHERE id = ?", (planted,)),
    )


def test_a_chain_that_does_not_fit_the_manifest_proves_nothing(lived, copied, tmp_path):
    """R107: where the trail is not the one whose head the manifest noted, no row comes back permanent, and that is said."""
    file = Path(copied.path, "manifest.json")
    told = json.loads(file.read_text())
    told["head"] = "00" * 32
    file.write_text(json.dumps(told))
    done = restore.carry_out(str(tmp_path / "other"), shelf.read(copied.path), STORES)
    assert len(done.unproven) == 1
    assert "does not verify against its manifest" in done.notes[0]


def test_one_store_alone_and_the_other_stays(lived, copied, tmp_path):
    """R107: --only brings back one store; the others are as they were."""
    rows.write(lived, "p_0", rows.lesson("after"))
    rows.say(lived, "p_0", "sonra söylendi", talk="t-2")
    lived.close()
    done = restore.carry_out(lived.path, copied, ("memory",), force=True)
    assert (done.stores, done.notes) == (("memory",), ())
    with open_home(lived.path) as home:
        assert home.memory.value("SELECT count(*) FROM lessons") == 2
        assert home.conversations.value("SELECT count(*) FROM messages") == 5


def test_what_another_process_has_open_is_not_replaced_unasked(make_home, copied, tmp_path):
    """R107: an empty home that somebody has open is in use; nothing is replaced without force."""
    home = make_home("açık")
    with pytest.raises(Busy, match="in use"):
        restore.carry_out(home.path, copied, STORES)
    assert home.memory.value("SELECT count(*) FROM lessons") == 0
    assert not Path(home.path, "replaced").exists()
    assert not Path(home.path, restore.MARK).exists()


def test_a_store_from_the_future_is_left_alone(lived, copied, tmp_path):
    """R107, B171: neither a newer home nor a newer copy is touched or used; the home's bytes are the same afterwards."""
    lived.close()
    raw(lived.memory.path, ("PRAGMA user_version = 9000", ()))
    before = hashes(lived.path)
    assert "newer bellek" in " ".join(restore.obstacles(lived.path, copied, STORES))
    assert run("restore", copied.path, "--home", lived.path).returncode == 1
    assert hashes(lived.path) == before
    raw(lived.memory.path, ("PRAGMA user_version = 1", ()))
    file = Path(copied.path, "manifest.json")
    file.write_text(json.dumps({**json.loads(file.read_text()), "format": 99}))
    with pytest.raises(StoreNewer):
        shelf.read(copied.path)
    with pytest.raises(NotFound):
        shelf.read(str(tmp_path))


def test_a_refusal_survives_the_way_back(lived, tmp_path):
    """R107, R115: what a person refused before the copy is still refused after it."""
    (id_,) = rows.write(lived, "p_0", rows.lesson("restart postgres every night"))
    review.refuse(lived, id_, note="no", actor="person:terminal")
    copy = backups.make(lived, str(tmp_path / "k"), program=VERSION).copy
    restore.carry_out(str(tmp_path / "other"), copy, STORES)
    with open_home(str(tmp_path / "other")) as again, pytest.raises(memories.tombstones.NeverAgain):
        rows.write(again, "p_0", rows.lesson("restart postgres every night"))


def test_what_was_forgotten_after_the_copy_is_not_brought_back_unsaid(lived, tmp_path):
    """R107, R116: conversations alone come back without the words that memory knows to be forgotten; where memory is replaced too, what
    knew of it goes with it, and that is said.
    """
    message = str(lived.conversations.value("SELECT id FROM messages WHERE text LIKE 'why%'"))
    copy = backups.make(lived, str(tmp_path / "k"), program=VERSION).copy
    forgotten = forgetting.carry_out(
        lived, blast.reach(lived, blast.Asked("*", (message,), everywhere=True)), actor="person:terminal"
    )
    assert forgotten.state == "proven"
    lived.close()
    done = restore.carry_out(lived.path, copy, ("conversations",), force=True)
    assert "came back without their words" in done.notes[0]
    with open_home(lived.path) as home:
        assert home.conversations.value("SELECT text FROM messages WHERE id = ?", (message,)) == "[forgotten]"
        assert check.check_home(home) == []
    assert b"why 9107" not in Path(lived.path, "conversations.db").read_bytes()
    done = restore.carry_out(lived.path, copy, STORES, force=True)
    assert "1 orders to forget came after this copy" in done.notes[0]


def test_a_long_file_of_the_persons_comes_back_whole(lived, tmp_path):
    """R107: a copy holds the person's files to their last byte, however long one is."""
    path = Path(lived.path, "config/notes.txt")
    path.write_bytes(b"not\n" * 2_500_001)
    copy = backups.make(lived, str(tmp_path / "k"), program=VERSION).copy
    restore.carry_out(str(tmp_path / "yeni"), copy, ("config",))
    assert (tmp_path / "yeni/config/notes.txt").read_bytes() == path.read_bytes()


def test_every_worker_is_held_off():
    """R107: a lock that any room takes for its work is one that a restore asks for."""
    texts = [
        path.read_text(encoding="utf-8") for room in ("kg", "curator", "bellek") for path in (ROOT / room).glob("*.py")
    ]
    taken = {name for text in texts for name in re.findall(r'^LOCK = "(\w+)"$', text, re.MULTILINE)}
    assert taken - {restore.LOCK} == set(restore.WORKERS)


def test_what_was_forgotten_after_the_copy_stays_forgotten(lived, tmp_path):
    """R107, R116: where memory is replaced, the orders of the replaced home are given again in the copy: rows, messages and waiting items
    are hidden from the first moment and scrubbed, under the trail's law; what the copy never held is still refused.
    """
    keep, gone, waits = (
        "the metrics service listens on 9107", "zeytinyağı siparişini Ayşegül onaylar", "Çağrı yedekleri perşembe günü alır",
    )  # fmt: skip
    (row,) = rows.write(lived, "p_0", rows.lesson(gone))
    with lived.memory.transaction():
        queue.enqueue(
            lived.memory, Sighting("p_0", "*", "s", "learning", waits, "agent", "m-9", 0, 1_796_000_000_000, 0)
        )
    copy = backups.make(lived, str(tmp_path / "k"), program=VERSION).copy
    message = str(lived.conversations.value("SELECT id FROM messages WHERE text LIKE 'why%'"))
    drain.drain_offline(lived, "p_0", limit=10)
    drained = str(
        lived.memory.value("SELECT id FROM lessons WHERE id IN (SELECT id FROM memories WHERE text = ?)", (waits,))
    )
    later = rows.write(lived, "p_0", rows.lesson("Iğdır deposunun anahtarı komşudadır"))
    for ids in ((row,), (message, drained), tuple(later)):
        reached = blast.reach(lived, blast.Asked("*", ids, everywhere=True))
        assert forgetting.carry_out(lived, reached, actor="person:terminal").state == "proven"
    lived.close()
    for _ in range(2):  # and again: what was given again is in the trail of what is replaced then
        done = restore.carry_out(lived.path, copy, STORES, force=True, again=forgetting.again)
        assert "were given again" in done.notes[0]
        with open_home(lived.path) as home:
            assert not home.memory.value("SELECT 1 FROM memories WHERE text = ? AND status <> 'hidden'", (gone,))
            assert [one.state for one in forget.finish(home) if one.state != "proven"] == []
            assert home.memory.value("SELECT count(*) FROM memories WHERE text = ?", (keep,)) == 1
            assert home.memory.value("SELECT count(*) FROM queue") == 0
            assert home.conversations.value("SELECT text FROM messages WHERE id = ?", (message,)) == "[forgotten]"
            for text in (gone, waits, "Iğdır deposunun anahtarı komşudadır"):
                with pytest.raises(NeverAgain):
                    rows.write(home, "p_0", rows.lesson(text))
            assert check.check_home(home) == []
        held = b"".join(Path(lived.path, name).read_bytes() for name in ("memory.db", "conversations.db"))
        assert not [text for text in (gone, waits, "why 9107") if text.encode() in held]
