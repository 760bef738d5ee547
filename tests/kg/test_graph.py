"""The graph of entities, claims and fields: what is in it, what is related, and what it must not show."""

from xml.etree import ElementTree as ET

import pytest
import rows
from hypothesis import given, settings
from hypothesis import strategies as st

from bellek.context import drawing
from bellek.kg import graph, graph_shapes
from bellek.kg.graph import Edge, Graph, Node


@pytest.fixture
def family(home):
    """Zeynep works at Acme, where Ali works too; Ali's grandmother makes jam; another project and a hidden row beside them."""
    zeynep, ali = rows.write(home, "*", rows.entity("Zeynep", "Zeyno"), rows.entity("Ali Usta", "Ali"))
    rows.write(
        home, "p_1",
        rows.claim("Zeyno", "works_at", "Acme"), rows.claim("Ali", "works_at", "Acme"), rows.claim("Ali", "has_parent", "Fatma"),
        rows.claim("Fatma", "knows", "vişne reçeli <script>"), rows.claim("Fatma", "lives_in", "Bursa"),
        rows.claim("Ali", "owns", "gizli ev", status="hidden"), rows.claim("Ali", "likes", "karantina", status="quarantined", note="x"),
        rows.claim("user", "friend_of", "Zeynep"),
    )  # fmt: skip
    rows.write(home, "p_2", rows.claim("Ali", "works_at", "Başka Proje"))
    rows.write(
        home, "*",
        rows.field(ali, "city", "Bursa"), rows.field(ali, "kan_grubu", "A rh pozitif", sensitivity="health"),
        rows.field(ali, "maas", "100 lira", sensitivity="finance", consent=True),
    )  # fmt: skip
    return home, {"zeynep": zeynep, "ali": ali}


def related(loaded, name, depth=1):
    """Labels within so many edges of a name, by depth."""
    start = graph.meant(loaded, name)
    return {loaded.nodes[step.reached].label for step in graph.neighbours(loaded, start, depth)}


def test_neighbours_to_a_depth(family):
    """R111: entity, alias, relation and field edges; an alias means its entity, depth k reaches what k edges join and no more."""
    loaded = graph.load(family[0].memory, "p_1")
    assert related(loaded, "zeyno") == {"Zeyno", "Acme", "you"}
    assert related(loaded, "Ali Usta") == {"Ali", "Acme", "Fatma", "Bursa", "100 lira"}
    assert "Fatma" not in related(loaded, "zeynep", 2)
    assert {"Ali Usta", "Fatma"} <= related(loaded, "Zeynep", 3)
    assert graph.meant(loaded, "me") == graph.meant(loaded, "user")
    assert graph.meant(loaded, "nobody") is None


def test_nothing_withheld_is_in_it(family):
    """R11, R57: no row of another project, no hidden or quarantined one, and no sensitive value without consent."""
    loaded = graph.load(family[0].memory, "p_1")
    labels = {node.label for node in loaded.nodes.values()}
    assert not labels & {"Başka Proje", "gizli ev", "karantina", "A rh pozitif"}
    assert {edge.tier for edge in loaded.edges} == {"T1"}
    other = graph.load(family[0].memory, "p_3")
    assert "Acme" not in {node.label for node in other.nodes.values()}


def test_how_two_are_related(family):
    """R108: "How are X and Y related" is the shortest way, an edge a step with the row behind it; unrelated names have none."""
    loaded = graph.load(family[0].memory, "p_1")
    steps = graph_shapes.path(loaded, graph.meant(loaded, "zeynep"), graph.meant(loaded, "fatma"))
    assert [(step.edge.label, loaded.nodes[step.reached].label) for step in steps] == [
        ("works_at", "Acme"), ("works_at", "Ali Usta"), ("has_parent", "Fatma"),
    ]  # fmt: skip
    rows.write(family[0], "p_1", rows.claim("Mars", "contains", "buz"))
    loaded = graph.load(family[0].memory, "p_1")
    assert graph_shapes.path(loaded, graph.meant(loaded, "zeynep"), graph.meant(loaded, "mars")) == []


def test_one_name_of_two_is_neither(home):
    """A name that two entities have means none of them: nothing is merged on a name alone; a permanent one keeps its name."""
    rows.write(home, "*", rows.entity("Can", "C"), rows.entity("Ceren", "C"))
    rows.write(home, "p_1", rows.claim("C", "likes", "çay"))
    loaded = graph.load(home.memory, "p_1")
    assert loaded.nodes[graph.meant(loaded, "C")].kind == "name"
    assert "çay" not in related(loaded, "Can")


def test_what_is_central_and_what_belongs_together(family):
    """The rank of what most is related to is largest, ranks sum to one, and the same store gives the same communities."""
    loaded = graph.load(family[0].memory, "p_1")
    ranks = graph.rank(loaded)
    assert abs(sum(ranks.values()) - 1) < 1e-9
    assert loaded.nodes[max(ranks, key=ranks.get)].label == "Ali Usta"
    groups = graph_shapes.communities(loaded)
    assert groups == graph_shapes.communities(graph.load(family[0].memory, "p_1"))
    near = graph.rank(loaded, {graph.meant(loaded, "zeynep"): 1.0})
    assert near[graph.meant(loaded, "acme")] > near[graph.meant(loaded, "fatma")]


def test_the_files_are_sound_and_stored_text_is_data(family):
    """GraphML and SVG parse as XML, hold every node and edge, name the rows, mark what is unverified, and are the same bytes again."""
    loaded = graph.load(family[0].memory, "p_1")
    picture = drawing.svg(loaded, graph_shapes.communities(loaded))
    root = ET.fromstring(picture)
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert (tags.count("circle"), tags.count("line")) == (len(loaded.nodes), len(loaded.edges))
    assert "script" not in tags
    assert "unverified" in picture
    assert picture == drawing.svg(loaded, graph_shapes.communities(loaded))
    file = ET.fromstring(graph_shapes.graphml(loaded))
    edges = [element for element in file.iter() if element.tag.endswith("}edge")]
    assert len(edges) == len(loaded.edges)
    assert "A rh pozitif" not in picture + graph_shapes.graphml(loaded).decode()


def test_an_empty_store_is_an_empty_graph(home):
    """With nothing kept each answer is empty and each file is sound."""
    loaded = graph.load(home.memory, "p_1")
    assert (loaded.nodes, loaded.edges, graph.rank(loaded), graph_shapes.communities(loaded)) == ({}, (), {}, [])
    ET.fromstring(drawing.svg(loaded, []))
    ET.fromstring(graph_shapes.graphml(loaded))


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.text(max_size=12)), max_size=12))
def test_every_graph_is_drawn(edges):
    """Whatever the labels and however the nodes are joined, both files parse and no step is told twice."""
    nodes = {f"n{i}": Node(f"n{i}", label, "value", "") for a, b, label in edges for i in (a, b)}
    made = Graph(
        nodes,
        tuple(Edge(f"c_{i}", f"n{a}", f"n{b}", label, "T1", "current") for i, (a, b, label) in enumerate(edges)),
        {},
    )
    ET.fromstring(drawing.svg(made, graph_shapes.communities(made)))
    ET.fromstring(graph_shapes.graphml(made))
    for start in made.nodes:
        steps = graph.neighbours(made, start, 7)
        assert len({(step.edge.id, step.edge.target) for step in steps}) == len(steps)
        assert {step.reached for step in steps} | {start} >= set(graph_shapes._net(made).adj[start])


def test_networkx_is_loaded_on_demand(start):
    """Building the whole command line, and loading and ranking a graph, does not import networkx."""
    code = "import sys; from bellek.cli.main import build; build(); import bellek.kg.graph; print('networkx' in sys.modules)"
    assert start(code).communicate(timeout=60)[0].strip() == "False"
