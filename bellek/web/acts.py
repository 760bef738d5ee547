"""What a form says, made into a decision of a person and carried out. The gate is asked before anything is read for it."""

from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bellek import gate
from bellek.curator import deciding, waiting
from bellek.curator.deciding import Answer, Consent, Decision, Drop, Promote, Refuse, Release, Resolve, SetApart, Undo
from bellek.kg import memories
from bellek.kg import undo as undoing
from bellek.kg.home import Home
from bellek.schemas.conflict import Conflict
from bellek.schemas.errors import BellekError, UsageFault
from bellek.web import pages
from bellek.web.guard import FORM

Fields = Mapping[str, str]
NOTE_MAX = 2_000  # letters
_MADE: dict[str, Callable[[str, int, Fields], Decision]] = {
    "promote": lambda id_, revision, form: Promote(id_, revision, form.get("passphrase", "")),
    "refuse": lambda id_, revision, form: Refuse(id_, revision, _note(form)),
    "apart": lambda id_, revision, form: SetApart(id_, revision, _note(form)),
    "release": lambda id_, revision, _: Release(id_, revision),
    "drop": lambda id_, revision, _: Drop(id_, revision),
    "yes": lambda id_, revision, form: Answer(id_, revision, True, _note(form), form.get("passphrase", "")),
    "no": lambda id_, revision, form: Answer(id_, revision, False, _note(form)),
    "both": lambda id_, revision, form: Resolve(id_, revision, "", _note(form)),
    "consent": lambda id_, revision, _: Consent(id_, revision, True),
    "withdraw": lambda id_, revision, _: Consent(id_, revision, False),
}


def _note(form: Fields) -> str:
    return form.get("note", "")[:NOTE_MAX].replace("\r\n", "\n")


def decision(store: Home, form: Fields) -> Decision:
    """The decision that a form's fields say. Raises UsageFault for what no form of ours sends, NotFound."""
    act, id_, revision = form.get("act", ""), form.get("id", ""), form.get("revision", "")
    if act == "undo":
        return Undo(form.get("batch", ""))
    if not revision.isascii() or not revision.isdigit():
        raise UsageFault("the form is not whole", why="it does not say what was shown", hint="load the page again")
    if act in ("strong", "weak"):
        row = memories.read(store.memory, id_)
        if not isinstance(row.body, Conflict):
            raise UsageFault(f"{row.id} is no conflict", why=f"it is a {row.body.kind}", hint="load the page again")
        return Resolve(row.id, int(revision), row.body.strong if act == "strong" else row.body.weak, _note(form))
    if act not in _MADE:
        raise UsageFault("the form is not whole", why="it names no act", hint="load the page again")
    return _MADE[act](id_, int(revision), form)


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
    after = form.get("next", "")
    at = (
        f"at={after}&"
        if after in {item.id for item in waiting.listed(store.memory, request.app.state.memory.project)}
        else ""
    )
    return RedirectResponse(f"/?{at}did={done.batch}", 303)


def _carried(request: Request, store: Home, form: Fields) -> deciding.Done:
    """The gate first, under the verb's own name: who started the server is who acts."""
    wanted = decision(store, form)
    verb, target = deciding.VERBS[type(wanted)], form.get("id", "")
    if isinstance(wanted, Undo):
        target = undoing.find(store.memory, wanted.batch)
    actor = gate.let_through(store, request.app.state.found, verb=verb, target=target, way=gate.PAGE)
    return deciding.carry_out(store, wanted, actor=actor)
