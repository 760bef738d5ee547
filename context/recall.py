"""What matches this prompt: lessons and journal rows, and conversations, by words. It may well be nothing.

One of the prompt hook's rooms. It must never answer from another project, nor repeat the running session, nor tell a row
of an origin that is kept out.

The floor. A content word of the prompt weighs log((N + 1) / (n + ½)), the inverse document frequency of BM25: N rows in
scope, n of them holding the word, so that a word in every row weighs nothing. A word that no row holds says only that
part of the prompt lies outside this memory, not that a row is wrong: it weighs as one in UNKNOWN rows. N is YOUNG at
least: in a memory of three rows a word of one of them is not yet common. A row carries the share of the prompt's weight
that its own words hold, and is told when that comes to FLOOR: one telling word in three, not one in four. A single
shared word must be rare besides, unless it is all that was asked, and plain words (PLAIN) never speak alone: common
words meet by chance. The constants were set on the two tables of prompts of ``tests/context/corpus.py``.
"""

import math

from bellek.context.packet import without_comments
from bellek.kg import clock, fold, fts_query, lookup, parts
from bellek.kg.db import Database, Overdue, Row
from bellek.kg.parts import Part
from bellek.schemas.kinds import RECALLED
from bellek.schemas.packet import Line
from bellek.schemas.vocab import MAY_BE_TOLD, ORIGINS_KEPT_OUT

COUNT_CAP = 10_000  # rows counted a word and in scope: 0.07 µs each; a word in so many rows weighs nothing
MAX_WORDS = 12  # words weighed a prompt: a pasted trace is not a question
UNKNOWN = 3  # rows that a word nobody has said here counts as
YOUNG = 50  # rows that a memory counts as at least
FLOOR = 0.32  # share of the prompt's weight that a row must carry
RARE_ROWS = 3  # a lone word is rare in so few rows …
RARE_SHARE = 0.02  # … or in this share of the rows in scope
# Newest messages looked at first; the rest follows while time is left. BM25 reads each word's whole list of rows however
# small the window is, so a smaller one saves little and costs a second reading (docs/decisions/0007-hook-start-up.md).
WINDOW = 200_000
POOL = 30  # typed rows weighed
LESSON_LINES = 5
TALK_LINES = 3

# Folded words that ask, time or judge. They are rare in a young memory and tell nothing about its subject alone.
PLAIN = frozenset(
    """
    add answer ask better big change check code continue create day days explain file files find fix give go good
    great help idea know like list long look make name need new next now old on people project question read really
    right say show small start tell thank thanks thing things think time today tomorrow try use using want way week
    work working world write year yesterday yes no ok acikla anlat ara bak bul bugun buyuk cevap degistir deneme
    devam dosya dun duzelt ekle et evet fikir goster gun gunu guzel hafta hakki hayir hazirla is isim iyi kod kucuk
    kullan kisa lazim liste lutfen merhaba oku olustur oner onemli proje saat selam sil simdi soru soyle tamam
    tesekkurler uzun yap yapalim yapar yapma yardim yarin yaz yazar yeni yer yil zaman
    """.split()  # noqa: SIM905  a list of words reads as words
)


class Weights:
    """The prompt's content words with their weights, and which of them are rare enough to speak alone."""

    __slots__ = ("cuts", "known", "rare", "total", "words")

    def __init__(self, counted: "dict[str, int]", rows: int) -> None:
        many = max(rows, YOUNG)
        self.known = any(counted.values())  # else no row can carry anything, and none needs to be looked up
        self.words = {word: math.log((many + 1) / (min(n or UNKNOWN, many) + 0.5)) for word, n in counted.items()}
        self.rare = {
            word for word, n in counted.items() if 0 < n <= max(RARE_ROWS, many * RARE_SHARE) and word not in PLAIN
        }
        self.total = sum(self.words.values())
        self.cuts = {word: fts_query.long_cut(word) for word in counted}  # once a prompt, not once a row


def weigh(db: Database, prompt: str, scope: str) -> Weights:
    """Count the prompt's words in typed memory. Asks at most MAX_WORDS + 1 counts, each capped at COUNT_CAP rows."""
    counted: dict[str, int] = {}
    for word in fts_query.words(prompt)[:MAX_WORDS]:
        match = fts_query.narrow(word, column="own", scope=scope)
        counted[word] = lookup.frequency(db, match, COUNT_CAP) if match else 0
    everything = fts_query.within(scope) if any(counted.values()) else None
    return Weights(counted, lookup.frequency(db, everything, COUNT_CAP) if everything else 0)


def _weigh_talk(db: Database, prompt: str, part: Part) -> Weights:
    """The same in what was said in a project."""
    all_ = part.newest(part.messages)
    found = fts_query.words(prompt)[:MAX_WORDS]
    counted = {word: lookup.counted(db, fts_query.alike(word, column="own"), all_, COUNT_CAP) for word in found}
    return Weights(counted, min(part.messages, COUNT_CAP))


def carried(weights: Weights, shadow: str) -> float:
    """The share of the prompt's weight that a row's own words carry, 0 to 1; 0 where plain words or a lone common one are all of it."""
    own = frozenset(shadow.split())
    shared = [
        word for word, cut in weights.cuts.items() if word in own or (cut in own if cut else fts_query.same(word, own))
    ]
    telling = [word for word in shared if word not in PLAIN]
    if not telling:
        return 0.0
    if len(shared) == len(weights.words):
        return 1.0
    if len(telling) == 1 and telling[0] not in weights.rare:
        return 0.0
    return sum(weights.words[word] for word in shared) / weights.total if weights.total else 0.0


def _good(rows: list[Row], weights: Weights) -> list[tuple[Row, float]]:
    scored = [(row, carried(weights, str(row[10]))) for row in rows]
    return [(row, share) for row, share in scored if share >= FLOOR]


def _good_talk(rows: list[Row], weights: Weights) -> list[tuple[Row, float]]:
    """As `_good`, by what a message shows: the words of its hidden marks are lessons, and would bring an empty shell here."""
    scored = [(row, carried(weights, _shown_words(str(row[7]), str(row[8])))) for row in rows]
    return [(row, share) for row, share in scored if share >= FLOOR]


def _shown_words(text: str, shadow: str) -> str:
    return fold.index_text(without_comments(text)) if "<!--" in text else shadow


def lessons(db: Database, prompt: str, scope: str) -> list[Line]:
    """Lessons and journal rows that match, best first. Open tasks stand in a section of their own."""
    weights = weigh(db, prompt, scope)
    match = fts_query.match(prompt, scope=scope, close=True)
    if match is None or not weights.known:
        return []
    found = []
    for row, share in _good(lookup.memories(db, match, limit=POOL), weights):
        id_, score, kind, revision, tier, _origin, status, at, offset, text, _shadow, may_be_told = row
        if kind not in RECALLED or status not in ("current", "contested") or not may_be_told:
            continue
        tail = f"{kind}, {_trust(str(tier))}, {clock.day(int(str(at)), int(str(offset)))}"
        if kind == "claim":
            tail += _contradicted(db, str(id_))
        found.append(
            Line("lessons", str(id_), int(str(revision)), str(text), tail, {"words": _num(score), "share": share})
        )
    return found[:LESSON_LINES]


def _contradicted(db: Database, claim: str) -> str:
    """What an open conflict says of a claim: the other side's words, so that the reader chooses nothing unknowingly.

    Of a side that may not be told only its being there is said.
    """
    row = db.one(
        f"SELECT x.id, x.strong, CASE WHEN {MAY_BE_TOLD} THEN m.text ELSE '' END FROM conflicts x JOIN memories m ON m.id = CASE ?1 WHEN x.strong THEN x.weak ELSE x.strong END"
        " WHERE x.state = 'open' AND ?1 IN (x.strong, x.weak) ORDER BY x.id LIMIT 1",
        (claim,),
    )
    if row is None:
        return ""
    side = "weaker" if row[1] == claim else "stronger"
    return f"; open conflict {row[0]}: {side} {str(row[2])[:120]!r}" if row[2] else f"; open conflict {row[0]}"


def _trust(tier: str) -> str:
    return {"T1": "unverified", "T2": "permanent"}.get(tier, "evidence")


def _num(value: object) -> float:
    return round(float(str(value)), 3)


def talks(db: Database, prompt: str, project: str, session: str) -> list[Line]:
    """The best message of each of the best conversations, the running one apart; the newest window first."""
    part = parts.part(db, project)
    match = fts_query.match(prompt, close=True)
    weights = _weigh_talk(db, prompt, part) if part and match else None
    if not part or match is None or not weights or not weights.known:
        return []
    good: list[tuple[Row, float]] = []
    try:
        good = _good_talk(lookup.messages(db, match, part.newest(WINDOW), skip=session), weights)
        if len(good) < TALK_LINES and part.messages > WINDOW:
            good = _good_talk(lookup.messages(db, match, part.newest(part.messages), skip=session), weights)
    except Overdue:
        pass  # what the small window gave stands
    best: dict[str, Line] = {}
    for row, share in good:
        _n, score, id_, talk, author, at, offset, text, _shadow, origin, apart = row
        if str(talk) not in best and origin not in ORIGINS_KEPT_OUT and not apart:
            tail = talk_tail(str(author), str(talk), int(str(at)), int(str(offset)))
            best[str(talk)] = Line(
                "conversations", str(id_), 1, str(text), tail, {"words": _num(score), "share": share}
            )
    return list(best.values())[:TALK_LINES]


def talk_tail(author: str, talk: str, at: int, offset: int) -> str:
    """Who said it, when, and where the whole talk is: ``2026-11-30 12:27 user, conversation ID``."""
    return f"{clock.stamp(at, offset)[:16].replace('T', ' ')} {author}, conversation {talk}"
