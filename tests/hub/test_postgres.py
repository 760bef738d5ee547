"""Real nodes, each with a home of its own, over a real PostgreSQL."""

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
from postgres import Postgres, programs
from relay import Peer

from bellek import hearing, nightly
from bellek.curator import hub_sync
from bellek.kg import hub_server, hub_spaces, hub_streams, memories, registry
from bellek.kg.home import open_home
from bellek.schemas.errors import BellekError, Refused, UsageFault
from bellek.schemas.settings import Settings

pytestmark = pytest.mark.skipif(programs() is None and "CI" not in os.environ, reason="PostgreSQL is not installed")


@pytest.fixture(scope="module")
def server():
    """One server for this file; each test has a space of its own."""
    made = Postgres()
    yield made
    made.close()


@pytest.fixture
def space(server, tmp_path, monkeypatch):
    """Three nodes of one person in a space."""
    monkeypatch.setenv("PGPASSWORD", server.password)
    name = f"s-{secrets.token_hex(4)}"
    key = secrets.token_hex(32)
    with hub_server.opened(server.server, name) as con:
        hub_server.lay_down(con)
        peers = []
        for one in "abc":
            token = hub_server.invite(con, server.server, name, "ada", "writer", key)
            peers.append(_peer(tmp_path, one, token))
    yield SimpleNamespace(server=server, name=name, key=key, peers=peers, folder=tmp_path)
    for peer in peers:
        peer.home.close()


def _peer(folder, name, token):
    peer = Peer.__new__(Peer)
    peer.home = open_home(str(folder / name))
    peer.db = peer.home.memory
    with peer.db.transaction():
        peer.project = registry.register(peer.db, str(folder / f"{name}-work"))
        hub_spaces.join(peer.db, token, {"app": peer.project}, ())
    peer.node, peer.member, peer.named = token.node, token.member, token.space
    return peer


def sync(peer):
    """One sync in this process."""
    return hub_sync.sync(peer.home, hub_spaces.one(peer.db))


def equal(space):
    """All nodes write the same bytes, after enough syncs for everything to reach everybody."""
    for _ in range(3):
        for peer in space.peers:
            sync(peer)
    outs = [peer.exported(space.folder) for peer in space.peers]
    assert outs[0] == outs[1] == outs[2]
    return outs[0]


def test_what_one_node_writes_is_on_all(space):
    """A row, a page and a claim of one node are on the others after a sync each; a second sync hands over nothing."""
    one, other, third = space.peers
    id_ = one.lesson("uv installs every package of this project")
    one.claim("api", "uses", "sqlite")
    other.page("deploy", "deploys happen on Tuesdays")
    assert b"uv installs every package" in equal(space)["rows.jsonl"]
    assert id_ in third.standing()
    again = sync(one)
    assert (again.pushed, again.pulled) == (0, 0)


def test_rivals_become_an_open_conflict_everywhere(space):
    """R117: two values of one slot, written apart, are an open conflict on every node; neither took the other's place."""
    one, other, _ = space.peers
    one.claim("api", "lives_in", "Ankara")
    other.claim("api", "lives_in", "Berlin")
    out = equal(space)
    assert out["conflicts.jsonl"].count(b"strong") == 1
    assert out["rows.jsonl"].count(b'"status":"contested"') == 1


def test_a_forgetting_reaches_every_node_and_the_hub(space):
    """R116: what is forgotten on one node is gone from all: rows, streams, and the words on the hub, also those pushed late."""
    one, _, third = space.peers
    id_ = one.lesson("the staging password is kept in the blue folder")
    equal(space)
    with third.db.transaction():
        row = memories.read(third.db, id_)
        memories.write(
            third.db,
            row.model_copy(update={"text": "the staging password is kept in the blue folder, still"}),
            actor="agent",
        )
    one.forget(id_)
    sync(one)
    out = equal(space)
    assert b"blue folder" not in b"".join(out.values())
    for peer in space.peers:
        assert id_ not in peer.standing()
        assert peer.db.value("SELECT count(*) FROM forgettings WHERE state <> 'proven'") == 0
    with hub_server.opened(space.server.server, space.name) as con:
        left = con.execute(
            "SELECT count(*) FROM bellek_hub.entries WHERE space = %s AND body LIKE %s", (space.name, "%blue folder%")
        ).fetchone()
    assert left == (0,)


def test_a_refusal_is_respected_on_all(space):
    """R115: what a person refused on one node stands on none, and the same value is not written again on another."""
    one, other, _ = space.peers
    id_ = one.lesson("always clear the cache before a build")
    equal(space)
    assert other.by_person("refuse", id_)
    equal(space)
    assert {peer.standing()[id_] for peer in space.peers} == {"refused"}
    with pytest.raises(Refused):
        space.peers[2].lesson("always clear the cache before a build")


def test_a_promotion_travels_with_who_made_it(space):
    """T2 of a person's own node is T2 on their others, with the promotion that names the node."""
    one, _, third = space.peers
    id_ = one.lesson("tests run on two cores here")
    assert one.by_person("promote", id_)
    equal(space)
    assert third.db.one("SELECT tier FROM memories WHERE id = ?", (id_,)) == ("T2",)
    person = third.db.value("SELECT person FROM promotions WHERE id = ? ORDER BY revision DESC LIMIT 1", (id_,))
    assert str(person) == f"person:hub:ada@{one.node}"


def test_another_members_promotion_counts_only_where_it_is_trusted(space):
    """A member's policy says whose T2 counts: by default their own alone."""
    with hub_server.opened(space.server.server, space.name) as con:
        token = hub_server.invite(con, space.server.server, space.name, "bob", "writer", space.key)
    bob = _peer(space.folder, "d", token)
    one = space.peers[0]
    id_ = one.lesson("releases are cut on Mondays")
    one.by_person("promote", id_)
    sync(one)
    sync(bob)
    assert bob.db.one("SELECT tier, note FROM memories WHERE id = ?", (id_,)) == (
        "T1",
        "permanent for ada, whose promotions do not count here",
    )
    bob.home.close()


def test_a_stolen_node_is_cut_off(space):
    """A cut node's token opens nothing, and what it writes afterwards reaches nobody."""
    one, stolen, _ = space.peers
    stolen.lesson("written before the theft of the laptop")
    sync(stolen)
    with hub_server.opened(space.server.server, space.name) as con:
        hub_server.cut(con, space.name, stolen.node)
    stolen.lesson("written by the thief on the laptop")
    with pytest.raises(BellekError):
        sync(stolen)
    sync(one)
    texts = [str(text) for (text,) in one.db.rows("SELECT text FROM memories")]
    assert "written before the theft of the laptop" in texts
    assert "written by the thief on the laptop" not in texts


def test_the_hub_holds_every_chain_and_every_wall(space):
    """A node cannot rewrite its stream, write another's, nor see another space, whatever it sends."""
    one, other, _ = space.peers
    one.lesson("a chain is a chain is a chain")
    sync(one)
    run = hub_streams.after(one.db, space.name, one.node, 0, 10)
    token = hub_spaces.one(other.db).token
    with pytest.raises(BellekError), hub_server.joined(token) as con:
        hub_server.push(con, space.name, run)
    with pytest.raises(BellekError), hub_server.joined(hub_spaces.one(one.db).token) as con:
        hub_server.push(con, space.name, run)
    with hub_server.opened(token.server, "another", user=token.login, password=token.password) as con:
        assert con.execute("SELECT count(*) FROM bellek_hub.entries WHERE space = %s", (space.name,)).fetchone() == (0,)


def test_a_hub_is_rebuilt_from_a_complete_node(space, monkeypatch):
    """A lost hub is made anew from any node that has everything: the same streams, and the others go on."""
    space.peers[0].lesson("what the hub lost is here")
    before = equal(space)
    monkeypatch.setenv("PGPASSWORD", space.server.password)
    with hub_server.opened(space.server.server, space.name) as con:
        con.execute("DELETE FROM bellek_hub.entries WHERE space = %s", (space.name,))
        con.execute("DELETE FROM bellek_hub.gone WHERE space = %s", (space.name,))
        con.execute(
            "UPDATE bellek_hub.nodes SET head_seq = 0, head_hash = decode(repeat('00', 32), 'hex') WHERE space = %s",
            (space.name,),
        )
        peer = space.peers[2]
        assert hub_sync.rebuild(peer.home, hub_spaces.one(peer.db), con) == before["entries.jsonl"].count(b"\n")
    assert equal(space) == before


def test_leaving_keeps_the_home_whole(space):
    """A home that leaves keeps every row, and the next sync has nothing to do."""
    one = space.peers[0]
    space.peers[1].lesson("it stays here after leaving")
    equal(space)
    rows = one.standing()
    with one.db.transaction():
        hub_spaces.leave(one.db, space.name)
    assert one.standing() == rows
    assert not hub_spaces.joined_any(one.db)


def bellek(peer, *words):
    """What a verb in a process of its own says on a node."""
    command = [sys.executable, "-m", "bellek", *words, "--home", peer.home.path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_processes_sync_and_write_equal_bytes(space):
    """`bellek hub sync` in a process of its own does what the library does, `hub status` tells it, `export --space` writes equal bytes."""
    one, other, _ = space.peers
    one.lesson("a process of its own hands this over")
    bellek(one, "hub", "sync")
    bellek(other, "hub", "sync")
    assert json.loads(bellek(one, "hub", "status", "--json"))[0]["fault"] == ""
    written = []
    for peer in (one, other):
        told = json.loads(
            bellek(peer, "export", str(space.folder / f"out-{peer.node}"), "--space", space.name, "--json")
        )
        written.append({file.name: file.read_bytes() for file in Path(told["path"]).iterdir()})
    assert written[0] == written[1]
    assert b"a process of its own" in written[0]["rows.jsonl"]


def test_a_night_syncs(space):
    """`nightly` plans a sync where a space was joined, and carries it out; a hub that does not answer fails that step alone."""
    one = space.peers[0]
    one.lesson("the night hands this over")
    (step,) = [step for step in nightly.plan(one.home, Settings()) if step.name == "sync"]
    (done,) = nightly.carry_out(one.home, [step])
    assert (done.failed, sync(space.peers[1]).pulled) == (False, 1)
    with one.db.transaction():
        one.db.run("UPDATE hub_spaces SET token = json_set(token, '$.server', 'host=127.0.0.1 port=1 dbname=x')")
    (done,) = nightly.carry_out(one.home, [step])
    assert done.failed
    assert "does not answer" in done.what


def test_hearing_hands_over_what_a_turn_left(space):
    """The hearing child syncs when its turn is over; a hub that does not answer keeps nobody from hearing, and is told."""
    one = space.peers[0]
    one.lesson("the hearing child hands this over")
    hearing.child_work(one.home)
    assert hub_spaces.one(one.db).fault == ""
    assert sync(space.peers[1]).pulled == 1
    with one.db.transaction():
        one.db.run("UPDATE hub_spaces SET token = json_set(token, '$.server', 'host=127.0.0.1 port=1 dbname=x')")
    hearing.child_work(one.home)
    assert "does not answer" in hub_spaces.one(one.db).fault


@pytest.mark.parametrize("mode", ["disable", "prefer", "require"])
def test_off_this_machine_tls_is_verified(mode):
    """Weaker TLS than a verified one is refused before a byte is sent; unsaid, the strictest is taken."""
    with pytest.raises(UsageFault):
        hub_server.safe_words(f"postgresql://hub.example.org/db?sslmode={mode}")
    assert "verify-full" in hub_server.safe_words("postgresql://hub.example.org/db")
    assert (
        psycopg.conninfo.conninfo_to_dict(hub_server.safe_words("postgresql://u:p@127.0.0.1/db")).get("password")
        is None
    )
