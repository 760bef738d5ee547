"""The laws of a merge over random writes, delays, repeats and partitions: equal bytes everywhere, nothing lost, nothing doubled."""

import os
import random
import secrets

import pytest
from relay import AT, CITIES, WORDS, Peer, Relay

from bellek.curator import hub_sync
from bellek.kg import check, forget, hub_streams


def act(peer, dice, ids):
    """One thing that a node's agent or person does."""
    what = dice.choice(
        (
            "lesson",
            "lesson",
            "claim",
            "claim",
            "page",
            "task",
            "promote",
            "refuse",
            "edit",
            "forget",
            "resolve",
            "undo",
            "again",
        )
    )
    here = [id_ for id_ in ids if id_ in peer.standing()]
    match what:
        case "lesson":
            ids.append(peer.lesson(f"{dice.choice(WORDS)} {dice.randrange(30)}"))
        case "claim":
            ids.append(peer.claim(dice.choice(("api", "web")), dice.choice(("uses", "lives_in")), dice.choice(CITIES)))
        case "page":
            ids.append(peer.page(dice.choice(("deploy", "style")), f"{dice.choice(WORDS)} {dice.randrange(1000)}"))
        case "task":
            ids.append(peer.task(f"{dice.choice(WORDS)} by {dice.randrange(1000)}"))
        case "resolve":
            rows = peer.db.rows("SELECT id, strong, weak FROM conflicts WHERE state = 'open' ORDER BY id")
            if rows:
                id_, strong, weak = dice.choice(rows)
                peer.by_person("resolve", id_, winner=dice.choice((strong, weak, "")))
        case "undo":
            rows = peer.db.rows(
                "SELECT DISTINCT batch FROM audit WHERE actor NOT LIKE '%hub%' AND kind <> 'conflict' ORDER BY seq DESC LIMIT 5"
            )
            if rows:
                peer.undo(dice.choice(rows)[0])
        case "again" if here:
            row = peer.db.one("SELECT subject, predicate, object FROM claims ORDER BY id LIMIT 1")
            if row:
                peer.claim(*row)
        case "promote" | "refuse" if here:
            peer.by_person(what, dice.choice(here))
        case "edit" if here:
            peer.by_person("edit", dice.choice(here), text=f"{dice.choice(WORDS)} edited {dice.randrange(1000)}")
        case "forget" if here:
            if dice.random() < 0.3:
                peer.forget(dice.choice(here))


def one_round(folder, seed, monkeypatch):
    """Three nodes, whose clocks are minutes and days apart, act and are cut off from each other at random; then they meet."""
    dice = random.Random(seed)
    monkeypatch.setattr(os, "urandom", random.Random(-1 - seed).randbytes)  # a seed makes the same ids again
    skew = {name: dice.choice((0, 0, 60_000, -86_400_000, 86_400_000)) for name in "abc"}
    key = secrets.token_hex(32)
    peers = [Peer(folder, name, key) for name in "abc"]
    relay = Relay(peers)
    ids = []
    for n in range(dice.randrange(8, 40)):
        peer = dice.choice(peers)
        monkeypatch.setenv("BELLEK_CLOCK", str(AT + n * 1000 + skew[peer.node[2]]))
        if dice.random() < 0.5:
            act(peer, dice, ids)
        else:
            relay.round(dice)
    relay.meet()
    first, *others = [peer.exported(folder) for peer in peers]
    for other in others:
        assert first == other, seed
    for peer in peers:
        assert check.check_home(peer.home) == []
        mine = hub_streams.heads(peer.db, "team")
        assert mine == {p.node: len(relay.streams[p.node]) for p in peers if relay.streams[p.node]}
        peer.home.close()


@pytest.mark.parametrize("seed", range(8))
def test_nodes_that_met_write_the_same_bytes(tmp_path, monkeypatch, seed, hub_rounds):
    """R-hub: whatever order entries came in, nodes that have all of them hold the same space, each entry once."""
    for n in range(seed, hub_rounds, 8):
        folder = tmp_path / str(n)
        folder.mkdir()
        one_round(folder, n, monkeypatch)


@pytest.fixture
def pair(tmp_path):
    """Two nodes of a space and what lies between them."""
    key = secrets.token_hex(32)
    relay = Relay([Peer(tmp_path, name, key) for name in "ab"])
    yield relay
    for peer in relay.peers:
        peer.home.close()


def test_a_row_that_was_out_of_sight_is_forgotten_everywhere(pair):
    """R116: a row that was undone before it was forgotten has no words left on the other node either, its stream included."""
    one, other = pair.peers
    id_ = one.lesson("the boiler is serviced in May")
    hub_sync.look(one.home, one.space, hub_sync.Synced("team"))
    assert one.undo(str(one.db.value("SELECT batch FROM audit WHERE id = ?", (id_,))))
    pair.push(one)
    pair.pull(other, one)
    one.forget(id_)
    forget.finish(one.home)
    pair.meet()
    for peer in pair.peers:
        assert peer.db.value("SELECT count(*) FROM hub_entries WHERE id = ? AND body IS NOT NULL", (id_,)) == 0
        assert id_ not in {id_ for id_, status in peer.standing().items() if status == "current"}


def test_what_is_written_later_ranks_higher(pair):
    """Entries of a node rank in the order in which it wrote them, also after it took in older ones: an undone promotion is undone on all."""
    one, other = pair.peers
    other.lesson("the lamp is on the left")
    pair.push(other)
    ids = [one.lesson(f"the port of service {n} is {9000 + n}") for n in range(3)]
    assert one.by_person("promote", ids[0])
    hub_sync.look(one.home, one.space, hub_sync.Synced("team"))
    pair.pull(one, other)
    assert one.undo(str(one.db.value("SELECT batch FROM audit WHERE id = ? AND act = 'promote'", (ids[0],))))
    pair.meet()
    assert other.db.value("SELECT tier FROM memories WHERE id = ?", (ids[0],)) == "T1"


def test_a_promoted_page_stands_on_its_own_node_too(pair):
    """R126: of two pages of one topic a person promotes the one that did not stand: it stands on every node, their own included."""
    one, other = pair.peers
    one.page("deploy", "on Fridays")
    other.page("deploy", "on Mondays")
    pair.meet()
    (lost,) = (id_ for id_, status in one.standing().items() if status == "contested")
    assert one.by_person("promote", lost)
    pair.meet()
    for peer in pair.peers:
        assert peer.standing()[lost] == "current"
        assert sorted(peer.standing().values()) == ["contested", "current"]
