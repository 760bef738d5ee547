"""The watchdog: a long stretch of work in which a channel's marker never came is worth one nudge.

Two turns of a person and 1,000 code points of assistant text without the channel's marker make one; then it is latched
for this session and channel until a marker comes. Small talk (greetings, look-ups, status) and what programs prompt are
not counted. Hearing keeps the count in its own transaction; the prompt hook only reads the row. It must never nudge for
talk that holds nothing to learn, and never count a line twice.
"""

from collections.abc import Set as AbstractSet

from bellek.curator.cues import stands
from bellek.kg import fold
from bellek.kg.db import Database
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


def watch(db: Database, said: Said, channels: Channels, marked: AbstractSet[str]) -> None:
    """Count one line, for each watched channel. Call it inside the transaction that stores the cursor behind it."""
    if said.sidechain:
        return
    names = watched(channels)
    db.run_many(
        "INSERT OR IGNORE INTO watch (session, channel, turns, points, quiet, nudges, due, last_at, last_message)"
        " VALUES (?, ?, 0, 0, 1, 0, 0, 0, '')",
        [(said.session, name) for name in names],
    )
    fresh = "session = ?1 AND (last_at < ?2 OR (last_at = ?2 AND last_message <> ?3))"
    line = (said.session, said.at, said.id)
    if said.author == "user":
        quiet = said.machine or small_talk(said.text)
        counted = "turns = turns + (due = 0)," if not quiet else ""
        db.run(f"UPDATE watch SET {counted} quiet = {int(quiet)}, last_at = ?2, last_message = ?3 WHERE {fresh}", line)
        return
    for name in marked & set(names):
        db.run(f"UPDATE watch SET turns = 0, points = 0, due = 0 WHERE {fresh} AND channel = ?4", (*line, name))
    db.run(
        "UPDATE watch SET points = points + CASE WHEN quiet OR due OR channel IN (SELECT value FROM json_each(?5)) THEN 0 ELSE ?4 END,"
        f" last_at = ?2, last_message = ?3 WHERE {fresh}",
        (*line, len(said.text), _json(marked)),
    )
    db.run(
        "UPDATE watch SET due = 1, nudges = nudges + 1 WHERE session = ? AND due = 0 AND turns >= ? AND points >= ?",
        (said.session, TURNS, POINTS),
    )


def watched(channels: Channels) -> tuple[str, ...]:
    """The channels that are watched: all but those of tasks, since most talk sets none."""
    return tuple(channel.name for channel in channels.declared if channel.drain != "task")


def _json(names: AbstractSet[str]) -> str:
    """Channel names are kebab-case: they need no escaping."""
    return "[" + ",".join(f'"{name}"' for name in sorted(names)) + "]"
