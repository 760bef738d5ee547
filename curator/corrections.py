"""What a person corrects in a typed line: what they want, and what they want it instead of. By clear forms, no model.

Pure. "No, use pnpm", "pnpm, not npm", "npm yerine pnpm kullan", "hayır, pnpm". A single correction settles one moment; the
second one of the same subject shows a preference (R83). It must never read a denial of a fact as a wish: both sides are a
few words, and what points elsewhere ("no, that one") corrects nothing that could be kept.
"""

import re
from dataclasses import dataclass

from bellek.curator.statements import POINTING, sentences
from bellek.kg import fold, fts_query

WORDS = 4  # of a side at most
LONG = 5  # letters from which on a word's ending is left off: pnpm and pnpx are two things
_DENIAL = re.compile(  # "no problem" denies nothing: a denial that opens a sentence is set off
    r"(?:(?:no|nope|wrong|not like that|hayır|yanlış|öyle değil|olmaz)\s*(?:[,:!]|\Z)|(?:i said|i told you|as i said|dedim ya|söylemiştim|demiştim)\b[,:]?)\s*",
    re.IGNORECASE,
)
_VERB = r"(?:use|write|take|choose|pick|call it|make it|run)"
_FIIL = r"(?:kullan\w*|yaz|yap|olsun|olacak|seç|al|çalıştır)"
_FORMS = tuple(re.compile(form, re.IGNORECASE) for form in (
    rf"(?:please )?(?:do not|don['’]?t|stop) (?:use|using|write|writing) (?P<instead>.+?)[,:] (?:but )?(?:{_VERB} )?(?P<wanted>.+)",
    rf"not (?P<instead>.+?)[,:] (?:but |{_VERB} )(?:{_VERB} )?(?P<wanted>.+)",
    rf"(?:please )?(?:{_VERB} )?(?P<wanted>.+?)(?:,| and) not (?P<instead>.+)",
    rf"(?:please )?(?:{_VERB} )?(?P<wanted>.+?) (?:instead of|rather than) (?P<instead>.+)",
    rf"(?P<instead>.+?) yerine (?P<wanted>.+?)(?: {_FIIL})?",
    rf"(?P<wanted>.+?)(?: {_FIIL})?, (?P<instead>.+?) değil",
    rf"(?P<instead>.+?) değil,? (?P<wanted>.+?)(?: {_FIIL})?",
    rf"(?P<instead>.+?) kullanma(?:yın)?[,:]? (?P<wanted>.+?) {_FIIL}",
))  # fmt: skip
_ALONE = re.compile(
    rf"(?:please )?{_VERB} (?P<wanted>.+?)(?: please)?|(?:lütfen )?(?P<istenen>.+?) {_FIIL}(?: lütfen)?", re.IGNORECASE
)
_ELSEWHERE = POINTING | {"that", "one", "ones", "digeri", "oteki"}
_SMALL = frozenset(
    ("use", "using", "the", "a", "an", "to", "for", "please", "lutfen", "kullan", "hep", "always", "instead")
)


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction: the sentence verbatim with its place, and both sides; `instead` is "" where it is not said."""

    text: str
    position: int
    wanted: str
    instead: str

    @property
    def keys(self) -> tuple[str, ...]:
        """The normal forms of its subject: two corrections that share one are about the same thing."""
        return tuple(key for key in (key_of(self.wanted), key_of(self.instead)) if key)

    @property
    def object(self) -> str:
        """What is preferred, in the sentence's own words."""
        if not self.instead:
            return self.wanted
        turkish = re.search(r"\b(?:değil|yerine|kullanma)\b", self.text, re.IGNORECASE)
        return f"{self.instead} değil, {self.wanted}" if turkish else f"{self.wanted}, not {self.instead}"


def read(text: str) -> list[Correction]:
    """The corrections of a typed line, in order."""
    found = []
    denied = False
    for position, sentence in sentences(text):
        opening = _DENIAL.match(sentence)
        rest = sentence[opening.end() :] if opening else sentence
        if opening and not rest:
            denied = True  # "Hayır. pnpm kullan."
            continue
        one = _correction(sentence, position, rest, denied=denied or bool(opening))
        if one:
            found.append(one)
        denied = False
    return found


def _correction(sentence: str, position: int, rest: str, *, denied: bool) -> Correction | None:
    for form in _FORMS:
        sides = form.fullmatch(rest)
        if sides and _is_side(sides["wanted"]) and _is_side(sides["instead"]):
            return Correction(sentence, position, sides["wanted"].strip(), sides["instead"].strip())
    alone = _ALONE.fullmatch(rest) if denied else None
    wanted = (alone["wanted"] or alone["istenen"]) if alone else ""
    return Correction(sentence, position, wanted.strip(), "") if wanted and _is_side(wanted) else None


def _is_side(text: str) -> bool:
    words = fold.tokens(text)
    return 0 < len(words) <= WORDS and not _ELSEWHERE & set(words) and bool(key_of(text))


def key_of(text: str) -> str:
    """The normal form of one side: folded content words by their beginnings, so that endings do not part them."""
    words = [word for word in fold.heads(text) if word not in _SMALL]
    content = [word for word in words if word in fts_query.words(text)] or words
    return " ".join(fold.cuts(word)[-1] if len(word) >= LONG and fold.cuts(word) else word for word in content)
