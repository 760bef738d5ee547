"""What networkx works out over the graph: shortest paths, communities, GraphML. Imported by the verbs of `graph` alone.

It must never be imported where a turn or another verb would pay for it.
"""

from io import BytesIO
from itertools import pairwise
from typing import Any

import networkx as nx

from bellek.kg.graph import Graph, Step

SEED = 7  # communities are found by chance moves: the same store gives the same ones


def _net(graph: Graph) -> "nx.MultiGraph[str]":
    net: nx.MultiGraph[str] = nx.MultiGraph()
    net.add_nodes_from(sorted(graph.nodes))
    net.add_edges_from((edge.source, edge.target, i) for i, edge in enumerate(graph.edges))
    return net


def path(graph: Graph, start: str, end: str) -> list[Step]:
    """The shortest way from one node to another, an edge a step; empty where there is none, or where both are one."""
    near = graph.around()
    try:
        nodes: list[str] = nx.shortest_path(_net(graph), start, end)
    except nx.NetworkXNoPath:
        return []
    steps = []
    for depth, (here, there) in enumerate(pairwise(nodes), start=1):
        edge = min((e for e, other in near[here] if other == there), key=lambda e: (e.tier != "T2", e.id))
        steps.append(Step(edge, here, there, depth))
    return steps


def communities(graph: Graph) -> list[list[str]]:
    """Nodes that belong together (Blondel et al., 2008: Louvain), largest community first; single nodes are left out."""
    if not graph.edges:
        return []
    net = nx.Graph(_net(graph))
    found: Any = nx.community.louvain_communities(net, seed=SEED)
    return sorted((sorted(group) for group in found if len(group) > 1), key=lambda group: (-len(group), group))


def graphml(graph: Graph) -> bytes:
    """The graph as GraphML 1.0, with labels, kinds, tiers, and the id of the row behind each edge."""
    net: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for node in sorted(graph.nodes.values(), key=lambda n: n.id):
        net.add_node(storable(node.id), label=storable(node.label), kind=node.kind, tier=node.tier)
    for i, edge in enumerate(graph.edges):
        net.add_edge(
            storable(edge.source), storable(edge.target), str(i), label=storable(edge.label), memory=edge.id, tier=edge.tier, status=edge.status,
            unverified=edge.tier == "T1",
        )  # fmt: skip
    out = BytesIO()
    nx.write_graphml_xml(net, out, named_key_ids=True)
    return out.getvalue()


def storable(text: str) -> str:
    """The text without what XML 1.0 cannot hold at all: controls, surrogates and non-characters become U+FFFD."""
    return "".join(
        c if c in "\t\n\r" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c >= "\U00010000" else "\ufffd"
        for c in text
    )
