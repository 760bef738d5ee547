"""Undo: any batch an agent wrote is one act that can be taken back, and the taking back is an act itself."""

import pytest
from typed_world import AT, DAY, claim, lesson, write

from bellek.curator import review, undoing
from bellek.curator.drain import drain_offline
from bellek.kg import check, conflicts, memories, tombstones, undo
from bellek.schemas.errors import NotFound, PersonNeeded, Refused
from bellek.schemas.lesson import Lesson
from bellek.schemas.page import Page

PERSON = "person:terminal"


def batch_of(world, id_=""):
    """The batch of a row's latest revision, or of the newest act of all."""
    where = ("WHERE id = ?", (id_,)) if id_ else ("WHERE ? = ''", ("",))
    return str(world.db.value(f"SELECT batch FROM audit {where[0]} ORDER BY seq DESC LIMIT 1", where[1]))


def stands(world):
    """What stands: (id, status, text) of every row in sight, and the open conflicts."""
    rows = [(r["id"], r["status"], r["text"]) for r in world.rows("memories") if r["status"] != "hidden"]
    return sorted(rows), sorted((r["id"], r["state"]) for r in world.rows("conflicts") if r["state"] == "open")


def test_what_a_batch_wrote_is_hidden(world):
    """R126: the lesson and the journal row of one drain are taken back together, and the act is in the trail."""
    world.hear("önbelleği her koşudan önce boşalt çünkü eski veri kalıyor")
    drain_offline(world.home, world.project)
    done = undoing.take_back(world.db, batch_of(world), actor="cli")
    assert len(done.hidden) == 2
    assert stands(world) == ([], [])
    entry = world.db.one("SELECT act, kind, id FROM audit ORDER BY seq DESC LIMIT 1")
    assert entry == ("undo", "batch", done.of)


def test_a_superseded_claim_stands_again(world):
    """R126: undoing the claim that superseded another brings the other back as it was, its end taken off."""
    world.told("lives_in", "Ankara", at=AT)
    before = stands(world)
    world.told("lives_in", "İzmir", at=AT + DAY)
    assert world.current("lives_in") == ["İzmir"]
    undoing.take_back(world.db, batch_of(world), actor="cli")
    assert world.current("lives_in") == ["Ankara"]
    assert stands(world) == before
    assert world.rows("claims")[0]["ended"] == ""


def test_a_refused_claim_that_comes_back_meets_what_came_since(world):
    """R126, R89: a refusal is taken back when another claim stands in the slot by now: the slot's law says which one stands."""
    old = world.told("lives_in", "Ankara", at=AT).ids[0]
    with world.db.transaction():
        review.refuse(world.home, old, note="yanlış", actor=PERSON)
    refusal = batch_of(world)
    world.told("lives_in", "İzmir", at=AT + DAY)
    done = undoing.take_back(world.db, refusal, actor=PERSON)
    assert world.current("lives_in") == ["İzmir"]
    undoing.take_back(world.db, done.batch, actor=PERSON)
    assert world.current("lives_in") == ["İzmir"]
    assert check.check_memory(world.db) == []


def test_a_conflict_that_it_opened_is_reverted(world):
    """R126: undoing the weaker claim closes the conflict that it opened."""
    world.told("lives_in", "Ankara", by="user", at=AT)
    before = stands(world)
    world.told("lives_in", "İzmir", by="agent", at=AT + DAY)
    assert world.open_conflicts()
    undoing.take_back(world.db, batch_of(world), actor="cli")
    assert stands(world) == before
    assert conflicts.listed(world.db, world.project, resolved=True) == []


def test_an_undo_is_undone(world):
    """R126: the undo is a batch; undoing it brings back what the first one wrote, and so on."""
    world.told("lives_in", "Ankara", at=AT)
    one = stands(world)
    world.told("lives_in", "İzmir", at=AT + DAY)
    two = stands(world)
    first = undoing.take_back(world.db, batch_of(world), actor="cli")
    assert stands(world) == one
    second = undoing.take_back(world.db, first.batch, actor="cli")
    assert stands(world) == two
    undoing.take_back(world.db, second.batch, actor="cli")
    assert stands(world) == one


def test_a_later_batch_that_built_upon_it_is_named(world):
    """R126: a row that a later batch changed is not pulled away under it; the later batch is named, and undone first it is no obstacle."""
    world.apply(lesson("önbellek boşaltılır"))
    first = batch_of(world)
    world.apply(lesson("önbellek boşaltılır."))  # absorbed: another revision of the same row
    second = batch_of(world)
    with pytest.raises(Refused, match=second):
        undoing.take_back(world.db, first, actor="cli")
    undoing.take_back(world.db, second, actor="cli")
    assert len(undoing.take_back(world.db, first, actor="cli").hidden) == 1


def test_what_points_to_it_is_an_obstacle_too(world):
    """R126: a claim that a batch ended, and a field of an entity that it made, name the later batch."""
    world.told("lives_in", "İzmir", at=AT + DAY)
    first = batch_of(world)
    world.told("lives_in", "Ankara", at=AT)  # said earlier, heard later: it ends at once
    with pytest.raises(Refused, match="ended by"):
        undoing.take_back(world.db, first, actor="cli")
    world.apply(write("entity", name="Mira"))
    made = batch_of(world)
    world.apply(write("entity", name="Mira", fields={"kod": "010"}))
    with pytest.raises(Refused, match="a field of"):
        undoing.take_back(world.db, made, actor="cli")


def test_a_persons_batch_is_known_as_one(world):
    """R122: a batch in which a person acted is told apart, so that only a person may undo it; T2 is changed by nobody else."""
    id_ = world.permanent(Lesson(topic="cache", learning="convention", importance=2), "önbellek boşaltılır")
    assert undo.by_person(world.db, batch_of(world, id_))
    with pytest.raises(PersonNeeded):
        undoing.take_back(world.db, batch_of(world, id_), actor="cli")
    assert memories.read(world.db, id_).status == "current"


def test_undoing_a_refusal_lets_the_value_in_again(world):
    """R115, R126: the refusal's tombstone goes with its batch, and stands again when the undo is undone."""
    world.apply(lesson("pip kullan çünkü hızlı"))
    (row,) = world.rows("memories")
    old = memories.read(world.db, row["id"])
    with world.db.transaction():
        memories.write(
            world.db,
            old.model_copy(update={"status": "refused", "note": "no", "batch": "b_refusal"}),
            actor="person",
            act="refuse",
        )
        tombstones.refuse(world.db, old, actor="person", batch="b_refusal")
    assert world.apply(lesson("pip kullan çünkü hızlı"))[0].state == "dropped"
    done = undoing.take_back(world.db, "b_refusal", actor="person")
    assert (done.lifted, memories.read(world.db, old.id).status) == (1, "current")
    assert world.apply(lesson("pip kullan çünkü hızlı"))[0].state == "absorbed"


def test_what_is_no_batch(world):
    """A batch that is none, or that wrote no row, is refused with the reason."""
    with pytest.raises(NotFound):
        undo.find(world.db, "b_zzz")
    world.item("x")
    world.apply({"verdict": "drop", "items": world.waiting(), "reason": "r"})
    with pytest.raises(Refused, match="wrote no row"):
        undoing.take_back(world.db, batch_of(world), actor="cli")


def test_claims_of_one_batch_in_one_slot(world):
    """R126: several rows of one batch that moved each other are taken back to what was before all of them."""
    world.told("lives_in", "Bursa", at=AT)
    before = stands(world)
    messages = [world.say(f"user lives in {city}", at=AT + n * DAY) for n, city in ((1, "İzmir"), (2, "Ankara"))]
    world.apply(
        *(claim(m, "lives in", "lives_in", city) for m, city in zip(messages, ("İzmir", "Ankara"), strict=True))
    )
    undoing.take_back(world.db, batch_of(world), actor="cli")
    assert stands(world) == before
    assert check.check_memory(world.db) == []


def test_a_permanent_page_gets_its_former_words_back(world):
    """R126: a person takes back an accepted replacement of a permanent page: the words they promoted before stand again, permanent."""
    id_ = world.permanent(Page(topic="deploy", title="Deploy"), "Cuma günü çıkılır.")
    (receipt,) = world.apply(write("page", topic="deploy", title="D", text="Salı günü çıkılır.", how="replace"))
    with world.db.transaction():
        review.answer(world.home, receipt.ids[0], yes=True, note="", actor=PERSON)
    replaced = memories.read(world.db, id_)
    assert replaced.text == "Salı günü çıkılır."
    undoing.take_back(world.db, replaced.batch, actor=PERSON)
    back = memories.read(world.db, id_)
    assert (back.text, back.tier) == ("Cuma günü çıkılır.", "T2")
    assert check.check_memory(world.db) == []
