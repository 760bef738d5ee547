"""What ``show`` says of one memory: its evidence, what is hidden in its text, what says nearly the same, its history."""

import unicodedata
from collections import Counter
from dataclasses import asdict

from bellek.cli.screen import hides, one_line, visible
from bellek.curator.replay import Delta
from bellek.curator.shown import EVIDENCE, Act, Quote, Shown
from bellek.kg import clock


def hidden(text: str) -> list[str]:
    """The characters of a text that cannot be seen, joiners included: ``U+200B ZERO WIDTH SPACE, 2 times``."""
    counted = Counter(c for c in text if hides(c))
    return [
        f"U+{ord(c):04X} {unicodedata.name(c, 'control')}" + (f", {n} times" if n > 1 else "")
        for c, n in sorted(counted.items())
    ]


def as_json(seen: Shown) -> dict[str, object]:
    """The fields of the row, and what stands around it."""
    memory = seen.memory
    return {
        **memory.model_dump(mode="json"), "kind": memory.body.kind, "said_at": clock.stamp(memory.said_at, memory.offset_minutes),
        "hidden": hidden(memory.text), "evidence": [asdict(quote) for quote in seen.evidence], "near": [asdict(near) for near in seen.near],
        "history": [asdict(act) for act in seen.history], "replay": _delta_json(seen.replayed),
    }  # fmt: skip


def as_lines(seen: Shown) -> list[str]:
    """The same for a screen."""
    memory = seen.memory
    said = clock.stamp(memory.said_at, memory.offset_minutes)
    lines = [f"{memory.id}  {memory.body.kind} {memory.tier} {memory.status}, origin {memory.origin}, said {said}"]
    lines += [visible(memory.text)]
    lines += [f"hidden in it: {name}" for name in hidden(memory.text)]
    lines += [f"{memory.status}: {one_line(memory.note)}"] if memory.note else []
    for quote in seen.evidence:
        lines += _evidence(quote)
    lines += [
        f"near: {n.id}  {n.kind} {n.tier} {n.status}, {n.likeness} % alike: {one_line(n.text)}" for n in seen.near
    ]
    lines += [_delta_line(seen.replayed)] if seen.replayed else []
    lines += [_act(act) for act in seen.history]
    return lines


def _delta_json(delta: Delta | None) -> dict[str, object] | None:
    if delta is None:
        return None
    found = delta.compared
    return {
        "id": delta.replay.id, "at": clock.stamp(delta.replay.at), "model": delta.replay.model, "tasks": found.tasks,
        "without": found.without, "with": found.with_, "better": found.better, "harm": found.harm, "p": found.p,
    }  # fmt: skip


def _delta_line(delta: Delta) -> str:
    found = delta.compared
    harm = f", harm in {', '.join(one_line(task, 40) for task in found.harm)}" if found.harm else ""
    return (
        f"replayed {clock.stamp(delta.replay.at)} with {one_line(delta.replay.model, 40)}: {found.without} of {found.tasks} tasks"
        f" without it, {found.with_} with it{harm} (sign test p = {found.p:.3f})"
    )


def _evidence(quote: Quote) -> list[str]:
    where = f"from item {quote.item}, message {visible(quote.message)}, conversation {visible(quote.conversation)}"
    if not quote.text:
        return [where]
    who = "typed by a person" if quote.typed else f"by {quote.author}"
    shown = (
        f"  quote: {one_line(quote.quote, EVIDENCE)}" if quote.quote else f"  said: {one_line(quote.text, EVIDENCE)}"
    )
    return [f"{where}, {who}, {quote.at}", shown]


def _act(act: Act) -> str:
    if not act.revision:
        return f"{act.act} by {act.actor} at {act.at}"
    return f"revision {act.revision} by {act.actor} ({act.act}) at {act.at}"
