"""What a form says, made into a decision of a person and carried out. The gate is asked before anything is read for it."""

from collections.abc import Mapping
from typing import get_args
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bellek import gate
from bellek.curator import deciding
from bellek.curator.deciding import Act, Decision, Undo
from bellek.kg import undo as undoing
from bellek.kg.home import Home
from bellek.schemas.errors import BellekError, UsageFault
from bellek.web import pages
from bellek.web.guard import FORM

Fields = Mapping[str, str]
NOTE_MAX = 2_000  # letters
ACTS: dict[str, Act] = {act: act for part in get_args(Act) for act in get_args(part)}


def _note(form: Fields) -> str:
    return form.get("note", "")[:NOTE_MAX].replace("\r\n", "\n")


def decision(form: Fields) -> Decision:
    """The decision that a form's fields say. Raises UsageFault for what no form of ours sends."""
    act, revision = form.get("act", ""), form.get("revision", "")
    if act == "undo":
        return Undo(form.get("batch", ""))
    if act not in ACTS or not revision.isascii() or not revision.isdigit():
        raise UsageFault(
            "the form is not whole", why="it does not say what was shown and what to do", hint="load the page again"
        )
    return deciding.of(
        ACTS[act], form.get("id", ""), int(revision), note=_note(form), passphrase=form.get("passphrase", "")
    )


def act(request: Request) -> Response:
    """Carry one decision out; then the next row that waits, with what was done as the trail has it."""
    form: Fields = request.scope[FORM]
    store: Home = request.app.state.memory.store()
    id_ = form.get("id", "")
    try:
        done = _carried(request, store, form)
    except BellekError as exc:
        if form.get("back") != "inbox":
            raise
        return pages.inbox(request, at=id_, fault=exc, note=_note(form))
    if form.get("back") != "inbox":
        return RedirectResponse(f"/memory/{done.id}?did={done.batch}" if id_ else f"/?did={done.batch}", 303)
    after = form.get("next", "")  # the inbox begins anew where it waits no more
    return RedirectResponse("/?" + urlencode({"did": done.batch, **({"at": after} if after else {})}), 303)


def _carried(request: Request, store: Home, form: Fields) -> deciding.Done:
    """The gate first, under the verb's own name: who started the server is who acts."""
    wanted = decision(form)
    verb, target = deciding.VERBS[type(wanted)], form.get("id", "")
    if isinstance(wanted, Undo):
        target = undoing.find(store.memory, wanted.batch)
    actor = gate.let_through(store, request.app.state.found, verb=verb, target=target, way=gate.PAGE)
    return deciding.carry_out(store, wanted, actor=actor)
