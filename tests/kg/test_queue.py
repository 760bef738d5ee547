"""The queue: what was seen is never queued again, and an item goes only with the rows that it became."""

import json
from dataclasses import asdict

import pytest
from made import AT, lesson, sighting

from bellek.kg import clock, memories, queue
from bellek.schemas.errors import NotFound, Refused

MINUTE = clock.MINUTE_MS


def enqueue(home, *sightings):
    """Queue sightings, each in a transaction; the outcomes."""
    outcomes = []
    for one in sightings:
        with home.memory.transaction():
            outcomes.append(queue.enqueue(home.memory, one))
    return outcomes


def drain(home, item, memory=None):
    """Write a row for an item and acknowledge it; the row, and whether the item is gone."""
    made = memory or lesson(item.payload)
    with home.memory.transaction():
        memories.write(home.memory, made, actor="test")
        gone = queue.settle(home.memory, item, (made.id,), actor="test", batch="b_1")
    return made, gone


def only(home):
    """The one waiting item."""
    (item,) = queue.peek(home.memory, "p_x")
    return item


@pytest.fixture
def at(monkeypatch):
    """Set the clock, in minutes after AT."""

    def to(minutes):
        monkeypatch.setenv("BELLEK_CLOCK", str(AT + int(minutes * MINUTE)))

    to(0)
    return to


def test_a_sighting_is_queued_once(home):
    """R13: the same message, channel and place scanned five times is one item."""
    assert enqueue(home, *[sighting()] * 5) == ["queued", *["known"] * 4]
    assert only(home).sightings == 1


def test_a_sighting_stays_known_after_its_item_is_gone(home):
    """R39: an acknowledged item is in neither peek nor status, also after its message was scanned again."""
    enqueue(home, sighting())
    drain(home, only(home))
    assert enqueue(home, sighting()) == ["known"]
    assert queue.peek(home.memory, "p_x") == []
    assert queue.counts(home.memory, "p_x") == {}


def test_another_place_in_the_same_message_is_another_sighting(home):
    """R13: two different markers of one message are two items."""
    assert enqueue(home, sighting("bir çünkü a", position=0), sighting("iki çünkü b", position=40)) == ["queued"] * 2


def test_projects_do_not_see_each_other(home):
    """R24: the items of one project are invisible in another, and the same words there are an item of their own."""
    assert enqueue(home, sighting(), sighting(message="m2", project="p_y")) == ["queued", "queued"]
    assert len(queue.peek(home.memory, "p_x")) == len(queue.peek(home.memory, "p_y")) == 1
    assert queue.peek(home.memory, "p_z") == []
    with pytest.raises(NotFound):
        queue.find(home.memory, "p_z", only(home).id)


def test_what_waits_can_be_counted_and_looked_at(home, at):
    """R25: status is channel → count, peek an array with id, channel, payload and enqueued_at, oldest first; empty is {} and []."""
    assert (queue.counts(home.memory, "p_x"), queue.peek(home.memory, "p_x")) == ({}, [])
    enqueue(
        home,
        sighting("a çünkü b"),
        sighting("c çünkü d", "m2", said_at=AT + 1),
        sighting("SELF_TASK: e", "m3", channel="task"),
    )
    assert queue.counts(home.memory, "p_x") == {"learning": 2, "task": 1}
    assert [item.payload for item in queue.peek(home.memory, "p_x", channel="learning")] == ["a çünkü b", "c çünkü d"]
    for item in queue.peek(home.memory, "p_x"):
        assert {"id", "channel", "payload", "enqueued_at"} <= asdict(item).keys()
        json.dumps(asdict(item))


def test_items_of_one_moment_keep_the_order_of_the_words(home, at):
    """What one message said is handed out as it was said, although all of it was queued in the same millisecond."""
    said = [f"{n} çünkü {n}" for n in range(12)]
    enqueue(home, *(sighting(words, position=40 * n) for n, words in enumerate(said)))
    assert [item.payload for item in queue.peek(home.memory, "p_x")] == said
    assert [item.payload for item in queue.take(home.memory, "p_x").items] == said


def test_acknowledging_fails_aloud(home):
    """R26: a wrong, an empty, an ambiguous and an already acknowledged id are errors, and the queue stays as it was."""
    enqueue(home, sighting("a çünkü b"), sighting("c çünkü d", "m2"))
    before = queue.peek(home.memory, "p_x")
    for given, error in (("q_zzz", NotFound), ("", NotFound), ("q_", Refused)):
        with pytest.raises(error):
            queue.ack(home.memory, "p_x", given, actor="test")
    assert queue.peek(home.memory, "p_x") == before
    queue.ack(home.memory, "p_x", before[0].id, actor="test")
    with pytest.raises(NotFound):
        queue.ack(home.memory, "p_x", before[0].id, actor="test")
    assert queue.peek(home.memory, "p_x") == before[1:]


def test_an_id_may_be_shortened(home):
    """R26: the first letters of an id are enough while no other item's id starts so."""
    enqueue(home, sighting())
    id_ = only(home).id
    assert queue.ack(home.memory, "p_x", id_[:8], actor="test") == id_


def test_a_twin_that_waits_is_counted(home):
    """The same words in a later message raise the waiting item's counter; they are not a second item."""
    assert enqueue(home, sighting(), sighting(message="m2")) == ["queued", "twin"]
    assert only(home).sightings == 2


def test_words_whose_row_is_current_are_not_queued_again(home):
    """R39: a later message that repeats an acknowledged item whose row is still current adds nothing."""
    enqueue(home, sighting())
    drain(home, only(home))
    assert enqueue(home, sighting(message="m2")) == ["current"]
    assert queue.peek(home.memory, "p_x") == []


def test_words_whose_row_is_no_longer_current_are_new(home):
    """B77: the same learning marked again after its row was superseded is a new item for the curator, seen twice in all."""
    enqueue(home, sighting())
    made, _ = drain(home, only(home))
    with home.memory.transaction():
        memories.write(home.memory, made.model_copy(update={"status": "superseded"}), actor="test")
    assert enqueue(home, sighting(message="m2")) == ["queued"]
    assert only(home).message == "m2"
    assert home.memory.value("SELECT count(*) FROM seen") == 2


def test_only_the_generation_that_was_taken_is_acknowledged(home):
    """B87: a twin that came while an item was in work survives that item's acknowledgement, and is then known as said already."""
    enqueue(home, sighting())
    (taken,) = queue.take(home.memory, "p_x").items
    assert enqueue(home, sighting(message="m2")) == ["twin"]
    made, gone = drain(home, taken)
    assert gone is False
    left = only(home)
    assert (left.id, left.state, left.sightings) == (taken.id, "pending", 2)
    assert queue.standing(home.memory, left) == (made.id,)
    assert drain(home, left, made)[1] is True
    assert queue.peek(home.memory, "p_x") == []


def test_a_twin_put_away_by_hand_leaves_the_words_said(home):
    """R39: an acknowledgement that writes nothing is no news about the rows that the same words became before."""
    enqueue(home, sighting())
    (taken,) = queue.take(home.memory, "p_x").items
    enqueue(home, sighting(message="m2"))
    drain(home, taken)
    queue.ack(home.memory, "p_x", only(home).id, actor="test")
    assert enqueue(home, sighting(message="m3")) == ["current"]
    assert queue.peek(home.memory, "p_x") == []


def test_a_taken_item_is_handed_out_once(home, at):
    """While a token holds an item nobody else gets it, and it still counts as waiting."""
    enqueue(home, sighting())
    first = queue.take(home.memory, "p_x")
    assert len(first.items) == 1
    assert first.until_at == AT + 10 * MINUTE
    assert queue.take(home.memory, "p_x").items == ()
    assert queue.counts(home.memory, "p_x") == {"learning": 1}


def test_an_item_returns_when_its_holder_stays_away(home, at):
    """After ten minutes without a call the item is handed out again; one minute earlier it is not."""
    enqueue(home, sighting())
    queue.take(home.memory, "p_x")
    at(9)
    assert queue.take(home.memory, "p_x").items == ()
    at(10.1)
    assert len(queue.take(home.memory, "p_x").items) == 1


def test_each_call_renews_the_token(home, at):
    """A holder that calls again within its ten minutes keeps its items, and gets the same ones."""
    enqueue(home, sighting())
    first = queue.take(home.memory, "p_x")
    at(9)
    again = queue.take(home.memory, "p_x", token=first.token)
    assert [item.id for item in again.items] == [item.id for item in first.items]
    at(18)
    assert queue.take(home.memory, "p_x").items == ()


def test_a_token_gives_back_what_it_holds(home):
    """Items given back wait again for whoever comes next."""
    enqueue(home, sighting())
    token = queue.take(home.memory, "p_x").token
    with home.memory.transaction():
        assert queue.give_back(home.memory, token) == 1
    assert only(home).state == "pending"


def test_an_item_that_fails_is_parked_with_its_reason(home):
    """After three failed tries an item is a dead letter with its reason: not waiting, not lost, and alive again when said again."""
    enqueue(home, sighting())
    for _ in range(queue.MAX_ATTEMPTS):
        with home.memory.transaction():
            queue.fail(home.memory, only(home), "neden bilinmiyor")
    assert queue.peek(home.memory, "p_x") == []
    (parked,) = queue.dead(home.memory, "p_x")
    assert (parked.reason, parked.attempts) == ("neden bilinmiyor", 3)
    assert enqueue(home, sighting(message="m2")) == ["queued"]
    assert (only(home).message, only(home).sightings, only(home).attempts) == ("m2", 2, 0)
    assert queue.dead(home.memory, "p_x") == []


def test_a_payload_is_kept_redacted_and_compared_unredacted(home):
    """Two markers that differ in their secret alone are two items, and neither secret is stored."""
    one, other = "AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPL2"
    assert enqueue(home, sighting(f"anahtar {one}"), sighting(f"anahtar {other}", "m2")) == ["queued", "queued"]
    assert {item.payload for item in queue.peek(home.memory, "p_x")} == {"anahtar [redacted:aws-key]"}


def test_a_failed_drain_leaves_the_item(home):
    """An error between the row and the acknowledgement takes both back: the item waits as before."""
    enqueue(home, sighting())
    item = only(home)
    with pytest.raises(ZeroDivisionError), home.memory.transaction():
        memories.write(home.memory, lesson(), actor="test")
        queue.settle(home.memory, item, (), actor="test", batch="b_1")
        raise ZeroDivisionError
    assert only(home) == item
    assert home.memory.value("SELECT count(*) FROM memories") == 0


def test_stranded_items_are_recovered_with_their_times(home, at):
    """Items of a project whose folder is gone move into another with their times; a twin there keeps its place."""
    enqueue(home, sighting("a çünkü b", project="p_old"), sighting("c çünkü d", "m2", project="p_old"))
    enqueue(home, sighting("c çünkü d", "m3"))
    lost = queue.stranded(home.memory, ["p_old"])
    assert len(lost) == 2
    at(5)
    assert queue.recover(home.memory, lost, "p_x") == 1
    assert {(item.payload, item.enqueued_at) for item in queue.peek(home.memory, "p_x")} == {
        ("a çünkü b", AT),
        ("c çünkü d", AT),
    }
    assert queue.stranded(home.memory, []) == []
