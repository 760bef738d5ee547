"""What a person states or orders in a typed line, sentence by sentence, as far as clear cue words tell; no model.

Pure. A preference, a constraint or a decision is read only where a cue word names it and the sentence can stand alone; an
order without such a word is an `instruction`, which counts only when it is repeated (`mine`). Turkish and English alike.
It must never read code, a quotation, a question or what is too long to have been typed as one order, and never guess.
"""

import re
from dataclasses import dataclass
from typing import Literal

from bellek.kg import fold, fts_query

Kind = Literal["preference", "constraint", "decision", "instruction"]

LONGEST = 300  # code points of one sentence: what is longer explains, and its point is not for a rule to find
TYPED_CAP = 2_000  # code points of a line: what is longer was likely pasted, whatever the client says
FEWEST = 2  # content words without the cue: fewer say nothing by themselves ("always do it")
FEWEST_BARE = 3  # of an order without a cue word

_HIDDEN = re.compile(
    r"(?P<fence>^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z))|(?P<quote>^[ \t]*>.*$)", re.MULTILINE | re.DOTALL
)
_QUOTED = re.compile(r"[“”«»„\"]")
_SENTENCE = re.compile(r"[^.!?…;\n]+(?:[.](?=\S)[^.!?…;\n]+)*[.!?…;]*")
_BULLET = re.compile(
    r"\s*(?:[-*+•]|\d{1,2}[.)])?\s*(?:(?:please|lütfen)\b,?\s*)?", re.IGNORECASE
)  # politeness is not part of it
_AFTER = re.compile(r",?\s+(?:please|lütfen|teşekkürler|thanks|thank you)$", re.IGNORECASE)

# Folded cue words, a blank on either side. Only forms that cannot mean something else.
PREFERENCES = (
    "i prefer", "i always prefer", "i d rather", "i would rather", "i don t like", "i do not like", "i dislike", "i hate", "my preference is",
    "my favourite", "my favorite", "tercih ederim", "tercih ediyorum", "tercihim", "tercih etmem", "tercih etmiyorum", "yeglerim", "sevmem",
    "sevmiyorum", "hoslanmam", "hoslanmiyorum", "severim", "seviyorum",
)  # fmt: skip
DECISIONS = (
    "we decided", "i decided", "we have decided", "i have decided", "we ve decided", "i ve decided", "our decision is", "we settled on",
    "we agreed", "we agreed to", "karar verdik", "karar verdim", "kararimiz", "kararlastirdik", "karara vardik", "karara bagladik",
)  # fmt: skip
DIRECT = (  # these order by themselves, wherever they stand
    "from now on", "under no circumstances", "we always", "we never", "you must", "you should always", "you should never", "we must",
    "we must not", "must always", "must never", "must not", "bundan sonra", "bundan boyle", "zorunludur", "yasaktir",
)  # fmt: skip
OPENING = re.compile(  # these order where they open a clause: "the build always fails" orders nothing
    r"(?:^|(?<=[,:]) ?|\b(?:and|but|please|lutfen|so) )(?:please )?(?:always|never|do not ever|don t ever|only ever)\b"
)
TURKISH = ("her zaman", "daima", "asla", "hicbir zaman", "sakin", "mutlaka")  # these order where the verb does not tell
_NEED = re.compile(r"\w*m[ae]l[iu](?:d[iu]r|s[iu]n|s[iu]n[iu]z|y[iu]z)?$")  # -meli, -malıyız
_TELLS = re.compile(  # the last word of a Turkish sentence that reports: -iyor, -di, -miş, -ecek, and their persons
    r"\w+(?:[iu]yor|[dt][iu]|m[iu]s|[ae]c[ae][kg]|[ae]r|m[ae]z|[iu]r)(?:l[ae]r)$|\w+(?:[iu]yor|[dt][iu]|m[iu]s|[ae]c[ae][kg])(?:[iu]?m|s[iu]n|[iu]z|k|n[iu]z)?$"
)
_ASKS = re.compile(
    r" m[iu](?:y[iu]m|s[iu]n|y[iu]z|s[iu]n[iu]z|l[ae]r)? *$| m[iu](?:y[iu]m|s[iu]n|y[iu]z|s[iu]n[iu]z)? "
)
_HERE = re.compile(r"\b(?:in )?this (?:project|repo|repository|codebase)\b|\bbu (?:proje|depo|repo)\w*")
POINTING = frozenset(
    (
        "this",
        "it",
        "these",
        "those",
        "bu",
        "su",
        "bunu",
        "sunu",
        "onu",
        "bunlari",
        "sunlari",
        "onlari",
        "boyle",
        "oyle",
        "soyle",
    )
)

VERBS = frozenset("""
    add allow apply ask avoid build bump bundle call change check cite clean close comment commit compile configure convert copy cover create
    debug define delete deploy describe disable document don drop enable encode ensure escape explain export fetch fill fix format freeze
    generate group handle hide ignore implement import include indent inline install keep label leave limit lint list lock log look make mark
    measure merge migrate mock move name normalize note open parse pass pin prefer print profile protect publish push put quote read rebase
    redact reduce refactor release remember remove rename render replace report require respect restart retry return review rewrite round run
    save scan separate set ship show sign skip sort split squash start state stay stop store summarize tag test trim type update upgrade use
    validate verify wait warn wrap write
""".split())  # noqa: SIM905  # fmt: skip
STEMS = frozenset("""
    ac acikla adlandir aktar al anlat ara at ayikla ayir bagla bak bas basla bekle belgele bil bitir bol bosalt boz bul calistir cek cevir ciz cikar coz
    dagit dene derle dik doldur dogrula don donustur dur duzelt ekle et geciri gec gerceklestir getir gir goster gonder guncelle hazirla iceri
    incele indir isle isaretle iste kaldir kapat karsilastir kaydet kes kir kontrol kopyala koru kos koy kullan kur listele nitele oku ol olustur
    olc onayla ozetle paketle parcala raporla sabitle sakla say sec sil sirala sinirla sor soyle tamamla tani tara tasi tekrarla temizle test tut
    uygula uyar ver yap yaz yayinla yedekle yenile yerlestir yorumla yukle yukselt
""".split())  # noqa: SIM905  # fmt: skip
_IMPERATIVE = re.compile(r"(?P<stem>\w+?)(?:m[ae])?(?:y?[iu]n(?:[iu]z)?)?$")  # yaz, yazma, yazın, yazmayınız


# What a preference says beside its cue: (pattern, predicate). What fits none keeps its whole sentence.
_LEANS = tuple((re.compile(pattern, re.IGNORECASE), predicate) for pattern, predicate in (
    (r"i (?:always )?prefer (?P<what>.+)|i(?:['’]d| would) rather (?:have )?(?P<more>.+)|my preference is (?P<last>.+)", "prefers"),
    (r"i (?:don['’]?t|do not) like (?P<what>.+)|i (?:dislike|hate) (?P<more>.+)", "dislikes"),
    (r"(?:ben )?(?P<what>.+) (?:tercih (?:ederim|ediyorum)|yeğlerim)", "prefers"),
    (r"(?:ben )?(?P<what>.+) tercih (?:etmem|etmiyorum)", "avoids"),
    (r"(?:ben )?(?P<what>.+) (?:sevmem|sevmiyorum|hoşlanmam|hoşlanmıyorum)", "dislikes"),
    (r"(?:ben )?(?P<what>.+) (?:severim|seviyorum)", "likes"),
))  # fmt: skip


def preferred(sentence: str) -> tuple[str, str]:
    """(predicate, object) of a preference, the object in the sentence's own words."""
    for pattern, predicate in _LEANS:
        if found := pattern.fullmatch(sentence):
            return predicate, next(part for part in found.groupdict().values() if part)
    return "prefers", sentence


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a line: what it is, its words verbatim (no full stop), and the code point at which it begins."""

    kind: Kind
    text: str
    position: int


def read(text: str) -> list[Statement]:
    """The statements of a typed line, in order; none in a line that is too long to have been typed."""
    found = []
    for position, sentence in sentences(text):
        kind = kind_of(sentence)
        if kind:
            found.append(Statement(kind, sentence, position))
    return found


def sentences(text: str) -> list[tuple[int, str]]:
    """(position, sentence) of the person's own prose: no fence, no block quote, nothing with a quotation mark, no question."""
    if len(text) > TYPED_CAP:
        return []
    own = _HIDDEN.sub(lambda hidden: " " * (len(hidden[0]) - 1) + "\n" if hidden[0] else "", text)
    found = []
    for match in _SENTENCE.finditer(own):
        raw = match[0]
        start = _BULLET.match(raw)
        begin = start.end() if start else 0
        sentence = _AFTER.sub("", raw[begin:].rstrip(" \t\r.!…;"))
        if sentence and len(sentence) <= LONGEST and "?" not in raw and not _QUOTED.search(raw):
            found.append((match.start() + begin, sentence))
    return found


def kind_of(sentence: str) -> Kind | None:
    """What one sentence states, or None where no clear word says that it states or orders anything."""
    words = f" {fold.fold(sentence)} "
    plain = _HERE.sub(" ", words)
    if _ASKS.search(words) or set(plain.split()) & POINTING:
        return None
    if _has(words, DECISIONS):
        return "decision" if _says_enough(sentence, DECISIONS, FEWEST) else None
    if _has(words, PREFERENCES):
        return "preference" if _says_enough(sentence, PREFERENCES, FEWEST) else None
    if _constrains(words, sentence):
        return "constraint" if _says_enough(sentence, (*DIRECT, *TURKISH, "always", "never"), FEWEST) else None
    return "instruction" if _orders(words) and len(fts_query.words(sentence)) >= FEWEST_BARE else None


def _constrains(words: str, sentence: str) -> bool:
    clauses = ",".join(fold.fold(part) for part in re.split(r"[,:]", sentence))
    if _has(words, DIRECT) or OPENING.search(clauses):
        return True
    last = words.rsplit(maxsplit=1)[-1]
    if _NEED.fullmatch(last):
        return True
    return _has(words, TURKISH) and not _TELLS.fullmatch(last)


def _orders(words: str) -> bool:
    """Whether a sentence is an order: an English verb opens it, or a Turkish imperative ends it."""
    every = words.split()
    first = next((word for word in every if word not in ("please", "lutfen", "also", "and", "then", "ok", "now")), "")
    if first in VERBS or first == "do":
        return True
    last = next((word for word in reversed(every) if word not in ("lutfen", "please")), "")
    stem = _IMPERATIVE.fullmatch(last)
    return last in STEMS or (stem is not None and stem["stem"] in STEMS)


def _has(words: str, cues: tuple[str, ...]) -> bool:
    return any(f" {cue} " in words for cue in cues)


def _says_enough(sentence: str, cues: tuple[str, ...], fewest: int) -> bool:
    """Whether content words are left beside the cue."""
    cue_words = {word for cue in cues for word in cue.split()}
    return len([word for word in fts_query.words(sentence) if word not in cue_words]) >= fewest
