"""The graph as a picture: one SVG, laid out by rule, so that the same store gives the same bytes.

What it is for: `graph export --svg`. Communities stand in circles around the middle; what is unverified is dashed. Stored
text is data: it is escaped and shortened, and the file holds no script, link or outside reference.
"""

import math
from xml.sax.saxutils import escape

from bellek.kg.graph import Graph

LABEL = 28  # characters of a label
APART = 46  # units between neighbours on a circle
_STYLE = (
    "text{font:12px sans-serif}.edge{stroke:#888;stroke-width:1}.t1{stroke-dasharray:4 3}.entity{fill:#2b6cb0}.name{fill:#2f855a}"
    ".value{fill:#b7791f}.alias{fill:#a0aec0}.what{fill:#555;font-size:10px}"
)


def _radius(members: int) -> float:
    return max(APART, APART * members / (2 * math.pi))


def places(graph: Graph, groups: list[list[str]]) -> dict[str, tuple[float, float]]:
    """Node → its place: a circle a group, the groups on a circle; nodes of no group are one more."""
    grouped = {id_ for group in groups for id_ in group}
    rest = sorted(set(graph.nodes) - grouped)
    circles = [*groups, *([rest] if rest else [])]
    outer = sum(2 * _radius(len(group)) + APART for group in circles) / (2 * math.pi) if len(circles) > 1 else 0.0
    outer = (
        max(outer, max((_radius(len(group)) for group in circles), default=0.0) + APART) if len(circles) > 1 else 0.0
    )
    found = {}
    for i, group in enumerate(circles):
        turn = 2 * math.pi * i / len(circles)
        x, y = outer * math.cos(turn), outer * math.sin(turn)
        for k, id_ in enumerate(group):
            angle = 2 * math.pi * k / len(group)
            radius = _radius(len(group)) if len(group) > 1 else 0.0
            found[id_] = (round(x + radius * math.cos(angle), 1), round(y + radius * math.sin(angle), 1))
    return found


def _text(label: str) -> str:
    plain = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(label.split()))
    return escape(plain if len(plain) <= LABEL else plain[: LABEL - 1] + "…", {'"': "&quot;"})


def svg(graph: Graph, groups: list[list[str]]) -> str:
    """The picture. Edges carry their predicate; a title on each tells the row's id and whether it is unverified."""
    at = places(graph, groups)
    xs, ys = [x for x, _ in at.values()] or [0.0], [y for _, y in at.values()] or [0.0]
    left, top = min(xs) - 120, min(ys) - 40
    width, height = max(xs) - left + 200, max(ys) - top + 60
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}">',
        f"<style>{_STYLE}</style>",
        f'<text class="what" x="{left + 8:.1f}" y="{top + 16:.1f}">{len(graph.nodes)} nodes, {len(graph.edges)} rows; dashed: unverified</text>',
    ]
    for edge in graph.edges:
        (x1, y1), (x2, y2) = at[edge.source], at[edge.target]
        dashed = " t1" if edge.tier == "T1" else ""
        unverified = ", unverified" if edge.tier == "T1" else ""
        lines.append(
            f'<g><title>{escape(edge.id)}{unverified}</title><line class="edge{dashed}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'
            f'<text class="what" x="{(x1 + x2) / 2:.1f}" y="{(y1 + y2) / 2:.1f}">{_text(edge.label)}</text></g>'
        )
    for node in sorted(graph.nodes.values(), key=lambda n: n.id):
        x, y = at[node.id]
        lines.append(
            f'<circle class="{node.kind}" cx="{x}" cy="{y}" r="5"/><text x="{x + 8:.1f}" y="{y + 4:.1f}">{_text(node.label)}</text>'
        )
    return "\n".join([*lines, "</svg>"]) + "\n"
