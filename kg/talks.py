"""A whole conversation as it is told to a person: its span, how it went (where that was noted), and how it ended.

What it must never do: make anything up. The outcome is a curator's sentence, else the last paragraph that the assistant wrote, verbatim; the mood is
what a journal row of that conversation holds or what the person's own words showed, and there is none where none was.
"""

from dataclasses import dataclass

from bellek.kg import scope, state
from bellek.kg.answers import Where
from bellek.kg.conversations import Message, Talk, show_in
from bellek.kg.db import Database
from bellek.kg.redact import redact
from bellek.schemas import fence

WHOLE = 200  # messages of a conversation that are told whole; of a longer one both ends and what surrounds the hits
NEAR = 20  # messages told on each side of a hit then
ENDS = 3  # and at both ends


@dataclass(frozen=True, slots=True)
class Told:
    """A conversation: messages in order, instants in UTC milliseconds, its outcome and mood ("" where there is none)."""

    id: str
    first_at: int
    last_at: int
    messages: tuple[Message, ...]
    outcome: str
    mood: str


def told(conversations: Database, memory: Database, talk: str, project: str, hits: frozenset[str]) -> Told:
    """A conversation by its id, as far as it was held in a project, without what is set apart; a hit (message id) is told.

    One hit at least must be there, in that project.
    """
    messages = tuple(show_in(conversations, talk, project, also=hits))
    at = [message.at for message in messages]
    return Told(
        talk,
        min(at),
        max(at),
        messages,
        _ending(memory, talk, project) or outcome(messages),
        moods(memory, project, talk).get(talk, ""),
    )


def _ending(memory: Database, talk: str, project: str) -> str:
    """A curator's sentence on how it ended; "" where none was written."""
    found = memory.value("SELECT outcome FROM endings WHERE conversation = ? AND project = ?", (talk, project))
    return str(found or "")


def outcome(messages: tuple[Message, ...]) -> str:
    """The last paragraph of the last thing that the assistant said, verbatim; hidden marks are no words of it."""
    for message in reversed(messages):
        if message.author == "assistant" and not message.sidechain:
            for part in reversed(message.text.replace("\r\n", "\n").split("\n\n")):
                if shown := fence.without_comments(part).strip():
                    return shown
    return ""


def keep_ending(memory: Database, talk: str, project: str, outcome: str, mood: str, *, at: int) -> None:
    """Keep how a conversation ended, redacted; a later window's ending takes the place. Call it inside a transaction."""
    memory.run(
        "INSERT OR REPLACE INTO endings (conversation, project, outcome, mood, at) VALUES (?, ?, ?, ?, ?)",
        (talk, project, redact(outcome), mood, at),
    )


def moods(memory: Database, project: str, talk: str = "") -> dict[str, str]:
    """Conversation → its mood in a project, of one talk or of all: what its newest journal row noted, else what was shown last."""
    rows = memory.rows(
        f"SELECT e.conversation, e.mood FROM events e CROSS JOIN memories m ON m.id = e.id WHERE {scope.sees('?1')} AND e.mood <> ''"
        " AND (?2 = '' OR e.conversation = ?2) AND m.status = 'current' ORDER BY m.said_at, m.id DESC",
        (project, talk),
    )
    ended = memory.rows(
        "SELECT conversation, mood FROM endings WHERE project = ?1 AND mood <> '' AND (?2 = '' OR conversation = ?2)",
        (project, talk),
    )
    shown = state.mood_by_talk(memory, project, talk)
    return {**shown, **{str(id_): str(mood) for id_, mood in ended}, **{str(id_): str(mood) for id_, mood in rows}}


def shortened(messages: tuple[Message, ...], hits: frozenset[str]) -> list[Message]:
    """All messages, or of a very long conversation its ends and what surrounds the hits (message ids)."""
    if len(messages) <= WHOLE:
        return list(messages)
    kept = set(range(ENDS)) | set(range(len(messages) - ENDS, len(messages)))
    for i, message in enumerate(messages):
        if message.id in hits:
            kept |= set(range(max(0, i - NEAR), min(len(messages), i + NEAR + 1)))
    return [messages[i] for i in sorted(kept)]


def listed(db: Database, where: Where) -> list[Talk]:
    """Conversations in which something was said in a project, within the bounds and by the speaker; newest first."""
    rows = db.rows(
        "SELECT id, client, project, first_at, last_at, messages FROM conversations c WHERE EXISTS (SELECT 1 FROM messages m"
        " WHERE m.conversation = c.id AND m.project = ?1 AND m.at >= ?2 AND m.at < ?3 AND (?4 = '' OR m.author = ?4))"
        " ORDER BY last_at DESC, id LIMIT ?5",
        where.values,
    )
    return [Talk(*row) for row in rows]  # type: ignore[arg-type]
