"""Draining by rule: what waits becomes rows once, and nothing is lost, doubled or called done that was not."""

import pytest

from bellek.curator import drain, route
from bellek.kg import apart, journal, lessons, memories, queue, tasks
from bellek.schemas.errors import Busy, NotFound


def lesson_rows(home, said):
    """The lessons of a project, each with how often it was said."""
    return [(row.text, row.sightings) for row in lessons.listed(home.memory, said.project)]


def test_an_item_is_acknowledged_with_rows_that_were_read_back(home, talk, monkeypatch):
    """B38: an item is acknowledged only after its rows were read back; where one cannot be, nothing is written and the item waits."""
    said = talk().agent("<!-- learning: uv kullan çünkü pip kilit tutmaz -->")
    said.hear()

    def lost(db, id_):
        raise NotFound(f"no memory {id_}")

    with monkeypatch.context() as patch:
        patch.setattr(memories, "read", lost)
        assert said.drain().acknowledged == 0
    assert lesson_rows(home, said) == []
    assert queue.counts(home.memory, said.project) == {"learning": 1}
    assert said.drain().written == {"event": 1, "lesson": 1}
    assert queue.counts(home.memory, said.project) == {}


def test_a_near_twin_is_absorbed_and_another_meaning_is_not(home, talk):
    """R42, R90, B75: the same learning in nearly the same words is one lesson with two sources; a negation is another."""
    said = talk().agent("<!-- learning: Testlerde sabit saat kullanın, çünkü yama diğer testlere sızıyor -->")
    said.agent("<!-- learning: testlerde sabit saat kullanın; çünkü yama diğer testlere sızıyor! -->")
    said.agent("<!-- learning: Testlerde sabit saat kullanmayın, çünkü yama diğer testlere sızıyor -->").hear()
    done = said.drain()
    assert (done.written, done.absorbed) == ({"event": 2, "lesson": 2}, 1)
    first = next(row for row in lessons.listed(home.memory, said.project) if "kullanın," in row.text)
    assert first.sightings == 2
    assert len(memories.read(home.memory, first.id).sources) == 2


def test_trivial_text_is_dropped_with_a_record(home, talk):
    """R42: a learning of nothing but small talk is acknowledged, leaves no row, and its drop is recorded with a reason."""
    said = talk().agent("<!-- learning: tamam, teşekkürler -->")
    said.hear()
    item = home.memory.value("SELECT id FROM queue")
    assert said.drain().dropped == 1
    assert home.memory.rows("SELECT item, reason FROM drops") == [(item, "it holds nothing to learn")]
    assert not route.trivial("uv")


def test_the_same_words_after_their_row_was_superseded_are_a_new_item(home, talk):
    """B77: while its row stands a repeated learning only counts; once superseded, the next one is queued and offered again."""
    said = talk().agent("<!-- learning: uv kullan çünkü hızlı -->")
    said.hear()
    said.drain()
    said.agent("<!-- learning: uv kullan çünkü hızlı -->")
    assert said.hear().queued == 0
    (row,) = lessons.listed(home.memory, said.project)
    with home.memory.transaction():
        for kind, old in (("l", row.id), ("e", journal.listed(home.memory, said.project)[0].id)):
            memory = memories.read(home.memory, old)
            assert memory.id.startswith(kind)
            memories.write(home.memory, memory.model_copy(update={"status": "superseded"}), actor="person")
    said.agent("<!-- learning: uv kullan çünkü hızlı -->")
    assert said.hear().queued == 1
    assert said.drain().written == {"event": 1, "lesson": 1}


def test_what_a_dead_holder_took_comes_back(home, talk, monkeypatch):
    """B82: items taken under a token whose holder died wait again when it has expired, and `status` shows them meanwhile."""
    said = talk().agent("<!-- learning: uv kullan çünkü hızlı -->")
    said.hear()
    monkeypatch.setenv("BELLEK_CLOCK", "1800000000000")
    queue.take(home.memory, said.project)
    assert said.drain().acknowledged == 0
    assert queue.counts(home.memory, said.project) == {"learning": 1}
    monkeypatch.setenv("BELLEK_CLOCK", str(1800000000000 + queue.TOKEN_MS + 1))
    assert said.drain().acknowledged == 1


def test_what_a_dead_holder_took_is_drained_after_a_day(home, talk, monkeypatch):
    """B82: items whose holder died and for which nobody came since are drained by rule like any that waited a day; a living holder's are not."""
    said = talk().agent("<!-- learning: uv kullan çünkü hızlı -->")
    said.hear()
    queued = int(home.memory.value("SELECT enqueued_at FROM queue"))
    monkeypatch.setenv("BELLEK_CLOCK", str(queued + queue.OVERDUE_MS + 1))
    queue.take(home.memory, said.project)
    assert drain.drain_overdue(home, queue.overdue(home.memory)) == []
    monkeypatch.setenv("BELLEK_CLOCK", str(queued + queue.OVERDUE_MS + queue.TOKEN_MS + 2))
    assert [done.acknowledged for done in drain.drain_overdue(home, queue.overdue(home.memory))] == [1]


def test_a_poison_item_is_parked_and_the_others_pass(home, talk, monkeypatch):
    """B83, B85: an item whose writing always fails is tried a bounded number of times and parked with its reason; the others pass, no signal counts it."""
    said = talk()
    for word in ("bir", "ZEHİR", "üç"):
        said.agent(f"<!-- learning: {word} kullan çünkü iyi -->")
    said.hear()
    read = route.learning

    def poisoned(payload):
        if "ZEHİR" in payload:
            raise ValueError
        return read(payload)

    monkeypatch.setattr(route, "learning", poisoned)
    for tries in range(1, queue.MAX_ATTEMPTS + 1):
        assert said.drain().acknowledged == (2 if tries == 1 else 0)
        state, attempts = home.memory.rows("SELECT state, attempts FROM queue")[0]
        assert (state, attempts) == ("dead" if tries == queue.MAX_ATTEMPTS else "pending", tries)
    assert queue.counts(home.memory, said.project) == {}
    assert [(i.state, i.reason) for i in queue.dead(home.memory, said.project)] == [("dead", "ValueError")]
    monkeypatch.setattr(route, "learning", read)
    said.agent("<!-- learning: ZEHİR kullan çünkü iyi -->")
    assert said.hear().queued == 1
    assert said.drain().acknowledged == 1


def test_an_acknowledgement_deletes_only_what_was_taken(home, talk):
    """B87: a twin that arrives while the first is taken survives the first one's acknowledgement and only counts later."""
    said = talk().agent("<!-- learning: uv kullan çünkü hızlı -->")
    said.hear()
    (item,) = queue.take(home.memory, said.project).items
    said.agent("<!-- learning: uv kullan çünkü hızlı -->").hear()
    with home.memory.transaction():
        assert not queue.settle(home.memory, item, (), actor="test", batch="b_test")
    assert queue.counts(home.memory, said.project) == {"learning": 1}


def test_two_drains_do_not_work_at_once(home, talk):
    """R29, R41: while one drain holds the lock another is told that it is busy; an empty drain writes nothing."""
    from bellek.kg import locks

    said = talk().agent("merhaba")
    said.hear()
    before = home.memory.value("SELECT count(*) FROM audit")
    assert said.drain().acknowledged == 0
    assert home.memory.value("SELECT count(*) FROM audit") == before
    with locks.held(home.path, drain.LOCK) as mine:
        assert mine
        with pytest.raises(Busy):
            said.drain()


def test_a_channel_that_is_drained_by_nobody_waits(home, talk, manifest):
    """A manifest with drain = "none" hears and signals; draining by rule leaves its items as they are, untried."""
    manifest("idea.toml", drain="none")
    said = talk().agent("<!-- idea: bulutlara bak çünkü güzel -->")
    said.hear()
    assert said.drain().waiting == 1
    assert home.memory.rows("SELECT state, attempts FROM queue") == [("pending", 0)]


def test_a_manifest_drains_its_channel_as_it_says(home, talk, manifest):
    """A person's channel with drain = "task" makes tasks, one with "profile-fact" entities."""
    manifest("todo.toml", drain="task")
    manifest("who.toml", drain="profile-fact")
    said = talk().agent("<!-- todo: süt al -->\n<!-- who: entity: Ali -->")
    said.hear()
    assert said.drain().written == {"task": 1, "entity": 1}


HOSTILE = [
    "../../../.bashrc",
    "/etc/x",
    "CON",
    "a:b",
    "x\u0000y",
    "ç" * 300,
    "'; DROP TABLE memories; --",
    "\u202eters",
    "[/bold]",
    "1e999",
    "%s%n",
    "<script>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_a_row_like_any_other(home, talk, text):
    """B65, B179: text that breaks paths, encoders or parsers is kept as a lesson, a task and an entity, its topic a plain name; nothing raises."""
    said = talk().agent(
        f"<!-- learning: {text} kullanma çünkü bozuk -->\n[SELF_TASK: {text.replace('[', '(').replace(']', ')')} sil]"
    )
    said.agent(f"<!-- profile-fact:\nentity: deneme\nfields:\n  not: {text}\n-->").hear()
    done = said.drain()
    if text.startswith("\u202e"):  # turned order is kept as well, apart
        assert {row.kind for row in apart.listed(home.memory, said.project)} >= {"lesson", "task"}
        return
    (row,) = lessons.listed(home.memory, said.project)
    assert set(row.topic) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert 0 < len(row.topic) <= 60
    assert len(tasks.listed(home.memory, said.project)) == 1
    assert all("line" in reason for _, reason in done.failed)
