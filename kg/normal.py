"""The normal form of a value: what stays the same when it is said again with other endings, order or small words. Pure.

What it is for: tombstones compare forms, so a form must be the same for what is the same value (evlerde, evler; don't
use pip, never use pip), and must differ where the meaning turns (kullan, kullanma). It must never be changed without
need: the forms of tombstones that were left with an older one are met no more.
"""

import re

from bellek.kg import fold, names

DENIAL = (
    "!"  # one sign for every word that denies ("never", "don't", "değil"), and on the stem of a negated Turkish verb
)
_DENIALS = frozenset(
    """
    not no never none nor cannot dont doesnt isnt arent cant wont shouldnt mustnt avoid forbid forbidden
    degil yok olmaz yasak
    """.split()  # noqa: SIM905  a list of words reads as words
)
_WITH_A_DENIAL = frozenset(("asla", "hic", "hicbir", "sakin"))  # they only strengthen a negated verb
_SHORTENED = frozenset("don doesn didn isn aren wasn weren won can couldn shouldn mustn wouldn hasn haven hadn".split())  # noqa: SIM905
# A negated Turkish verb, folded, up to its denial: kullan|ma, kullan|mayin, kullanil|maz, calis|miyor, dene|medi. The
# infinitive (kullanmak) denies nothing; verbal nouns (kullanma) are taken along: that only tells more forms apart.
_NEGATED = re.compile(
    r"(.{3,}?)(?:m[ae](?:m[ae](?:l[iu])?|y[ae]c[ae][kg]|y[iu]|z|d[iu]|d[ae]n|m[iu]s|s[ae])?|m[iu]yor)"
    r"(?:l[ae]r|s[iu]n|n[iu]z|[iu]z|y[iu]z|d[iu]r|[iu]m|m|n|k|r)?"
)
_INFINITIVE = re.compile(r".{2,}m[ae]k")
_SMALL = frozenset(
    """
    a an the is are was were be been being to of and that this it its i we you he she they my our your should must
    shall please always will do does did has have had for in on at by with as so then
    bir bu su o ve ile de da ki mi mu ben biz sen siz lutfen daima hep her zaman icin gibi ise olarak olan gerek gerekir
    """.split()  # noqa: SIM905
)
# Where these stand the order of the words carries the meaning: "use A instead of B".
_ORDERING = frozenset(
    ("instead", "over", "than", "rather", "before", "after", "into", "from", "yerine", "once", "sonra", "onun")
)
_ENDINGS = sorted(
    """
    lari leri larin lerin lar ler imiz umuz iniz unuz inin unun nin nun dan den tan ten dir dur tir tur iyor uyor yor
    acak ecek acag eceg arak erek mis mus miz muz mak mek mali meli ilir ulur ilmis in un im um si su yi yu ya ye da de
    ta te di du ti tu ar er ir ur ip up il ul sa se i u a e ing ed es s
    """.split(),  # noqa: SIM905
    key=lambda ending: (-len(ending), ending),
)
_PLAIN = ("lar", "ler", "ing", "s")
_SOFT = str.maketrans("bgd", "pkt")  # kitabı is kitap
_MOST = 400  # stems of a text that are looked at: a page's form, too, is bounded


def stems(text: str) -> list[str]:
    """The stems of a text's content words, in order, each once, with what denies them."""
    text = names.spelled(text)
    words = fold.heads(text) or fold.tokens(text)
    short = "t" in fold.tokens(text)  # what the fold leaves of "don't" beside its head
    found: list[str] = []
    for word in words:
        if word in _DENIALS or (short and word in _SHORTENED):
            found.append(DENIAL)
        elif (negated := _negated(word)) is not None:
            found.append(stem(negated) + DENIAL)
        elif word not in _SMALL:
            found.append(word if word in _WITH_A_DENIAL else stem(word))
    if any(len(word) > 1 and word.endswith(DENIAL) for word in found):
        found = [word for word in found if word not in _WITH_A_DENIAL]
    kept = list(dict.fromkeys(DENIAL if word in _WITH_A_DENIAL else word for word in found))[:_MOST]
    return kept if any(word != DENIAL for word in kept) else list(dict.fromkeys(words))[:_MOST]


def bare(text: str) -> list[str]:
    """The stems without what denies them: what two sayings of one thing share, whichever way they turn it."""
    return list(dict.fromkeys(plain for word in stems(text) if (plain := word.rstrip(DENIAL))))


def _negated(word: str) -> str | None:
    if len(word) < 5 or _INFINITIVE.fullmatch(word):
        return None
    found = _NEGATED.fullmatch(word)
    return found[1] if found else None


def stem(word: str) -> str:
    """A word without its endings, Turkish and English: four letters are left at least, three before a plain plural, -ing or a long ending."""
    if not word.isascii() or not word.isalpha():
        return word  # numbers, names with digits and other scripts are what they are
    left = _plain_y(word)  # query, queries
    while ending := next((e for e in _ENDINGS if left.endswith(e) and len(left) - len(e) >= _least(e)), ""):
        left = _plain_y(left[: -len(ending)])
    if len(left) > 3 and left[-1] == left[-2] and left[-1] not in "aeiou":
        left = left[:-1]  # running is run
    return left[:-1] + left[-1].translate(_SOFT)


def _plain_y(word: str) -> str:
    return word[:-1] + "i" if len(word) > 3 and word[-1] == "y" else word


def _least(ending: str) -> int:
    return 3 if ending in _PLAIN or len(ending) > 3 else 4


def form(text: str) -> str:
    """The normal form: stems, sorted, or in their order where a word in it makes the order count; "" for no word."""
    found = stems(text)
    ordered = any(word in _ORDERING for word in fold.heads(text))
    return " ".join(found if ordered else sorted(found))
