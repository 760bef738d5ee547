"""A person's decisions as values, carried out by the very functions that the verbs of the command line call.

What it is for: a page sends one decision a time, made from what it showed. It must never act on a row that was changed since it was
shown: the words that a person read are the words that they decide about. The gate has said who acts before this is called.
"""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, assert_never

from bellek.curator import apart, forgetting, review, undoing
from bellek.curator.review import Answered
from bellek.kg import consent, memories, undo
from bellek.kg.home import Home
from bellek.schemas.conflict import Conflict
from bellek.schemas.entity import EntityField
from bellek.schemas.errors import Refused, UsageFault
from bellek.schemas.proposal import Proposal

Side: TypeAlias = Literal["strong", "weak", "both"]
# What a person is offered for a row (curator/waiting.py); undo stands apart, since it is about a batch.
Act: TypeAlias = Literal["promote", "refuse", "apart", "release", "drop", "yes", "no", "consent", "withdraw"] | Side


@dataclass(frozen=True, slots=True)
class Promote:
    """Make a row permanent, signed where a passphrase is set."""

    id: str
    revision: int
    passphrase: str = ""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Refuse a row for good; the note says why."""

    id: str
    revision: int
    note: str


@dataclass(frozen=True, slots=True)
class SetApart:
    """Put a row into quarantine."""

    id: str
    revision: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Release:
    """Let a row out of quarantine, or into packets."""

    id: str
    revision: int


@dataclass(frozen=True, slots=True)
class Drop:
    """Put a row in quarantine away for good."""

    id: str
    revision: int


@dataclass(frozen=True, slots=True)
class Answer:
    """Yes or no to a proposal."""

    id: str
    revision: int
    yes: bool
    note: str = ""
    passphrase: str = ""


@dataclass(frozen=True, slots=True)
class Resolve:
    """Decide a conflict: which side holds, or that both do, and why."""

    id: str
    revision: int
    side: Side
    note: str


@dataclass(frozen=True, slots=True)
class Consent:
    """Consent to keep and show a sensitive field, or take it back."""

    id: str
    revision: int
    given: bool


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back what one batch did."""

    batch: str


Decision = Promote | Refuse | SetApart | Release | Drop | Answer | Resolve | Consent | Undo

VERBS: dict[type[Decision], str] = {  # the gate's name of each
    Promote: "promote", Refuse: "refuse", SetApart: "quarantine put", Release: "quarantine release", Drop: "quarantine drop",
    Answer: "proposals answer", Resolve: "conflicts resolve", Consent: "entities consent", Undo: "undo",
}  # fmt: skip


def of(act: Act, id: str, revision: int, *, note: str = "", passphrase: str = "") -> Decision:
    """The decision that an act on a row as it was shown is; a note and a passphrase go where they belong."""
    match act:
        case "promote":
            return Promote(id, revision, passphrase)
        case "refuse":
            return Refuse(id, revision, note)
        case "apart":
            return SetApart(id, revision, note)
        case "release":
            return Release(id, revision)
        case "drop":
            return Drop(id, revision)
        case "yes" | "no":
            return Answer(id, revision, act == "yes", note, passphrase if act == "yes" else "")
        case "strong" | "weak" | "both":
            return Resolve(id, revision, act, note)
        case "consent" | "withdraw":
            return Consent(id, revision, act == "consent")
        case _:
            assert_never(act)


@dataclass(frozen=True, slots=True)
class Done:
    """What was done: the row (of an undo the batch), the batch in which it was, and what a person has to know or do besides."""

    id: str
    batch: str
    note: str = ""


def carry_out(home: Home, decision: Decision, *, actor: str) -> Done:
    """Carry a decision out, in one transaction. Raises NotFound, Refused (also where the row changed), UsageFault, PersonNeeded."""
    match decision:
        case Undo(batch=batch):
            done = undoing.take_back(home.memory, undo.find(home.memory, batch), actor=actor)
            return Done(done.of, done.batch)
        case Consent():
            return _consent(home, decision, actor)
        case Answer():
            return _answer(home, decision, actor)
        case Promote() | Refuse() | SetApart() | Release() | Drop() | Resolve():
            with home.memory.transaction():
                _unchanged(home, decision.id, decision.revision)
                id_ = _carry_out(home, decision, actor)
            return Done(id_, memories.read(home.memory, id_).batch)
        case _:
            assert_never(decision)


def _unchanged(home: Home, id: str, revision: int) -> None:
    if memories.revision(home.memory, memories.read(home.memory, id).id) != revision:
        raise Refused(
            f"{id} was changed since you saw it",
            why="you decide about the words that you read",
            hint="look at it again",
        )


def _carry_out(home: Home, decision: Promote | Refuse | SetApart | Release | Drop | Resolve, actor: str) -> str:
    match decision:
        case Promote(id=id_, passphrase=secret):
            return review.promote(home, id_, actor=actor, passphrase=secret).after.id
        case Refuse(id=id_, note=note):
            return review.refuse(home, id_, note=note, actor=actor).after.id
        case SetApart(id=id_, note=note):
            return apart.set_apart(home.memory, id_, note=note, actor=actor).id
        case Release(id=id_):
            return apart.release(home.memory, id_, actor=actor).id
        case Drop(id=id_):
            return apart.drop(home.memory, id_, actor=actor).id
        case Resolve(id=id_, side=side, note=note):
            return review.resolve(home, id_, winner=_winner(home, id_, side), note=note, actor=actor).id
        case _:
            assert_never(decision)


def _winner(home: Home, id: str, side: Side) -> str:
    row = memories.read(home.memory, id)
    if not isinstance(row.body, Conflict):
        raise UsageFault(f"{row.id} is no conflict", why=f"it is a {row.body.kind}", hint="look at it again")
    return {"strong": row.body.strong, "weak": row.body.weak, "both": ""}[side]


def _answer(home: Home, decision: Answer, actor: str) -> Done:
    with home.memory.transaction():
        _unchanged(home, decision.id, decision.revision)
        done = review.answer(
            home, decision.id, yes=decision.yes, note=decision.note, actor=actor, passphrase=decision.passphrase
        )
    done = after_answer(home, done, actor=actor)
    return Done(done.proposal.id, done.proposal.batch, done.note)


def after_answer(home: Home, done: Answered, *, actor: str) -> Answered:
    """What follows an answer once its own transaction is over: a yes to a forgetting is carried out, scrubs, and proves it."""
    body = done.proposal.body
    if not isinstance(body, Proposal) or (body.state, body.structure) != ("accepted", "forget"):
        return done
    return replace(done, carried=body.target, note=forgetting.of_row(home, body.target, actor))


def _consent(home: Home, decision: Consent, actor: str) -> Done:
    _unchanged(home, decision.id, decision.revision)
    row = memories.read(home.memory, decision.id)
    if not isinstance(row.body, EntityField):
        raise UsageFault(f"{row.id} takes no consent", why="only a field of a person does", hint="promote or refuse it")
    changed = consent.record(home.memory, row.body.entity, row.id, given=decision.given, actor=actor)
    return Done(changed.id, memories.read(home.memory, changed.id).batch)
