"""Draining with a model: search what is known, let it compare, carry out its verdicts. Steps of a few items, each a whole.

A step takes items under a token, asks once, and writes rows, acknowledgements, failed tries and the end of the kept answer in
one transaction. What a step needs stands in the store alone, so that a killed curator's next run builds the same prompt,
finds the answer that was paid for, and loses nothing. It must never ask while a transaction is open, count a provider's fault
against an item, or carry out a verdict that answers no item.
"""

import json
import secrets
from dataclasses import dataclass, field
from importlib.resources import files

from bellek.curator import apply, channels, drain, spend, surroundings
from bellek.curator.answers import read_rows
from bellek.curator.models import Model
from bellek.kg import clock, failpoints, fts_query, locks, lookup, queue, scope
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.kg.queue import Taken
from bellek.kg.redact import redact
from bellek.schemas.errors import Busy, Refused
from bellek.schemas.queue import Item
from bellek.schemas.verdict import VERDICTS, Receipt
from bellek.schemas.vocab import ORIGINS_KEPT_OUT

ACTOR = "curator"
BATCH = 8  # items a step: with their lines and near rows they fit the smallest context that is worth asking
AFTER_REPLY = 3  # steps after a reply (R99); `drain` goes on until nothing waits
MOST_STEPS = 200  # of one drain
NEAR = 4  # known rows an item is shown
COMMON_ROWS = 500  # from here on a word is held by too many rows to tell one from the others
NEAR_LETTERS = 400
MAX_TOKENS = 4_000
RAW_LETTERS = 300  # of an answer that cannot be read, kept with its item
OURS = "curator-"  # how our tokens begin: whoever holds the lock knows that their holder is gone
Counted = dict[str, int]  # how many rows hold a word, at most COMMON_ROWS: items of one step share their common words
KINDS = ("lesson", "claim", "page", "task", "conflict", "entity")


def answer_schema() -> dict[str, object]:
    """The JSON Schema of an answer: an object with verdicts, as `schemas.verdict` has them."""
    verdicts = VERDICTS.json_schema()
    return {
        "type": "object", "required": ["verdicts"], "additionalProperties": False, "$defs": verdicts.pop("$defs"),
        "properties": {"verdicts": verdicts},
    }  # fmt: skip


@dataclass(slots=True)
class Curated:
    """What a drain by a model did: receipts by state, items acknowledged and failed, steps asked, why it stopped ("" for done)."""

    states: dict[str, int] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    acknowledged: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    steps: int = 0
    stopped: str = ""


def drain_by_model(home: Home, project: str, model: Model, run: spend.Run, *, steps: int = MOST_STEPS) -> Curated:
    """Drain a project's learnings by a model, everything else by rule. Raises Busy where another drain works."""
    done = Curated()
    drain.drain_offline(home, project, only=frozenset(("task", "profile-fact")))
    with locks.held(home.path, drain.LOCK) as mine:
        if not mine:
            raise Busy("another drain is at work", why="its lock is held by a living process")
        with home.memory.transaction():
            queue.release_abandoned(home.memory, OURS)
            spend.forget_old_answers(home.memory)
        declared = channels.load(home.path).with_drain("learning")
        while done.steps < steps and not done.stopped:
            taken = queue.take(home.memory, project, limit=BATCH, token=OURS + secrets.token_hex(8), channels=declared)
            if not taken.items:
                break
            done.steps += 1
            failpoints.reach("curator-taken")
            _step(home, project, model, run, taken, done)
    return done


def _step(home: Home, project: str, model: Model, run: spend.Run, taken: Taken, done: Curated) -> None:
    items = _not_standing(home, taken)
    done.acknowledged += len(taken.items) - len(items)
    if not items:
        return
    prompt = prompt_of(home, project, items)
    match spend.ask(home.memory, model, run, prompt, schema=answer_schema(), max_tokens=MAX_TOKENS, keep=True):
        case spend.Answered(answer=answer, asked=asked):
            _carry_out(home, project, taken, answer.text, asked, done)
        case spend.Declined(reason=reason) | spend.Failed(reason=reason):
            with home.memory.transaction():
                queue.give_back(home.memory, taken.token)
            done.stopped = reason


def _not_standing(home: Home, taken: Taken) -> tuple[Item, ...]:
    """The items that have to be asked about: words whose rows stand already are only counted."""
    fresh, batch = [], mint("b")
    with home.memory.transaction():
        for item in taken.items:
            rows = queue.standing(home.memory, item)
            if not rows or not queue.settle(home.memory, item, rows, actor=ACTOR, batch=batch):
                fresh.append(item)
    return tuple(fresh)


def _carry_out(home: Home, project: str, taken: Taken, text: str, asked: str, done: Curated) -> None:
    """Verdicts, acknowledgements, failed tries and the end of the kept answer: one transaction."""
    why = ""
    try:
        rows = read_rows(text)
    except Refused as exc:
        rows, why = [], f"{exc.what}: {exc.why}; it began {text[:RAW_LETTERS]!r}"
    kept = [row for row in rows if isinstance(row, dict) and row.get("items")]
    failed: list[tuple[str, str]] = []
    held = len(queue.under(home.memory, taken.token))

    def settle(receipts: list[Receipt]) -> None:
        left = queue.holds(home.memory, taken.token)
        for item in left:
            reason = redact(why or _why_not(item, kept, receipts))
            queue.fail(home.memory, item, reason)
            failed.append((item.id, reason))
        spend.let_go(home.memory, (asked,))
        failpoints.reach("curator-written")

    receipts = apply.apply(home, project, list(kept), actor=ACTOR, token=taken.token, then=settle)
    failpoints.reach("curator-committed")
    for receipt in receipts:
        done.states[receipt.state] = done.states.get(receipt.state, 0) + 1
        done.ids += [id_ for id_ in receipt.ids if id_ not in done.ids]
    done.failed += failed
    done.acknowledged += held - len(failed)


def _why_not(item: Item, rows: list[dict[str, object]], receipts: list[Receipt]) -> str:
    """Why an item is still unanswered: what its verdicts were refused for, or that it had none."""
    reasons = [
        receipt.reason
        for row, receipt in zip(rows, receipts, strict=True)
        if receipt.state == "refused" and item.id in _cited(row)
    ]
    return "; ".join(dict.fromkeys(reasons)) or "no verdict answered it"


def _cited(row: dict[str, object]) -> list[object]:
    given = row.get("items")
    return given if isinstance(given, list) else [given]


def prompt_of(home: Home, project: str, items: tuple[Item, ...]) -> str:
    """The words that a model is given: ours, then items, lines and rows as JSON, in which nothing can pose as ours.

    Lines and rows of an origin that no turn may be told are left out: what is derived from them would be trusted no more.
    """
    ours = files("bellek.curator").joinpath("prompts/drain.md").read_text(encoding="utf-8")
    counted: Counted = {}
    data = [_item(home, project, item, counted) for item in items]
    return f"{ours}\n{json.dumps(data, ensure_ascii=False)}\n"


def _item(home: Home, project: str, item: Item, counted: Counted) -> dict[str, object]:
    lines = [
        {"id": near.message.id, "author": near.message.author, "typed": near.typed, "text": near.text}
        for near in surroundings.of_item(home, item)
        if near.message.origin not in ORIGINS_KEPT_OUT
    ]
    shown: dict[str, object] = {
        "id": item.id, "channel": item.channel, "payload": item.payload, "said_at": clock.stamp(item.said_at, item.offset_minutes),
        "message": item.message, "lines": lines, "known": known(home, project, item.payload, counted),
    }  # fmt: skip
    return {**shown, "refused": item.reason} if item.reason else shown


def known(home: Home, project: str, text: str, counted: Counted | None = None) -> list[dict[str, object]]:
    """Rows of the project, or of every project, that say something near: the search that comes before any verdict.

    They share a word that few rows hold, the best first; where the text has no such word, they are the newest that share all
    its words. To rank every row that shares a common word is nearly all of a search's time at 100,000 claims, and such a word
    does not tell which row says the same.
    """
    words = fts_query.words(text)[: fts_query.LIMIT]
    rare = _rare(home, scope.words(project), words, {} if counted is None else counted)
    match = fts_query.match(" ".join(rare), column="own", close=True) if rare else fts_query.every(text, column="own")
    if not match:
        return []
    found = lookup.in_sight(home.memory, match, project, kinds=KINDS, limit=NEAR, ranked=bool(rare))
    return [
        {"id": id_, "kind": kind, "tier": tier, "text": str(words)[:NEAR_LETTERS]} for id_, kind, tier, words in found
    ]


def _rare(home: Home, places: str, words: list[str], counted: Counted) -> list[str]:
    """The words that some rows in sight hold, but few."""
    for word in words:
        if word not in counted:
            match = fts_query.narrow(word, column="own", scope=places)
            counted[word] = lookup.frequency(home.memory, match, COMMON_ROWS) if match else 0
    return [word for word in words if 0 < counted[word] < COMMON_ROWS]
