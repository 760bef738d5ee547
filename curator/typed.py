"""Answers that a person types where they are: ``bellek: yes ID``, ``bellek: no ID NOTE``, ``bellek: promote ID`` (R132).

Two witnesses are needed: the prompt hook saw the line come in as a prompt (`typed_answers`), and the transcript marks that
very line as typed by a person. It must never act on one of them alone, on a program's prompt, or twice on the same line.
"""

from bellek.curator import review
from bellek.kg import audit, memories, notices, pasted, signing
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.schemas import answer
from bellek.schemas.answer import AnswerLine
from bellek.schemas.conversation import Said
from bellek.schemas.errors import BellekError, Busy, PersonNeeded, Refused, StoreFault

ACTOR = "person:typed"
SETTING = "typed-promote"


def may_promote(db: Database) -> bool:
    """Whether a person turned ``bellek: promote ID`` on."""
    return db.value("SELECT value FROM settings WHERE key = ?", (SETTING,)) == "on"


def let_promote(home: Home, on: bool, *, actor: str) -> None:
    """Turn it on or off, by a person's act, in the caller's transaction."""
    if not memories.by_person(actor):
        raise PersonNeeded("nothing was switched", why="only a person turns it on")
    home.memory.run("INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)", (SETTING, "on" if on else "off"))
    audit.append(
        home.memory, actor=actor, act=f"{SETTING}-{'on' if on else 'off'}", kind="gate", id="", batch=mint("b")
    )


def take(home: Home, said: Said, project: str) -> None:
    """Carry out the answer that a heard line is, if both witnesses agree. In hearing's own transaction; raises nothing of it.

    What cannot be done is said once, as a notice, and is not tried again.
    """
    line = answer.read(said.text)
    if line is None or not said.typed or said.machine or said.sidechain or said.origin != "user":
        return
    if pasted.whose(said.text, said.text.strip().split("\n", 1)[0]) != pasted.OWN:
        return  # the line itself stands in what was pasted
    db = home.memory
    row = db.one(
        "SELECT n FROM typed_answers WHERE session = ? AND target = ? AND answer = ? AND state = 'noted' ORDER BY n LIMIT 1",
        (said.session, line.target, line.answer),
    )
    if row is None:
        return
    state = "done"
    try:
        with db.savepoint():
            _carry_out(home, line)
    except (Busy, StoreFault):
        raise
    except BellekError as exc:
        state = "refused"
        text = f"the typed answer about {line.target} was not carried out: {exc.what}" + (
            f" ({exc.why})" if exc.why else ""
        )
        notices.say_once(db, kind="typed", source=said.id, position=0, project=project, text=text)
    db.run("UPDATE typed_answers SET state = ?, message = ? WHERE n = ?", (state, said.id, row[0]))


def _carry_out(home: Home, line: AnswerLine) -> None:
    id_ = memories.find_id(home.memory, line.target)
    row = memories.read(home.memory, id_)
    proposal = row.body.kind == "proposal"
    match line.answer:
        case "yes" | "no" if proposal:
            review.answer(home, id_, yes=line.answer == "yes", note=line.note, actor=ACTOR)
        case "no":
            if row.tier == "T2":
                raise Refused(
                    f"{id_} is permanent",
                    why="a typed line refuses provisional rows only",
                    hint=f"run `bellek refuse {id_}` in a terminal",
                )
            review.refuse(home, id_, note=line.note, actor=ACTOR)
        case _:
            if not may_promote(home.memory):
                raise PersonNeeded(
                    f"{id_} was not promoted",
                    why="typed lines may not promote",
                    hint="run `bellek gate typed-promote on` in a terminal",
                )
            if signing.is_set(home.memory):
                raise PersonNeeded(
                    f"{id_} was not promoted",
                    why="promotions are signed here, and a line has no passphrase",
                    hint=f"run `bellek promote {id_}` in a terminal",
                )
            review.promote(home, id_, actor=ACTOR)
