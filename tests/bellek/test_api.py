"""A program of one's own: what `bellek.open` tells and hears, from several threads, beside coding clients."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
import rows

import bellek
from bellek.kg import conversations, receipts
from bellek.kg.home import open_home
from bellek.schemas.errors import UsageFault

ROOT = Path(__file__).resolve().parents[2]
LESSON = "paketler her zaman uv ile kurulur, çünkü kilit dosyasını yalnız uv tutar"
MARK = f"Tamam.\n<!-- learning: {LESSON} -->"


@pytest.fixture
def memory(world):
    """The memory of an agent in the world's project; the home is checked in full at the end."""
    with bellek.open(home=world.home, project=world.work, agent="bot") as opened:
        yield opened


def test_what_a_program_says_is_told_again(memory):
    """The road: hear → pending → drain → packet: a mark in the assistant's reply becomes a lesson that the next packet tells."""
    assert memory.packet("uv mi pip mi?").text == ""
    heard = memory.hear([bellek.Message("user", "uv mi pip mi?", typed=True), bellek.Message("assistant", MARK)])
    assert (heard.new, heard.queued, heard.notes) == (2, 1, ())
    (item,) = memory.pending()
    assert (item.channel, item.payload, item.agent, item.message) == ("learning", LESSON, "bot", heard.ids[1])
    assert memory.drain().written["lesson"] == 1
    assert memory.pending() == []
    told = memory.packet("paketleri neyle kurayım?")
    assert LESSON in told.text
    assert any(hit.text == LESSON for hit in memory.search("kilit dosyası"))
    assert any(hit.text == LESSON for hit in memory.recall("kilit dosyasını kim tutar"))
    assert memory.state().tiers["lesson", "T1", False] == 1
    assert bellek.open(home=memory.home, project=memory.folder).state().waiting == 0


def test_a_curator_of_ones_own_answers_with_verdicts(memory):
    """`apply` carries out typed verdicts and plain JSON alike; each has its receipt, and a broken one refuses itself alone."""
    memory.hear([bellek.Message("assistant", MARK)])
    (item,) = memory.pending()
    lesson = {"kind": "lesson", "text": LESSON, "learning": "convention", "importance": "high"}
    done = memory.apply([{"verdict": "write", "items": [item.id], "memory": lesson}, {"verdict": "shout"}])
    assert [receipt.state for receipt in done] == ["written", "refused"]
    assert memory.pending() == []
    with open_home(memory.home) as home:
        row = home.memory.one("SELECT tier, origin, agent FROM memories WHERE id = ?", (done[0].ids[0],))
    assert row == ("T1", "agent", "*")


def test_the_same_message_is_heard_once(memory):
    """Messages with ids may be handed over again with the whole history each turn: nothing is doubled."""
    talk = [bellek.Message("user", "selam", id="1"), bellek.Message("assistant", MARK, id="2")]
    first, second = memory.hear(talk), memory.hear([*talk, bellek.Message("user", "peki", id="3")])
    assert (first.new, second.new, second.queued) == (2, 1, 0)
    assert second.ids[:2] == first.ids


def test_programs_do_not_meet_by_name(world):
    """Two agents that call their sessions and messages alike keep two conversations."""
    with (
        bellek.open(home=world.home, project=world.work, agent="a") as one,
        bellek.open(home=world.home, project=world.work, agent="b") as two,
    ):
        ids = {
            *one.hear([bellek.Message("user", "bir", id="1")]).ids,
            *two.hear([bellek.Message("user", "iki", id="1")]).ids,
        }
        with open_home(one.home) as home:
            found = [conversations.load(home.conversations, id_) for id_ in ids]
    assert {message.text for message in found if message} == {"bir", "iki"}
    assert len({message.conversation for message in found if message}) == 2


def test_a_full_packet_says_it_again_and_a_short_one_does_not(memory):
    """A program that rebuilds its prompt is told all of it every turn; one whose context stays is told a row once."""
    memory.hear([bellek.Message("assistant", MARK)])
    memory.drain()
    assert all(LESSON in memory.packet("uv").text for _ in range(2))
    assert LESSON in memory.packet("uv", full=False, session="s").text
    assert LESSON not in memory.packet("uv", full=False, session="s").text


def test_a_packet_leaves_a_receipt_and_is_not_heard_as_speech(memory):
    """`why` knows a program's packet; our own fence in what is handed over is taken out and noted as seen."""
    memory.hear([bellek.Message("assistant", MARK)])
    memory.drain()
    packet = memory.packet("uv", full=False, session="s")
    heard = memory.hear([bellek.Message("user", f"{packet.text}\nuv ile kur", session="s")])
    with open_home(memory.home) as home:
        assert receipts.load(home.memory, packet.id).state == "seen"
        (said,) = [conversations.load(home.conversations, id_) for id_ in heard.ids]
    assert said is not None
    assert said.text.strip() == "uv ile kur"


def test_no_secret_reaches_the_disk(memory):
    """What a program hands over is redacted before the first byte is stored (R14)."""
    secret = "sk-ant-" + "api03-" + "q7Rk2vXw9ZpL4mNc8TbY" * 3
    memory.hear(
        [
            bellek.Message("user", f"anahtar {secret}", typed=True),
            bellek.Message("assistant", f"<!-- learning: {secret} -->"),
        ]
    )
    memory.close()
    assert not any(secret.encode() in path.read_bytes() for path in Path(memory.home).rglob("*") if path.is_file())


def test_nothing_a_program_says_promotes(memory):
    """A line that answers bellek is carried out only where a prompt hook saw it: a program's users cannot promote (R129)."""
    memory.hear([bellek.Message("assistant", MARK)])
    memory.drain()
    (found,) = [row for row in memory.search("kilit dosyası") if row.kind == "lesson"]
    memory.packet(f"bellek: no {found.id}")
    memory.hear([bellek.Message("user", f"bellek: no {found.id}", typed=True)])
    with open_home(memory.home) as home:
        assert home.memory.one("SELECT tier, status FROM memories WHERE id = ?", (found.id,)) == ("T1", "current")
    assert not any(hasattr(memory, name) for name in ("promote", "refuse", "release", "forget"))


def test_threads_share_a_memory(memory):
    """Eight threads hear and ask at once on connections of their own: nothing is lost, and no call fails."""
    failed = []

    def work(n):
        try:
            for i in range(5):
                memory.hear(
                    [
                        bellek.Message(
                            "assistant", f"<!-- learning: servis {n}{i} kapısı {9000 + 10 * n + i} -->", session=str(n)
                        )
                    ]
                )
                memory.recall("servis kapısı")
        except BaseException as exc:  # noqa: BLE001
            failed.append(exc)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(memory.pending(limit=1000)) == 40
    assert len(list(memory._all)) == 1, "the connections of threads that ended are closed"


def test_what_a_client_captured_a_program_sees(world):
    """One project, one memory: a row that came by a coding client is told to a program in the same folder (R62)."""
    with open_home(str(world.home)) as home:
        rows.write(home, rows.project(home, world.work), rows.lesson(LESSON, importance=2))
    with (
        bellek.open(home=world.home, project=world.work) as here,
        bellek.open(home=world.home, project="/elsewhere") as there,
    ):
        assert LESSON in here.packet("uv").text
        assert LESSON not in there.packet("uv").text


@pytest.mark.parametrize("agent", ["", " ", "a\nb", "a\u202eb", "x" * 81])
def test_a_name_that_cannot_be_kept_is_refused(world, agent):
    """An agent's name is short and printable; the error says so and nothing is made."""
    with pytest.raises(UsageFault, match="agent"):
        bellek.open(home=world.home, agent=agent)
    assert not world.home.exists()


def test_bad_input_is_told_and_loses_nothing(memory):
    """A foreign author, an empty capture and a closed memory are errors with a way on; what was heard stays."""
    memory.hear([bellek.Message("user", "selam", id="1")])
    with pytest.raises(UsageFault, match="author"):
        memory.hear([bellek.Message("system", "ben modelim")])  # type: ignore[arg-type]
    with pytest.raises(UsageFault, match="nothing to capture"):
        memory.capture("  ")
    assert memory.recall("") == []
    assert memory.hear([bellek.Message("user", "\x00\ud800", id="2"), bellek.Message("user", "", id="3")]).new == 1
    memory.close()
    with pytest.raises(UsageFault, match="closed"):
        memory.pending()


def test_a_wrong_manifest_is_told_once(memory):
    """What is wrong with a person's manifest is a note of the pass that met it first, as where a transcript is heard."""
    folder = Path(memory.home, "config/channels")
    folder.mkdir(parents=True)
    (folder / "own.toml").write_text('name = "own"\n', encoding="utf-8")
    (note,) = memory.hear([bellek.Message("user", "selam")]).notes
    assert "own.toml" in note
    assert memory.hear([bellek.Message("user", "selam")]).notes == ()


def test_the_example_bot_remembers_across_runs():
    """examples/bot.py as a reader starts it: the second run answers from what the first one learned."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/bot.py")], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.rstrip().endswith(
        "As I was told: deploys always go through blue-green, because the last direct one lost orders."
    )
    assert "I do not know" not in done.stdout
