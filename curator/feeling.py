"""What a typed message moves: words → bounded shifts of STATE and the DRIVES that it touches. No model; hearing calls it.

Only the person's own words count, never what they pasted, never an agent's. It must never keep a word of the message.
"""

from bellek.curator import lines
from bellek.curator.cues import Cues, pieces, stands
from bellek.curator.feeling_words import DRAWN, MOVES, NOT_BEFORE, NOT_BEHIND
from bellek.kg import fold, pasted, state
from bellek.kg.db import Database
from bellek.kg.state import Point
from bellek.schemas.conversation import Said
from bellek.schemas.state import AROUSAL, CHANNELS, LOAD, Values, bounded

READ = 4_000  # letters of a message that are looked at
DENIED = -0.5  # what "not happy" is of "happy"
SHOUTS = 2  # exclamation marks from which on a message is louder than another
LONG = 250  # words: so much at once is a load


def take(db: Database, said: Said, *, client: str, project: str) -> None:
    """Keep what a typed line moves, once. Call it inside the transaction that stores the cursor behind it."""
    if not said.typed or said.machine or said.sidechain or said.origin != "user":
        return
    shifts, drawn = read(pasted.own_words(said.text[:READ]))
    if any(shifts) or drawn:
        point = Point(said.id, client, project, said.session, said.at, lines.offset(said), shifts, drawn)
        state.add(db, point)


def read(text: str) -> tuple[Values, tuple[str, ...]]:
    """(eight bounded shifts, the drives it touches) of a message's own words."""
    words = fold.tokens(text)
    line = f" {' '.join(words)} "
    shifts = [0.0] * len(CHANNELS)
    for cues, moves in MOVES:
        found = _found(line, cues)
        for channel, by in moves.items():
            shifts[channel] += found * by
    if text.count("!") >= SHOUTS:
        shifts[AROUSAL] += 0.06
    if len(words) > LONG:
        shifts[LOAD] += 0.06
    drawn = tuple(name for name, cues in DRAWN.items() if stands(line, cues))
    return tuple(bounded(by) for by in shifts), drawn


def _found(line: str, cues: Cues) -> float:
    """1 where a cue of a group stands in the line, DENIED where it is denied, 0 where none does."""
    for piece in pieces(cues):
        at = line.find(piece)
        if at >= 0:
            return DENIED if _denied(line, at, piece) else 1.0
    return 0.0


def _denied(line: str, at: int, piece: str) -> bool:
    before = line[:at].split()[-2:]
    behind = line[at + len(piece) :]
    if piece[-1] != " ":
        behind = behind.partition(" ")[2]  # the rest of the word that the cue begins
    return bool(NOT_BEFORE.intersection(before)) or behind.split(" ", 1)[0] in NOT_BEHIND
