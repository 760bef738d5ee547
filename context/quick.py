"""memory-quick: one step over typed memory and conversations, each line cited. It may well be nothing.

What it is for: the verb `recall`, for a person or an agent that asks once and reads the answer. It must never write, nor
tell what does not carry the question: the floor is the packet's own (`context.recall`).
"""

from dataclasses import dataclass

from bellek.context import recall
from bellek.kg import clock, conversations, scope, typed
from bellek.kg.home import Home

LINES = 8


@dataclass(frozen=True, slots=True)
class Quick:
    """One line: the row's or message's id, its kind ("message" for what was said), tier, day, text, and where it comes from."""

    id: str
    kind: str
    tier: str
    score: float
    said_at: int
    offset_minutes: int
    text: str
    sources: tuple[str, ...]  # message ids, or the conversation of a message


def ask(home: Home, question: str, project: str, *, limit: int = LINES) -> list[Quick]:
    """What carries the question, best first, typed memory before what was said. `project` "" sees only what holds everywhere."""
    found = typed.find(home.memory, question, project, now=clock.now(), limit=recall.POOL, related=False)
    rows = (
        []
        if found.elsewhere
        else [row for row in found.rows if row.status in ("current", "contested") and row.may_be_told]
    )
    if found.words:
        weights = recall.weigh(home.memory, found.words, scope.words(project))
        rows = [row for row in rows if recall.carried(weights, row.shadow) >= recall.FLOOR]
    lines = [
        Quick(
            r.id,
            r.kind,
            r.tier,
            round(r.score, 3),
            r.said_at,
            r.offset_minutes,
            r.text,
            tuple(s.message for s in r.sources if s.message),
        )
        for r in rows
    ]
    if found.table or not project:
        return lines[:limit]
    return (lines + _said(home, found.words, project))[:limit]


def _said(home: Home, words: str, project: str) -> list[Quick]:
    lines = []
    for line in recall.talks(home.conversations, words, project, ""):
        message = conversations.load(home.conversations, line.id)
        if message:
            lines.append(
                Quick(
                    line.id,
                    "message",
                    "-",
                    line.scores.get("share", 0.0),
                    message.at,
                    message.offset_minutes,
                    line.text,
                    (message.conversation,),
                )
            )
    return lines
