"""The watchdog: a long stretch of work in which a channel's marker never came is worth one nudge.

Two turns of a person and 1,000 code points of assistant text without the channel's marker make one; then it is latched
for this session and channel until a marker comes. Small talk (greetings, look-ups, status) and what programs prompt are
not counted. Hearing keeps the count in its own transaction; the prompt hook only reads the row. It must never nudge for
talk that holds nothing to learn, and never count a line twice.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from bellek.curator.cues import stands
from bellek.kg import fold
from bellek.kg.db import Database, Row
from bellek.schemas.channel import Channels
from bellek.schemas.conversation import Said

TURNS = 2  # R18
POINTS = 1_000  # R18: code points
SHORT = 12  # words: a longer prompt is work, whatever it begins with

_GREETING_WORDS = (
    "hi hello hey yo thanks thank you ok okay great good morning evening night nice cool perfect bye see later sure yes no"
    " merhaba selam gunaydin iyi gunler aksamlar geceler tesekkurler tesekkur ederim sagol sag ol eyvallah tamam tamamdir"
    " peki olur super harika guzel gorusuruz hosca kal evet hayir kolay gelsin nasilsin naber how are"
)
_GREETING = frozenset(_GREETING_WORDS.split())
_LOOK_UP = (
    "what is", "what s", "what are", "what does", "where is", "where are", "where s", "which file", "who is", "when is", "when was",
    "how many", "how much", "show me", "list the", "list all", "look up", "read the", "open the file", "print the", "find the file",
    "nedir", "ne demek", "nerede", "neresi", "hangi dosya", "hangisi", "kimdir", "kac tane", "kac", "ne zaman", "goster", "listele",
    "oku", "bak", "bakar misin", "var mi", "dosyayi ac",
)  # fmt: skip
_STATUS = (
    "status", "progress", "any news", "how far", "are you done", "is it done", "done yet", "finished yet", "how is it going",
    "how s it going", "what s left", "durum", "durumu", "ne durumda", "bitti mi", "oldu mu", "hazir mi", "ne kaldi", "nasil gidiyor",
    "nerede kaldik", "ilerleme",
)  # fmt: skip
_WORK = (
    "fix", "add", "write", "change", "implement", "refactor", "build", "make", "create", "remove", "rename", "migrate", "debug", "why",
    "duzelt*", "ekle*", "yaz*", "degistir*", "uygula*", "olustur*", "kaldir*", "sil", "tasi*", "kur", "cevir*", "neden", "niye", "coz*",
)  # fmt: skip


def small_talk(text: str) -> bool:
    """Whether a prompt is a greeting, a look-up or a question about the status: nothing is learned in answering it."""
    words = fold.tokens(text[:2_000])
    if not words or len(words) > SHORT:
        return not words
    if all(word in _GREETING for word in words):
        return True
    line = f" {' '.join(words)} "
    return not stands(line, _WORK) and (stands(line, _LOOK_UP) or stands(line, _STATUS))


@dataclass(slots=True)
class _Count:
    """A row of `watch`: of one session and channel, without both."""

    turns: int = 0
    points: int = 0
    quiet: bool = True
    nudges: int = 0
    due: bool = False
    last_at: int = 0
    last_message: str = ""


class Watch:
    """The counts of the sessions that one transaction hears, read once and kept at its end."""

    def __init__(self, db: Database, channels: Channels) -> None:
        self._db = db
        self._names = watched(channels)
        self._sessions: dict[str, dict[str, _Count]] = {}

    def hear(self, said: Said, marked: AbstractSet[str]) -> None:
        """Count one line, for each watched channel."""
        if said.sidechain:
            return
        counts = self._of(said.session)
        fresh = {name: count for name, count in counts.items() if _is_fresh(count, said)}
        if said.author == "user":
            _hear_person(fresh.values(), quiet=said.machine or small_talk(said.text))
        else:
            _hear_assistant(fresh, len(said.text), marked, marked & set(self._names))
        for count in fresh.values():
            count.last_at, count.last_message = said.at, said.id
        for count in counts.values():
            if said.author != "user" and not count.due and count.turns >= TURNS and count.points >= POINTS:
                count.due, count.nudges = True, count.nudges + 1

    def keep(self) -> None:
        """Write what was counted. Call it inside the transaction that stores the cursor behind the lines."""
        self._db.run_many(
            f"INSERT OR REPLACE INTO watch (session, channel, {_FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (session, name, one.turns, one.points, int(one.quiet), one.nudges, int(one.due), one.last_at, one.last_message)
                for session, counts in self._sessions.items()
                for name, one in counts.items()
            ],
        )  # fmt: skip

    def _of(self, session: str) -> dict[str, _Count]:
        if session not in self._sessions:
            rows = self._db.rows(f"SELECT channel, {_FIELDS} FROM watch WHERE session = ?", (session,))
            known = {str(row[0]): _count(row[1:]) for row in rows}
            self._sessions[session] = {**{name: _Count() for name in self._names}, **known}
        return self._sessions[session]


_FIELDS = "turns, points, quiet, nudges, due, last_at, last_message"


def _count(row: Row) -> _Count:
    turns, points, quiet, nudges, due, last_at = (int(str(value)) for value in row[:-1])
    return _Count(turns, points, bool(quiet), nudges, bool(due), last_at, str(row[-1]))


def _is_fresh(count: _Count, said: Said) -> bool:
    """Whether a line was not counted yet: a transcript is read again, and an older line may come late."""
    return count.last_at < said.at or (count.last_at == said.at and count.last_message != said.id)


def _hear_person(fresh: Iterable[_Count], *, quiet: bool) -> None:
    for count in fresh:
        count.turns += not quiet and not count.due
        count.quiet = quiet


def _hear_assistant(fresh: dict[str, _Count], points: int, marked: AbstractSet[str], ours: AbstractSet[str]) -> None:
    for name, count in fresh.items():
        if name in ours:
            count.turns, count.points, count.due = 0, 0, False
        if not (count.quiet or count.due or name in marked):
            count.points += points


def watched(channels: Channels) -> tuple[str, ...]:
    """The channels that are watched: all but those of tasks, since most talk sets none."""
    return tuple(channel.name for channel in channels.declared if channel.drain != "task")
