"""Search, conversation, packet, health, timeline and graph, as a browser asks for them."""

import page
import pytest
import rows

from bellek.kg import clock, graph, graph_near, state
from bellek.kg.home import open_home
from bellek.kg.state import Point


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """(page, rows by name): one for this file, since nothing here changes anything."""
    place = tmp_path_factory.mktemp("looks")
    (place / "proje").mkdir()
    with open_home(str(place / "home")) as home:
        ids = page.seed(home, place / "proje")
        here = rows.project(home, place / "proje")
        rows.say(home, here, *(f"{n}. ileti: şema göçü sürüyor" for n in range(260)), talk="uzun konuşma/2")
        rows.write(
            home,
            here,
            rows.event("şema göçü bitti"),
            rows.claim("Zeynep", "works_at", "Ankara", category="person", tier="T1"),
        )
        with home.memory.transaction():
            state.add(home.memory, Point("m1", "claude-code", here, "talk-1", clock.now(), 0, (0.2,) * 8, ()))
    made = page.Served(home.path, place / "proje")
    yield made, ids
    made.close()


@pytest.fixture
def served(held):
    """The page."""
    return held[0]


def get(served, path, **headers):
    """The text of a page that answers well."""
    status, _, text = served.ask("GET", path, **headers)
    assert status == 200, text
    return text


def test_search_finds_all_kinds_and_marks_the_hit_in_its_conversation(served, held):
    """R127: one question finds typed rows and what was said; the conversation opens with the hit marked, a very long one around it."""
    text = get(served, "/search?q=webhook")
    assert held[1]["first"] in text
    assert 'href="/conversation/talk-1?hit=talk-1-0#hit"' in text
    whole = get(served, "/conversation/talk-1?hit=talk-1-0")
    assert '<li id="hit" class="hit">' in whole
    assert "<script>" not in whole
    long = get(served, "/conversation/uzun%20konu%C5%9Fma/2?hit=uzun%20konu%C5%9Fma/2-100")
    assert "<mark>100. ileti" in long
    assert "… " in long
    assert "50. ileti: " not in long.replace("250. ileti", "").replace("150. ileti", "")
    assert "Nothing kept here has these words." in get(served, "/search?q=xyzzyqq")
    assert get(served, "/search")
    assert served.ask("GET", "/conversation/nobody")[0] == 404


def test_another_projects_conversation_is_not_there(served, held, tmp_path):
    """Scope: a conversation held elsewhere is not shown, whatever id is given."""
    with open_home(served.memory.home) as home:
        rows.say(home, rows.project(home, tmp_path), "başka yerin sözü", talk="other")
    assert served.ask("GET", "/conversation/other")[0] == 404
    assert "başka" not in get(served, "/search?q=yerin")


def test_the_packet_page_says_why_each_line_is_there(served, held):
    """R114: the next turn's text, each line with its section and what became of it."""
    text = get(served, "/packet?prompt=webhook")
    assert held[1]["first"] in text
    assert "observations (unverified" in text
    assert "told" in text
    packet = served.memory.packet("webhook", session="s").id
    assert f'href="/packet?receipt={packet}"' in get(served, f"/memory/{held[1]['first']}")
    assert held[1]["first"] in get(served, f"/packet?receipt={packet}")


def test_health_and_timeline_tell_what_is_there(served):
    """R127: copies, spending, what stands; the journal, the acts and the curves; all of doctor when it is asked for."""
    assert "no copy was made yet" in get(served, "/health")
    assert "store sound" in get(served, "/health?doctor=1")
    text = get(served, "/timeline")
    assert "şema göçü bitti" in text
    assert "/picture/state.svg" in text
    for name in ("state", "drives"):
        status, headers, svg = served.ask("GET", f"/picture/{name}.svg")
        assert (status, headers["content-type"][:13], svg[:4]) == (200, "image/svg+xml", "<svg")
    assert served.ask("GET", "/picture/x.svg")[0] == 404


def test_the_graph_shows_a_neighbourhood_and_filters_it(served):
    """R127: around a name; by category, tier and time; a line leads to its evidence and a node to its own surroundings."""
    text = get(served, "/graph?at=Zeynep")
    assert "Ankara" in text
    assert 'href="/memory/c_' in text
    assert 'href="/graph?at=value%3Aankara' in text
    assert "Ankara</text>" not in get(served, "/graph?at=Zeynep&category=project")
    assert "Ankara</text>" in get(served, "/graph?at=Zeynep&category=person&tier=T1")
    assert "Ankara</text>" not in get(served, "/graph?at=Zeynep&tier=T2")
    assert "Nothing yet." in get(served, "/graph?at=nobody")


def test_every_page_speaks_both_languages(served):
    """R127: each page in Turkish as in English."""
    for path in ("/", "/search?q=webhook", "/packet", "/health", "/timeline", "/graph"):
        assert '<html lang="tr">' in get(served, path, accept_language="tr-TR,tr;q=0.9")
        assert "Gelen kutusu" in get(served, path, cookie=f"{served.keys.cookie}={served.keys.session}; bellek-lang=tr")


def test_a_picture_holds_the_nearest_and_counts_the_rest():
    """Of 5,000 nodes around one, the nearest 60 are drawn, each in a place of its own, and the rest is counted."""
    nodes = {f"name:{n}": graph.Node(f"name:{n}", str(n), "name", "") for n in range(5_000)}
    edges = tuple(graph.Edge(f"c_{n}", "name:0", f"name:{n}", "uses", "T1", "current") for n in range(1, 5_000))
    near = graph_near.around(graph.Graph(nodes, edges, {}), "name:0", 2)
    assert len(near.placed) == graph_near.MOST
    assert len({(one.x, one.y) for one in near.placed}) == graph_near.MOST
    assert near.left_out == 5_000 - graph_near.MOST
    assert near.placed[0].more == near.left_out
    assert graph_near.middle(graph.Graph(nodes, edges, {})) == "name:0"
    assert all(one.edge.source in {n.node.id for n in near.placed} for one in near.edges)


def test_edges_between_the_same_two_bow_apart():
    """Two rows about one pair are two curves with two places for their labels: each can be read and clicked."""
    nodes = {name: graph.Node(name, name, "name", "") for name in ("a", "b")}
    edges = tuple(
        graph.Edge(f"c_{n}", *pair, "uses", "T1", "current") for n, pair in enumerate((("a", "b"), ("b", "a")))
    )
    near = graph_near.around(graph.Graph(nodes, edges, {}), "a", 1)
    assert len({(one.x, one.y) for one in near.edges}) == 2
