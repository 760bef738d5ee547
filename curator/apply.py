"""Verdicts → rows, in one transaction for all of them, with a receipt for every one.

A wrong shape or a broken rule refuses its own verdict and nothing else. An item is acknowledged when every verdict that
cites it was carried out; the same verdict for the same item is carried out once. It must never answer "written" for a
row that it did not read back.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from pydantic import ValidationError

from bellek.curator import context_of, verdicts
from bellek.curator.context_of import Place
from bellek.kg import agents, clock, memories, queue
from bellek.kg.db import Row
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.kg.redact import redact, redact_json_value
from bellek.schemas.errors import BellekError, Busy, NotFound, Refused, StoreFault
from bellek.schemas.queue import Item
from bellek.schemas.verdict import VERDICT, Receipt, Verdict


@dataclass(slots=True)
class _Run:
    home: Home
    project: str
    actor: str
    token: str
    batch: str
    ok: dict[str, list[str]] = field(default_factory=dict)  # item → rows written for it
    taken: dict[str, Item] = field(default_factory=dict)  # item → as it was when its first verdict was carried out
    bad: set[str] = field(default_factory=set)  # items, as given, that a refused verdict cites
    seen: tuple[str, ...] = ()


def apply(
    home: Home,
    project: str,
    rows: list[object],
    *,
    actor: str,
    token: str = "",
    then: Callable[[list[Receipt]], None] | None = None,
) -> list[Receipt]:
    """Carry out verdicts in their order. Raises Busy or StoreFault, with nothing written; everything else is a receipt.

    Under a token only what that token holds is answered, so that a drain that slept past its time writes nothing twice;
    a repeated call finds its receipts even when the token is spent. `then` is called with them before the transaction ends.
    """
    run = _Run(home, project, actor, token, mint("b"))
    with home.memory.transaction():
        if token:
            queue.renew(home.memory, token)
        queue.release_expired(home.memory)
        # Redacted as a whole, keys included, before anything of them can get into an error's words or a receipt.
        receipts = [_one(run, n, redact_json_value(row)) for n, row in enumerate(rows)]
        _acknowledge(run)
        if then:
            then(receipts)
    return receipts


def within(
    home: Home, project: str, rows: list[object], *, actor: str, batch: str, seen: tuple[str, ...] = ()
) -> list[Receipt]:
    """The same in the caller's transaction, for verdicts that answer no queue item (a consolidation's, a mining's).

    `seen` are the origins of everything that was shown to whoever words the verdicts: what is derived is trusted no more
    than the least of them.
    """
    run = _Run(home, project, actor, "", batch, seen=seen)
    return [_one(run, n, row) for n, row in enumerate(rows)]


def _one(run: _Run, n: int, row: object) -> Receipt:
    try:
        verdict = VERDICT.validate_python(row)
    except ValidationError as exc:
        run.bad.update(_cited(row))
        return Receipt(n=n, state="refused", reason=redact(why_invalid(exc)))
    try:
        with run.home.memory.savepoint():
            return _carry_out(run, n, verdict)
    except (Busy, StoreFault):
        raise
    except ValidationError as exc:
        reason = redact(why_invalid(exc))
    except BellekError as exc:
        reason = redact(exc.what + (f" ({exc.why})" if exc.why else ""))
    run.bad.update(verdict.items)
    return Receipt(n=n, state="refused", reason=reason)


def _cited(row: object) -> list[str]:
    """Items that a verdict of a wrong shape seems to cite: they wait for a better one."""
    given = row.get("items") if isinstance(row, dict) else None
    return [one for one in (given if isinstance(given, list) else [given]) if isinstance(one, str) and one]


def why_invalid(exc: ValidationError) -> str:
    """The fields that are off and why, without their values: they have not passed redaction."""
    return "; ".join(
        f"{'.'.join(str(p) for p in e['loc']) or 'verdict'}: {e['msg']}"
        for e in exc.errors(include_url=False, include_input=False)[:6]
    )


def _carry_out(run: _Run, n: int, verdict: Verdict) -> Receipt:
    digest = hashlib.blake2b(verdict.model_dump_json(exclude={"items"}).encode(), digest_size=16).hexdigest()
    if old := _applied(run, verdict.items, digest):
        _count_again(run, verdict.items, old)
        return old.model_copy(update={"n": n, "state": "already"})
    items = tuple({item.id: item for item in (_item(run, given) for given in verdict.items)}.values())
    kept = verdicts.carry_out(_place(run, verdict, items), verdict)
    rows = [memories.read(run.home.memory, id_) for id_ in kept.ids]  # a receipt tells only of what was read back
    apart = [row for row in rows if row.status == "quarantined"]
    receipt = Receipt(
        n=n, state="quarantined" if apart else kept.state, ids=kept.ids, readable_at=clock.stamp(clock.now()),
        reason=redact("; ".join(filter(None, (kept.note, *(f"{row.id} is in quarantine: {row.note}" for row in apart))))),
    )  # fmt: skip
    for item in items:
        _answered(run, item, kept.ids)
        run.home.memory.run(
            "INSERT OR IGNORE INTO applied (item, digest, receipt) VALUES (?, ?, ?)",
            (item.id, digest, receipt.model_dump_json()),
        )
    return receipt


def _answered(run: _Run, item: Item, ids: tuple[str, ...]) -> None:
    run.taken.setdefault(item.id, item)
    run.ok.setdefault(item.id, []).extend(ids)


def _count_again(run: _Run, cited: list[str], old: Receipt) -> None:
    """What was carried out before answers its items still, where another verdict or a twin kept them waiting."""
    for given in cited:
        with suppress(NotFound, Refused):
            _answered(run, _item(run, given), old.ids)


def _applied(run: _Run, items: list[str], digest: str) -> Receipt | None:
    """The receipt of the same verdict, if each item it cites (by id or by the id's beginning) has had it.

    What still waits is asked for first: the letters that name it today may begin an answered item's id as well.
    """
    found: list[Row | None] = []
    for given in items:
        full = given
        with suppress(NotFound, Refused):
            full = queue.find(run.home.memory, run.project, given).id
        rows = run.home.memory.rows(
            "SELECT receipt FROM applied WHERE item BETWEEN ? AND ? AND digest = ? LIMIT 2", (full, full + "~", digest)
        )
        found.append(rows[0] if given and len(rows) == 1 else None)
    first = found[0] if found and all(found) else None
    return Receipt.model_validate_json(str(first[0])) if first else None


def _item(run: _Run, given: str) -> Item:
    """A cited item that may be answered now: waiting, or taken under this very token."""
    item = queue.find(run.home.memory, run.project, given)
    holder, item = queue.held(run.home.memory, item)
    if item.state == "dead":
        raise Refused(f"items: {item.id} is a dead letter", why=item.reason)
    if holder != run.token:
        why = "its token is not the one given" if holder else "the token given expired, or never held it"
        raise Refused(f"items: {item.id} is {'taken by another drain' if holder else 'not taken by this one'}", why=why)
    return item


def _place(run: _Run, verdict: Verdict, items: tuple[Item, ...]) -> Place:
    """The evidence that counts: the message that the verdict names, else the first item's own."""
    named = verdicts.cited_message(verdict)
    cited = named or (items[0].message if items else "")
    found = context_of.evidence(run.home, cited, project=run.project, items=items, named=bool(named)) if cited else None
    session = items[0].session if items else found.conversation if found else ""
    here = agents.scope_of_session(run.home.memory, run.project, session)
    return Place(run.home, here, run.actor, run.batch, items, found, run.seen)


def _acknowledge(run: _Run) -> None:
    """Acknowledge what was answered in full; what a refused verdict cites waits for a better one."""
    for id_, ids in run.ok.items():
        if any(id_.startswith(given) for given in run.bad if given):
            continue
        queue.settle(run.home.memory, run.taken[id_], tuple(dict.fromkeys(ids)), actor=run.actor, batch=run.batch)
