"""Entities and claims as a graph: who and what is related, how, and how we know. Loaded on demand by its verbs only.

What it is for: neighbours, the path between two names, what is central, which belong together, an export. Nodes are
entities, the subjects of claims, what claims and fields say of them, and aliases; an edge is one row, with its id and tier.

What it must never do: hold a row of another project, a hidden or quarantined one, or a sensitive value without consent;
merge two entities on a name that both have; or be imported by the prompt hook (networkx costs fourteen bare starts).
"""

from dataclasses import dataclass

from bellek.kg import names, scope
from bellek.kg.db import Database

SELF_LABEL = "you"
DAMPING = 0.85  # Page, Brin et al., "The PageRank Citation Ranking", 1999
ROUNDS = 40  # .85^40 is below .002: ranks stand still


@dataclass(frozen=True, slots=True)
class Node:
    """`id` is an entity's memory id, else "name:" or "value:" and the normal form. `tier` is "" for what is no row of its own."""

    id: str
    label: str
    kind: str  # "entity", "name", "value", "alias"
    tier: str


@dataclass(frozen=True, slots=True)
class Edge:
    """One row: a claim, a field, or an alias (id of its entity). `label` is the predicate or the field's name."""

    id: str
    source: str
    target: str
    label: str
    tier: str
    status: str


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes by id, edges in order of their ids, and which node a normal form of a name means."""

    nodes: dict[str, Node]
    edges: tuple[Edge, ...]
    by_key: dict[str, str]

    def around(self) -> dict[str, list[tuple[Edge, str]]]:
        """Node → its edges with the node at the other end, both ways."""
        near: dict[str, list[tuple[Edge, str]]] = {id_: [] for id_ in self.nodes}
        for edge in self.edges:
            near[edge.source].append((edge, edge.target))
            if edge.source != edge.target:
                near[edge.target].append((edge, edge.source))
        return near


class _Build:
    """A graph in the making: names are resolved to entities as `kg.entities` does, never carried on from alias to alias."""

    __slots__ = ("by_key", "edges", "nodes")

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.edges: list[Edge] = []
        self.by_key: dict[str, str] = {}

    def named(self, name: str, tier: str = "") -> str:
        """The node that a name means; made if there is none."""
        key = names.key(name)
        if key not in self.by_key:
            id_ = f"name:{key}"
            self.nodes[id_] = Node(id_, SELF_LABEL if key == names.SELF else name, "name", tier)
            self.by_key[key] = id_
        return self.by_key[key]

    def said(self, value: str) -> str:
        """The node that an object or a value means: a known name, else a value of its own."""
        known = self.by_key.get(names.key(value))
        if known:
            return known
        id_ = f"value:{names.words(value)}"
        self.nodes.setdefault(id_, Node(id_, value, "value", ""))
        return id_


def load(db: Database, project: str) -> Graph:
    """The graph of what stands in a project and in every project."""
    build = _Build()
    entities = _entities(db, project)
    _name(db, build, entities)
    claims = db.rows(
        "SELECT m.id, c.subject, c.predicate, c.object, m.tier, m.status FROM claims c JOIN memories m ON m.id = c.id"
        f" WHERE {scope.sees('?')} AND m.status IN ('current', 'contested') ORDER BY m.id",
        (project,),
    )
    for row in claims:  # all subjects first: what one claim says may be another's subject
        build.named(str(row[1]))
    for row in claims:
        id_, subject, predicate, said, tier, status = map(str, row)
        build.edges.append(Edge(id_, build.named(subject), build.said(said), predicate, tier, status))
    for field in _fields(db, project):
        id_, entity, name, value, tier, status = map(str, field)
        if entity in build.nodes:
            build.edges.append(Edge(id_, entity, build.said(value), name, tier, status))
    return Graph(build.nodes, tuple(sorted(build.edges, key=lambda e: (e.id, e.target))), build.by_key)


def _entities(db: Database, project: str) -> list[tuple[str, str, str]]:
    rows = db.rows(
        f"SELECT m.id, e.name, m.tier FROM entities e JOIN memories m ON m.id = e.id WHERE {scope.sees('?')} AND m.status = 'current' ORDER BY m.id",
        (project,),
    )
    return [(str(id_), str(name), str(tier)) for id_, name, tier in rows]


def _fields(db: Database, project: str) -> list[tuple[object, ...]]:
    """Fields that may be shown: a sensitive one only with consent."""
    return [
        *db.rows(
            "SELECT m.id, f.entity, f.name, f.value, m.tier, m.status FROM fields f JOIN memories m ON m.id = f.id"
            f" WHERE {scope.sees('?')} AND m.status IN ('current', 'contested') AND (f.sensitivity = '' OR f.consent) ORDER BY m.id",
            (project,),
        )
    ]


def _name(db: Database, build: _Build, entities: list[tuple[str, str, str]]) -> None:
    """Entities and their aliases; a name that several have means none of them, unless one alone is permanent."""
    holders: dict[str, set[tuple[str, str]]] = {}
    aliases: dict[str, list[str]] = {}
    for entity, alias in db.rows("SELECT entity, alias FROM aliases ORDER BY entity, alias"):
        aliases.setdefault(str(entity), []).append(str(alias))
    for id_, name, tier in entities:
        build.nodes[id_] = Node(id_, name, "entity", tier)
        for other in (name, *aliases.get(id_, ())):
            holders.setdefault(names.key(other), set()).add((id_, tier))
    for key, held in holders.items():
        strong = {id_ for id_, tier in held if tier == "T2"} or {id_ for id_, _ in held}
        if len(strong) == 1:
            build.by_key[key] = strong.pop()
    for id_, name, tier in entities:
        for alias in aliases.get(id_, ()):
            if names.key(alias) != names.key(name):
                node = f"alias:{id_}:{names.key(alias)}"
                build.nodes[node] = Node(node, alias, "alias", "")
                build.edges.append(Edge(id_, id_, node, "also called", tier, "current"))


def meant(graph: Graph, given: str) -> str | None:
    """The node that an id, a name, an alias or a value means; None where there is none."""
    if given in graph.nodes:
        return given
    found = graph.by_key.get(names.key(given))
    value = f"value:{names.words(given)}"
    return found or (value if value in graph.nodes else None)


@dataclass(frozen=True, slots=True)
class Step:
    """An edge on the way from one node to another; `depth` counts from 1."""

    edge: Edge
    origin: str
    reached: str
    depth: int


def neighbours(graph: Graph, start: str, depth: int) -> list[Step]:
    """What lies within so many edges of a node: each edge once, nearest first."""
    near, seen, edges = graph.around(), {start}, set[tuple[str, str]]()
    steps: list[Step] = []
    front = [start]
    for far in range(1, depth + 1):
        ahead: list[str] = []
        for node in front:
            for edge, other in near[node]:
                if (edge.id, edge.target) in edges:
                    continue
                edges.add((edge.id, edge.target))
                steps.append(Step(edge, node, other, far))
                if other not in seen:
                    seen.add(other)
                    ahead.append(other)
        front = ahead
    return steps


def rank(graph: Graph, start: dict[str, float] | None = None) -> dict[str, float]:
    """PageRank over the edges, both ways; with a start (node → weight) the personalised one. The ranks sum to 1."""
    near = graph.around()
    total = sum(start.values()) if start else 0.0
    if not graph.nodes:
        return {}
    home = {id_: (start or {}).get(id_, 0.0) / total if total else 1 / len(graph.nodes) for id_ in graph.nodes}
    ranks = dict(home)
    for _ in range(ROUNDS):
        flow = {id_: (1 - DAMPING) * home[id_] for id_ in graph.nodes}
        loose = sum(value for id_, value in ranks.items() if not near[id_])
        for id_, value in ranks.items():
            for _edge, other in near[id_]:
                flow[other] += DAMPING * value / len(near[id_])
        ranks = {id_: value + DAMPING * loose * home[id_] for id_, value in flow.items()}
    return ranks
