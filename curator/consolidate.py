"""`sleep`: what a person typed since the last time (T0) → provisional rows (T1), by a model or by rule.

The planner reads and asks; its plan is a value. The applier writes a plan in one transaction, through the verdicts' own
road, so that dedupe, conflicts, tombstones and quarantine hold here as everywhere; the pointers that were read are marked,
and nothing that was read is deleted. It must never write T2, guess without a model, or call one inside a transaction.
"""

import json
from collections.abc import Container
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TypeAlias

from bellek.curator import apply, corrections, dedupe, spend, statements
from bellek.curator.answers import object_with
from bellek.curator.context_of import by_person
from bellek.curator.corrections import Correction
from bellek.curator.models import Model
from bellek.curator.statements import Statement
from bellek.kg import clock, conversations, digested, failpoints, locks, memories, observations
from bellek.kg.conversations import Message
from bellek.kg.digested import Sentence
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.kg.observations import CAPTURED, TYPED, Observation
from bellek.schemas.errors import Busy
from bellek.schemas.verdict import Receipt

LOCK = "sleep"
ACTOR = "sleep"
CONFIDENCE = 0.7  # of what a person stated once, in clear words
READ = 2_000  # pointers a plan: what is more waits for the next
SHOWN_LETTERS = 24_000  # code points of lines that one model call is shown; the rest waits for the next
MAX_TOKENS = 2_000
MOST = 8  # verdicts of one answer that are carried out


@dataclass(frozen=True, slots=True)
class Step:
    """One verdict, and the sentence it was read from (None where a model worded it).

    `lead` is another sentence that says the same: where its row stands, this one is counted there.
    """

    verdict: dict[str, object]
    sentence: Sentence | None = None
    lead: Sentence | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a consolidation would write for a project, and which pointers it has read. `how` is "rules" or a model's name.

    `seen` are the origins of the lines that a model was shown.
    """

    project: str
    how: str
    pointers: tuple[int, ...]
    steps: tuple[Step, ...]
    seen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A model was to be asked and did not answer, or a ceiling forbade it: nothing was read, all of it waits."""

    project: str
    reason: str


Planned: TypeAlias = Plan | Unanswered


@dataclass(slots=True)
class Slept:
    """What an applied plan did: its batch, rows by what became of them, pointers read, refusals with their reasons."""

    project: str
    how: str
    batch: str
    states: dict[str, int] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    read: int = 0
    refused: list[str] = field(default_factory=list)


def plan(home: Home, project: str, *, model: Model | None = None, run: spend.Run | None = None) -> Planned:
    """Read what waits and say what would be written. With a model and a run it asks the model; else it goes by rule."""
    waiting = observations.waiting(home.memory, project, limit=READ)
    if model is None or run is None:
        return by_rule(home, project, waiting)
    return _by_model(home, project, waiting, model, run)


def by_rule(home: Home, project: str, waiting: list[Observation]) -> Plan:
    """The plan without a model: what typed lines state in clear words."""
    lines = _lines(home, waiting)
    done = digested.known(home.memory, [line.id for line in lines])
    return Plan(project, "rules", tuple(o.n for o in waiting), tuple(_stated(lines, done)))


def most(home: Home, project: str, model: Model) -> int:
    """Micro-dollars that asking the model about what waits would cost at most; 0 where nothing waits."""
    _, lines = _shown(home, observations.waiting(home.memory, project, limit=READ))
    return model.price.most(prompt_of(lines), MAX_TOKENS) if lines else 0


def _lines(home: Home, waiting: list[Observation]) -> list[Message]:
    """The messages that pointers of words point to, as far as they are still there and of the project."""
    found = (conversations.load(home.conversations, o.message) for o in waiting if o.kind in (TYPED, CAPTURED))
    kept = {line.id: line for line in found if line is not None and line.project == waiting[0].project}
    return list(kept.values())


def _stated(lines: list[Message], done: Container[Sentence]) -> list[Step]:
    return [step for line in lines if by_person(line) for step in _of_line(line) if step.sentence not in done]


def _of_line(line: Message) -> list[Step]:
    """What a typed line states, and what it corrects: a correction is a lesson at once, a preference when it comes again (R83, R92)."""
    stated = [said for said in statements.read(line.text) if said.kind != "instruction"]
    places = {said.position for said in stated}
    fixed = [one for one in corrections.read(line.text) if one.position not in places]
    return [
        *(Step(verdict_of(said, line.id), Sentence(line.id, said.position)) for said in stated),
        *(Step(_corrected(one, line.id), Sentence(line.id, one.position)) for one in fixed),
    ]


def _corrected(one: Correction, message: str) -> dict[str, object]:
    lesson = {"kind": "lesson", "text": one.text, "learning": "convention", "importance": "medium"}
    return {"verdict": "write", "evidence": [message], "memory": lesson}


def verdict_of(said: Statement, message: str) -> dict[str, object]:
    """The verdict that a statement makes: its own words as the object of a claim; a decision is a lesson."""
    write = {"verdict": "write", "evidence": [message]}
    if said.kind == "decision":
        return {**write, "memory": {"kind": "lesson", "text": said.text, "learning": "decision"}}
    if said.kind == "preference":
        category, (predicate, object_) = "preference", statements.preferred(said.text)
    else:
        category, predicate, object_ = "constraint", "requires", said.text
    claim = {
        "kind": "claim", "category": category, "subject": "user", "predicate": predicate, "object": object_,
        "confidence": CONFIDENCE, "quote": said.text, "message": message,
    }  # fmt: skip
    return {**write, "memory": claim}


def _by_model(home: Home, project: str, waiting: list[Observation], model: Model, run: spend.Run) -> Planned:
    pointers, lines = _shown(home, waiting)
    if not lines:
        return Plan(project, model.name, pointers, ())
    prompt = prompt_of(lines)
    match spend.ask(home.memory, model, run, prompt, schema=ANSWER, max_tokens=MAX_TOKENS):
        case spend.Answered(answer=answer):
            rows = _rows(answer.text, {line.id for line in lines})
        case spend.Declined(reason=reason) | spend.Failed(reason=reason):
            return Unanswered(project, reason)
    if rows is None:
        return Unanswered(project, f"{model.name} answered with something else than verdicts")
    seen = tuple(sorted({line.origin for line in lines}))
    return Plan(project, model.name, pointers, tuple(Step(row) for row in rows), seen)


def _shown(home: Home, waiting: list[Observation]) -> tuple[tuple[int, ...], list[Message]]:
    """The pointers that one call reads, and their lines: as many as its letters reach, in order."""
    pointers: list[int] = []
    lines: dict[str, Message] = {}
    left = SHOWN_LETTERS
    for pointer in waiting:
        if pointer.kind in (TYPED, CAPTURED):
            line = conversations.load(home.conversations, pointer.message)
            if line is not None and line.project == pointer.project and line.id not in lines:
                if lines and len(line.text) > left:
                    break
                lines[line.id] = line
                left -= len(line.text)
        pointers.append(pointer.n)
    return tuple(pointers), list(lines.values())


def prompt_of(lines: list[Message]) -> str:
    """The words that a model is given: ours, then the lines as JSON, in which nothing can pose as ours."""
    ours = files("bellek.curator").joinpath("prompts/consolidate.md").read_text(encoding="utf-8")
    data = [
        {"id": m.id, "at": clock.stamp(m.at, m.offset_minutes), "typed": by_person(m), "text": m.text[:SHOWN_LETTERS]}
        for m in lines
    ]
    return f"{ours}\n{json.dumps(data, ensure_ascii=False)}\n"


ANSWER: dict[str, object] = {
    "type": "object",
    "required": ["verdicts"],
    "additionalProperties": False,
    "properties": {"verdicts": {"type": "array", "maxItems": MOST, "items": {"type": "object"}}},
}


def _rows(text: str, shown: set[str]) -> list[dict[str, object]] | None:
    """The writes of an answer that cite a line which was shown; None where the answer is no such JSON."""
    value = object_with(text, "verdicts")
    rows = value["verdicts"] if value else None
    if not isinstance(rows, list):
        return None
    return [row for row in rows[:MOST] if isinstance(row, dict) and allowed(row, shown)]


def allowed(row: dict[str, object], shown: set[str], kinds: tuple[str, ...] = ("claim", "lesson")) -> bool:
    """A model may only write, answers no queue item here, and shows what it goes by; it stands on nothing it was not shown."""
    memory, evidence = row.get("memory"), row.get("evidence")
    if (
        row.get("verdict") != "write"
        or row.get("items")
        or not isinstance(memory, dict)
        or not isinstance(evidence, list)
    ):
        return False
    if memory.get("kind") not in kinds:
        return False
    cited = [one for one in (*evidence, memory.get("message") or None) if one is not None]
    return bool(cited) and all(isinstance(one, str) and one in shown for one in cited)


def sleep(home: Home, project: str, *, model: Model | None = None, run: spend.Run | None = None) -> Slept | Unanswered:
    """Plan and apply. Raises Busy where another sleep is at work."""
    with locks.held(home.path, LOCK) as mine:
        if not mine:
            raise Busy("another sleep is at work", why="its lock is held by a living process")
        planned = plan(home, project, model=model, run=run)
        failpoints.reach("sleep-planned")
        match planned:
            case Plan():
                return carry_out(home, planned)
            case Unanswered():
                with home.memory.transaction():  # tried: the next try is six hours away, not one turn
                    digested.sleep_over(home.memory, project, at=clock.now())
                return planned


def carry_out(home: Home, planned: Plan) -> Slept:
    """Write a plan, once: rows, taken sentences and read pointers in one transaction. A plan that was overtaken adds nothing."""
    done = Slept(planned.project, planned.how, mint("b"), read=len(planned.pointers))
    at = clock.now()
    with home.memory.transaction():
        write(home, planned.project, planned.steps, done, actor=ACTOR, seen=planned.seen)
        failpoints.reach("sleep-written")
        observations.consume(home.memory, list(planned.pointers), at=at)
        if planned.pointers:
            digested.sleep_over(home.memory, planned.project, at=at)
    failpoints.reach("sleep-committed")
    return done


def write(
    home: Home, project: str, steps: tuple[Step, ...], done: Slept, *, actor: str, seen: tuple[str, ...] = ()
) -> None:
    """Carry out steps whose sentences nobody took meanwhile, in the caller's transaction; what became of them goes into `done`.

    One after the other: what says nearly the same as a claim that stands is counted there.
    """
    db = home.memory
    taken = digested.known(db, [one.message for step in steps for one in (step.sentence, step.lead) if one])
    for step in steps:
        if step.sentence in taken:
            continue
        into = taken.get(step.lead, "") if step.lead else ""
        memory = ""
        if _refused(home, into):
            done.refused.append(f"the same was refused: {into}")
        else:
            verdict = (
                _absorbed(step.verdict, into) if _stands(home, into) else _known_already(home, project, step.verdict)
            )
            (receipt,) = apply.within(home, project, [verdict], actor=actor, batch=done.batch, seen=seen)
            _count(done, receipt)
            memory = receipt.ids[0] if receipt.ids else ""
        if step.sentence:
            taken[step.sentence] = memory
            digested.take(db, step.sentence, memory, at=clock.now())


def _refused(home: Home, memory: str) -> bool:
    return home.memory.value("SELECT status FROM memories WHERE id = ?", (memory,)) == "refused"


def _stands(home: Home, memory: str) -> bool:
    return home.memory.value("SELECT status FROM memories WHERE id = ?", (memory,)) in ("current", "contested")


def _absorbed(verdict: dict[str, object], into: str) -> dict[str, object]:
    return {"verdict": "absorb", "into": into, "evidence": verdict["evidence"]}


def _known_already(home: Home, project: str, verdict: dict[str, object]) -> dict[str, object]:
    """The verdict, or one that counts it where a claim in nearly the same words stands (a near twin of a lesson is found below)."""
    memory = verdict.get("memory")
    if not isinstance(memory, dict) or memory.get("kind") != "claim":
        return verdict
    said = f"{memory.get('subject')} {str(memory.get('predicate')).replace('_', ' ')} {memory.get('object')}"
    twin = dedupe.twin(home.memory, "claim", project, said)
    return _absorbed(verdict, twin) if twin else verdict


def _count(done: Slept, receipt: Receipt) -> None:
    done.states[receipt.state] = done.states.get(receipt.state, 0) + 1
    done.ids += [id_ for id_ in receipt.ids if id_ not in done.ids]
    if receipt.state == "refused":
        done.refused.append(receipt.reason)


def texts(home: Home, ids: list[str]) -> list[tuple[str, str]]:
    """(id, text) of rows, as they may be shown."""
    return [(id_, memories.shown(memories.read(home.memory, id_)).text) for id_ in ids]
