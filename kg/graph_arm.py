"""The graph beside the words: rows that hold none of a question's words but stand next to what it is about. Pure.

    S(row) = L(row) / best L + WEIGHT x .5^(distance - 1)

Distance counts edges, two at most, from what the question names (an entity, an alias, the subject of a claim), and
where it names nothing from what its three best rows are about. What it gives is measured in docs/decisions/0017-dates-and-graph.md.
"""

from bellek.kg import fold, graph, names
from bellek.kg.graph import Graph

WEIGHT = 0.25  # .5 finds a little more and begins to displace rows that the words had right
HOPS = 2
BEST = 3  # rows whose ends are taken where the question names nothing
NAME_WORDS = 3  # words of the longest name that is looked for in a question


def named(loaded: Graph, question: str) -> list[str]:
    """Nodes that a question names, longer names first."""
    words = fold.heads(question)
    sizes = range(min(NAME_WORDS, len(words)), 0, -1)
    keys = (names.key(" ".join(words[i : i + size])) for size in sizes for i in range(len(words) - size + 1))
    return list(dict.fromkeys(loaded.by_key[key] for key in keys if key in loaded.by_key))


def about(loaded: Graph, lexical: dict[str, float]) -> list[str]:
    """The nodes that the best rows are about."""
    best = set(sorted(lexical, key=lambda id_: (-lexical[id_], id_))[:BEST])
    return list(dict.fromkeys(end for edge in loaded.edges if edge.id in best for end in (edge.source, edge.target)))


def near(loaded: Graph, question: str, lexical: dict[str, float], *, hops: int = HOPS) -> dict[str, float]:
    """Row id → 1, .5, … by its distance from the question; `lexical` maps matching rows to 0..1."""
    found: dict[str, float] = {}
    for start in named(loaded, question) or about(loaded, lexical):
        for step in graph.neighbours(loaded, start, hops):
            found[step.edge.id] = max(found.get(step.edge.id, 0.0), 0.5 ** (step.depth - 1))
    return found


def fused(lexical: dict[str, float], beside: dict[str, float], *, weight: float = WEIGHT) -> list[str]:
    """Ids of all rows of either arm, best first."""
    total = {id_: lexical.get(id_, 0.0) + weight * beside.get(id_, 0.0) for id_ in {**lexical, **beside}}
    return sorted(total, key=lambda id_: (-total[id_], id_))
