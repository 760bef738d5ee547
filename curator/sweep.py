"""Windows of conversation in which a learning may have gone unmarked, for somebody to read again: each letter once a channel.

A window is a run of one conversation's messages, at most WINDOW letters, cut inside a message where one is longer. The
same window is handed out until it is closed. It must never skip a letter, never hand one out twice after it was closed,
and never judge what is worth learning.
"""

from dataclasses import dataclass

from bellek.curator import markers
from bellek.kg import conversations, sweeps
from bellek.kg.conversations import Message
from bellek.kg.home import Home
from bellek.kg.sweeps import BEGINNING, Mark
from bellek.schemas.errors import NotFound

WINDOW = 12_000  # code points: about 3,000 tokens, what one reading by a small model holds with ease


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a message: `text` is its characters from `start` on. `marked`: it holds a marker of the channel already."""

    message: Message
    start: int
    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Window:
    """What to read: from one mark up to, not including, another. `id` names it for `done`."""

    channel: str
    conversation: str
    begin: Mark
    end: Mark
    pieces: tuple[Piece, ...]

    @property
    def id(self) -> str:
        """Conversation and both marks; it tells a window that was closed from one that is out."""
        return f"{self.conversation}:{self.begin[0]}.{self.begin[1]}-{self.end[0]}.{self.end[1]}"


def next_window(home: Home, project: str, channel: str, *, size: int = WINDOW, before: int = 2**62) -> Window | None:
    """The window that is out, else a new one of the newest conversation with unread text; None where all was read.

    `before` (UTC ms): only conversations in which nothing was said since.
    """
    with home.memory.transaction():
        state = sweeps.of_channel(home.memory, project, channel)
        for sweep in state.values():
            if sweep.handed_to is not None:
                return _window(home, project, channel, sweep.conversation, sweep.done_to, end=sweep.handed_to)
        for talk, length in _talks(home, project, before):
            begin = state[talk].done_to if talk in state else BEGINNING
            if begin[0] <= length:
                window = _window(home, project, channel, talk, begin, size=size)
                if window.pieces:
                    sweeps.hand_out(home.memory, project, channel, talk, window.end)
                    return window
    return None


def done(home: Home, project: str, channel: str, given: str = "") -> str:
    """Close the window that is out; its id. Raises NotFound where none is, or another than the given one."""
    with home.memory.transaction():
        for sweep in sweeps.of_channel(home.memory, project, channel).values():
            if sweep.handed_to is None:
                continue
            out = Window(channel, sweep.conversation, sweep.done_to, sweep.handed_to, ()).id
            if given in ("", out):
                sweeps.close(home.memory, project, channel, sweep.conversation)
                return out
    raise NotFound(
        f"no window {given[:120]!r} is out" if given else "no window is out",
        why="it was closed already, or never handed out",
        hint="run `bellek sweep next`",
    )


def _talks(home: Home, project: str, before: int) -> list[tuple[str, int]]:
    """(conversation, place of its last message of the project), the one that was said last first."""
    rows = home.conversations.rows(
        "SELECT conversation, max(seq) FROM messages WHERE project = ? GROUP BY conversation HAVING max(at) < ? ORDER BY max(at) DESC, conversation",
        (project, before),
    )
    return [(str(talk), int(str(last))) for talk, last in rows]


def _window(
    home: Home, project: str, channel: str, talk: str, begin: Mark, *, end: Mark | None = None, size: int = WINDOW
) -> Window:
    """From a mark to `end`, or as far as `size` letters reach. Messages of other projects are passed over."""
    pieces: list[Piece] = []
    place, room = begin, size
    for message in conversations.from_seq(home.conversations, talk, begin[0], until=end[0] if end else None):
        start = place[1] if message.seq == place[0] else 0
        if message.project == project:
            stop = len(message.text) if end is None else end[1] if message.seq == end[0] else len(message.text)
            text = message.text[start : min(stop, start + room) if end is None else stop]
            if text:
                marked = any(m.channel == channel for m in markers.scan(message.text, [channel]).markers)
                pieces.append(Piece(message, start, text, marked))
            room -= len(text)
            if end is None and start + len(text) < len(message.text):
                place = (message.seq, start + len(text))
                break
        place = (message.seq + 1, 0)
        if end is None and room <= 0:
            break
    return Window(channel, talk, begin, end or place, tuple(pieces))
