"""What was forgotten is not heard again, from whatever file and under whatever id; and T0 is never missed."""

from bellek.curator import forgetting, manual
from bellek.kg import blast, check, conversations, observations
from bellek.kg.blast import Asked
from bellek.schemas.vocab import FORGOTTEN

SAID = "kasanın şifresi mavi defterin son sayfasında yazıyor"


def forget(home, project, *ids, **more):
    """A person forgets something."""
    done = forgetting.carry_out(home, blast.reach(home, Asked(project, tuple(ids), **more)), actor="person")
    assert done.state == "proven"


def heard_again(home, told):
    """Hear the same files from their start, as after a restore without cursors."""
    home.memory.run("DELETE FROM cursors")
    told.hear()


def test_a_rescan_does_not_hear_it_again(home, talk):
    """R116: the transcript still has the line; the message stays without its words, its mark makes no item, no pointer is kept."""
    told = talk().user(SAID).agent(f"<!-- learning: {SAID} -->")
    told.hear()
    told.drain()
    forget(home, told.project, query="mavi defterin")
    heard_again(home, told)
    assert [m.text for m in conversations.show(home.conversations, "s1")] == [FORGOTTEN, FORGOTTEN]
    assert observations.listed(home.memory, told.project) == []
    assert told.drain().acknowledged == 0
    assert home.memory.value("SELECT count(*) FROM memories") == 0


def test_a_lost_conversations_file_does_not_bring_it_back(home, talk):
    """R116: where the messages themselves are lost and heard anew, the forgotten one is left out."""
    told = talk().user("merhaba").user(SAID)
    told.hear()
    forget(home, told.project, "s1-2")
    for table in ("messages", "conversations"):
        home.conversations.run(f"DELETE FROM {table}")
    home.conversations.run("INSERT INTO messages_fts (messages_fts) VALUES ('rebuild')")
    heard_again(home, told)
    assert [m.text for m in conversations.show(home.conversations, "s1")] == ["merhaba"]


def test_a_copy_under_another_id_is_kept_without_its_words(home, talk):
    """R116: a client that writes a session's history into a new file under new ids brings nothing back; small talk is no copy."""
    told = talk().user(SAID).user("evet")
    told.hear()
    forget(home, told.project, source="s1")
    fork = talk("s2").user(SAID).user("evet")
    fork.hear()
    assert [m.text for m in conversations.show(home.conversations, "s2")] == [FORGOTTEN, "evet"]


def test_what_is_said_later_in_a_forgotten_conversation_is_heard(home, talk):
    """R116: a conversation is forgotten up to now, not for ever."""
    told = talk().user(SAID)
    told.hear()
    forget(home, told.project, source="s1")
    told.user("yeni bir soru", timestamp="2126-11-30T09:00:00.000Z").hear()
    assert [m.text for m in conversations.show(home.conversations, "s1")] == [FORGOTTEN, "yeni bir soru"]


def test_it_is_not_captured_again(home, talk):
    """R116: by hand neither."""
    told = talk().user(SAID)
    told.hear()
    forget(home, told.project, "s1-1")
    assert manual.capture(home, told.project, SAID).text == FORGOTTEN


def test_t0_is_disposable(home, talk):
    """R17: with every T0 pointer deleted no row of T1 or T2 is lost, hearing goes on, and the store is sound."""
    told = (
        talk()
        .user("önbelleği boşalt")
        .tool("Edit", "/a.py")
        .agent("<!-- learning: önbelleği boşalt, çünkü eski kalıyor -->")
    )
    told.hear()
    told.drain()
    before = home.memory.rows("SELECT id, tier, status, text FROM memories ORDER BY id")
    assert observations.listed(home.memory, told.project)
    home.memory.run("DELETE FROM observations")
    assert home.memory.rows("SELECT id, tier, status, text FROM memories ORDER BY id") == before
    assert check.check_home(home) == []
    told.agent("<!-- learning: kapı 8080 açık kalır, çünkü vekil oraya bakar -->").hear()
    assert told.drain().written == {"event": 1, "lesson": 1}
