"""One item that cannot be written stops no other, and what is parked may be said again."""

from bellek.curator.drain import drain_offline
from bellek.kg import memories, queue, registry
from bellek.schemas.queue import Sighting


def enqueue(home, payload, channel, position, message="m-1"):
    """Queue one item of the project /p; its project's id."""
    with home.memory.transaction():
        here = registry.register(home.memory, "/p")
        said = Sighting(
            project=here,
            agent="a",
            session="s",
            channel=channel,
            payload=payload,
            origin="agent",
            message=message,
            position=position,
            said_at=1_796_040_000_000,
            offset_minutes=0,
        )
        outcome = queue.enqueue(home.memory, said)
    return here, outcome


def test_an_item_of_an_unknown_channel_stops_no_other(home):
    """What no rule drains waits for a curator, however often the queue is drained, and the item behind it is written."""
    here, _ = enqueue(home, "bilinmeyen", "wiki", 0)
    enqueue(home, "ders", "learning", 1)
    first = drain_offline(home, here)
    assert (first.acknowledged, first.written) == (1, {"event": 1, "lesson": 1})
    assert (first.failed, first.waiting) == ([], 1)
    for _ in range(2):
        drain_offline(home, here)
    assert queue.dead(home.memory, here) == []
    assert [(item.channel, item.attempts) for item in queue.peek(home.memory, here)] == [("wiki", 0)]


def test_a_parked_item_that_is_said_again_waits_again(home):
    """A later sighting of a dead letter's words takes its place with its count; the very same sighting is known."""
    here, _ = enqueue(home, "TASK_DONE: yok", "task", 0)
    assert len(drain_offline(home, here).failed) == 1
    assert enqueue(home, "TASK_DONE: yok", "task", 0)[1] == "known"
    assert queue.counts(home.memory, here) == {}
    assert enqueue(home, "TASK_DONE: yok", "task", 0, message="m-2")[1] == "queued"
    (item,) = queue.peek(home.memory, here)
    assert (item.message, item.sightings, item.attempts, queue.dead(home.memory, here)) == ("m-2", 2, 0, [])


def test_what_a_token_holds_is_left_alone(home):
    """An item that is out under a token is neither written nor called failed by a drain."""
    here, _ = enqueue(home, "bir", "learning", 0)
    enqueue(home, "iki", "learning", 1)
    queue.take(home.memory, here, limit=1)
    done = drain_offline(home, here)
    assert (done.acknowledged, done.failed, queue.counts(home.memory, here)) == (1, [], {"learning": 1})


def test_a_twin_that_came_while_an_item_was_out_is_not_acknowledged_with_it(home):
    """R39: settling the generation that was handed out leaves the later sighting waiting; the next drain finds that it stands."""
    here, _ = enqueue(home, "ders", "learning", 0)
    (out,) = queue.take(home.memory, here).items
    assert enqueue(home, "ders", "learning", 0, message="m-2")[1] == "twin"
    with home.memory.transaction():
        assert queue.settle(home.memory, out, (), actor="curator", batch="b_1") is False
    assert queue.counts(home.memory, here) == {"learning": 1}
    assert drain_offline(home, here).acknowledged == 1


def test_words_whose_rows_have_ended_are_new_words(home):
    """B77: said again while its row stands, a learning is not queued; once the row has ended, it is."""
    here, _ = enqueue(home, "ders", "learning", 0)
    drain_offline(home, here)
    assert enqueue(home, "ders", "learning", 0, message="m-2")[1] == "current"
    with home.memory.transaction():
        for (id_,) in home.memory.rows("SELECT id FROM memories WHERE status = 'current'"):
            old = memories.read(home.memory, str(id_))
            memories.write(home.memory, old.model_copy(update={"status": "superseded"}), actor="person")
    assert enqueue(home, "ders", "learning", 0, message="m-3")[1] == "queued"
    assert drain_offline(home, here).written == {"event": 1, "lesson": 1}
