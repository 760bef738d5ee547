"""One ledger of what models cost. Every call asks here first and is refused before it is made where a ceiling would be crossed.

The most that a call can cost is reserved in the transaction that looks at the ceilings, so that two processes cannot both
slip under one; afterwards what it cost is booked in its place. A crash in between leaves the reservation counted, and so
does a call that failed after it was sent. It must never be passed by: nobody else calls `Model.ask`.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from bellek.curator import config
from bellek.curator.models import Answer, Model
from bellek.kg import clock, failpoints
from bellek.kg.db import Database
from bellek.kg.ids import mint
from bellek.kg.redact import redact
from bellek.schemas.errors import ModelFault
from bellek.schemas.settings import MICROS, Ceilings


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a command, which has a ceiling of its own."""

    command: str
    id: str
    ceilings: Ceilings


@dataclass(frozen=True, slots=True)
class Granted:
    """A reservation: its row in the ledger."""

    n: int


@dataclass(frozen=True, slots=True)
class Declined:
    """A call that was not made: which ceiling it would have crossed."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A call that was made and not answered."""

    reason: str


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer and what it cost in micro-dollars."""

    answer: Answer
    micros: int
    asked: str = ""  # under which a kept answer lies


Outcome: TypeAlias = Answered | Declined | Failed


def run_of(db: Database, command: str, *, budget_usd: float | None = None) -> Run:
    """A new run of a command under the ceilings that are set; a budget can only lower the command's own."""
    ceilings = config.read(db).spend
    if budget_usd is not None:
        ceilings = _lowered(ceilings, budget_usd)
    return Run(command, mint("s"), ceilings)


def _lowered(ceilings: Ceilings, usd: float) -> Ceilings:
    return Ceilings(
        call_usd=ceilings.call_usd, command_usd=min(usd, ceilings.command_usd), day_usd=ceilings.day_usd,
        call_tokens=ceilings.call_tokens, command_tokens=ceilings.command_tokens, day_tokens=ceilings.day_tokens,
    )  # fmt: skip


def ask(
    db: Database,
    model: Model,
    run: Run,
    prompt: str,
    *,
    schema: dict[str, object] | None = None,
    max_tokens: int,
    keep: bool = False,
) -> Outcome:
    """Ask a model, if the ceilings allow it. Must not be called inside a transaction: a model takes its time.

    With `keep` the answer is kept, in the transaction that books it, until `let_go`: asked the same again by a process that
    follows a killed one, it costs nothing.
    """
    asked = (
        hashlib.blake2b(f"{model.name}\0{max_tokens}\0{prompt}".encode(), digest_size=16).hexdigest() if keep else ""
    )
    if keep and (kept := db.value("SELECT text FROM kept_answers WHERE asked = ?", (asked,))) is not None:
        return Answered(Answer(str(kept), 0, 0), 0, asked)
    sent = prompt + (
        json.dumps(schema, ensure_ascii=False) if schema else ""
    )  # a schema goes out, and is paid, with the prompt
    micros, tokens = model.price.most(sent, max_tokens), model.price.most_tokens(sent, max_tokens)
    match reserve(db, run, model.name, micros=micros, tokens=tokens):
        case Declined() as declined:
            return declined
        case Granted(n=n):
            pass
    failpoints.reach("spend-reserved")
    try:
        answer = model.ask(prompt, schema=schema, max_tokens=max_tokens)
    except ModelFault as exc:
        reason = redact(exc.what + (f": {exc.why}" if exc.why else ""))  # an endpoint may say its key back
        fail(db, n, reason, spent=exc.sent)
        return Failed(reason)
    cost = model.price.of(answer.tokens_in, answer.tokens_out) if answer.micros is None else answer.micros
    book(db, n, micros=cost, tokens=answer.tokens_in + answer.tokens_out, kept=(asked, redact(answer.text)))
    failpoints.reach("spend-booked")
    return Answered(answer, cost, asked)


KEPT_MS = clock.DAY_MS  # an answer that nobody came back for in a day is of no use any more


def forget_old_answers(db: Database) -> None:
    """Drop answers that were kept too long. Call it inside a transaction."""
    db.run("DELETE FROM kept_answers WHERE at < ?", (clock.now() - KEPT_MS,))


def let_go(db: Database, asked: Iterable[str]) -> None:
    """Drop kept answers, in the transaction that writes what they said or gives up on it."""
    db.run_many("DELETE FROM kept_answers WHERE asked = ?", [(one,) for one in asked if one])


def reserve(db: Database, run: Run, model: str, *, micros: int, tokens: int) -> Granted | Declined:
    """Reserve the most that a call can cost, or refuse it; either way the ledger has its row. Opens its own transaction."""
    at = clock.now()
    day = clock.day(at, clock.offset_minutes(at))
    with db.transaction():
        reason = _crossed(db, run, day, micros, tokens)
        kept = (0, 0) if reason else (micros, tokens)
        db.run(
            "INSERT INTO spend (at, day, command, run, model, state, micros, tokens, asked_micros, asked_tokens, ended_at, reason)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (at, day, run.command, run.id, model, "refused" if reason else "reserved", *kept, micros, tokens, at if reason else 0, reason),
        )  # fmt: skip
        n = int(str(db.value("SELECT last_insert_rowid()")))
    return Declined(reason) if reason else Granted(n)


def _crossed(db: Database, run: Run, day: str, micros: int, tokens: int) -> str:
    """The ceiling that a call would cross, in words; "" where it crosses none."""
    c = run.ceilings
    spans = (
        ("call", (0, 0), c.call_usd, c.call_tokens),
        ("command", _counted(db, "run = ?", run.id), c.command_usd, c.command_tokens),
        ("day", _counted(db, "day = ?", day), c.day_usd, c.day_tokens),
    )
    for span, (spent, used), usd, most in spans:
        if spent + micros > round(usd * MICROS):
            return (
                f"spend.{span}_usd = {usd:g}: {_usd(spent)} are spent or reserved and this call may cost {_usd(micros)}"
            )
        if used + tokens > most:
            return f"spend.{span}_tokens = {most}: {used} are used or reserved and this call may take {tokens}"
    return ""


def _counted(db: Database, where: str, value: str) -> tuple[int, int]:
    row = db.one(f"SELECT coalesce(sum(micros), 0), coalesce(sum(tokens), 0) FROM spend WHERE {where}", (value,))
    assert row
    return int(str(row[0])), int(str(row[1]))


def _usd(micros: int) -> str:
    return f"{micros / MICROS:.4f} USD"


def book(db: Database, n: int, *, micros: int, tokens: int, kept: tuple[str, str] = ("", "")) -> None:
    """Put what a call cost in the place of its reservation; `kept`: (asked, text) of an answer to keep. Opens its own transaction."""
    with db.transaction():
        if kept[0]:
            db.run("INSERT OR REPLACE INTO kept_answers (asked, text, at) VALUES (?, ?, ?)", (*kept, clock.now()))
        db.run(
            "UPDATE spend SET state = 'booked', micros = ?, tokens = ?, ended_at = ? WHERE n = ? AND state = 'reserved'",
            (micros, tokens, clock.now(), n),
        )


def fail(db: Database, n: int, reason: str, *, spent: bool) -> None:
    """A call that was not answered: its reservation stays counted, unless it surely reached nobody."""
    with db.transaction():
        db.run(
            "UPDATE spend SET state = 'failed', micros = micros * ?, tokens = tokens * ?, ended_at = ?, reason = ?"
            " WHERE n = ? AND state = 'reserved'",
            (int(spent), int(spent), clock.now(), reason, n),
        )


def spent(db: Database, run: Run) -> int:
    """Micro-dollars that a run has spent or reserved."""
    return _counted(db, "run = ?", run.id)[0]


def today(db: Database) -> tuple[float, float]:
    """(US dollars spent or reserved on the person's local day, the day's ceiling)."""
    at = clock.now()
    spent = _counted(db, "day = ?", clock.day(at, clock.offset_minutes(at)))[0]
    return spent / MICROS, config.read(db).spend.day_usd
