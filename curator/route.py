"""Item → typed rows, with no model: only what the form says. Free text is never guessed into anything but a lesson.

Pure. A learning becomes a journal event and a lesson; a task mark becomes a task. Cue words decide the learning's kind
and importance, in Turkish and English alike; what no cue names stays a discovery of medium importance.
"""

import json
import re
from dataclasses import dataclass

from bellek.curator.cues import stands
from bellek.kg import fold, fts_query
from bellek.schemas.claim import Category
from bellek.schemas.lesson import CRITICAL, HIGH, LOW, MEDIUM, LearningKind

TOPIC_WORDS = 4  # words of a topic: enough to tell two learnings apart in a list
TOPIC_LETTERS = 60

# Cue words in folded form; a cue ending in "*" is the beginning of a word and one that begins with "*" its end (Turkish
# suffixes). Telling forms are asked for first, over all kinds; the first kind that has one wins. Then the weaker ones.
TELLING: tuple[tuple[LearningKind, tuple[str, ...]], ...] = (
    ("anti-pattern", ("anti pattern", "antipattern", "never", "asla", "sakin", "hicbir zaman", "*mayin", "*meyin", "don t", "dont", "do not", "avoid", "avoids", "kacin*", "tuzak*", "pitfall*", "bad idea", "kotu fikir", "instead of", "harmful", "zararli*")),
    ("bug-fix", ("fix", "fixed", "fixes", "bugfix", "duzelt*", "duzeldi", "cozuldu", "cozdu*", "cozum*", "onar*", "gider*", "solved", "resolved", "repaired", "repairs", "root cause", "kok neden*", "kok sebep*", "workaround")),
    ("decision", ("decided", "decision", "decide", "we chose", "chose", "chosen", "agreed", "karar", "karari*", "karara", "kararlas*", "secildi", "sectik", "tercih et*", "tercih edil*", "anlastik", "vazgec*", "going with", "went with", "settled on", "opted", "switched to", "switch to", "moving to", "moved to", "gectik", "gecildi", "gecilecek", "ertelen*", "postponed", "deferred", "onaylandi", "benimse*", "picked")),
    ("discovery", ("discovered", "found out", "turns out", "turned out", "apparently", "noticed", "realised", "realized", "surprisingly", "undocumented", "meger*", "kesfet*", "fark et*", "farkina var*", "ortaya cik*", "anlasildi", "ogrendi*", "*yormus", "*rmis", "*lmis", "gordu*")),
    ("pattern", ("pattern", "patterns", "desen*", "kalip*", "recipe", "approach", "yaklasim*", "yontem*", "whenever", "usually", "genellikle", "cogunlukla", "best way", "good way", "the trick", "iyi yolu", "en iyi yol*", "ise yar*", "works well", "works for", "pays off", "puf nokta*", "ipucu*")),
    ("convention", ("always", "daima", "her zaman", "convention*", "kural*", "standart*", "standard", "standards", "isimlendir*", "adlandir*", "naming", "house style", "style guide", "we use", "kullaniyoruz", "follow", "follows", "zorunlu*", "gelenek*")),
)  # fmt: skip
WEAK: tuple[tuple[LearningKind, tuple[str, ...]], ...] = (
    ("bug-fix", ("bug", "bugs", "hatasi*", "hatayi", "crash*", "coktu*", "cokuyordu", "patl*", "bozul*", "broke", "broken", "leak*", "sizinti*", "regression*", "deadlock*")),
    ("anti-pattern", ("yanlis*", "wrong", "yapma", "kullanma", "unsafe", "tehlikeli*")),
    ("pattern", ("helps", "tends to", "simplifies", "kolaylas*", "tip", "once sonra")),
    ("convention", ("must", "should", "use", "uses", "gerekir", "olmali*", "in this repo", "in this project", "bu projede", "bu depoda", "kullanilir", "yazilir", "*nilir", "*tulur", "*ilir")),
    ("discovery", ("learned", "found", "actually", "aslinda", "bulduk", "goruldu", "explains")),
)  # fmt: skip
PROHIBITION = re.compile(
    r"\w{2,}m[ae]\s*(?:[,.;:!]|çünkü|\Z)"
)  # "elle çalıştırma, çünkü": a Turkish imperative ends its clause; a noun goes on
REASON = re.compile(r"\b(?:because|since|so that|due to|çünkü|zira)\b", re.IGNORECASE)
LOUD = ("always", "never", "daima", "asla", "her zaman", "hicbir zaman", "important", "onemli*")
LOUDEST = ("critical", "kritik", "hayati", "data loss", "veri kaybi*")
QUIET = ("minor", "nitpick", "onemsiz", "ufak")
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
    return Learning(text, _kind(words, text), _importance(words), topic(text))


def _kind(words: str, text: str) -> LearningKind:
    """What is stated decides before its reason does: "use WAL because readers never block" forbids nothing."""
    stated = f" {fold.fold(REASON.split(text, maxsplit=1)[0])} "
    if PROHIBITION.search(text.lower()):
        return "anti-pattern"
    tries = ((TELLING, stated), (TELLING, words), (WEAK, stated), (WEAK, words))
    return next((kind for cues, line in tries for kind, forms in cues if stands(line, forms)), "discovery")


def _importance(words: str) -> int:
    if stands(words, LOUDEST):
        return CRITICAL
    if stands(words, LOUD):
        return HIGH
    return LOW if stands(words, QUIET) else MEDIUM


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


_NOTHING_WORDS = (
    "ok okay done yes no thanks thank you great good fine nice sure tamam tamamdir oldu peki evet hayir tesekkurler tesekkur ederim sagol"
    " guzel harika super bitti yok nothing none"
)
_NOTHING = frozenset(_NOTHING_WORDS.split())


def trivial(text: str) -> bool:
    """Whether a text is made of nothing but small talk: there is nothing to keep. Any other word is worth a row."""
    return all(word in _NOTHING for word in fold.tokens(text))


def kebab(text: str) -> str:
    """Any name or text as a topic: what is kebab-case already stays; see `topic`."""
    plain = text.strip()
    return plain if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", plain) and len(plain) <= TOPIC_LETTERS else topic(text)


FAMILY = ("married_to", "has_child", "has_sibling", "has_parent")
RELATIONS = ("friend_of", "colleague_of", "member_of", "related_to")
PREFERENCES = ("likes", "dislikes", "prefers", "avoids", "preferred_language", "preferred_name", "editor")
CONSTRAINTS = ("requires", "forbids", "must", "must_not", "deadline", "budget")
HEALTH = ("allergic_to", "has_condition", "takes_medication")
PERSONAL = (
    "name", "born_on", "lives_in", "works_at", "role", "age", "email", "phone", "timezone", "native_language", "has_pet", "knows", "speaks",
    "owns", "visited", "interested_in",
)  # fmt: skip


def category(predicate: str) -> Category:
    """The category that a predicate implies when only a field's name is known; what is about no person is the project's."""
    groups: tuple[tuple[tuple[str, ...], Category], ...] = (
        (FAMILY, "family"), (RELATIONS, "relationship"), (PREFERENCES, "preference"), (CONSTRAINTS, "constraint"), (HEALTH, "health"),
        (PERSONAL, "person"),
    )  # fmt: skip
    return next((name for words, name in groups if predicate in words), "project")


def task_mark(payload: str) -> tuple[str, str]:
    """("SELF_TASK" | "TASK_DONE" | "TASK_DELETE", text) of a task payload, in brackets or not; a bare text is a new task."""
    inner = payload.strip()
    found = TASK_MARK.match(inner[1:-1] if inner.startswith("[") and inner.endswith("]") else inner)
    return (found[1], found[2].strip()) if found else ("SELF_TASK", payload.strip())
