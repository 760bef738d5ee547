"""`mine`: what a person ordered in two or more sessions of one project, or corrected twice, becomes one provisional row.

No model and no network. Only lines that the client marks as typed count, once each, sentence by sentence; what is the same
is decided by folded words with `dedupe.same` as the judge, so that "use" and "never use" do not meet. Its rows go through
the verdicts' own road. It must never write T2, count a fork's copy as a second session, or take a sentence twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from bellek.curator import consolidate, corrections, dedupe, statements
from bellek.curator.consolidate import Slept, Step, verdict_of
from bellek.curator.corrections import Correction
from bellek.curator.statements import TYPED_CAP, Statement
from bellek.kg import conversations, digested, failpoints, fold
from bellek.kg.conversations import Message
from bellek.kg.digested import Sentence
from bellek.kg.home import Home
from bellek.kg.ids import mint

ACTOR = "mine"
SESSIONS = 2  # in which an instruction must have been typed
TIMES = 2  # messages in which a subject must have been corrected
POLITE = frozenset(("please", "lutfen", "the", "a", "an", "bir", "also", "ayrica", "just", "sadece"))


@dataclass(frozen=True, slots=True)
class Found:
    """A statement with the line that it stands in."""

    line: Message
    said: Statement


@dataclass(frozen=True, slots=True)
class Plan:
    """What mining a project would write: rows by the sentences that show them, in the order of saying."""

    project: str
    steps: tuple[Step, ...]


def plan(home: Home, project: str) -> Plan:
    """Read all typed lines of a project; what was taken before is left out."""
    lines = list(conversations.typed(home.conversations, project, longest=TYPED_CAP))
    said = [Found(line, one) for line in lines for one in statements.read(line.text) if one.kind != "decision"]
    fixed = [(line, one) for line in lines for one in corrections.read(line.text)]
    taken = digested.known(home.memory, [line.id for line in lines])
    steps = [*_instructed(said, taken), *_corrected(fixed, taken)]
    return Plan(project, tuple(steps))


def _instructed(said: list[Found], taken: dict[Sentence, str]) -> Iterable[Step]:
    for group in groups(said):
        if len({one.line.conversation for one in group}) < SESSIONS:
            continue
        keys = [Sentence(one.line.id, one.said.position) for one in group]
        lead = _lead(keys, taken)
        for key, one in zip(keys, group, strict=True):
            if key not in taken:
                yield Step(verdict_of(one.said, one.line.id), key, lead)


def _lead(keys: list[Sentence], taken: dict[Sentence, str]) -> Sentence:
    """The sentence whose row the others are counted on: one that has a row, else the first."""
    return next((key for key in keys if taken.get(key)), keys[0])


def groups(said: list[Found]) -> list[list[Found]]:
    """The statements that say the same, in the order of saying; linear in their number."""
    buckets: dict[tuple[str, ...], list[list[Found]]] = {}
    for one in said:
        near = buckets.setdefault(normal(one.said.text), [])
        for group in near:
            if dedupe.same(_plain(group[0].said.text), _plain(one.said.text)):
                group.append(one)
                break
        else:
            near.append([one])
    return [group for near in buckets.values() for group in near]


def normal(text: str) -> tuple[str, ...]:
    """The normal form in which the same instruction meets itself: folded words by their beginnings, politeness left out."""
    return tuple((fold.cuts(word) or (word,))[-1] for word in fold.heads(text) if word not in POLITE)


def _plain(text: str) -> str:
    """The words without politeness and without suffixes behind apostrophes; signs of code stay, the judge looks at them."""
    kept = " ".join(word for word in fold.heads(text) if word not in POLITE)
    return f"{kept} {' '.join(sorted(dedupe.signs(text)))}"


def _corrected(fixed: list[tuple[Message, Correction]], taken: dict[Sentence, str]) -> Iterable[Step]:
    for group in _subjects(fixed):
        if len({line.id for line, _ in group}) < TIMES:
            continue
        keys = [Sentence(line.id, one.position, "corrected") for line, one in group]
        lead = _lead(keys, taken)
        preferred = max(group, key=lambda pair: bool(pair[1].instead))[
            1
        ].object  # of equals the first, so that it stays
        for key, (line, one) in zip(keys, group, strict=True):
            if key not in taken:
                yield Step(_preferred(line, one, preferred), key, lead)


def _subjects(fixed: list[tuple[Message, Correction]]) -> list[list[tuple[Message, Correction]]]:
    """Corrections of the same subject together: those that share what is wanted, or what it is wanted instead of."""
    by_key: dict[str, list[tuple[Message, Correction]]] = {}
    every: list[list[tuple[Message, Correction]]] = []
    for pair in fixed:
        group = next((by_key[key] for key in pair[1].keys if key in by_key), None)
        if group is None:
            group = []
            every.append(group)
        group.append(pair)
        for key in pair[1].keys:
            by_key.setdefault(key, group)
    return every


def _preferred(line: Message, one: Correction, object_: str) -> dict[str, object]:
    claim = {
        "kind": "claim", "category": "preference", "subject": "user", "predicate": "prefers", "object": object_,
        "confidence": consolidate.CONFIDENCE, "quote": one.text, "message": line.id,
    }  # fmt: skip
    return {"verdict": "write", "evidence": [line.id], "memory": claim}


def mine(home: Home, project: str) -> Slept:
    """Plan and apply."""
    planned = plan(home, project)
    failpoints.reach("mine-planned")
    return carry_out(home, planned)


def carry_out(home: Home, planned: Plan) -> Slept:
    """Write a plan in one transaction; sentences that were taken meanwhile add nothing."""
    done = Slept(planned.project, "mining", mint("b"), read=len(planned.steps))
    if planned.steps:
        with home.memory.transaction():
            consolidate.write(home, planned.project, planned.steps, done, actor=ACTOR)
            failpoints.reach("mine-written")
    failpoints.reach("mine-committed")
    return done
