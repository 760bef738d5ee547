"""The only way to T2, and the way out by refusal. Imported by `curator.review` alone: import-linter holds it.

It must never be called for anybody who was not found to be a person at the gate, and never make a row permanent in other
words than those it was promoted in. Everything happens in the caller's transaction, in the batch that the row names.
"""

import hmac

from bellek.kg import audit, memories, promotions, signing, tombstones
from bellek.kg.db import Database
from bellek.kg.promotions import Promotion
from bellek.schemas.errors import PersonNeeded, Refused, UsageFault
from bellek.schemas.kinds import KINDS
from bellek.schemas.memory import Memory
from bellek.schemas.tier import state_of

PROMOTE = "promote"
REFUSE = "refuse"


def check(memory: Memory) -> None:
    """Raises Refused, with the reason, where a row as it stands cannot be made permanent."""
    if "T2" not in KINDS[memory.body.kind].tiers:
        raise Refused(f"a {memory.body.kind} is never permanent", why="its kind has no tiers")
    match state_of(memory.tier, memory.status):
        case "T2":
            raise Refused(f"{memory.id} is permanent already", why="it was promoted in these words")
        case "quarantined":
            why = memory.note or "it came in as untrusted"
            hint = f"look at it with `bellek show {memory.id}`; `bellek quarantine release {memory.id}` lets it in"
            raise Refused(f"{memory.id} is in quarantine", why=why, hint=hint)
        case "refused":
            raise Refused(f"{memory.id} was refused", why=memory.note, hint="a refusal lasts; write it anew by hand")
        case _:
            pass
    if memory.status not in ("current", "contested"):
        raise Refused(f"{memory.id} does not stand any more", why=f"it is {memory.status}")


def promote(db: Database, memory: Memory, *, actor: str, key: bytes = b"", act: str = PROMOTE) -> memories.Written:
    """Write a row as permanent, in the words it has here; signed where a key is given. Raises PersonNeeded, Refused."""
    if not memories.by_person(actor):
        raise PersonNeeded(f"{memory.id} was not made permanent", why="only a person makes a memory permanent")
    promotions.grant(db, memory.id, memories.next_revision(db, memory.id), actor)
    permanent = memory.model_copy(update={"tier": "T2"})
    written = memories.write(db, permanent, actor=actor, act=act)
    if key:
        _sign(db, permanent, actor, key)
    return written


def _sign(db: Database, memory: Memory, actor: str, key: bytes) -> None:
    """The signature is an entry of the trail, so that the chain commits to it and a replay finds it."""
    signature = signing.sign(key, _fields(db, promotions.of(db, memory.id)[-1]))
    audit.append(
        db, actor=actor, act=promotions.SIGN, kind=promotions.SIGNED_KIND, id=memory.id, batch=memory.batch, commitment=signature
    )  # fmt: skip
    promotions.sign(db, memory.id, signature)


def _fields(db: Database, promotion: Promotion) -> list[str | int]:
    """What a signature covers: the promotion, and the trail's commitment to the words that were promoted."""
    entry = audit.of_revision(db, promotion.id, promotion.revision)
    commitment = entry.commitment.hex() if entry else ""
    return [promotion.id, promotion.revision, promotion.person, promotion.how, promotion.at, commitment]


def refuse(db: Database, memory: Memory, *, note: str, actor: str) -> memories.Written:
    """Refuse a row for good: it keeps its words and the note, and the same words are blocked from now on.

    Raises UsageFault without a note, PersonNeeded, Refused.
    """
    if not note.strip():
        raise UsageFault(f"{memory.id} was not refused", why="a refusal needs a reason", hint="give --note TEXT")
    if memory.status == "refused":
        raise Refused(f"{memory.id} was refused already", why=memory.note)
    new = memory.model_copy(update={"status": "refused", "note": note})
    written = memories.write(db, new, actor=actor, act=REFUSE)
    tombstones.refuse(db, memories.read(db, memory.id), actor=actor, batch=memory.batch)
    return written


def unsigned(db: Database, passphrase: str) -> list[str]:
    """Permanent rows whose words no signature under this passphrase vouches for, a sentence each. Raises Refused.

    A person's later acts (a standing, a consent) leave the words and need no signature of their own.
    """
    key = signing.key(db, passphrase)
    rows = db.rows("SELECT id, text FROM memories WHERE tier = 'T2' ORDER BY id")
    return [
        f"{id_} is permanent without a signature" for id_, text in rows if not _vouched(db, str(id_), str(text), key)
    ]


def _vouched(db: Database, id: str, text: str, key: bytes) -> bool:
    for promotion in promotions.of(db, id):
        body = db.value(
            "SELECT json_extract(body, '$.text') FROM revisions WHERE id = ? AND revision = ?", (id, promotion.revision)
        )
        fits = hmac.compare_digest(promotion.signature, signing.sign(key, _fields(db, promotion)))
        if body == text and promotion.signature and fits:
            return True
    return False
