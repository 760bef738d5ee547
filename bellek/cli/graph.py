"""``graph neighbours|path|central|communities|export``: who and what is related, and how we know."""

from pathlib import Path
from typing import Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, sight, typed
from bellek.cli.screen import one_line, say, say_json
from bellek.context import drawing
from bellek.kg import graph as graphs
from bellek.kg.graph import Graph, Step
from bellek.schemas.errors import NotFound, UsageFault

group = typer.Typer(no_args_is_help=True, help="Entities and claims as a graph.")

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A name, alias, value or id; me is you.")]


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="graph")


def _load(home: str | None, project: str | None) -> Graph:
    with opened(home) as store:
        return graphs.load(store.memory, sight(store, project))


def _node(graph: Graph, given: str) -> str:
    """The node that a name means. Raises NotFound."""
    found = graphs.meant(graph, typed(given))
    if found is None:
        raise NotFound(
            f"nothing here is called {one_line(given, 60)!r}",
            why="no entity, claim or field names it",
            hint="run `bellek graph central`",
        )
    return found


def _line(graph: Graph, step: Step) -> str:
    label = {id_: one_line(graph.nodes[id_].label, 60) for id_ in (step.edge.source, step.edge.target)}
    trust = {"T1": ", unverified", "T2": ", permanent"}.get(step.edge.tier, "")
    contested = ", contested" if step.edge.status == "contested" else ""
    return f"{label[step.edge.source]} —{one_line(step.edge.label, 40)}→ {label[step.edge.target]}  ({step.edge.id}{trust}{contested})"


def _json(graph: Graph, step: Step) -> dict[str, object]:
    return {
        "id": step.edge.id, "tier": step.edge.tier, "status": step.edge.status, "depth": step.depth, "relation": step.edge.label,
        "source": graph.nodes[step.edge.source].label, "target": graph.nodes[step.edge.target].label,
        "reached": graph.nodes[step.reached].label, "reached_id": step.reached, "kind": graph.nodes[step.reached].kind,
    }  # fmt: skip


def _told(graph: Graph, steps: list[Step], *, json: bool, none: str) -> None:
    if json:
        say_json([_json(graph, step) for step in steps])
        return
    say(*([f"{'  ' * (step.depth - 1)}{_line(graph, step)}" for step in steps] or [none]))


@group.command()
def neighbours(
    name: NameArgument,
    depth: Annotated[int, typer.Option("--depth", min=1, max=10, metavar="K", help="How many edges away.")] = 1,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List what is related to a name, nearest first."""
    graph = _load(home, project)
    _told(graph, graphs.neighbours(graph, _node(graph, name), depth), json=json, none="nothing is related to it")


@group.command()
def path(
    first: Annotated[str, typer.Argument(metavar="X")], second: Annotated[str, typer.Argument(metavar="Y")],
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Tell how X and Y are related: the shortest way from one to the other."""
    from bellek.kg import graph_shapes

    graph = _load(home, project)
    steps = graph_shapes.path(graph, _node(graph, first), _node(graph, second))
    _told(graph, steps, json=json, none="nothing kept here relates them")


@group.command()
def central(
    limit: Annotated[int, typer.Option("--limit", min=1, max=200)] = 10,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List the entities and names that most is related to (PageRank)."""
    graph = _load(home, project)
    ranks = graphs.rank(graph)
    best = sorted((n for n in graph.nodes.values() if n.kind in ("entity", "name")), key=lambda n: (-ranks[n.id], n.id))
    near = graph.around()
    if json:
        say_json([
            {"id": n.id, "name": n.label, "kind": n.kind, "tier": n.tier, "score": round(ranks[n.id], 4), "edges": len(near[n.id])}
            for n in best[:limit]
        ])  # fmt: skip
        return
    say(
        *(
            [f"{ranks[n.id]:.3f}  {one_line(n.label, 60)}  {len(near[n.id])} edges  {n.id}" for n in best[:limit]]
            or ["no entity and no claim yet"]
        )
    )


@group.command()
def communities(home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List which entities, names and values belong together, the largest community first."""
    from bellek.kg import graph_shapes

    graph = _load(home, project)
    groups = graph_shapes.communities(graph)
    if json:
        say_json([
            {"id": f"community-{i}", "members": [{"id": id_, "name": graph.nodes[id_].label, "kind": graph.nodes[id_].kind} for id_ in members]}
            for i, members in enumerate(groups, start=1)
        ])  # fmt: skip
        return
    say(
        *(
            [
                f"{i}: {', '.join(one_line(graph.nodes[id_].label, 40) for id_ in members)}"
                for i, members in enumerate(groups, start=1)
            ]
            or ["nothing is related to anything yet"]
        )
    )


@group.command()
def export(
    graphml: Annotated[str, typer.Option("--graphml", metavar="FILE", help="Write GraphML.")] = "",
    svg: Annotated[str, typer.Option("--svg", metavar="FILE", help="Write a picture.")] = "",
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Write the graph to a file that only you can read; sensitive values without consent are left out."""
    from bellek.kg import graph_shapes

    if not graphml and not svg:
        raise UsageFault("nothing to write", why="no file was given", hint="give --graphml FILE or --svg FILE")
    graph = _load(home, project)
    written = []
    if graphml:
        written.append(_write(graphml, graph_shapes.graphml(graph)))
    if svg:
        written.append(_write(svg, drawing.svg(graph, graph_shapes.communities(graph)).encode()))
    if json:
        say_json([{"id": file, "nodes": len(graph.nodes), "edges": len(graph.edges)} for file in written])
        return
    say(*(f"{one_line(file)}: {len(graph.nodes)} nodes, {len(graph.edges)} rows" for file in written))


def _write(given: str, data: bytes) -> str:
    """Write a file readable by its owner alone. Raises UsageFault where that cannot be."""
    path_ = Path(given)
    try:
        path_.touch(mode=0o600)
        path_.chmod(0o600)
        path_.write_bytes(data)
    except OSError as exc:
        raise UsageFault(
            f"{one_line(given, 80)} was not written", why=exc.strerror or "", hint="give a file that you can write"
        ) from exc
    return str(path_)
