"""The pages that show: each reads, renders, and changes nothing."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bellek.curator import waiting
from bellek.kg import audit, memories, receipts
from bellek.kg.home import Home
from bellek.schemas.errors import BellekError, Busy, NotFound, PersonNeeded, Refused, StoreFault, UsageFault
from bellek.web import words
from bellek.web.render import page

PACKETS = 10  # newest packets a row was considered for
STATUS: dict[type[BellekError], int] = {
    NotFound: 404, Refused: 409, UsageFault: 400, PersonNeeded: 403, Busy: 503, StoreFault: 500,
}  # fmt: skip


def status_of(fault: BellekError) -> int:
    """The HTTP status that says what kind of fault it is."""
    return next((status for kind, status in STATUS.items() if isinstance(fault, kind)), 500)


def inbox(request: Request, *, at: str = "", fault: BellekError | None = None, note: str = "") -> Response:
    """What waits, one of it in full. `at` is that one; a fault and the note that was typed come back from an act that failed."""
    memory = request.app.state.memory
    store: Home = memory.store()
    items = waiting.listed(store.memory, memory.project)
    at = at or request.query_params.get("at", "")
    place = next((n for n, item in enumerate(items) if item.id == at), 0)
    if fault and at not in {item.id for item in items}:  # it waits no more: its own page, never the form of another row
        return _one(request, store, at, fault, note) if _known(store, at) else faulty(request, fault)
    before, after = (items[n].id if 0 <= n < len(items) else "" for n in (place - 1, place + 1))
    return page(
        "inbox.html", request, status_of(fault) if fault else 200,
        items=items, place=place, before=before, after=after, back="inbox", did=_did(store, request.query_params.get("did", "")),
        detail=waiting.detail(store, items[place].id) if items else None, fault=fault, note=note,
    )  # fmt: skip


def memory(request: Request) -> Response:
    """One row, whatever it is."""
    store: Home = request.app.state.memory.store()
    return _one(request, store, memories.find_id(store.memory, request.path_params["id"]))


def _one(request: Request, store: Home, id: str, fault: BellekError | None = None, note: str = "") -> Response:
    return page(
        "memory.html", request, status_of(fault) if fault else 200, detail=waiting.detail(store, id), back="memory",
        did=_did(store, request.query_params.get("did", "")), fault=fault, note=note,
        packets=receipts.of_memory(store.memory, id, limit=PACKETS),
    )  # fmt: skip


def _known(store: Home, id: str) -> bool:
    return memories.revision(store.memory, id) > 0


def _did(store: Home, batch: str) -> audit.Entry | None:
    """What a person's batch did, by its first entry in the trail; None for no batch of that name."""
    entries = audit.latest(store.memory, batch=batch) if batch else []
    return entries[-1] if entries and memories.by_person(entries[-1].actor) else None


def language(request: Request) -> Response:
    """Choose the page's language; it is kept in a cookie that says nothing else."""
    answer = RedirectResponse("/", 303)
    wanted = request.path_params["language"]
    if wanted in words.LANGUAGES:
        answer.set_cookie(words.COOKIE, wanted, max_age=365 * 86_400, samesite="strict", httponly=True)
    return answer


def faulty(request: Request, exc: Exception) -> Response:
    """An error of ours as a page: what, why, and what to do next."""
    assert isinstance(exc, BellekError)
    return page("fault.html", request, status_of(exc), fault=exc)
