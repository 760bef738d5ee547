"""What every memory goes through before its first byte is stored: redaction, then judgement of what no person wrote.

`memories.write` calls it, so nothing goes around it. Origin decides before wording: what the person typed is never judged
by its words. A row that is set apart is `quarantined`, with the reason as its `note`: it is told to no turn, is no
candidate, no twin for what comes later, and stands nowhere until a person releases it. It must never let a machine take a
row out of quarantine, let one in, or spoil a row that stands by rewriting it into something that must be set apart.
"""

from bellek.kg import quarantine
from bellek.kg.redact import redact
from bellek.schemas.entity import Entity
from bellek.schemas.errors import PersonNeeded, Refused
from bellek.schemas.memory import Memory

TEXTS: dict[str, tuple[str, ...]] = {  # the free texts of each kind's body
    "claim": ("subject", "object", "quote", "note"), "lesson": ("topic",), "event": ("topic",), "page": ("topic", "title"),
    "entity": ("name", "type"), "field": ("name", "value"), "worldview": ("topic",), "task": (), "log": ("channel", "reason"),
    "proposal": ("title", "answer"), "conflict": ("reason",),
}  # fmt: skip
_OUT = ("hidden", "refused")  # what a machine may make of a quarantined row: nothing that stands
_NO_ROW_OF_ITS_OWN = ("conflict",)  # both sides need it: it is refused rather than set apart


def redacted(memory: Memory) -> Memory:
    """Every text of envelope and body through the one redaction; names of closed vocabularies are left as they are."""
    body = memory.body
    clean = {name: redact(value) for name in TEXTS[body.kind] if isinstance(value := getattr(body, name), str)}
    if isinstance(body, Entity):
        clean["aliases"] = tuple(redact(alias) for alias in body.aliases)  # type: ignore[assignment]
    return memory.model_copy(
        update={"text": redact(memory.text), "note": redact(memory.note), "body": body.model_copy(update=clean)}
    )


def texts(memory: Memory) -> tuple[str, ...]:
    """The free texts of a memory, in a fixed order: what a reader of it reads."""
    body = memory.body
    own = [str(getattr(body, name)) for name in TEXTS[body.kind]]
    return (memory.text, *own, *(body.aliases if isinstance(body, Entity) else ()))


def why_apart(memory: Memory) -> str:
    """Why a memory would be set apart if a machine wrote it now; "" where it would not."""
    return "" if memory.origin == "user" else quarantine.reason("\n".join(texts(memory)))


def judged(old: Memory | None, new: Memory) -> Memory:
    """A machine's write as it may be stored: set apart where its words ask for it. `old` is the row as it stands.

    A row whose words did not change is not judged again, so that a person's release holds. Raises PersonNeeded where a
    machine would let a row in, Refused where its words would take down a row that stands.
    """
    if new.let_in and not (old and old.let_in):
        raise PersonNeeded(f"{new.id} was not let in", why="only a person lets in what a tool, a page or a paste said")
    if old is not None and texts(old) == texts(new):
        return _still_apart(old, new)
    if new.let_in:
        new = new.model_copy(update={"let_in": False})  # a person let other words in
    why = why_apart(new)
    if not why:
        return new if old is None else _still_apart(old, new)
    if new.body.kind in _NO_ROW_OF_ITS_OWN or (old is not None and old.status != "quarantined"):
        raise Refused(f"{new.id} was left as it is: {why}", why="words like these are set apart, and this row stands")
    return new.model_copy(update={"status": "quarantined", "note": why})


def _still_apart(old: Memory, new: Memory) -> Memory:
    if old.status != "quarantined" or new.status in _OUT:
        return new
    return new.model_copy(update={"status": "quarantined", "note": old.note})
