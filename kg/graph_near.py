"""A part of the graph that fits on a screen: what stands around one node, filtered, and where each node is drawn.

Pure but for one query that filters. It must never draw more than it was allowed: what was left out is counted.
"""

import math
from dataclasses import dataclass

from bellek.kg import scope
from bellek.kg.db import Database
from bellek.kg.graph import Edge, Graph, Node

MOST = 60  # nodes of one picture that a person can still read
RING = 190.0  # units between rings
BOW = 60.0  # units between the handles of two edges of one pair
LEAST = (760.0, 460.0)  # a frame's size at least: two nodes do not fill a screen
SPACE = 30.0  # units of a ring that one node takes


@dataclass(frozen=True, slots=True)
class Placed:
    """A node and where it stands; `depth` is 0 for the middle, `more` counts neighbours that are not drawn."""

    node: Node
    x: float
    y: float
    depth: int
    more: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """An edge as a curve from its source by a handle to its target: several between two nodes bow apart; where its label stands."""

    edge: Edge
    path: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Near:
    """Nodes nearest first, the edges between them, how many nodes lie within reach and were left out; the picture's frame."""

    placed: tuple[Placed, ...]
    edges: tuple[Drawn, ...]
    left_out: int
    frame: tuple[float, float, float, float]


def kept(db: Database, project: str, *, category: str = "", tier: str = "", since: int = 0) -> frozenset[str] | None:
    """Ids of the rows that a filter lets through; None where nothing is filtered. `since` is UTC milliseconds of the content."""
    if not (category or tier or since):
        return None
    rows = db.rows(
        "SELECT m.id FROM memories m LEFT JOIN claims c ON c.id = m.id WHERE m.kind IN ('claim', 'field', 'entity')"
        f" AND {scope.sees(':project')} AND (:category = '' OR c.category = :category) AND (:tier = '' OR m.tier = :tier) AND m.said_at >= :since",
        {"project": project, "category": category, "tier": tier, "since": since},
    )
    return frozenset(str(row[0]) for row in rows)


def filtered(graph: Graph, ids: frozenset[str] | None) -> Graph:
    """The graph with the edges of these rows alone; nodes stay."""
    if ids is None:
        return graph
    return Graph(graph.nodes, tuple(edge for edge in graph.edges if edge.id in ids), graph.by_key)


def middle(graph: Graph) -> str:
    """The node that most edges meet, entities and names first among equals; "" in an empty graph."""
    counts = dict.fromkeys(graph.nodes, 0)
    for edge in graph.edges:
        counts[edge.source] += 1
        counts[edge.target] += 1
    named = [id_ for id_, node in graph.nodes.items() if node.kind in ("entity", "name")] or list(graph.nodes)
    return min(named, key=lambda id_: (-counts[id_], id_), default="")


Around = dict[str, list[tuple[Edge, str]]]  # node → its edges with the node at the other end


def around(graph: Graph, start: str, depth: int, *, near: Around | None = None, most: int = MOST) -> Near:
    """What lies within so many edges of a node, the nearest `most` of it, placed on rings around it.

    `near` is `graph.around()` where a caller keeps it: on a large graph it costs more than the rest.
    """
    near = graph.around() if near is None else near
    rings: list[list[str]] = [[start]]
    parents, seen = {start: start}, {start}
    for _ in range(depth):
        ring: list[str] = []
        for node in rings[-1]:
            for _edge, other in near[node]:
                if other not in seen:
                    seen.add(other)
                    parents[other] = node
                    ring.append(other)
        rings.append(ring)
    order = [id_ for ring in rings for id_ in ring][:most]
    held = set(order)
    places = _places([[id_ for id_ in ring if id_ in held] for ring in rings])
    depths = {id_: n for n, ring in enumerate(rings) for id_ in ring}
    placed = tuple(
        Placed(graph.nodes[id_], *places[id_], depths[id_], len({other for _, other in near[id_]} - held))
        for id_ in order
    )
    edges = tuple(dict.fromkeys(edge for id_ in order for edge, other in near[id_] if other in held))
    return Near(placed, _curves(edges, places), len(seen) - len(order), _frame(placed))


def _curves(edges: tuple[Edge, ...], places: dict[str, tuple[float, float]]) -> tuple[Drawn, ...]:
    lanes: dict[frozenset[str], list[Edge]] = {}
    for edge in edges:
        lanes.setdefault(frozenset((edge.source, edge.target)), []).append(edge)
    return tuple(
        _curve(edge, n - (len(lane) - 1) / 2, places) for lane in lanes.values() for n, edge in enumerate(lane)
    )


def _curve(edge: Edge, lane: float, places: dict[str, tuple[float, float]]) -> Drawn:
    (x1, y1), (x2, y2) = sorted((places[edge.source], places[edge.target]))
    long = math.hypot(x2 - x1, y2 - y1) or 1.0
    x, y = (x1 + x2) / 2 - (y2 - y1) / long * lane * BOW, (y1 + y2) / 2 + (x2 - x1) / long * lane * BOW
    path = f"M{x1:.1f} {y1:.1f} Q{x:.1f} {y:.1f} {x2:.1f} {y2:.1f}"
    return Drawn(edge, path, round((x1 + 2 * x + x2) / 4, 1), round((y1 + 2 * y + y2) / 4, 1))


def _places(rings: list[list[str]]) -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    radius = 0.0
    for depth, ring in enumerate(rings):
        radius = max(radius + RING, len(ring) * SPACE / (2 * math.pi)) if depth else 0.0
        for n, id_ in enumerate(ring):
            turn = 2 * math.pi * (n + depth / 2) / max(1, len(ring))
            found[id_] = (round(radius * math.cos(turn), 1), round(radius * math.sin(turn), 1))
    return found


def _frame(placed: tuple[Placed, ...]) -> tuple[float, float, float, float]:
    """Left, top, width, height, with room for labels."""
    xs, ys = [one.x for one in placed] or [0.0], [one.y for one in placed] or [0.0]
    width, height = max(max(xs) - min(xs) + 360, LEAST[0]), max(max(ys) - min(ys) + 80, LEAST[1])
    return (max(xs) + min(xs) - width) / 2, (max(ys) + min(ys) - height) / 2, width, height
