"""End of a session: what no mark told and will still matter, by a declared model; and how the conversation ended.

A conversation is over when nothing was said for half an hour. It is read in windows, each letter once; a window's rows, its
mark, the outcome and the end of the kept answer are one transaction. It must never ask about small talk, about a conversation
that goes on, or without a model: what typed lines state in clear words `sleep` finds by rule.
"""

import json
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bellek.curator import apply, spend, sweep
from bellek.curator.answers import object_with
from bellek.curator.consolidate import allowed
from bellek.curator.context_of import by_person
from bellek.curator.models import Model
from bellek.curator.sweep import Piece, Window
from bellek.curator.watchdog import small_talk
from bellek.kg import clock, failpoints, locks, parts, state, sweeps, talks
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.schemas.errors import Busy
from bellek.schemas.event import Mood
from bellek.schemas.state import MOST_SHIFT
from bellek.schemas.verdict import VERDICTS
from bellek.schemas.vocab import ORIGINS_KEPT_OUT

LOCK = "selection"
ACTOR = "selection"
SWEPT = "selection"  # whose mark it is how far a conversation was read: no channel has that name
READ_TO = "selection:"  # before a project in `meta`: how many messages it had when all of them were read
IDLE_MS = 30 * clock.MINUTE_MS
WINDOWS = 3  # of one call: after a reply no more is asked
MAX_TOKENS = 2_000
MOST = 8
KINDS = ("lesson", "claim", "event")


Channel = Literal[
    "arousal",
    "valence",
    "certainty",
    "social_closeness",
    "task_orientation",
    "cognitive_load",
    "novelty",
    "threat_level",
]  # as `schemas.state.CHANNELS` names them


class Moved(BaseModel):
    """How a typed line moved STATE, where a model reads it better than the lexicon: channel → at most a fifth up or down."""

    model_config = ConfigDict(extra="forbid", strict=True)
    line: str
    shifts: dict[Channel, Annotated[float, Field(ge=-MOST_SHIFT, le=MOST_SHIFT, allow_inf_nan=False)]]


class Ending(BaseModel):
    """What a model answers of a window. `moved` is read one by one: a wrong one costs no verdict."""

    model_config = ConfigDict(extra="ignore", strict=True)
    verdicts: list[dict[str, object]] = Field(max_length=40)
    outcome: str = Field(default="", max_length=1_000)
    mood: Mood = ""
    moved: list[object] = Field(default=[], max_length=40)


@dataclass(slots=True)
class Selected:
    """What was done: windows asked about, windows passed over as small talk, rows, refusals, why it stopped ("" for done)."""

    asked: int = 0
    trivial: int = 0
    ids: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    stopped: str = ""


def select(home: Home, project: str, model: Model, run: spend.Run, *, windows: int = WINDOWS) -> Selected:
    """Read what is over and was not read yet, at most so many windows. Raises Busy where another selection is at work."""
    done = Selected()
    with locks.held(home.path, LOCK) as mine:
        if not mine:
            raise Busy("another selection is at work", why="its lock is held by a living process")
        before, heard = clock.now() - IDLE_MS, _heard(home, project)
        while done.asked < windows and not done.stopped:
            window = sweep.next_window(home, project, SWEPT, before=before)
            if window is None:
                _all_read(home, project, before, heard)
                break
            if trivial(window):
                done.trivial += 1
                sweep.done(home, project, SWEPT, window.id)
            else:
                done.asked += 1
                _one(home, project, window, model, run, done)
    return done


def due(home: Home, project: str) -> bool:
    """Whether something was heard in a project since all of it was read: else nothing is looked for."""
    read = home.memory.value("SELECT value FROM meta WHERE key = ?", (READ_TO + project,))
    return _heard(home, project) != int(str(read or 0))


def _heard(home: Home, project: str) -> int:
    """How many messages of a project were ever heard."""
    part = parts.part(home.conversations, project)
    return part.messages if part else 0


def _all_read(home: Home, project: str, before: int, heard: int) -> None:
    """Remember up to which message all was read; not while a conversation goes on, whose lines are read later."""
    if not home.conversations.value(
        "SELECT EXISTS (SELECT 1 FROM messages WHERE project = ? AND at >= ?)", (project, before)
    ):
        with home.memory.transaction():
            home.memory.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (READ_TO + project, str(heard)))


def trivial(window: Window) -> bool:
    """Whether nothing was asked for but small talk: then there is nothing to learn in the answers."""
    return all(small_talk(piece.text) for piece in window.pieces if by_person(piece.message))


def _one(home: Home, project: str, window: Window, model: Model, run: spend.Run, done: Selected) -> None:
    shown = [piece for piece in window.pieces if piece.message.origin not in ORIGINS_KEPT_OUT]
    match spend.ask(
        home.memory, model, run, prompt_of(shown), schema=answer_schema(), max_tokens=MAX_TOKENS, keep=True
    ):
        case spend.Answered(answer=answer, asked=asked):
            _carry_out(home, project, window, answer.text, asked, done)
        case spend.Declined(reason=reason) | spend.Failed(reason=reason):
            done.stopped = reason


def answer_schema() -> dict[str, object]:
    """The JSON Schema of an answer."""
    verdicts = VERDICTS.json_schema()
    return {
        "type": "object", "required": ["verdicts", "outcome", "mood"], "additionalProperties": False, "$defs": verdicts.pop("$defs"),
        "properties": {
            "verdicts": verdicts, "outcome": {"type": "string"}, "mood": {"type": "string"},
            "moved": {"type": "array", "items": Moved.model_json_schema()},
        },
    }  # fmt: skip


def prompt_of(pieces: list[Piece]) -> str:
    """The words that a model is given: ours, then the lines as JSON, in which nothing can pose as ours."""
    ours = files("bellek.curator").joinpath("prompts/select.md").read_text(encoding="utf-8")
    data = [
        {
            "id": p.message.id,
            "author": p.message.author,
            "typed": by_person(p.message),
            "marked": p.marked,
            "text": p.text,
        }
        for p in pieces
    ]
    return f"{ours}\n{json.dumps(data, ensure_ascii=False)}\n"


def _carry_out(home: Home, project: str, window: Window, text: str, asked: str, done: Selected) -> None:
    """Rows, the window's mark, the ending and the end of the kept answer: one transaction. Nonsense is passed over, and said."""
    try:
        ending = Ending.model_validate(object_with(text, "verdicts") or {})
    except ValidationError:
        ending = Ending(verdicts=[])
        done.refused.append(f"{window.id}: the answer is none")
    shown = {piece.message.id for piece in window.pieces}
    rows = [row for row in ending.verdicts if allowed(row, shown, KINDS)][:MOST]
    with home.memory.transaction():
        receipts = apply.within(home, project, list(rows), actor=ACTOR, batch=mint("b"))
        if ending.outcome.strip() or ending.mood:
            talks.keep_ending(
                home.memory, window.conversation, project, ending.outcome.strip(), ending.mood, at=clock.now()
            )
        done.refused += _move(home, project, window, ending)
        sweeps.close(home.memory, project, SWEPT, window.conversation)
        spend.let_go(home.memory, (asked,))
        failpoints.reach("selection-written")
    done.ids += [id_ for receipt in receipts for id_ in receipt.ids]
    done.refused += [receipt.reason for receipt in receipts if receipt.state == "refused"]


def _move(home: Home, project: str, window: Window, ending: Ending) -> list[str]:
    """Carry out what moved STATE; why some was not. Only lines that a person typed, and only those that were shown."""
    typed = {piece.message.id: piece.message for piece in window.pieces if by_person(piece.message)}
    refused = []
    for given in ending.moved:
        try:
            moved = Moved.model_validate(given)
            said = typed[moved.line]
        except (ValidationError, KeyError):
            refused.append(f"{window.id}: what moved names no typed line or no bounded channel")
            continue
        shifts = tuple(moved.shifts.get(channel, 0.0) for channel in get_args(Channel))
        state.read_again(home.memory, said.id, said.conversation, said.at, said.offset_minutes, project, shifts)
    return refused
