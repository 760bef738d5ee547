"""Search, a conversation, the packet, health, the timeline and the graph: each reads, renders, and changes nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from starlette.requests import Request
from starlette.responses import Response

from bellek import doctor
from bellek.api import Memory
from bellek.cli.setup import target
from bellek.context import measured, packet, pictures, preview
from bellek.curator import spend
from bellek.doctor_copies import copies
from bellek.doctor_finding import Finding
from bellek.kg import (
    answers,
    audit,
    clock,
    conversations,
    graph,
    graph_near,
    journal,
    overview,
    receipts,
    shared_log,
    talks,
    typed,
    vectors,
)
from bellek.kg.answers import Where
from bellek.kg.conversations import Message
from bellek.kg.home import Home
from bellek.kg.ids import the_one
from bellek.schemas.claim import Category
from bellek.schemas.errors import NotFound
from bellek.web.render import page

HITS = 20
ROWS = 60  # of one list of the timeline
DEPTHS = (1, 2, 3)
CATEGORIES: tuple[str, ...] = get_args(Category)
DAYS = (0, 7, 30, 365)


@dataclass(frozen=True, slots=True)
class Talk:
    """A hit in what was said, with the message on each side of it."""

    message: Message
    before: tuple[Message, ...]
    after: tuple[Message, ...]


def search(request: Request) -> Response:
    """Typed rows of all kinds and what was said, for one question."""
    memory: Memory = request.app.state.memory
    store = memory.store()
    question = request.query_params.get("q", "").strip()[:1000]
    rows, said = None, []
    if question:
        rows = typed.find(store.memory, question, memory.project, now=clock.now(), limit=HITS)
        where = Where(memory.project, limit=HITS)
        found = answers.answer(store.conversations, question, where, now=clock.now(), meaning=vectors.beside(store))
        said = [_talk(store, hit.n) for hit in found.hits]
    return page("search.html", request, question=question, rows=rows, said=said)


def _talk(store: Home, n: int) -> Talk:
    message, before, after = conversations.around(store.conversations, n, before=1, after=1)
    return Talk(message, tuple(before), tuple(after))


def conversation(request: Request) -> Response:
    """One conversation of this project with the hit marked; of a very long one its ends and what surrounds the hit."""
    memory: Memory = request.app.state.memory
    store = memory.store()
    given, hit = request.path_params["id"], request.query_params.get("hit", "")
    missing = NotFound("no such conversation", why="none in this project has that id", hint="look for its words")
    talk = the_one(given, [one.id for one in conversations.find(store.conversations, given)], missing)
    hits = frozenset((hit,)) if hit else frozenset()
    if not conversations.show_in(store.conversations, talk, memory.project, also=hits):
        raise missing
    told = talks.told(store.conversations, store.memory, talk, memory.project, hits)
    return page("conversation.html", request, talk=told, hit=hit, messages=talks.shortened(told.messages, hits))


def told(request: Request) -> Response:
    """What the next turn would be told, why each line is there, what was cut; or an earlier packet, by its receipt."""
    memory: Memory = request.app.state.memory
    store = memory.store()
    prompt, receipt = request.query_params.get("prompt", "")[:4000], request.query_params.get("receipt", "")
    built = preview.again(store, receipt) if receipt else preview.next_packet(store, memory.project, prompt)
    latest = [one for one in receipts.latest(store.memory, limit=20) if one.project == memory.project]
    return page(
        "packet.html",
        request,
        prompt=prompt,
        receipt=receipt,
        built=built,
        heads=packet.HEADS,
        cap=preview.CAP,
        latest=latest,
    )


def health(request: Request) -> Response:
    """What stands and waits, spending, copies, how the hooks fared; the whole of `doctor` when it is asked for."""
    memory: Memory = request.app.state.memory
    store = memory.store()
    asked = bool(request.query_params.get("doctor"))
    findings: list[Finding] = doctor.examine(memory.home, target(memory.home)) if asked else list(copies(store))
    return page(
        "health.html", request, findings=findings, asked=asked, seen=overview.of(store.memory, memory.project) if asked else None, heard=overview.heard_at(store.memory),
        spent=spend.today(store.memory), told=measured.measure(store, memory.project) if asked else None,
    )  # fmt: skip


def timeline(request: Request) -> Response:
    """The journal, decisions, the latest acts, and the curves of tone and drives."""
    memory: Memory = request.app.state.memory
    db = memory.store().memory
    return page(
        "timeline.html", request, events=journal.listed(db, memory.project, limit=ROWS),
        decisions=list(reversed(shared_log.listed(db, memory.project, type="decision", limit=ROWS))), acts=audit.latest(db, limit=ROWS),
        instant=lambda entry: entry.clock >> clock.COUNTER_BITS,
    )  # fmt: skip


DRAWN: dict[str, Callable[[Home], str]] = {
    "state": lambda store: pictures.of_state(store.memory, pictures.AGENT, 30),
    "drives": lambda store: pictures.of_drives(store.memory, pictures.AGENT, 180),
}


def picture(request: Request) -> Response:
    """A curve as an SVG of its own."""
    name = request.path_params["name"]
    if name not in DRAWN:
        raise NotFound("no such picture", why="there are " + " and ".join(DRAWN), hint="go back to the timeline")
    return Response(DRAWN[name](request.app.state.memory.store()), media_type="image/svg+xml")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The graph as it was at one entry of the trail, with what every look at it needs."""

    whole: graph.Graph
    near: graph_near.Around
    middle: str
    head: int

    @classmethod
    def of(cls, loaded: graph.Graph, head: int) -> "Loaded":
        """The same of a graph."""
        return cls(loaded, loaded.around(), graph_near.middle(loaded), head)


def _loaded(request: Request, memory: Memory) -> Loaded:
    """The graph as the trail has it now; kept until the next act, since a large one takes a second to read."""
    db = memory.store().memory
    head = audit.head(db)[0]
    kept: Loaded | None = getattr(request.app.state, "graph", None)
    if kept is None or kept.head != head:
        kept = request.app.state.graph = Loaded.of(graph.load(db, memory.project), head)
    return kept


def network(request: Request) -> Response:
    """What stands around one entity, name or value, filtered; a node leads to its own surroundings, an edge to its evidence."""
    memory: Memory = request.app.state.memory
    db = memory.store().memory
    asked = request.query_params
    depth = next((one for one in DEPTHS if str(one) == asked.get("depth")), 1)
    days = next((one for one in DAYS if str(one) == asked.get("days")), 0)
    category = asked.get("category", "") if asked.get("category", "") in CATEGORIES else ""
    tier = asked.get("tier", "") if asked.get("tier", "") in ("T1", "T2") else ""
    ids = graph_near.kept(
        db, memory.project, category=category, tier=tier, since=clock.now() - days * clock.DAY_MS if days else 0
    )
    all_ = _loaded(request, memory)
    drawn = all_ if ids is None else Loaded.of(graph_near.filtered(all_.whole, ids), all_.head)
    given = asked.get("at", "").strip()[:400]
    start = graph.meant(all_.whole, given) if given else drawn.middle
    near = graph_near.around(drawn.whole, start, depth, near=drawn.near) if start else None
    return page(
        "graph.html", request, near=near, nodes=len(all_.whole.nodes), rows=len(all_.whole.edges), given=given, start=start, depth=depth, days=days,
        category=category, tier=tier, categories=CATEGORIES, depths=DEPTHS, spans=DAYS,
        place={one.node.id: one for one in near.placed} if near else {},
    )  # fmt: skip
