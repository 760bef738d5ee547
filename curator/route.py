"""Item → typed rows, with no model: only what the form says. Free text is never guessed into anything but a lesson.

Pure. A learning becomes a journal event and a lesson; a task mark becomes a task. Cue words decide the learning's kind
and importance, in Turkish and English alike; what no cue names stays a discovery of medium importance.
"""

import json
import re
from dataclasses import dataclass

from bellek.kg import fold, fts_query
from bellek.schemas.lesson import HIGH, MEDIUM, LearningKind

TOPIC_WORDS = 4  # words of a topic: enough to tell two learnings apart in a list
TOPIC_LETTERS = 60

# Cue words in folded form; a cue ending in "*" is the beginning of a word (Turkish suffixes). First kind that matches wins,
# from the most telling form to the least.
CUES: tuple[tuple[LearningKind, tuple[str, ...]], ...] = (
    ("bug-fix", ("fix", "fixed", "fixes", "bug", "hata", "hatasi", "hatayi", "duzel*", "cozul*", "cozum*", "onaril*", "solved", "root cause", "kok neden*", "patlad*", "crash*", "coktu*", "bozul*")),
    ("anti-pattern", ("anti pattern", "never", "asla", "don t", "dont", "do not", "avoid", "kacin*", "sakin", "yapma", "yapmayin", "kullanma", "yanlis", "tuzak*", "pitfall*", "instead of", "hicbir zaman")),
    ("decision", ("decided", "decision", "decide", "we chose", "chose", "agreed", "karar*", "secti*", "sectik", "tercih et*", "anlasti*", "vazgec*", "going with", "switched to", "gectik", "gecildi")),
    ("convention", ("always", "daima", "her zaman", "convention*", "must", "kural*", "standart*", "standard*", "naming", "isimlendir*", "style", "zorunlu*", "gerekir", "we use", "kullaniyoruz", "kullanilir", "use")),
    ("pattern", ("pattern*", "desen*", "kalip*", "usually", "genellikle", "whenever", "approach", "yaklasim*", "recipe", "yontem*", "tip", "ipucu*", "ise yar*")),
    ("discovery", ("discover*", "found out", "turns out", "learned", "noticed", "meger", "kesfe*", "fark et*", "ogrendi*", "gorundu", "anlasildi")),
)  # fmt: skip
LOUD = ("always", "never", "daima", "asla", "her zaman", "hicbir zaman")
TASK_MARK = re.compile(r"\s*(SELF_TASK|TASK_DONE|TASK_DELETE)\s*:\s*(.*)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Learning:
    """A learning's parts as read from its words: `text` for people, kind, importance 0 to 3, kebab-case topic."""

    text: str
    kind: LearningKind
    importance: int
    topic: str


def learning(payload: str) -> Learning:
    """Read a learning. A JSON object with a string `text` is unwrapped; any other payload is its own text."""
    text = _plain(payload)
    words = f" {fold.fold(payload)} "  # of the whole payload: a JSON form may name its kind
    kind: LearningKind = next((kind for kind, cues in CUES if any(_has(words, cue) for cue in cues)), "discovery")
    importance = HIGH if any(_has(words, cue) for cue in LOUD) else MEDIUM
    return Learning(text, kind, importance, topic(text))


def _has(words: str, cue: str) -> bool:
    return f" {cue[:-1]}" in words if cue.endswith("*") else f" {cue} " in words


def _plain(payload: str) -> str:
    if not payload.startswith("{"):
        return payload
    try:
        value = json.loads(payload)
    except ValueError:
        return payload
    text = value.get("text") if isinstance(value, dict) else None
    return text if isinstance(text, str) and text.strip() else payload


def topic(text: str) -> str:
    """A stable kebab-case name from the first content words: ASCII letters and digits, at least "note"."""
    kept: list[str] = []
    for word in fts_query.words(text):
        plain = "".join(c for c in word if c.isascii() and c.isalnum())
        if plain and plain not in kept:
            kept.append(plain)
        if len(kept) == TOPIC_WORDS:
            break
    name = "-".join(kept)[:TOPIC_LETTERS].strip("-")
    return name or "note"


def task_mark(payload: str) -> tuple[str, str]:
    """("SELF_TASK" | "TASK_DONE" | "TASK_DELETE", text) of a task payload, in brackets or not; a bare text is a new task."""
    inner = payload.strip()
    found = TASK_MARK.match(inner[1:-1] if inner.startswith("[") and inner.endswith("]") else inner)
    return (found[1], found[2].strip()) if found else ("SELF_TASK", payload.strip())
